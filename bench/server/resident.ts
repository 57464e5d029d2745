/** The resident memory of a service. Linux only. */
import { readFileSync } from 'node:fs'
import { childrenOf } from './thread-times.js'

const KB_PER_MB = 1024

/** Memory of a process and its descendants, in megabytes. Pages that several of them share count once. */
export function residentMb(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return childrenOf(pid).reduce((sum, child) => sum + residentMb(child), Number(kilobytes) / KB_PER_MB)
}
