/**
 * The supervisor of a service of several processes (CONTRACT.md#running). It serves nothing itself: it holds the listening socket and gives connections to the
 * processes, writes their log, starts again what dies, and stops all of them. Invariants:
 *  1. the first process starts alone: it prepares the store, and what prevents a start is reported once and ends the service
 *  2. a process that ended unexpectedly is started again, ever later if it keeps ending, and never once the service is stopping
 *  3. the supervisor ends when no process is left
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../core/config.js'
import { listen } from '../core/http/listen.js'
import type { Log } from '../core/observability/log.js'
import { Connections } from './connections.js'
import { type ProcessEvents, type Program, ServedProcess } from './served-process.js'

export interface SupervisorOptions extends Pick<Program, 'main' | 'args'> {
  readonly config: Pick<Config, 'processes' | 'host' | 'port'>
  readonly log: Log
  /** Resolves with the reason for which the service stops. */
  readonly stopped: Promise<string>
}

/** Runs the processes until `stopped`. Rejects when the port is in use. @returns the exit code: that of the first process if it cannot start, else 0 if all have ended in order */
export async function supervise({ config: { processes: count, host, port }, log, main, args, stopped }: SupervisorOptions): Promise<number> {
  const processes: ServedProcess[] = []
  const connections = new Connections(processes)
  // No data is read here; the process that gets the connection does. Connections are offered from the first one on: nobody else would ever close it.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => connections.offer(socket))
  const address = await listen(server, port, host)
  // Created for this user alone.
  const folder = await mkdtemp(join(tmpdir(), 'detection-content-'))
  const events: ProcessEvents = {
    onServing: () => connections.serves(),
    onReady: () => {
      if (processes.every(({ hasBeenReady }) => hasBeenReady)) for (const each of processes) each.tell({ kind: 'all_ready' })
    },
    onTaken: (connection) => connections.taken(connection),
    onClosed: (from) => connections.closed(from),
    onEnded: (from) => connections.ended(from),
  }
  for (let number = 1; number <= count; number++) processes.push(new ServedProcess(number, { main, args, folder, address }, log, events))
  const stopping = stopped.then((reason) => {
    log.info({ signal: reason }, 'stopping')
    server.close()
    for (const each of processes) each.stop()
  })
  try {
    const [first, ...others] = processes
    const failure = await first.start(true)
    if (failure !== null) return failure
    log.info({ address, processes: count }, 'listening')
    for (const other of others) void other.start(false)
    await stopping
    const codes = await Promise.all(processes.map(({ ended }) => ended))
    log.info('stopped')
    return codes.find((code) => code !== 0) ?? 0
  } finally {
    server.close()
    connections.close()
    await rm(folder, { recursive: true, force: true })
  }
}
