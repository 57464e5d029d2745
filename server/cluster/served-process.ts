/** A process of the service, and its successors, as the supervisor sees them. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Log } from '../core/observability/log.js'
import type { Taker } from './connections.js'
import { type FromProcess, type FromSupervisor, VARIABLES } from './messages.js'

/** Wait before a process is started again; doubled for each one in a row that ended soon after its start. */
const RESTART_MS = 100
const RESTART_LIMIT_MS = 30_000
/** A process that ran as long has not failed at its start. */
const STABLE_MS = 30_000
/** A process has ten seconds for requests; jobs, mail and threads have theirs then. One that takes longer hangs. */
const STOP_LIMIT_MS = 40_000

/**
 * Half of the young generation of a process's main thread, in megabytes. V8's default of 16 takes 20 MB more. A logtest costs 1 to 3 % more processor time than with
 * 8 and 16. V8 reads the size before any code runs, so a process that no supervisor starts has the default.
 */
const YOUNG_HALF_MB = 4

/**
 * glibc's allocator: two arenas instead of one for each thread, because memory that one thread frees serves no other otherwise; and blocks of 128 KB or more always go
 * back to the system, instead of only those that are larger than any freed before. 17 MB less in a process, and no more processor time, because V8 has its own
 * memory. The program starts with it; a process that no supervisor starts has what its environment says.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(128 * 1024) }

/** The module that each process runs, and what it needs to know. */
export interface Program {
  readonly main: string
  readonly args: readonly string[]
  /** Folder of the sockets of `peer-calls.ts`. */
  readonly folder: string
  /** Address on which the service listens. */
  readonly address: string
}

/** What the supervisor does with what a process tells, or with its end. */
export interface ProcessEvents {
  onServing(): void
  onReady(): void
  onTaken(connection: number): void
  onClosed(from: Taker): void
  onEnded(from: Taker): void
}

export class ServedProcess implements Taker {
  isServing = false
  hasBeenReady = false
  /** Resolves with the exit code of the last process, once the service is stopping. */
  readonly ended: Promise<number>
  readonly #number: number
  readonly #program: Program
  readonly #log: Log
  readonly #events: ProcessEvents
  #setEnded!: (code: number) => void
  #child: ChildProcess | null = null
  #isStopping = false
  /** How many processes in a row ended soon after their start. */
  #shortLives = 0
  #restart: NodeJS.Timeout | null = null

  /** @param number from 1 */
  constructor(number: number, program: Program, log: Log, events: ProcessEvents) {
    this.#number = number
    this.#program = program
    this.#log = log
    this.#events = events
    this.ended = new Promise((resolve) => {
      this.#setEnded = resolve
    })
  }

  /** Starts the process, unless the service is stopping. @returns null when it serves; else the exit code of a process that ended before, which is not started again if `isOnce` */
  async start(isOnce: boolean): Promise<number | null> {
    if (this.#isStopping) return 0
    const { main, args, folder, address } = this.#program
    const env = { ...ALLOCATOR, ...process.env, [VARIABLES.number]: String(this.#number), [VARIABLES.folder]: folder, [VARIABLES.address]: address }
    const startedAt = performance.now()
    const onError = (error: unknown): void => this.#log.error({ err: error, process: this.#number }, 'a process of the service could not be reached or started')
    let child: ChildProcess
    try {
      child = fork(main, [...args], { env, silent: true, execArgv: [...process.execArgv, `--max-semi-space-size=${YOUNG_HALF_MB}`] })
    } catch (error) {
      // Some reasons, such as too little memory, are thrown.
      onError(error)
      if (isOnce) this.#setEnded(1)
      else this.#onEnded(1, null, 0)
      return 1
    }
    this.#child = child
    // The system refused a new process; `close` follows.
    child.on('error', onError)
    passOn(child, this.#log)
    const events = this.#events
    const served = new Promise<null>((resolve) => {
      child.on('message', (message: FromProcess) => {
        if (message.kind === 'taken') events.onTaken(message.connection)
        else if (message.kind === 'closed') events.onClosed(this)
        else if (message.kind === 'ready') {
          this.hasBeenReady = true
          events.onReady()
        } else {
          this.isServing = true
          events.onServing()
          resolve(null)
        }
      })
    })
    // Not `exit`: what it has written last may still be in the pipe. Not `events.once`: it rejects when the child could not be started.
    const closed = new Promise<number>((resolve) => {
      child.once('close', (code) => {
        this.isServing = false
        this.#child = null
        events.onEnded(this)
        resolve(code ?? 1)
      })
    })
    // It may not be known yet that the process was killed.
    child.once('disconnect', () => {
      this.isServing = false
    })
    const first = await Promise.race([served, closed])
    if (first !== null && isOnce) {
      this.#setEnded(first)
      return first
    }
    void closed.then((code) => this.#onEnded(code, child.signalCode, performance.now() - startedAt))
    return first
  }

  give(connection: number, socket: Socket): void {
    this.#send({ kind: 'connection', connection }, socket)
  }

  tell(message: FromSupervisor): void {
    this.#send(message)
  }

  /** Lets the process finish what runs. */
  stop(): void {
    this.#isStopping = true
    if (this.#restart !== null) clearTimeout(this.#restart)
    const child = this.#child
    if (child === null) return this.#setEnded(0)
    this.tell({ kind: 'stop' })
    const late = setTimeout(() => {
      this.#log.error({ process: this.#number }, 'a process of the service does not stop; it is killed')
      child.kill('SIGKILL')
    }, STOP_LIMIT_MS)
    child.once('close', () => clearTimeout(late))
  }

  #send(message: FromSupervisor, socket?: Socket): void {
    const child = this.#child
    // The socket is kept until the process has it. A process that is gone is noticed by `close`.
    if (child?.connected === true) child.send(message, socket, { keepOpen: true }, () => {})
  }

  #onEnded(code: number, signal: string | null, livedMs: number): void {
    if (this.#isStopping) return this.#setEnded(code)
    this.#shortLives = livedMs < STABLE_MS ? this.#shortLives + 1 : 0
    const waitMs = this.#shortLives === 0 ? 0 : Math.min(RESTART_MS * 2 ** (this.#shortLives - 1), RESTART_LIMIT_MS)
    this.#log.error({ process: this.#number, code, signal, restart_in_ms: waitMs }, 'a process of the service ended unexpectedly; it will be started again')
    this.#restart = setTimeout(() => void this.start(false), waitMs)
  }
}

/** Writes what a process writes: its log in whole lines, as the lines of several processes would mix in a pipe, and its standard error as it is. */
function passOn({ stdout, stderr }: ChildProcess, log: Log): void {
  let rest = ''
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) log.passOn(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
  stdout?.once('end', () => {
    if (rest !== '') log.passOn(`${rest}\n`)
  })
  // Not `pipe`: it adds listeners to the standard error of the supervisor for each process, and Node warns of more than ten.
  stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk))
}
