/** The store on MongoDB. */
import type { Db } from 'mongodb'
import type {
  Collection,
  CollectionDefinition,
  IndexDefinition,
  PlatformCollection,
  Storage,
  StoredDocument,
  StoredRecord,
  TenantCollection,
  TenantDocument,
  Write,
} from '../contract.js'
import { connect, type Connection } from './client.js'
import { type Backing, MongoCollection, type Settling } from './collection.js'
import { dump, load } from './copying.js'
import { translated, WRITE_CONFLICT } from './failures.js'
import { indexName, makeCollection } from './indexes.js'
import { OrderedCommit } from './ordered-commit.js'
import { COMMITS, PendingCommits, SWEEP_MS } from './pending.js'
import type { Native, Stored } from './stored.js'
import { commitInTransaction } from './transaction.js'

export interface MongoStorageOptions {
  readonly url: string
  /** What goes on though something is wrong: a write of a commit that can't be done, a search for unfinished commits that failed. */
  readonly onWarning?: (message: string, error?: unknown) => void
}

/** Beside what callers may set: what is different where time is short, or writes are watched. */
export interface MongoStorageTuning {
  readonly turnMs?: number
  readonly sweepMs?: number
  /** Given each of the driver's collections, gives the one that is used. */
  readonly through?: (native: Native) => Native
}

/** Collections that are made at once; more would only wait for one another. */
const PREPARED_AT_ONCE = 8
/** MongoDB tries again by itself when single writes collide with a transaction; what speaks its protocol may not. */
const CONFLICT_ATTEMPTS = 50
const CONFLICT_PAUSE_MS = 20
/** What is under way when the store closes may take this long. */
const CLOSE_MS = 5_000

type Definition = CollectionDefinition

/** @throws StorageUnavailableError, MongoAddressError */
export async function openStorage({ url, onWarning = () => {} }: MongoStorageOptions): Promise<MongoStorage> {
  try {
    return new MongoStorage(await connect(url), onWarning)
  } catch (error) {
    throw translated(error, '', () => undefined)
  }
}

export class MongoStorage implements Storage, Backing {
  readonly kind = 'mongodb'
  readonly #connection: Connection
  readonly #database: Db
  readonly #onWarning: (message: string, error?: unknown) => void
  readonly #sweepMs: number
  readonly #through: (native: Native) => Native
  readonly #definitions = new Map<string, Definition>()
  readonly #natives = new Map<string, Native>()
  readonly #pending: PendingCommits
  readonly #ordered: OrderedCommit
  #sweeper: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | undefined
  #closed = false

  constructor(connection: Connection, onWarning: (message: string, error?: unknown) => void, tuning: MongoStorageTuning = {}) {
    this.#connection = connection
    this.#database = connection.client.db(connection.database)
    this.#onWarning = onWarning
    this.#sweepMs = tuning.sweepMs ?? SWEEP_MS
    this.#through = tuning.through ?? ((native) => native)
    const native = (collection: string): Native => this.#native(collection)
    const ask = <R>(collection: string, question: () => Promise<R>): Promise<R> => this.ask(collection, question)
    this.#pending = new PendingCommits({ native, ask, onWarning, ...(tuning.turnMs === undefined ? {} : { turnMs: tuning.turnMs }) })
    this.#ordered = new OrderedCommit({ native, ask, pending: this.#pending, indexes: (collection) => this.#indexes(collection) })
  }

  get version(): string {
    return this.#connection.version
  }

  get settling(): Settling | null {
    return this.#connection.transactions ? null : this.#pending
  }

  async prepare(definitions: readonly Definition[]): Promise<void> {
    for (const definition of definitions) this.#definitions.set(definition.name, definition)
    const left: { name: string; indexes: readonly IndexDefinition[] }[] = [...definitions, { name: COMMITS, indexes: [] }]
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { name, indexes } = next
        await this.ask(name, () => makeCollection(this.#database, name, indexes))
      }
    }
    await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, work))
    // A replica set may have been a standalone before.
    await this.#pending.sweep([...this.#definitions.keys()])
    if (this.settling !== null) this.#sweepLater()
  }

  open<T extends StoredDocument>(definition: PlatformCollection<T>): Collection<T> {
    return this.#open(definition.name)
  }

  openTenant<T extends TenantDocument>(definition: TenantCollection<T>): Collection<T> {
    return this.#open(definition.name)
  }

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    if (writes.length === 0) return []
    for (const { collection } of writes) if (!this.#definitions.has(collection)) throw new TypeError(`there is no collection ${collection}`)
    if (!this.#connection.transactions) return this.#ordered.commit(writes)
    let at = writes[0].collection
    const native = (collection: string): Native => this.#native((at = collection))
    try {
      return await commitInTransaction(() => this.#connection.client.startSession(), native, writes)
    } catch (error) {
      throw this.translate(at, error)
    }
  }

  dump(): AsyncIterable<StoredRecord> {
    return dump(this, this.#connection, [...this.#definitions.keys()], (collection) => this.#native(collection))
  }

  load(records: AsyncIterable<StoredRecord>): Promise<number> {
    return load(this, new Set(this.#definitions.keys()), (collection) => this.#native(collection), records)
  }

  async ping(): Promise<void> {
    await this.ask('', () => this.#database.command({ ping: 1 }))
  }

  async close(): Promise<void> {
    clearTimeout(this.#sweeper)
    this.#sweeper = undefined
    this.#closed = true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS)
    })
    await Promise.race([Promise.allSettled([this.#pending.close(), this.#sweeping]), late])
    clearTimeout(timer)
    await this.#connection.client.close()
  }

  async ask<R>(collection: string, question: () => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await question()
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code !== WRITE_CONFLICT || attempt >= CONFLICT_ATTEMPTS) throw this.translate(collection, error)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * CONFLICT_PAUSE_MS))
      }
    }
  }

  translate(collection: string, error: unknown): unknown {
    return translated(error, collection, (name, index) => {
      const found = this.#indexes(name).find((definition) => indexName(definition) === index)
      return found === undefined ? undefined : Object.keys(found.keys)
    })
  }

  #open<T extends StoredDocument>(name: string): Collection<T> {
    if (!this.#definitions.has(name)) throw new TypeError(`there is no collection ${name}`)
    return new MongoCollection<T>(name, this.#native(name), this)
  }

  #indexes(collection: string): readonly IndexDefinition[] {
    return this.#definitions.get(collection)?.indexes ?? []
  }

  #native(collection: string): Native {
    let native = this.#natives.get(collection)
    if (native === undefined) {
      const definition = this.#definitions.get(collection)
      const volatile = definition?.kind === 'platform' && definition.volatile === true
      // Counts of the last minutes needn't wait for the disk.
      native = this.#through(this.#database.collection<Stored>(collection, volatile ? { writeConcern: { w: 1, journal: false } } : {}))
      this.#natives.set(collection, native)
    }
    return native
  }

  #sweepLater(): void {
    clearTimeout(this.#sweeper)
    if (this.#closed) return
    this.#sweeper = setTimeout(() => {
      this.#sweeping = this.#pending
        .sweep([...this.#definitions.keys()])
        .catch((error: unknown) => this.#onWarning('unfinished commits could not be looked for', error))
        .finally(() => this.#sweepLater())
    }, this.#sweepMs)
    this.#sweeper.unref()
  }
}
