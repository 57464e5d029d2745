/**
 * One SQLite file: a connection for reads that take microseconds, one thread for writes, and threads for reads that may take longer.
 *  1. a write resolves when SQLite has committed it; with durability `disk`, when it is on disk
 *  2. writes that wait during a transaction share the next one, so that one disk write serves all of them
 *  3. in a file that is not durable, short writes run on the main thread, because a message to a thread takes longer. They never wait there for another process
 *  4. a write to a file that was moved, deleted or replaced is never acknowledged: the path is checked before and after each transaction
 */
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { Windows } from '../contract.js'
import { StorageUnavailableError, StoreError } from '../errors.js'
import { Connection, type Durability } from './connection.js'
import { contractFault, DamagedStoreError, isBusy, isDamage, NewerFormatError } from './faults.js'
import { makeFile } from './files.js'
import { plainFault } from './plain-fault.js'
import { Presence, type PresenceState } from './presence.js'
import { type Find, find, type Page, type Read, read } from './reads.js'
import { APPLICATION_ID, FORMAT_VERSION } from './schema.js'
import { StoreThread } from './store-thread.js'
import { TableWindows, windowSql } from './windows.js'
import { type Outcome, type Step, type StepResult, type Task, writeTasks } from './writes.js'

/** Maximum number of tasks in one transaction, because all of them wait for its commit. */
const GROUP_LIMIT = 500
/** Maximum number of tasks in one transaction on the main thread: a task takes about 20 µs and blocks the event loop. */
const SHORT_GROUP_LIMIT = 50
/** Attempts to open a file while another process changes its journal mode. */
const OPEN_TRIES = 50
const OPEN_AGAIN_MS = 20

export interface DatabaseFileOptions {
  readonly path: string
  readonly durability: Durability
  /** Number of threads for reads; 0: the main thread reads, because the file is small. */
  readonly readers: number
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
  /** The connection for short writes; null: the file is durable. */
  readonly #shortWrites: Connection | null
  readonly #presence: Presence
  readonly #writer: StoreThread
  readonly #readers: readonly StoreThread[]
  readonly #windows = new Map<string, TableWindows>()
  #queue: Queued[] = []
  #writing: Promise<void> | null = null
  #closed = false

  private constructor(options: DatabaseFileOptions, connection: Connection, shortWrites: Connection | null) {
    this.#options = options
    this.#connection = connection
    this.#shortWrites = shortWrites
    this.#presence = new Presence(options.path, (state) => options.onPresence?.(state))
    this.#writer = this.#thread(false)
    this.#readers = Array.from({ length: options.readers }, () => this.#thread(false))
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

  /** Finds documents on the main thread. It must be used only for queries that a unique index answers. @throws StorageUnavailableError */
  findNow(request: Find): string[] {
    return this.#now((connection) => find(connection, request))
  }

  async read<R extends string[] | number | Page>(request: Read, snapshot?: StoreThread): Promise<R> {
    this.#requireOpen()
    const reader = snapshot ?? this.#readers.reduce<StoreThread | undefined>((least, one) => (least === undefined || one.load < least.load ? one : least), undefined)
    // A thread that starts now could open another file at the same path.
    const isHere = reader === undefined || (!reader.isStarted && this.#absence() !== null)
    return isHere ? this.#now((connection) => read(connection, request) as R) : reader.request<R>({ kind: 'read', read: request })
  }

  /** Starts a thread that reads from one snapshot. The caller must close it. */
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

  /** Windows of a table. It must not be called for a durable file, whose writes are on disk when they resolve. @param otherwise used where a short write is not possible */
  windows(table: string, limit: number, otherwise: Windows): Windows {
    const connection = this.#shortWrites
    if (connection === null) throw new TypeError(`${table} is in a durable file`)
    let windows = this.#windows.get(table)
    if (windows === undefined) {
      const prune = (rowid: number): void => attempt(() => connection.run(`DELETE FROM "${table}" WHERE rowid <= ?`, [rowid]))
      windows = new TableWindows({ statement: connection.prepare(windowSql(table), true), limit, prune, otherwise })
      this.#windows.set(table, windows)
    }
    return windows
  }

  /** @throws StorageUnavailableError when the file does not answer, or was moved, deleted or replaced */
  ping(): void {
    const absence = this.#absence()
    if (absence !== null) throw absence
    this.#now((connection) => connection.all('SELECT count(*) FROM sqlite_schema'))
  }

  /** Finishes running writes and refuses later ones. */
  async close(): Promise<void> {
    this.#closed = true
    for (const windows of this.#windows.values()) windows.close()
    this.#presence.close()
    while (this.#writing !== null) await this.#writing
    await Promise.all([this.#writer, ...this.#readers].map((thread) => thread.close()))
    // The log is written into the file, so that a copy of the file alone is complete. Without that the data stays in the log beside the file.
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
    // Collect the writes of the same iteration of the event loop.
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
      const outcomes = this.#writeShort(tasks) ?? (await this.#writer.request<readonly Outcome[]>({ kind: 'write', tasks }))
      this.#requirePresent()
      for (const [index, outcome] of outcomes.entries()) {
        if ('fault' in outcome) group[index].reject(contractFault(outcome.fault, this.#options.path))
        else group[index].resolve(outcome.results)
      }
    } catch (fault) {
      for (const { reject } of group) reject(fault)
    }
  }

  /** Returns null when the tasks must run on the thread. */
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

  /** Returns null when the file is at its path. */
  #absence(): StorageUnavailableError | null {
    const state = this.#presence.check()
    if (state === 'present') return null
    const { path } = this.#options
    return new StorageUnavailableError({ cause: new Error(state === 'missing' ? `${path} is missing` : `${path} was replaced by another file`) })
  }
}

/** Whether the step changes at most one document, or creates tables, which happens only at the start. */
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

/** Checks the format of a file, and marks a new file as a store. @throws NewerFormatError, DamagedStoreError */
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
    // The caller can do without it.
  }
}
