/** Implements a collection of the contract as a table of a database file. */
import type { Collection, Filter, FindOptions, StoredDocument, Update, Write } from '../contract.js'
import { DocumentTooLargeError } from '../errors.js'
import { decode, encode } from '../json-values.js'
import { type CheckedFilter, readFilter, readOptions, readUpdate } from '../queries.js'
import { measureDocument } from '../measure.js'
import { DOCUMENT_BYTES } from '../values.js'
import { CollectionWrites } from '../writes.js'
import type { DatabaseFile } from './database-file.js'
import type { Find, Page } from './reads.js'
import type { TableSchema } from './schema.js'
import { isExact, orderOf, type Selection, selectionOf } from './selection.js'
import type { StoreThread } from './store-thread.js'
import type { Match, Step } from './writes.js'

/** A prepared collection. */
export interface Table {
  readonly file: DatabaseFile
  readonly schema: TableSchema
  /** Fields of each unique index, `_id` included. */
  readonly unique: readonly (readonly string[])[]
  /** Maximum number of documents; null: no limit. */
  readonly limit: number | null
}

/** Maximum number of ids of one `in` condition that the main thread looks up itself. */
const IDS_AT_ONCE = 100
/** Characters of JSON that are decoded before the event loop continues: some milliseconds. */
const DECODE_AT_ONCE = 256 * 1024
const ALL = Number.MAX_SAFE_INTEGER

export class EmbeddedCollection<T extends StoredDocument> extends CollectionWrites<T> implements Collection<T> {
  readonly #table: Table

  constructor(table: Table) {
    super(table.schema.name)
    this.#table = table
  }

  async findOne(filter: Filter<T>, options: Pick<FindOptions<T>, 'sort'> = {}): Promise<T | null> {
    const [found] = await this.#find(readFilter(filter), { ...options, limit: 1 })
    return found === undefined ? null : (decodeDocument(found) as T)
  }

  async find(filter: Filter<T>, options: FindOptions<T> = {}): Promise<T[]> {
    return decodeAll(await this.#find(readFilter(filter), options))
  }

  iterate(filter: Filter<T>): AsyncGenerator<T> {
    return documentsOf<T>(this.#table, selectionOf(this.#table.schema, readFilter(filter)))
  }

  async count(filter: Filter<T>): Promise<number> {
    const { file, schema } = this.#table
    return file.read<number>({ kind: 'count', selection: selectionOf(schema, readFilter(filter)) })
  }

  async insert(document: T): Promise<void> {
    await this.#table.file.write([insertStep(this.#table, document)])
  }

  async update(filter: Filter<T>, update: Update<T>): Promise<T | null> {
    const [json] = await this.#table.file.write([updateStep(this.#table, filter, update, 'optional')])
    return json === null ? null : (decodeDocument(json as string) as T)
  }

  async updateMany(filter: Filter<T>, update: Update<T>): Promise<number> {
    const [count] = await this.#table.file.write([updateStep(this.#table, filter, update, ALL)])
    return count as number
  }

  async delete(filter: Filter<T>): Promise<boolean> {
    const [count] = await this.#table.file.write([deleteStep(this.#table, filter, 'optional')])
    return count === 1
  }

  async deleteMany(filter: Filter<T>): Promise<number> {
    const [count] = await this.#table.file.write([deleteStep(this.#table, filter, ALL)])
    return count as number
  }

  async #find(filter: CheckedFilter, options: FindOptions<T>): Promise<string[]> {
    const { file, schema } = this.#table
    const { sort, skip, limit } = readOptions(options)
    const selection = selectionOf(schema, filter, sort)
    const request: Find = { kind: 'find', selection, order: orderOf(schema, sort), skip, limit }
    return isExact(selection) && this.#isLookup(filter) ? file.findNow(request) : file.read<string[]>(request)
  }

  /** Whether a unique index finds the documents, which takes microseconds. The time of any other query is unknown. */
  #isLookup({ conditions }: CheckedFilter): boolean {
    const given = new Set(conditions.flatMap(({ field, operator }) => (operator === 'is' ? [field] : [])))
    if (this.#table.unique.some((fields) => fields.every((field) => given.has(field)))) return true
    return conditions.some(({ field, operator, value }) => field === '_id' && operator === 'in' && value.length <= IDS_AT_ONCE)
  }
}

export function insertStep({ schema, limit }: Table, document: StoredDocument): Extract<Step, { kind: 'insert' }> {
  const { value } = measureDocument(schema.name, document)
  const field = Object.keys(value).find((name) => name.startsWith('$'))
  if (field !== undefined) throw new TypeError(`a document can't have a field ${field}`)
  return { kind: 'insert', table: schema.name, id: value._id as string, json: JSON.stringify(encode(value)), limit }
}

export function updateStep<T extends StoredDocument>({ schema }: Table, filter: Filter<T>, update: Update<T>, match: Match): Step {
  const { set, increment, bytes } = readUpdate(update)
  if (bytes > DOCUMENT_BYTES) throw new DocumentTooLargeError(schema.name)
  return { kind: 'update', selection: selectionOf(schema, readFilter(filter)), change: { set: encode(set) as Record<string, unknown>, increment }, match }
}

export function deleteStep<T extends StoredDocument>({ schema }: Table, filter: Filter<T>, match: Match): Step {
  return { kind: 'delete', selection: selectionOf(schema, readFilter(filter)), match }
}

/** Converts a write of the contract to a step. @throws TypeError for input that the contract does not allow, DocumentTooLargeError */
export function stepOf(table: Table, { operation }: Write): Step {
  if (operation.kind === 'insert') return insertStep(table, operation.document)
  const match = operation.many ? ALL : operation.optional ? 'optional' : 'required'
  return operation.kind === 'update' ? updateStep(table, operation.filter, operation.update, match) : deleteStep(table, operation.filter, match)
}

/** Yields documents, which it reads page by page. @param snapshot thread that reads all pages from one snapshot */
export async function* documentsOf<T extends StoredDocument>({ file }: Table, selection: Selection, snapshot?: StoreThread): AsyncGenerator<T> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Page = await file.read<Page>({ kind: 'page', selection, after }, snapshot)
    yield* (await decodeAll(page.documents)) as T[]
    after = page.last
  }
}

export function decodeDocument(json: string): StoredDocument {
  return decode(JSON.parse(json)) as StoredDocument
}

async function decodeAll<T extends StoredDocument>(found: readonly string[]): Promise<T[]> {
  const documents: T[] = []
  let characters = 0
  for (const json of found) {
    if (characters > DECODE_AT_ONCE) {
      characters = 0
      await new Promise(setImmediate)
    }
    characters += json.length
    documents.push(decodeDocument(json) as T)
  }
  return documents
}
