/** What servers that tests start have in common: a free port, and an end with the process of the tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

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

/** Different ports that are free at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(probes.map((probe) => once(probe, 'listening')))
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  return ports
}
