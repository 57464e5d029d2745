/** The store on MongoDB. */
import type { Db, MongoClient } from 'mongodb'
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
import { CollectionWindows } from '../windows.js'
import { type Connection, connect } from './client.js'
import { MongoCollection } from './collection.js'
import { dump, load } from './dump.js'
import { translateError } from './failures.js'
import { indexName, createCollection } from './indexes.js'
import type { Native, Stored } from './native.js'
import { commitInTransaction } from './transaction.js'
import { removeCommits } from './upgrade.js'

/** Number of collections that are created in parallel; more would wait for each other inside MongoDB. */
const PREPARED_AT_ONCE = 8

/** Connects to MongoDB. @throws StorageUnavailableError, MongoAddressError, StandaloneMongoError */
export async function openStorage(url: string): Promise<MongoStorage> {
  try {
    return new MongoStorage(await connect(url))
  } catch (error) {
    throw translateError(error, '', () => undefined)
  }
}

export class MongoStorage implements Storage {
  readonly kind = 'mongodb'
  readonly version: string
  readonly #client: MongoClient
  readonly #database: Db
  readonly #through: (native: Native) => Native
  readonly #definitions = new Map<string, CollectionDefinition>()
  readonly #natives = new Map<string, Native>()

  /** @param through takes each collection of the driver and returns the one to use; tests use it to watch writes */
  constructor({ client, database, version }: Connection, through: (native: Native) => Native = (native) => native) {
    this.version = version
    this.#client = client
    this.#database = client.db(database)
    this.#through = through
  }

  async prepare(definitions: readonly CollectionDefinition[]): Promise<void> {
    await this.#call('', () => removeCommits(this.#database))
    for (const definition of definitions) this.#definitions.set(definition.name, definition)
    const remaining = [...definitions]
    const work = async (): Promise<void> => {
      for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
        const { name, indexes } = next
        await this.#call(name, () => createCollection(this.#database, name, indexes))
      }
    }
    await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, work))
  }

  open<T extends StoredDocument>({ name }: PlatformCollection<T>): Collection<T> {
    return new MongoCollection<T>(name, this.#native(name), this.#call)
  }

  openTenant<T extends TenantDocument>({ name }: TenantCollection<T>): Collection<T> {
    return new MongoCollection<T>(name, this.#native(name), this.#call)
  }

  windows(definition: PlatformCollection<WindowDocument>): Windows {
    return new CollectionWindows(this.open(definition))
  }

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    if (writes.length === 0) return []
    let at = ''
    const native = (collection: string): Native => this.#native((at = collection))
    try {
      return await commitInTransaction(this.#client, native, writes)
    } catch (error) {
      throw this.#translate(at, error)
    }
  }

  dump(): AsyncIterable<StoredRecord> {
    return dump(this.#client, [...this.#definitions.keys()], (collection) => this.#native(collection), this.#call)
  }

  load(records: AsyncIterable<StoredRecord>): Promise<number> {
    return load(records, (collection) => this.#native(collection), this.#call)
  }

  async ping(): Promise<void> {
    await this.#call('', () => this.#database.command({ ping: 1 }))
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  readonly #call = async <R>(collection: string, call: () => Promise<R>): Promise<R> => {
    try {
      return await call()
    } catch (error) {
      throw this.#translate(collection, error)
    }
  }

  #translate(collection: string, error: unknown): unknown {
    return translateError(error, collection, (name, index) => {
      const found = this.#definitions.get(name)?.indexes.find((definition) => indexName(definition) === index)
      return found === undefined ? undefined : Object.keys(found.keys)
    })
  }

  /** @throws TypeError for a collection that was not prepared */
  #native(collection: string): Native {
    const known = this.#natives.get(collection)
    if (known !== undefined) return known
    const definition = this.#definitions.get(collection)
    if (definition === undefined) throw new TypeError(`there is no collection ${collection}`)
    // Counters of the last minutes do not wait for the disk.
    const native = this.#through(this.#database.collection<Stored>(collection, definition.volatile === true ? { writeConcern: { w: 1, journal: false } } : {}))
    this.#natives.set(collection, native)
    return native
  }
}
