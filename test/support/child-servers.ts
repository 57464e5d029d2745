/** What servers that tests start have in common: a free port, and an end with the process of the tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'

/** Ends a server when this process is gone, even by SIGKILL: the pipe closes then. */
export function guardOf(child: ChildProcess): ChildProcess {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$1" 2>/dev/null', 'sh', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  ;(guard.stdin as unknown as { unref(): void }).unref()
  return guard
}

/** A port that is free at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
