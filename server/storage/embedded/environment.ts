/**
 * The LMDB file, and the one queue through which everything is written to it.
 *  1. a write resolves when it is on disk. Without `overlappingSync` LMDB syncs the pages of a transaction, and then writes its root with O_DSYNC,
 *     before lmdb resolves (strace shows it); a power cut leaves the old root or the new one
 *  2. writes that wait while a transaction is on its way to the disk share the next one
 *  3. what fails within a transaction takes back what it has changed; the others of the transaction go on
 *  4. after a transaction that could not be written the file is opened anew: nothing that lmdb remembers of it is relied upon
 *  5. only the file that was opened first is: where that is gone lmdb would make an empty one, and the service would be as if nobody had ever used it
 *  6. no write is acknowledged that went to a file which is not in its place any more: it is looked for before and after each transaction
 */
import { type Database, open, type RootDatabase } from 'lmdb'
import { StorageFullError, StorageUnavailableError } from '../errors.js'
import { checkFile, dataFileOf, FULL_CODES, isFull, syncDirectory } from './files.js'
import type { Value, ValueObject } from '../values.js'
import { Presence, type PresenceState } from './presence.js'
import { Snapshot } from './snapshot.js'

/** Address space, not memory or disk: LMDB can't be larger than this. Reserved at once, as lmdb would otherwise map the file anew while it grows. */
const MAP_BYTES = 256 * 1024 ** 3
/** Writes of one transaction: they run on the main thread in one go. */
const GROUP_LIMIT = 500
/** Answers that are read in pieces at the same time. */
const READERS = 8
/** What LMDB says of a write that was cut short: "input/output error". */
const CUT_SHORT = 5

export type Documents = Database<ValueObject, Buffer>
export type Entries = Database<Buffer, Buffer>
export type Meta = Database<Value, string>

interface Queued {
  run(): unknown
  resolve(value: unknown): void
  reject(reason: unknown): void
}

interface Opened {
  readonly root: RootDatabase<unknown, string>
  readonly documents: Documents
  readonly entries: Entries
  readonly meta: Meta
}

type Settled = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: unknown }

export interface EnvironmentOptions {
  readonly directory: string
  /** Told after the file was opened anew, so that what is known of it is read again. */
  readonly onReopened: () => void
  /** Told when the file is not in its place any more, and when it is again. */
  readonly onPresence?: ((state: PresenceState) => void) | undefined
}

export class Environment {
  readonly #options: EnvironmentOptions
  readonly #presence: Presence
  #opened: Opened | null
  #queue: Queued[] = []
  #writing: Promise<void> | null = null
  #reopening: Promise<void> | null = null
  #closed = false
  readonly #snapshots = new Set<Snapshot>()
  readonly #readers = new Set<Promise<void>>()

  private constructor(options: EnvironmentOptions, opened: Opened) {
    this.#options = options
    this.#opened = opened
    this.#presence = new Presence(dataFileOf(options.directory), (state) => options.onPresence?.(state))
  }

  static async open(options: EnvironmentOptions): Promise<Environment> {
    await checkFile(options.directory)
    const opened = openDatabases(options.directory)
    await syncDirectory(options.directory)
    return new Environment(options, opened)
  }

  get documents(): Documents {
    return this.#databases().documents
  }

  get entries(): Entries {
    return this.#databases().entries
  }

  get meta(): Meta {
    return this.#databases().meta
  }

  /** Null when the databases can be used at once, which is nearly always. @throws StorageUnavailableError */
  usable(): Promise<void> | null {
    if (this.#closed) throw new StorageUnavailableError()
    if (this.#reopening !== null) return this.#reopening
    if (this.#opened === null) return this.#reopen()
    return null
  }

  /** Runs in a transaction with others, and resolves when it is on disk. What throws must have left nothing. */
  async write<R>(run: () => R): Promise<R> {
    if (this.#closed) throw new StorageUnavailableError()
    return new Promise<R>((resolve, reject) => {
      this.#queue.push({ run, resolve: resolve as (value: unknown) => void, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** @throws StorageUnavailableError when the file was taken away, or another one put in its place: what is written to it would be lost */
  checkPresent(): void {
    const absent = this.#absence()
    if (absent !== null) throw absent
  }

  /** All as it is now, however long reading it takes. To be ended. */
  snapshot(): Snapshot {
    const { documents, entries } = this.#databases()
    const snapshot = new Snapshot(documents, entries, () => this.#snapshots.delete(snapshot))
    this.#snapshots.add(snapshot)
    return snapshot
  }

  /** Reads from a snapshot, when few others do: LMDB has a table of readers, and they would only wait for one another. */
  async reading<R>(run: (snapshot: Snapshot) => Promise<R>): Promise<R> {
    while (this.#readers.size >= READERS) await Promise.race(this.#readers)
    const work = this.#readOnce(run)
    const done = work.then(
      () => undefined,
      () => undefined,
    )
    this.#readers.add(done)
    void done.then(() => this.#readers.delete(done))
    return work
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#presence.close()
    while (this.#writing !== null) await this.#writing
    await this.#reopening?.catch(() => undefined)
    await this.#shut()
  }

  async #readOnce<R>(run: (snapshot: Snapshot) => Promise<R>): Promise<R> {
    const snapshot = this.snapshot()
    try {
      return await run(snapshot)
    } finally {
      snapshot.end()
    }
  }

  #databases(): Opened {
    if (this.#opened === null) throw new StorageUnavailableError()
    return this.#opened
  }

  async #writeAll(): Promise<void> {
    // Writes of the same turn come along.
    await null
    while (this.#queue.length > 0) await this.#writeGroup(this.#queue.splice(0, GROUP_LIMIT))
    this.#writing = null
  }

  async #writeGroup(group: readonly Queued[]): Promise<void> {
    let settled: Settled[] = []
    // The file stays open: it can be read, and be put back.
    const absent = this.#absence()
    if (absent !== null) return rejectAll(group, absent)
    try {
      if (this.#opened === null) await this.#reopen()
      await this.#databases().root.transaction(() => {
        settled = group.map(({ run }) => attempt(run))
        const broken = settled.find((one) => !one.ok && one.reason instanceof BrokenTransaction)
        // The transaction can't be given up from here; LMDB refuses to commit one in which a write failed.
        if (broken !== undefined && !broken.ok) throw (broken.reason as BrokenTransaction).cause
      })
    } catch (fault) {
      rejectAll(group, await this.#explain(fault).catch(() => fault))
      await this.#reopen().catch(() => undefined)
      return
    }
    const lost = this.#absence()
    if (lost !== null) return rejectAll(group, lost)
    for (const [index, one] of settled.entries()) {
      if (one.ok) group[index].resolve(one.value)
      else group[index].reject(one.reason)
    }
  }

  /** Null: the file is in its place. */
  #absence(): StorageUnavailableError | null {
    const state = this.#presence.look()
    if (state === 'present') return null
    const { directory } = this.#options
    return new StorageUnavailableError({ cause: new Error(state === 'missing' ? `the file in ${directory} is gone` : `another file is in the place of the one in ${directory}`) })
  }

  async #explain(fault: unknown): Promise<unknown> {
    if (fault instanceof StorageUnavailableError) return fault
    const reason = await causeOf(fault)
    const code = (reason as { code?: unknown } | null)?.code
    if (FULL_CODES.has(code) || (code === CUT_SHORT && (await isFull(this.#options.directory)))) return new StorageFullError({ cause: reason })
    return reason
  }

  #reopen(): Promise<void> {
    this.#reopening ??= (async () => {
      try {
        await this.#shut()
        this.checkPresent()
        this.#opened = openDatabases(this.#options.directory)
        this.#options.onReopened()
      } catch (cause) {
        await this.#shut().catch(() => undefined)
        throw cause instanceof StorageUnavailableError ? cause : new StorageUnavailableError({ cause })
      } finally {
        this.#reopening = null
      }
    })()
    return this.#reopening
  }

  async #shut(): Promise<void> {
    const opened = this.#opened
    this.#opened = null
    for (const snapshot of this.#snapshots) snapshot.end()
    await opened?.root.close()
  }
}

/** A write that neither worked nor could be taken back: its transaction must not be committed. */
export class BrokenTransaction extends Error {
  override readonly name = 'BrokenTransaction'
}

function attempt(run: () => unknown): Settled {
  try {
    return { ok: true, value: run() }
  } catch (reason) {
    return { ok: false, reason }
  }
}

function rejectAll(group: readonly Queued[], reason: unknown): void {
  for (const { reject } of group) reject(reason)
}

function openDatabases(directory: string): Opened {
  const root = open<unknown, string>({
    path: directory,
    noSubdir: false,
    mapSize: MAP_BYTES,
    maxDbs: 3,
    ...{ permissionsMode: 0o600 },
    overlappingSync: false,
    // With it lmdb would leave a promise behind that nobody can handle when a transaction fails.
    eventTurnBatching: false,
  })
  return {
    root,
    meta: root.openDB<Value, string>({ name: 'meta', encoding: 'json' }),
    // Plain MessagePack, dates as its own timestamps: documents carry all that is needed to read them, and it decodes in a microsecond.
    documents: root.openDB<ValueObject, Buffer>({ name: 'documents', keyEncoding: 'binary', encoding: 'msgpack', ...{ useRecords: false } }),
    entries: root.openDB<Buffer, Buffer>({ name: 'entries', keyEncoding: 'binary', encoding: 'binary' }),
  }
}

/** What lmdb's "Commit failed" stands for. */
async function causeOf(fault: unknown): Promise<unknown> {
  const { commitError } = fault as { commitError?: Promise<unknown> }
  if (commitError === undefined) return fault
  return commitError.then(
    () => fault,
    (cause: unknown) => cause,
  )
}
