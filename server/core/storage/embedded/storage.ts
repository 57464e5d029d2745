/** The embedded store: one SQLite file for durable documents, and one for counters of the last minutes. Several processes may use them. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type {
  Collection,
  CollectionDefinition,
  PlatformCollection,
  Storage,
  StoredDocument,
  StoredRecord,
  TenantCollection,
  TenantDocument,
  WindowDocument,
  Windows,
  Write,
} from '../contract.js'
import { readFilter } from '../queries.js'
import { CollectionWindows } from '../windows.js'
import { decodeDocument, deleteStep, documentsOf, EmbeddedCollection, insertStep, stepOf, type Table } from './collection.js'
import { DatabaseFile } from './database-file.js'
import { DamagedStoreError, LmdbStoreError } from './faults.js'
import { makeDirectory } from './files.js'
import type { PresenceState } from './presence.js'
import { FORMAT_VERSION, schemaOf } from './schema.js'
import { selectionOf } from './selection.js'
import type { Step } from './writes.js'

export interface EmbeddedOptions {
  /** Created if it does not exist. */
  readonly directory: string
  /** Whether several processes of the service use the store. Each of them then has one thread for reads instead of two. */
  readonly isShared?: boolean
  /** Called when expired documents could not be removed; the next sweep tries again. */
  readonly onSweepFault?: (fault: unknown) => void
  /** Called when the file of the store is missing or replaced, so that writes are refused, and when it is present again. */
  readonly onPresence?: (state: PresenceState) => void
}

export const STORE_FILE = 'store.sqlite'
export const VOLATILE_FILE = 'volatile.sqlite'
/** The data of version 0.1, and where version 0.2 puts it before it copies it. */
const LMDB_FILES = ['data.mdb', join('lmdb-before-0.2', 'data.mdb')]
/** Interval at which expired documents are removed; MongoDB uses the same. */
const SWEEP_MS = 60_000
/** Maximum number of expired documents that one write removes, because other writes wait for it. */
const SWEEP_AT_ONCE = 500
/** Limits of one write of `load`: documents, and characters of their JSON. */
const LOAD_AT_ONCE = 500
const LOAD_CHARACTERS = 8 * 1024 * 1024
/** Maximum number of documents of a volatile collection, of a few hundred bytes each. The oldest are deleted, because they expire soon anyway. */
const VOLATILE_DOCUMENT_LIMIT = 100_000
/** Number of threads for reads. With two threads, one long read does not delay all others; where several processes have one each, it delays those of its process. */
const READERS = 2
const EVERYTHING = readFilter({})

export class EmbeddedStorage implements Storage {
  readonly kind = 'embedded'
  readonly version = String(FORMAT_VERSION)
  readonly #options: EmbeddedOptions
  readonly #durable: DatabaseFile
  readonly #volatile: DatabaseFile
  readonly #tables = new Map<string, Table & { readonly definition: CollectionDefinition }>()
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | null = null
  #closing = false

  private constructor(options: EmbeddedOptions, durable: DatabaseFile, volatile: DatabaseFile) {
    this.#options = options
    this.#durable = durable
    this.#volatile = volatile
  }

  /** @throws DamagedStoreError, LmdbStoreError, NewerFormatError */
  static async at(options: EmbeddedOptions): Promise<EmbeddedStorage> {
    const { directory, isShared = false, onPresence } = options
    makeDirectory(directory)
    if (!existsSync(join(directory, STORE_FILE)) && LMDB_FILES.some((file) => existsSync(join(directory, file)))) throw new LmdbStoreError(directory)
    const durable = await DatabaseFile.open({ path: join(directory, STORE_FILE), durability: 'disk', readers: isShared ? 1 : READERS, onPresence })
    try {
      return new EmbeddedStorage(options, durable, await openVolatile(join(directory, VOLATILE_FILE)))
    } catch (fault) {
      await durable.close()
      throw fault
    }
  }

  async prepare(definitions: readonly CollectionDefinition[]): Promise<void> {
    const tables = definitions.map((definition) => ({ definition, ...this.#tableOf(definition) }))
    for (const file of [this.#durable, this.#volatile]) {
      const schemas = tables.filter((table) => table.file === file).map(({ schema }) => schema)
      if (schemas.length > 0) await file.write([{ kind: 'create', tables: schemas }])
    }
    for (const table of tables) this.#tables.set(table.schema.name, table)
    this.#timer ??= setInterval(() => this.sweep().catch((fault) => this.#options.onSweepFault?.(fault)), SWEEP_MS).unref()
  }

  open<T extends StoredDocument>({ name }: PlatformCollection<T>): Collection<T> {
    return new EmbeddedCollection<T>(this.#table(name))
  }

  openTenant<T extends TenantDocument>({ name }: TenantCollection<T>): Collection<T> {
    return new EmbeddedCollection<T>(this.#table(name))
  }

  windows(definition: PlatformCollection<WindowDocument>): Windows {
    return this.#volatile.windows(definition.name, VOLATILE_DOCUMENT_LIMIT, new CollectionWindows(this.open(definition)))
  }

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    const steps = writes.map((write) => {
      const table = this.#table(write.collection)
      if (table.file === this.#volatile) throw new TypeError(`${write.collection} is volatile, and cannot be part of a commit`)
      return stepOf(table, write)
    })
    if (steps.length === 0) return []
    const results = await this.#durable.write(steps)
    return results.map((result) => (typeof result === 'string' ? decodeDocument(result) : null))
  }

  async *dump(): AsyncGenerator<StoredRecord> {
    const snapshot = this.#durable.snapshot()
    try {
      for (const table of this.#tables.values()) {
        if (table.file === this.#volatile) continue
        for await (const document of documentsOf(table, selectionOf(table.schema, EVERYTHING), snapshot)) yield { collection: table.schema.name, document }
      }
    } finally {
      await snapshot.close()
    }
  }

  async load(records: AsyncIterable<StoredRecord>): Promise<number> {
    let count = 0
    let steps: Step[] = []
    let characters = 0
    const flush = async (): Promise<void> => {
      if (steps.length > 0) await this.#durable.write(steps)
      count += steps.length
      steps = []
      characters = 0
    }
    for await (const { collection, document } of records) {
      const step = insertStep(this.#table(collection), document)
      steps.push(step)
      characters += step.json.length
      if (steps.length === LOAD_AT_ONCE || characters > LOAD_CHARACTERS) await flush()
    }
    await flush()
    return count
  }

  async ping(): Promise<void> {
    this.#durable.ping()
  }

  /** Finishes running writes and refuses later ones. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    // The sweep stops; the next start removes the remaining documents.
    this.#closing = true
    await this.#sweeping?.catch(() => undefined)
    await Promise.all([this.#durable.close(), this.#volatile.close()])
  }

  /** Removes expired documents. The store calls it every minute. */
  sweep(now = Date.now()): Promise<void> {
    this.#sweeping ??= this.#sweep(now).finally(() => {
      this.#sweeping = null
    })
    return this.#sweeping
  }

  async #sweep(now: number): Promise<void> {
    for (const table of this.#tables.values()) {
      for (const { keys, expireAfterSeconds } of table.definition.indexes) {
        if (expireAfterSeconds === undefined) continue
        const [field] = Object.keys(keys)
        const step = deleteStep(table, { [field]: { lte: new Date(now - expireAfterSeconds * 1000) } }, SWEEP_AT_ONCE)
        const remove = async (): Promise<unknown> => (await table.file.write([step]))[0]
        while (!this.#closing && (await remove()) === SWEEP_AT_ONCE);
      }
    }
  }

  #tableOf(definition: CollectionDefinition): Table {
    const unique = [['_id'], ...definition.indexes.flatMap((index) => (index.unique === true ? [Object.keys(index.keys)] : []))]
    const isVolatile = definition.volatile === true
    return { file: isVolatile ? this.#volatile : this.#durable, schema: schemaOf(definition), unique, limit: isVolatile ? VOLATILE_DOCUMENT_LIMIT : null }
  }

  #table(name: string): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`the collection ${name} was not prepared`)
    return table
  }
}

/** Opens the volatile file. A damaged file is replaced, because its counters are not needed after a crash. */
async function openVolatile(path: string): Promise<DatabaseFile> {
  try {
    return await DatabaseFile.open({ path, durability: 'process', readers: 0 })
  } catch (fault) {
    if (!(fault instanceof DamagedStoreError)) throw fault
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
    return DatabaseFile.open({ path, durability: 'process', readers: 0 })
  }
}
