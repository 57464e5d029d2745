/** The embedded store: collections on disk and in memory, behind the contract. */
import type { Collection, CollectionDefinition, PlatformCollection, Storage, StoredDocument, StoredRecord, TenantCollection, TenantDocument, Write } from '../contract.js'
import { type CatalogRecord, checkFormat, FORMAT_VERSION, indexesOf, prepareCollection, readCatalog, writeCatalog } from './catalog.js'
import { EmbeddedCollection, type Host } from './collection.js'
import { findFaults } from './consistency.js'
import { DirectoryLock } from './directory-lock.js'
import { DurableTable, type PlanReport } from './durable-table.js'
import { BrokenTransaction, Environment } from './environment.js'
import { makeDirectory } from './files.js'
import { checkIndexes, Index, signatureOf } from './index-keys.js'
import { MemoryTable } from './memory-table.js'
import { prepareWrite } from './operations.js'
import type { PresenceState } from './presence.js'
import { expiryOf } from './sweep.js'
import { measureDocument } from '../values.js'
import { Journal, type Table } from './table.js'
import type { ValueObject } from '../values.js'

export interface EmbeddedOptions {
  /** Made if it isn't there. One process at a time. */
  readonly directory: string
  /** Told how each query on disk was answered; for tests. */
  readonly onPlan?: (report: PlanReport) => void
  /** Told when expired documents could not be removed; it is tried again. */
  readonly onSweepFault?: (fault: unknown) => void
  /** Told when the store is not in its place any more, so that it refuses writes, and when it is again. */
  readonly onPresence?: (state: PresenceState) => void
}

/** How often documents that have expired are removed, as MongoDB does it. */
const SWEEP_MS = 60_000
/** Documents that are removed in one write: it holds up others for some milliseconds. */
const SWEEP_AT_ONCE = 500
/** Documents that are read, or written, in one go by `dump` and `load`. */
const DUMP_AT_ONCE = 100
const LOAD_AT_ONCE = 500
const LOAD_BYTES = 8 * 1024 * 1024

export class EmbeddedStorage implements Storage, Host {
  readonly kind = 'embedded'
  readonly version = String(FORMAT_VERSION)
  readonly #lock: DirectoryLock
  readonly #options: EmbeddedOptions
  #environment!: Environment
  #catalog: CatalogRecord = { next: 1, collections: {} }
  #definitions: readonly CollectionDefinition[] = []
  readonly #tables = new Map<string, DurableTable | MemoryTable>()
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | null = null
  #closing = false

  private constructor(lock: DirectoryLock, options: EmbeddedOptions) {
    this.#lock = lock
    this.#options = options
  }

  /** @throws DirectoryInUseError, NewerFormatError */
  static async at(options: EmbeddedOptions): Promise<EmbeddedStorage> {
    await makeDirectory(options.directory)
    const lock = await DirectoryLock.take(options.directory)
    const storage = new EmbeddedStorage(lock, options)
    try {
      storage.#environment = await Environment.open({ directory: options.directory, onReopened: () => storage.#readAgain(), onPresence: options.onPresence })
      await checkFormat(storage.#environment, options.directory)
    } catch (fault) {
      await storage.#environment?.close()
      await lock.release()
      throw fault
    }
    return storage
  }

  async prepare(definitions: readonly CollectionDefinition[]): Promise<void> {
    for (const definition of definitions) checkIndexes(definition)
    const durable = definitions.filter((definition) => !isVolatile(definition))
    this.#catalog = await this.#environment.write(() => {
      let catalog = readCatalog(this.#environment)
      for (const definition of durable) catalog = prepareCollection(this.#environment, catalog, definition).catalog
      writeCatalog(this.#environment, catalog)
      return catalog
    })
    this.#definitions = definitions
    for (const definition of definitions)
      this.#tables.set(definition.name, isVolatile(definition) ? new MemoryTable(definition.name, definition.indexes) : this.#durableTable(definition))
    this.#timer ??= setInterval(() => this.sweep().catch((fault) => this.#options.onSweepFault?.(fault)), SWEEP_MS).unref()
  }

  open<T extends StoredDocument>(definition: PlatformCollection<T>): Collection<T> {
    return this.#open(definition.name)
  }

  openTenant<T extends TenantDocument>(definition: TenantCollection<T>): Collection<T> {
    return this.#open(definition.name)
  }

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    const prepared = writes.map(prepareWrite)
    const tables = prepared.map(({ collection }) => this.#table(collection))
    const volatile = tables.find((table) => table instanceof MemoryTable)
    if (volatile !== undefined) throw new TypeError(`${volatile.name} is volatile, and can't be part of a commit`)
    return this.#atomically((journal) => prepared.map((write, index) => write.run(tables[index], journal, index)))
  }

  async *dump(): AsyncGenerator<StoredRecord> {
    await this.#environment.usable()
    const snapshot = this.#environment.snapshot()
    try {
      for (const table of this.#tables.values()) {
        if (!(table instanceof DurableTable)) continue
        for (const piece of snapshot.documents(table.interval, DUMP_AT_ONCE)) {
          for (const { value } of piece) yield { collection: table.name, document: value as unknown as StoredDocument }
          await new Promise(setImmediate)
        }
      }
    } finally {
      snapshot.end()
    }
  }

  async load(records: AsyncIterable<StoredRecord>): Promise<number> {
    let count = 0
    let group: { readonly table: Table; readonly document: ValueObject }[] = []
    let bytes = 0
    const put = async (): Promise<void> => {
      const taken = group
      group = []
      bytes = 0
      await this.#atomically((journal) => {
        for (const { table, document } of taken) journal.change(table, null, document)
      })
      count += taken.length
    }
    for await (const { collection, document } of records) {
      const taken = measureDocument(collection, document)
      group.push({ table: this.#table(collection), document: taken.value })
      bytes += taken.bytes
      if (group.length === LOAD_AT_ONCE || bytes > LOAD_BYTES) await put()
    }
    await put()
    return count
  }

  async ping(): Promise<void> {
    await this.#environment.usable()
    this.#environment.checkPresent()
    this.#environment.meta.get('format')
  }

  /** Writes that are under way are finished; later ones are refused. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    // The rest can expire another time.
    this.#closing = true
    await this.#sweeping?.catch(() => undefined)
    await this.#environment.close()
    await this.#lock.release()
  }

  /** Removes what has expired; the store does so by itself every minute. */
  sweep(now = Date.now()): Promise<void> {
    this.#sweeping ??= this.#sweep(now).finally(() => {
      this.#sweeping = null
    })
    return this.#sweeping
  }

  /** What is wrong with indexes; for tests, and for whoever doubts a disk. */
  async check(): Promise<string[]> {
    await this.#environment.usable()
    return findFaults(
      this.#environment,
      [...this.#tables.values()].filter((table) => table instanceof DurableTable),
    )
  }

  table(name: string): Table | Promise<Table> {
    const waiting = this.#environment.usable()
    return waiting === null ? this.#table(name) : waiting.then(() => this.#table(name))
  }

  async write<R>(name: string, run: (table: Table, journal: Journal) => R): Promise<R> {
    const table = this.#table(name)
    if (table instanceof DurableTable) return this.#atomically((journal) => run(table, journal))
    await this.#environment.usable()
    return withJournal((journal) => run(table, journal))
  }

  #atomically<R>(run: (journal: Journal) => R): Promise<R> {
    return this.#environment.write(() => withJournal(run))
  }

  #open<T extends StoredDocument>(name: string): EmbeddedCollection<T> {
    this.#table(name)
    return new EmbeddedCollection<T>(this, name)
  }

  #table(name: string): DurableTable | MemoryTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`the collection ${name} was not prepared`)
    return table
  }

  #durableTable(definition: CollectionDefinition): DurableTable {
    const { number } = this.#catalog.collections[definition.name]
    const table: DurableTable = new DurableTable(this.#environment, definition.name, number, this.#indexes(definition), {
      onPlan: this.#options.onPlan,
      onMultikey: () => this.#rememberLists(table),
    })
    return table
  }

  #indexes(definition: CollectionDefinition): Index[] {
    const { indexes } = this.#catalog.collections[definition.name]
    return indexesOf(definition).map((index) => {
      const { number, multikey } = indexes[signatureOf(index)]
      return new Index(index, number, multikey)
    })
  }

  /** In a transaction: which indexes hold arrays has to be known before the document is. */
  #rememberLists(table: DurableTable): void {
    const catalog = readCatalog(this.#environment)
    const record = catalog.collections[table.name]
    const indexes = Object.fromEntries(
      Object.entries(record.indexes).map(([signature, index]) => [
        signature,
        { ...index, multikey: table.indexes.some(({ number, multikey }) => number === index.number && multikey) },
      ]),
    )
    this.#catalog = { ...catalog, collections: { ...catalog.collections, [table.name]: { ...record, indexes } } }
    writeCatalog(this.#environment, this.#catalog)
  }

  /** What was told to indexes in a transaction that was not written is forgotten. */
  #readAgain(): void {
    this.#catalog = readCatalog(this.#environment)
    for (const definition of this.#definitions) {
      const table = this.#tables.get(definition.name)
      if (table instanceof DurableTable) table.indexes = this.#indexes(definition)
    }
  }

  async #sweep(now: number): Promise<void> {
    for (const table of this.#tables.values()) {
      if (table instanceof MemoryTable) table.sweep(now)
      else {
        for (const index of table.indexes) {
          if (index.expireAfterSeconds === undefined) continue
          const remove = (): Promise<number> => this.#atomically((journal) => removeExpired(table, index, now, journal))
          while (!this.#closing && (await remove()) === SWEEP_AT_ONCE) await new Promise(setImmediate)
        }
      }
    }
  }
}

function removeExpired(table: DurableTable, index: Index, now: number, journal: Journal): number {
  const expiry = expiryOf(index, now)
  if (expiry === null) return 0
  const ids = table.idsIn(expiry, SWEEP_AT_ONCE)
  for (const id of ids) {
    const document = table.get(id)
    if (document !== undefined) journal.change(table, document, null)
  }
  return ids.length
}

function withJournal<R>(run: (journal: Journal) => R): R {
  const journal = new Journal()
  try {
    return run(journal)
  } catch (fault) {
    try {
      journal.undo()
    } catch {
      throw new BrokenTransaction('a write could not be taken back', { cause: fault })
    }
    throw fault
  }
}

function isVolatile(definition: CollectionDefinition): boolean {
  return definition.kind === 'platform' && definition.volatile === true
}
