/**
 * One SQLite file: a connection for reads that take microseconds, one thread for writes, threads for reads that may take longer.
 *  1. a write resolves when SQLite has committed it; of durability `disk`, when the disk has it
 *  2. writes that wait while a transaction is under way share the next one, so that they wait for the disk together
 *  3. short writes that wait for no disk run on this thread, in less time than a message to another one takes; they never wait for another process here
 *  4. no write is acknowledged that went to a file which is not in its place: that is looked at before and after each transaction
 */
import { setImmediate as nextIteration } from 'node:timers/promises'
import { StorageUnavailableError, StoreError } from '../errors.js'
import { Connection, type Durability } from './connection.js'
import { contractFault, DamagedStoreError, isBusy, isDamage, NewerFormatError } from './faults.js'
import { makeFile } from './files.js'
import { plainFault } from './plain-fault.js'
import { Presence, type PresenceState } from './presence.js'
import { type Find, find, type Page, type Read, read } from './reads.js'
import { APPLICATION_ID, FORMAT_VERSION } from './schema.js'
import { StoreThread } from './store-thread.js'
import { type Outcome, type Step, type StepResult, type Task, writeTasks } from './writes.js'

/** Tasks of one transaction: those of it that come first wait for the others. */
const GROUP_LIMIT = 500
/** Tasks of one transaction on this thread: a task takes some 20 µs, and requests wait meanwhile. */
const SHORT_GROUP_LIMIT = 50
/** Threads for reads: a long one delays others, so there are two. */
const READERS = 2
/** Tries to open a file while another process changes it to a log. */
const OPEN_TRIES = 50
const OPEN_AGAIN_MS = 20

export interface DatabaseFileOptions {
  readonly path: string
  readonly durability: Durability
  readonly onPresence?: ((state: PresenceState) => void) | undefined
}

interface Queued {
  readonly task: Task
  resolve(results: readonly StepResult[]): void
  reject(fault: unknown): void
}

export class DatabaseFile {
  readonly #options: DatabaseFileOptions
  readonly #connection: Connection
  /** For short writes. Null: the file is durable. */
  readonly #shortWrites: Connection | null
  readonly #presence: Presence
  readonly #writer: StoreThread
  readonly #readers: readonly StoreThread[]
  #queue: Queued[] = []
  #writing: Promise<void> | null = null
  #closed = false

  private constructor(options: DatabaseFileOptions, connection: Connection, shortWrites: Connection | null) {
    this.#options = options
    this.#connection = connection
    this.#shortWrites = shortWrites
    this.#presence = new Presence(options.path, (state) => options.onPresence?.(state))
    this.#writer = this.#thread(false)
    // What a file that is not durable holds is small.
    this.#readers = options.durability === 'disk' ? Array.from({ length: READERS }, () => this.#thread(false)) : []
  }

  /** @throws DamagedStoreError, NewerFormatError, StorageFullError */
  static async open(options: DatabaseFileOptions): Promise<DatabaseFile> {
    makeFile(options.path)
    for (let tries = 1; ; tries++) {
      try {
        const connection = openConnection(options)
        return new DatabaseFile(options, connection, options.durability === 'disk' ? null : openShortWrites(options, connection))
      } catch (fault) {
        if (fault instanceof StoreError) throw fault
        if (isDamage(fault)) throw new DamagedStoreError(options.path, fault)
        if (!isBusy(fault)) throw contractFault(plainFault(fault), options.path)
        if (tries === OPEN_TRIES) throw new StorageUnavailableError({ cause: fault })
        await new Promise((resolve) => setTimeout(resolve, OPEN_AGAIN_MS))
      }
    }
  }

  /** On this thread: for what a unique index finds. @throws StorageUnavailableError */
  findNow(request: Find): string[] {
    return this.#now((connection) => find(connection, request))
  }

  async read<R extends string[] | number | Page>(request: Read, snapshot?: StoreThread): Promise<R> {
    this.#requireOpen()
    const reader = snapshot ?? this.#readers.reduce<StoreThread | undefined>((least, one) => (least === undefined || one.load < least.load ? one : least), undefined)
    // A thread that starts now would open what is in the place of the file.
    const isHere = reader === undefined || (!reader.isStarted && this.#absence() !== null)
    return isHere ? this.#now((connection) => read(connection, request) as R) : reader.ask<R>({ kind: 'read', read: request })
  }

  /** A thread that reads as of one moment; to be closed. */
  snapshot(): StoreThread {
    this.#requireOpen()
    return this.#thread(true)
  }

  write(task: Task): Promise<readonly StepResult[]> {
    return new Promise((resolve, reject) => {
      this.#requireOpen()
      this.#queue.push({ task, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** @throws StorageUnavailableError when it does not answer, or is not in its place */
  ping(): void {
    const absence = this.#absence()
    if (absence !== null) throw absence
    this.#now((connection) => connection.all('SELECT count(*) FROM sqlite_schema'))
  }

  /** Writes that are under way are finished; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true
    this.#presence.close()
    while (this.#writing !== null) await this.#writing
    await Promise.all([this.#writer, ...this.#readers].map((thread) => thread.close()))
    // What the log holds belongs in the file: nothing but the file should be needed to copy it.
    if (this.#absence() === null) attempt(() => this.#connection.all('PRAGMA wal_checkpoint(TRUNCATE)'))
    this.#shortWrites?.close()
    this.#connection.close()
  }

  #thread(snapshot: boolean): StoreThread {
    const { path, durability } = this.#options
    return new StoreThread({ path, durability, snapshot })
  }

  #now<R>(run: (connection: Connection) => R): R {
    this.#requireOpen()
    try {
      return run(this.#connection)
    } catch (fault) {
      throw contractFault(plainFault(fault), this.#options.path)
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw new StorageUnavailableError()
  }

  async #writeAll(): Promise<void> {
    // Writes of the same turn come along.
    await null
    while (this.#queue.length > 0) {
      await this.#writeGroup(this.#queue.splice(0, this.#shortWrites === null ? GROUP_LIMIT : SHORT_GROUP_LIMIT))
      if (this.#shortWrites !== null && this.#queue.length > 0) await nextIteration()
    }
    this.#writing = null
  }

  async #writeGroup(group: readonly Queued[]): Promise<void> {
    try {
      this.#requirePresent()
      const tasks = group.map(({ task }) => task)
      const outcomes = this.#writeShort(tasks) ?? (await this.#writer.ask<readonly Outcome[]>({ kind: 'write', tasks }))
      this.#requirePresent()
      for (const [index, outcome] of outcomes.entries()) {
        if ('fault' in outcome) group[index].reject(contractFault(outcome.fault, this.#options.path))
        else group[index].resolve(outcome.results)
      }
    } catch (fault) {
      for (const { reject } of group) reject(fault)
    }
  }

  /** Null: it is work for the thread. */
  #writeShort(tasks: readonly Task[]): readonly Outcome[] | null {
    if (this.#shortWrites === null || !tasks.every((task) => task.every(isShort))) return null
    try {
      return writeTasks(this.#shortWrites, tasks)
    } catch (fault) {
      if (isBusy(fault)) return null
      throw contractFault(plainFault(fault), this.#options.path)
    }
  }

  #requirePresent(): void {
    const absence = this.#absence()
    if (absence !== null) throw absence
  }

  /** Null: the file is in its place. */
  #absence(): StorageUnavailableError | null {
    const state = this.#presence.look()
    if (state === 'present') return null
    const { path } = this.#options
    return new StorageUnavailableError({ cause: new Error(state === 'missing' ? `${path} is gone` : `another file is in the place of ${path}`) })
  }
}

/** It changes one document at most, or creates tables, which happens at the start. */
function isShort(step: Step): boolean {
  return step.kind === 'create' || step.kind === 'insert' || typeof step.match !== 'number'
}

function openShortWrites(options: DatabaseFileOptions, connection: Connection): Connection {
  try {
    return new Connection({ ...options, busyTimeoutMs: 0 })
  } catch (fault) {
    connection.close()
    throw fault
  }
}

function openConnection(options: DatabaseFileOptions): Connection {
  const connection = new Connection(options)
  try {
    checkFormat(connection, options.path)
    return connection
  } catch (fault) {
    connection.close()
    throw fault
  }
}

/** Marks a new file as a store. */
function checkFormat(connection: Connection, path: string): void {
  const [[application]] = connection.all('PRAGMA application_id')
  const [[version]] = connection.all('PRAGMA user_version')
  if (application === APPLICATION_ID) {
    if ((version as number) > FORMAT_VERSION) throw new NewerFormatError(path, version as number, FORMAT_VERSION)
    return
  }
  const [[tables]] = connection.all('SELECT count(*) FROM sqlite_schema')
  if (tables !== 0) throw new DamagedStoreError(path, new Error('it is a database of another program'))
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}`)
}

function attempt(run: () => unknown): void {
  try {
    run()
  } catch {
    // The log stays beside the file, which says the same.
  }
}
