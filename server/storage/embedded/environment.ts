/**
 * The LMDB file, and the one queue through which everything is written to it.
 *  1. a write resolves when it is on disk. Without `overlappingSync` LMDB syncs the pages of a transaction, and then writes its root with O_DSYNC,
 *     before lmdb resolves (strace shows it); a power cut leaves the old root or the new one
 *  2. writes that wait while a transaction is on its way to the disk share the next one
 *  3. what fails within a transaction takes back what it has changed; the others of the transaction go on
 *  4. after a transaction that could not be written the file is opened anew: nothing that lmdb remembers of it is relied upon
 */
import { chmod, mkdir, open as openFile, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { StorageFullError, StorageUnavailableError } from '../errors.js'
import type { Value, ValueObject } from '../language/values.js'

/** Address space, not memory or disk: LMDB can't be larger than this. Reserved at once, as lmdb would otherwise map the file anew while it grows. */
const MAP_BYTES = 256 * 1024 ** 3
/** Writes of one transaction: they run on the main thread in one go. */
const GROUP_LIMIT = 500
/** LMDB says "input/output error" for a write that was cut short. With less than this left, the disk is what is full. */
const FULL_BELOW_BYTES = 64 * 1024 * 1024
const PROBE_BYTES = 64 * 1024
/** How LMDB's files begin, on machines of little end; the data format behind it is 2. */
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe, 2, 0])
const MAGIC_AT = 24
/** What LMDB writes when it makes the file: two pages. */
const NEW_FILE_BYTES = 8192
/** ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL. */
const FULL_CODES: ReadonlySet<unknown> = new Set([28, 122, 27, -30792, 'ENOSPC', 'EDQUOT', 'EFBIG'])
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
}

export class Environment {
  readonly #options: EnvironmentOptions
  #opened: Opened | null
  #queue: Queued[] = []
  #writing: Promise<void> | null = null
  #reopening: Promise<void> | null = null
  #closed = false
  /** Changes when the file is opened anew; what was read from the one before must not be touched. */
  generation = 0
  readonly #snapshots = new Set<Snapshot>()

  private constructor(options: EnvironmentOptions, opened: Opened) {
    this.#options = options
    this.#opened = opened
  }

  static async open(options: EnvironmentOptions): Promise<Environment> {
    await checkFile(options.directory)
    const environment = new Environment(options, openDatabases(options.directory))
    await syncDirectory(options.directory)
    return environment
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

  /** The documents as they are now, however long reading them takes. To be ended. */
  snapshot(): Snapshot {
    const snapshot = new Snapshot(this.documents, () => this.#snapshots.delete(snapshot))
    this.#snapshots.add(snapshot)
    return snapshot
  }

  async close(): Promise<void> {
    this.#closed = true
    while (this.#writing !== null) await this.#writing
    await this.#reopening?.catch(() => undefined)
    await this.#shut()
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
    try {
      if (this.#opened === null) await this.#reopen()
      await this.#databases().root.transaction(() => {
        settled = group.map(({ run }) => attempt(run))
        const broken = settled.find((one) => !one.ok && one.reason instanceof BrokenTransaction)
        // The transaction can't be given up from here; LMDB refuses to commit one in which a write failed.
        if (broken !== undefined && !broken.ok) throw (broken.reason as BrokenTransaction).cause
      })
    } catch (fault) {
      const reason = await this.#explain(fault).catch(() => fault)
      for (const { reject } of group) reject(reason)
      await this.#reopen().catch(() => undefined)
      return
    }
    for (const [index, one] of settled.entries()) {
      if (one.ok) group[index].resolve(one.value)
      else group[index].reject(one.reason)
    }
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
        this.#opened = openDatabases(this.#options.directory)
        this.#options.onReopened()
      } catch (cause) {
        throw new StorageUnavailableError({ cause })
      } finally {
        this.#reopening = null
      }
    })()
    return this.#reopening
  }

  async #shut(): Promise<void> {
    const opened = this.#opened
    this.#opened = null
    this.generation++
    for (const snapshot of this.#snapshots) snapshot.end()
    await opened?.root.close()
  }
}

/** The documents at one moment. */
export class Snapshot {
  readonly #documents: Documents
  readonly #transaction: ReturnType<Documents['useReadTransaction']>
  readonly #onEnd: () => void
  #ended = false

  constructor(documents: Documents, onEnd: () => void) {
    this.#documents = documents
    this.#transaction = documents.useReadTransaction()
    this.#onEnd = onEnd
  }

  /** Some documents, by their keys. @throws StorageUnavailableError when the store was closed meanwhile */
  read(start: Buffer, end: Buffer, limit: number): { key: Buffer; value: ValueObject }[] {
    if (this.#ended) throw new StorageUnavailableError()
    return [...this.#documents.getRange({ start, end, limit, transaction: this.#transaction })]
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#transaction.done()
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

/** lmdb crashes the process on a file that is not LMDB's, so that is asked before. */
async function checkFile(directory: string): Promise<void> {
  const path = join(directory, 'data.mdb')
  const file = await openFile(path, 'r').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return null
    throw fault
  })
  if (file === null) return
  let begins: Buffer
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(NEW_FILE_BYTES + 1), 0, NEW_FILE_BYTES + 1, 0)
    begins = buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
  // A power cut just after the file was made: nothing can have been acknowledged yet.
  if (begins.length <= NEW_FILE_BYTES && begins.every((byte) => byte === 0)) return rm(path)
  if (!begins.subarray(MAGIC_AT, MAGIC_AT + MAGIC.length).equals(MAGIC)) throw new Error(`${path} is no file of this store`)
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

/** Looks whether more can be written, as a limit on the size of files is not seen in the free space. */
async function isFull(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < FULL_BELOW_BYTES) return true
  const path = join(directory, 'probe')
  try {
    const probe = await openFile(path, 'w', 0o600)
    try {
      const { size } = await probe.stat().then(() => dataFileSize(directory))
      const { bytesWritten } = await probe.write(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, size)
      return bytesWritten < PROBE_BYTES
    } finally {
      await probe.close()
    }
  } catch (fault) {
    return FULL_CODES.has((fault as { code?: unknown }).code)
  } finally {
    await rm(path, { force: true })
  }
}

async function dataFileSize(directory: string): Promise<{ size: number }> {
  const file = await openFile(join(directory, 'data.mdb'), 'r')
  try {
    return await file.stat()
  } finally {
    await file.close()
  }
}

/** Makes the directory, for the owner alone. */
export async function makeDirectory(directory: string): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 })
  // What the umask has left of the mode may be less than it takes.
  if (made === undefined) return
  await chmod(directory, 0o700)
  await syncDirectory(dirname(made))
}

/** A new file is only there after a power cut when its directory is on disk, too. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await openFile(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
