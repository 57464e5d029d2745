/** This process, towards the supervisor of its instance (`served-process.ts` is the other side). */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../core/config.js'
import { type FromProcess, type FromSupervisor, VARIABLES } from './messages.js'

export interface OwnProcessOptions {
  /** Number of this process, from 1. */
  readonly number: number
  /** How many processes there are. */
  readonly processes: number
  /** Folder of the sockets and of the files of sessions. */
  readonly folder: string
  /** On which the service listens, `http://host:port`. */
  readonly address: string
}

/** The part of a supervised process that the service needs. */
export type OwnProcess = Pick<SupervisedProcess, 'number' | 'processes' | 'address' | 'areAllReady' | 'sessionFile' | 'socketFolder' | 'ready' | 'serve'>

/** This process, started by a supervisor. */
export class SupervisedProcess {
  readonly number: number
  readonly processes: number
  readonly address: string
  /** Resolves with the reason when the process has to stop: it was told to, or its supervisor is gone. */
  readonly stopped: Promise<string>
  readonly #options: OwnProcessOptions
  #server: Server | null = null
  #areAllReady = false
  #isStopping = false

  constructor(options: OwnProcessOptions) {
    this.#options = options
    this.number = options.number
    this.processes = options.processes
    this.address = options.address
    this.stopped = new Promise((resolve) => {
      const stop = (reason: string): void => {
        this.#isStopping = true
        resolve(reason)
      }
      process.on('message', (message: FromSupervisor, socket: Socket | undefined) => {
        if (message.kind === 'connection') this.#take(message.connection, socket)
        else if (message.kind === 'all_ready') this.#areAllReady = true
        else stop('stop')
      })
      process.once('disconnect', () => {
        // A second signal has ended the supervisor: the operator does not want to wait.
        if (this.#isStopping) process.exit(1)
        stop('supervisor_gone')
      })
      // A terminal sends it to every process; the supervisor decides.
      process.on('SIGINT', () => {})
      process.once('SIGTERM', () => stop('SIGTERM'))
    })
  }

  /** Whether every process of the service has been ready once. A single one that starts again does not make the service unready. */
  get areAllReady(): boolean {
    return this.#areAllReady
  }

  /** File in which this process leaves to its successor which sessions it had. */
  get sessionFile(): string {
    return join(this.#options.folder, `${this.number}.sessions`)
  }

  /** Folder of the socket files of this instance. */
  get socketFolder(): string {
    return this.#options.folder
  }

  /** From now on the supervisor sends connections to the server. */
  serve(server: Server): void {
    this.#server = server
    // Node begins to check the timeouts of connections with this event, and the server does not listen itself.
    server.emit('listening')
    tell({ kind: 'serving' })
  }

  /** Tells that the threads have compiled the default ruleset. */
  ready(): void {
    tell({ kind: 'ready' })
  }

  /** @param socket undefined: its caller has closed it */
  #take(connection: number, socket: Socket | undefined): void {
    // Before anything is read: until then the supervisor can give it to another process.
    tell({ kind: 'taken', connection })
    if (socket === undefined) return tell({ kind: 'closed' })
    socket.once('close', () => tell({ kind: 'closed' }))
    this.#server?.emit('connection', socket)
  }
}

function tell(message: FromProcess): void {
  // A supervisor that is gone ends this process, by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

/** This process, if a supervisor has started it; else null. */
export function supervisedProcess({ processes }: Pick<Config, 'processes'>): SupervisedProcess | null {
  const { [VARIABLES.number]: number, [VARIABLES.folder]: folder, [VARIABLES.address]: address } = process.env
  if (number === undefined || folder === undefined || address === undefined) return null
  // The supervisor was killed while this process started.
  if (!process.connected) process.exit(1)
  return new SupervisedProcess({ number: Number(number), processes, folder, address })
}
