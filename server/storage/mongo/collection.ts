/** One collection, for callers. What a commit on a standalone has under way is waited for, so that nobody acts on half of it. */
import type { FindCursor, FindOptions as NativeOptions } from 'mongodb'
import type { Collection, Filter, FindOptions, StoredDocument, Update, Write, WriteOptions } from '../contract.js'
import { DuplicateKeyError, StorageUnavailableError } from '../errors.js'
import { changed, documentOf, filterOf, updateOf } from './questions.js'
import { both, type Native, type NativeFilter, NOT_PENDING, type Stored, strip } from './stored.js'

/** Waits for commits that are under way. */
export interface Settling {
  /** Resolves when the commits of these documents are done. */
  settle(collection: string, documents: readonly Stored[]): Promise<void>
  /** The same for all that matches. @returns whether there were any */
  settleMatching(collection: string, filter: object): Promise<boolean>
}

/** What a collection needs of its store. */
export interface Backing {
  /** Null: MongoDB has transactions, nothing is ever half there. */
  readonly settling: Settling | null
  /** Runs a question to the driver; its errors become the contract's. */
  ask<R>(collection: string, question: () => Promise<R>): Promise<R>
  translate(collection: string, error: unknown): unknown
  commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]>
}

/** A document that is busy all the time is given up on. Commits take milliseconds. */
const PATIENCE_MS = 15_000

export class MongoCollection<T extends StoredDocument> implements Collection<T> {
  readonly #name: string
  readonly #native: Native
  readonly #backing: Backing

  constructor(name: string, native: Native, backing: Backing) {
    this.#name = name
    this.#native = native
    this.#backing = backing
  }

  async findOne(filter: Filter<T>, options: Pick<FindOptions<T>, 'sort'> = {}): Promise<T | null> {
    return (await this.find(filter, { ...options, limit: 1 }))[0] ?? null
  }

  async find(filter: Filter<T>, options: FindOptions<T> = {}): Promise<T[]> {
    const { sort, skip, limit } = options
    if (limit === 0) return []
    const asked = filterOf(filter)
    const given: NativeOptions = {
      ...(sort === undefined ? {} : { sort: { ...sort } as Record<string, 1 | -1> }),
      ...(skip === undefined ? {} : { skip }),
      ...(limit === undefined ? {} : { limit }),
    }
    return this.#patiently(async () => {
      const found = await this.#ask(() => this.#native.find(asked, given).toArray())
      const busy = found.filter(({ _pending }) => _pending !== undefined)
      if (busy.length > 0 && this.#backing.settling !== null) {
        await this.#backing.settling.settle(this.#name, busy)
        // What a commit wrote first may stand as it was read: all else is there now, too.
        if (busy.some(({ _pending }) => _pending?.gone === true || _pending?.again === true || _pending?.anchor !== undefined)) return undefined
      }
      return found.map((stored) => strip<T>(stored))
    })
  }

  async *iterate(filter: Filter<T>): AsyncIterable<T> {
    const asked = filterOf(filter)
    await this.#backing.settling?.settleMatching(this.#name, asked)
    const cursor: FindCursor<Stored> = this.#native.find(asked)
    try {
      for (;;) {
        const stored = await this.#ask(() => cursor.next())
        if (stored === null) return
        if (stored._pending === undefined) yield strip<T>(stored)
        else {
          const document = await this.findOne({ _id: stored._id } as Filter<T>)
          if (document !== null) yield document
        }
      }
    } finally {
      await cursor.close().catch(() => {})
    }
  }

  async count(filter: Filter<T>): Promise<number> {
    const asked = filterOf(filter)
    await this.#backing.settling?.settleMatching(this.#name, asked)
    return this.#ask(() => this.#native.countDocuments(asked))
  }

  async insert(document: T): Promise<void> {
    const stored = documentOf(this.#name, document)
    await this.#ask(() => this.#native.insertOne(stored))
  }

  async insertMany(documents: readonly T[]): Promise<void> {
    if (documents.length === 1) return this.insert(documents[0])
    await this.#backing.commit(documents.map((document) => this.inserting(document)))
  }

  async update(filter: Filter<T>, update: Update<T>): Promise<T | null> {
    const asked = filterOf(filter)
    const change = updateOf(this.#name, update)
    const stored = await this.#alone(asked, (free) => this.#native.findOneAndUpdate(free, change, { returnDocument: 'after' }))
    return stored === null ? null : strip<T>(stored)
  }

  async upsert(id: string, update: Update<T>, initial: Omit<T, '_id'>): Promise<T> {
    return this.#patiently(async () => {
      const updated = await this.update({ _id: id } as Filter<T>, update)
      if (updated !== null) return updated
      // MongoDB's own upsert refuses an update of fields that `$setOnInsert` has as well.
      const made = documentOf(this.#name, changed(documentOf(this.#name, { ...initial, _id: id }), update as Update<StoredDocument>))
      try {
        await this.#ask(() => this.#native.insertOne(made))
        return documentOf(this.#name, made) as unknown as T
      } catch (error) {
        if (error instanceof DuplicateKeyError && error.fields[0] === '_id') return undefined
        throw error
      }
    })
  }

  async updateMany(filter: Filter<T>, update: Update<T>): Promise<number> {
    const asked = filterOf(filter)
    const change = updateOf(this.#name, update)
    await this.#backing.settling?.settleMatching(this.#name, asked)
    return (await this.#ask(() => this.#native.updateMany(asked, change))).matchedCount
  }

  async delete(filter: Filter<T>): Promise<T | null> {
    const stored = await this.#alone(filterOf(filter), (free) => this.#native.findOneAndDelete(free))
    return stored === null ? null : strip<T>(stored)
  }

  async deleteMany(filter: Filter<T>): Promise<number> {
    const asked = filterOf(filter)
    const { settling } = this.#backing
    if (settling === null) return (await this.#ask(() => this.#native.deleteMany(asked))).deletedCount
    let deleted = 0
    return this.#patiently(async () => {
      // A document that carries the rest of a commit must not go before that is done.
      deleted += (await this.#ask(() => this.#native.deleteMany(both(asked, NOT_PENDING)))).deletedCount
      return (await settling.settleMatching(this.#name, asked)) ? undefined : deleted
    })
  }

  inserting(document: T): Write {
    return { collection: this.#name, operation: { kind: 'insert', document } }
  }

  updating(filter: Filter<T>, update: Update<T>, options: WriteOptions = {}): Write {
    return this.#write({ kind: 'update', filter: filter as Filter<StoredDocument>, update: update as Update<StoredDocument>, many: false, optional: options.optional === true })
  }

  updatingMany(filter: Filter<T>, update: Update<T>): Write {
    return this.#write({ kind: 'update', filter: filter as Filter<StoredDocument>, update: update as Update<StoredDocument>, many: true, optional: true })
  }

  deleting(filter: Filter<T>, options: WriteOptions = {}): Write {
    return this.#write({ kind: 'delete', filter: filter as Filter<StoredDocument>, many: false, optional: options.optional === true })
  }

  deletingMany(filter: Filter<T>): Write {
    return this.#write({ kind: 'delete', filter: filter as Filter<StoredDocument>, many: true, optional: true })
  }

  #write(operation: Write['operation']): Write {
    return { collection: this.#name, operation }
  }

  #ask<R>(question: () => Promise<R>): Promise<R> {
    return this.#backing.ask(this.#name, question)
  }

  /** Writes to one document that no commit is at work on. */
  #alone(filter: NativeFilter, write: (free: NativeFilter) => Promise<Stored | null>): Promise<Stored | null> {
    const { settling } = this.#backing
    if (settling === null) return this.#ask(() => write(filter))
    return this.#patiently(async () => {
      const stored = await this.#ask(() => write(both(filter, NOT_PENDING)))
      if (stored !== null) return stored
      return (await settling.settleMatching(this.#name, filter)) ? undefined : null
    })
  }

  /** Again as long as the answer is undefined. */
  async #patiently<R>(turn: () => Promise<R | undefined>): Promise<R> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const began = performance.now()
      const answer = await turn()
      if (answer !== undefined) return answer
      // A slow commit may be waited for longer than that, and then nothing is in the way.
      if (began > until) throw new StorageUnavailableError({ cause: new Error(`${this.#name} is busy`) })
    }
  }
}
