/** Implements a collection of the contract: each method is one call of the driver. */
import type { Collection, Filter, FindOptions, StoredDocument, Update } from '../contract.js'
import { readOptions } from '../queries.js'
import { CollectionWrites } from '../writes.js'
import { type Native, nativeDocument, nativeFilter, nativeUpdate } from './native.js'

/** Calls the driver, and translates its errors to those of the contract. */
export type Call = <R>(collection: string, call: () => Promise<R>) => Promise<R>

export class MongoCollection<T extends StoredDocument> extends CollectionWrites<T> implements Collection<T> {
  readonly #native: Native
  readonly #call: Call

  constructor(name: string, native: Native, call: Call) {
    super(name)
    this.#native = native
    this.#call = call
  }

  async findOne(filter: Filter<T>, options: Pick<FindOptions<T>, 'sort'> = {}): Promise<T | null> {
    return (await this.find(filter, { ...options, limit: 1 }))[0] ?? null
  }

  async find(filter: Filter<T>, options: FindOptions<T> = {}): Promise<T[]> {
    const { sort, skip, limit } = readOptions(options)
    const native = nativeFilter(filter)
    // The driver interprets 0 as no limit.
    if (limit === 0) return []
    const found = await this.#call(this.name, () => this.#native.find(native, { sort: new Map(sort), skip, ...(limit === null ? {} : { limit }) }).toArray())
    return found as unknown as T[]
  }

  async *iterate(filter: Filter<T>): AsyncIterable<T> {
    const cursor = this.#native.find(nativeFilter(filter))
    try {
      for (;;) {
        const document = await this.#call(this.name, () => cursor.next())
        if (document === null) return
        yield document as unknown as T
      }
    } finally {
      await cursor.close().catch(() => {})
    }
  }

  async count(filter: Filter<T>): Promise<number> {
    const native = nativeFilter(filter)
    return this.#call(this.name, () => this.#native.countDocuments(native))
  }

  async insert(document: T): Promise<void> {
    const native = nativeDocument(this.name, document)
    await this.#call(this.name, () => this.#native.insertOne(native))
  }

  async update(filter: Filter<T>, update: Update<T>): Promise<T | null> {
    const native = nativeFilter(filter)
    const change = nativeUpdate(this.name, update)
    const changed = await this.#call(this.name, () => this.#native.findOneAndUpdate(native, change, { returnDocument: 'after' }))
    return changed as unknown as T | null
  }

  async updateMany(filter: Filter<T>, update: Update<T>): Promise<number> {
    const native = nativeFilter(filter)
    const change = nativeUpdate(this.name, update)
    return (await this.#call(this.name, () => this.#native.updateMany(native, change))).matchedCount
  }

  async delete(filter: Filter<T>): Promise<boolean> {
    const native = nativeFilter(filter)
    return (await this.#call(this.name, () => this.#native.deleteOne(native))).deletedCount > 0
  }

  async deleteMany(filter: Filter<T>): Promise<number> {
    const native = nativeFilter(filter)
    return (await this.#call(this.name, () => this.#native.deleteMany(native))).deletedCount
  }
}
