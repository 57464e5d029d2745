/** What servers that tests start have in common: a free port, and an end with the process of the tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Ends a server when this process is gone, even by SIGKILL: the pipe closes then. */
export function guardOf(child: ChildProcess): ChildProcess {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$1" 2>/dev/null', 'sh', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  ;(guard.stdin as unknown as { unref(): void }).unref()
  return guard
}

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port
}

/** Below those that systems give to connections (Linux from 32,768 on, gVisor from 16,000 on), which may be taken before they are used. */
const PORTS = { first: 10_000, end: 16_000 } as const

/** Consecutive ports that are free. */
export async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = randomInt(PORTS.first, PORTS.end - count)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const probes = ports.map((port) => createServer().listen(port, '127.0.0.1'))
    const areFree = await Promise.all(
      probes.map((probe) =>
        once(probe, 'listening').then(
          () => true,
          () => false,
        ),
      ),
    )
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
    if (areFree.every((isFree) => isFree)) return ports
  }
}
