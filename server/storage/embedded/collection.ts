/** A collection as the contract has it: reads are answered at once, writes go through the store's queue. */
import type { Collection, Filter, FindOptions, StoredDocument, Update } from '../contract.js'
import { DurableTable } from './durable-table.js'
import { compileFilter } from '../language/filter.js'
import { readOptions } from '../questions.js'
import { CollectionWrites } from '../writes.js'
import * as operations from './operations.js'
import type { SortField } from '../language/order.js'
import { type Journal, type Table, takeDocument } from './table.js'
import { compileUpdate } from '../language/update.js'
import type { ValueObject } from '../values.js'

/** Documents that `iterate` reads before it lets others have their turn. */
const ITERATE_AT_ONCE = 100

/** What a collection needs of its store. */
export interface Host {
  /** The table of that name, once it can be read. @throws StorageUnavailableError */
  table(name: string): Table | Promise<Table>
  write<R>(name: string, run: (table: Table, journal: Journal) => R): Promise<R>
}

export class EmbeddedCollection<T extends StoredDocument> extends CollectionWrites<T> implements Collection<T> {
  readonly #host: Host

  constructor(host: Host, name: string) {
    super(name)
    this.#host = host
  }

  async findOne(filter: Filter<T>, options: Pick<FindOptions<T>, 'sort'> = {}): Promise<T | null> {
    const question = { filter: compileFilter(filter), sort: optionsOf(options).sort, skip: 0, limit: 1 }
    const table = this.#host.table(this.name)
    const found = (table instanceof Promise ? await table : table).read(question)
    return ((found instanceof Promise ? await found : found)[0] ?? null) as unknown as T | null
  }

  async find(filter: Filter<T>, options: FindOptions<T> = {}): Promise<T[]> {
    const question = { filter: compileFilter(filter), ...optionsOf(options) }
    const table = this.#host.table(this.name)
    return (table instanceof Promise ? await table : table).read(question) as unknown as T[]
  }

  async *iterate(filter: Filter<T>): AsyncGenerator<T> {
    const compiled = compileFilter(filter)
    let table = await this.#host.table(this.name)
    if (!(table instanceof DurableTable)) {
      yield* table.find({ filter: compiled, sort: [], skip: 0, limit: Number.POSITIVE_INFINITY }) as unknown as T[]
      return
    }
    const ids = table.candidates(compiled)
    for (const [at, id] of ids.entries()) {
      if (at % ITERATE_AT_ONCE === ITERATE_AT_ONCE - 1) {
        await new Promise(setImmediate)
        table = await this.#host.table(this.name)
      }
      const document = table.get(id)
      if (document !== undefined && compiled.test(document)) yield document as unknown as T
    }
  }

  async count(filter: Filter<T>): Promise<number> {
    const compiled = compileFilter(filter)
    return (await this.#host.table(this.name)).count(compiled)
  }

  async insert(document: T): Promise<void> {
    const taken = takeDocument(this.name, document)
    await this.#host.write(this.name, (table, journal) => journal.change(table, null, taken))
  }

  async update(filter: Filter<T>, update: Update<T>): Promise<T | null> {
    const compiled = compileFilter(filter)
    const change = readUpdate(update)
    return this.#host.write(this.name, (table, journal) => operations.update(table, journal, compiled, change) as unknown as T | null)
  }

  async updateMany(filter: Filter<T>, update: Update<T>): Promise<number> {
    const compiled = compileFilter(filter)
    const change = readUpdate(update)
    return this.#host.write(this.name, (table, journal) => operations.updateMany(table, journal, compiled, change))
  }

  async delete(filter: Filter<T>): Promise<boolean> {
    const compiled = compileFilter(filter)
    return this.#host.write(this.name, (table, journal) => operations.remove(table, journal, compiled) !== null)
  }

  async deleteMany(filter: Filter<T>): Promise<number> {
    const compiled = compileFilter(filter)
    return this.#host.write(this.name, (table, journal) => operations.removeMany(table, journal, compiled))
  }
}

function readUpdate<T extends StoredDocument>(update: Update<T>): (document: ValueObject) => ValueObject {
  return compileUpdate(update as Update<StoredDocument>)
}

function optionsOf<T>(options: FindOptions<T>): { sort: SortField[]; skip: number; limit: number } {
  const { sort, skip, limit } = readOptions(options)
  return { sort: [...sort], skip, limit: limit ?? Number.POSITIVE_INFINITY }
}
