/** The store on MongoDB. */
import type { Db, MongoClient } from 'mongodb'
import type { Collection, CollectionDefinition, PlatformCollection, Storage, StoredDocument, StoredRecord, TenantCollection, TenantDocument, Write } from '../contract.js'
import { type Connection, connect } from './client.js'
import { MongoCollection } from './collection.js'
import { dump, load } from './dump.js'
import { translated } from './failures.js'
import { indexName, makeCollection } from './indexes.js'
import type { Native, Stored } from './native.js'
import { commitInTransaction } from './transaction.js'
import { removeCommits } from './upgrade.js'

/** Collections that are made at once; more would only wait for one another. */
const PREPARED_AT_ONCE = 8

/** @throws StorageUnavailableError, MongoAddressError, StandaloneMongoError */
export async function openStorage(url: string): Promise<MongoStorage> {
  try {
    return new MongoStorage(await connect(url))
  } catch (error) {
    throw translated(error, '', () => undefined)
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

  /** @param through for tests that watch writes: is given each of the driver's collections, returns the one to use */
  constructor({ client, database, version }: Connection, through: (native: Native) => Native = (native) => native) {
    this.version = version
    this.#client = client
    this.#database = client.db(database)
    this.#through = through
  }

  async prepare(definitions: readonly CollectionDefinition[]): Promise<void> {
    await this.#call('', () => removeCommits(this.#database))
    for (const definition of definitions) this.#definitions.set(definition.name, definition)
    const left = [...definitions]
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { name, indexes } = next
        await this.#call(name, () => makeCollection(this.#database, name, indexes))
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

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    if (writes.length === 0) return []
    let at = ''
    const native = (collection: string): Native => this.#native((at = collection))
    try {
      return await commitInTransaction(this.#client, native, writes)
    } catch (error) {
      throw this.#translated(at, error)
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
      throw this.#translated(collection, error)
    }
  }

  #translated(collection: string, error: unknown): unknown {
    return translated(error, collection, (name, index) => {
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
    // Counts of the last minutes needn't wait for the disk.
    const native = this.#through(this.#database.collection<Stored>(collection, definition.volatile === true ? { writeConcern: { w: 1, journal: false } } : {}))
    this.#natives.set(collection, native)
    return native
  }
}
