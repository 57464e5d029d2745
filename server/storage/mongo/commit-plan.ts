/**
 * What the writes of a commit come to, found out before anything is written. The plan goes through them on copies, so that each sees what those
 * before it do; what doesn't match or is a duplicate is refused here, and what others are at work on is waited for.
 */
import type { Filter, IndexDefinition, StoredDocument, Update, Write } from '../contract.js'
import { DOCUMENT_BYTES, DocumentTooLargeError, DuplicateKeyError, StaleWriteError } from '../errors.js'
import { changed, documentOf, filterOf, matches, type UpdateDocument, updateOf } from './questions.js'
import { both, bytesOf, type Native, type NativeFilter, type Stored, strip } from './stored.js'

/** Documents whose keys are looked for in one question. */
export const ASKED_AT_ONCE = 100

export interface PlanOptions {
  readonly native: (collection: string) => Native
  readonly ask: <R>(collection: string, question: () => Promise<R>) => Promise<R>
  readonly indexes: (collection: string) => readonly IndexDefinition[]
}

/** What a write comes to. */
export type Effect =
  | { readonly kind: 'insert'; readonly index: number; readonly collection: string; readonly document: Stored; late: boolean }
  | {
      readonly kind: 'update'
      readonly index: number
      readonly collection: string
      readonly filter: NativeFilter
      readonly update: UpdateDocument
      readonly ids: readonly string[]
      readonly many: boolean
      /** The one document as it will be. */
      readonly after: Stored | null
    }
  | { readonly kind: 'delete'; readonly index: number; readonly collection: string; readonly filter: NativeFilter; readonly id: string }
  | { readonly kind: 'deleteMany'; readonly index: number; readonly collection: string; readonly filter: NativeFilter }

export type InsertEffect = Effect & { readonly kind: 'insert' }

/** Someone else's commit is in the way: it is waited for, and all begins anew. */
export class Busy extends Error {
  constructor(
    readonly collection: string,
    readonly documents: readonly Stored[],
  ) {
    super(`busy in ${collection}`)
  }
}

/** Goes through the writes on copies. */
export class Plan {
  readonly #options: PlanOptions
  readonly #writes: readonly Write[]
  /** Documents that the writes so far concern, as they leave them; null: deleted. */
  readonly #copies = new Map<string, Map<string, Stored | null>>()
  /** Collections in which documents go or change. */
  readonly #touched = new Set<string>()

  constructor(options: PlanOptions, writes: readonly Write[]) {
    this.#options = options
    this.#writes = writes
  }

  /** @throws StaleWriteError, DuplicateKeyError, Busy */
  async effects(): Promise<Effect[]> {
    const effects: Effect[] = []
    // Everything that can't be at all is refused before anything is read.
    for (const { collection, operation } of this.#writes) {
      if (operation.kind !== 'insert') filterOf(operation.filter)
      if (operation.kind === 'update') updateOf(collection, operation.update)
    }
    for (let index = 0; index < this.#writes.length; index++) {
      const { collection, operation } = this.#writes[index]
      if (operation.kind === 'insert') {
        effects.push(...(await this.#inserts(index, collection, effects)))
        index = effects[effects.length - 1].index
      } else if (operation.many) effects.push(...(await this.#many(index, collection, operation)))
      else {
        const found = await this.#find(collection, operation.filter)
        if (found !== null) effects.push(operation.kind === 'update' ? await this.#update(index, collection, operation, found) : this.#delete(index, collection, operation, found))
        else if (!operation.optional) throw new StaleWriteError(collection, index)
      }
    }
    return effects
  }

  /** Inserts in a row, from that index on. */
  async #inserts(from: number, collection: string, before: readonly Effect[]): Promise<Effect[]> {
    const inserts: InsertEffect[] = []
    for (let index = from; index < this.#writes.length; index++) {
      const write = this.#writes[index]
      if (write.collection !== collection || write.operation.kind !== 'insert') break
      inserts.push({ kind: 'insert', index, collection, document: documentOf(collection, write.operation.document), late: false })
    }
    // What is in the database is asked by the database when they are made. But after a deletion of many, or in the place of a document that goes or
    // changes, a document can only be made when its turn comes.
    if (this.#touched.has(collection)) {
      const afterDeletion = before.some((effect) => effect.kind === 'deleteMany' && effect.collection === collection)
      for (let at = 0; at < inserts.length; at += ASKED_AT_ONCE) await this.#findLate(collection, inserts.slice(at, at + ASKED_AT_ONCE), afterDeletion)
    }
    const copies = this.#copiesOf(collection)
    for (const { document } of inserts) copies.set(document._id, document)
    return inserts
  }

  async #findLate(collection: string, inserts: readonly InsertEffect[], afterDeletion: boolean): Promise<void> {
    const copies = this.#copiesOf(collection)
    const indexes = this.#options.indexes(collection)
    const keysOf = (document: Stored): Map<string, readonly string[]> =>
      new Map([
        [`_id ${document._id}`, ['_id']],
        ...uniqueKeys(indexes, document, null).map(({ keys, asked }): [string, readonly string[]] => [JSON.stringify([keys, asked]), keys]),
      ])
    const taken = new Set([...copies.values()].flatMap((copy) => (copy === null ? [] : [...keysOf(copy).keys()])))
    for (const { document } of inserts) {
      for (const [key, fields] of keysOf(document)) {
        if (taken.has(key)) throw new DuplicateKeyError(collection, fields)
        taken.add(key)
      }
    }
    const asked = inserts.flatMap(({ document }) => [{ _id: document._id }, ...uniqueKeys(indexes, document, null).map((key) => key.asked)])
    const found = await this.#ask(collection, (native) => native.find({ $or: asked } as NativeFilter).toArray())
    const strangers = found.filter(({ _id }) => !copies.has(_id))
    refuseBusy(collection, strangers)
    const replaced = new Set(found.filter(({ _id }) => copies.has(_id)).flatMap((stored) => [...keysOf(strip<Stored>(stored)).keys()]))
    for (const insert of inserts) {
      const keys = keysOf(insert.document)
      for (const stranger of strangers) {
        const key = [...keysOf(stranger)].find(([key]) => keys.has(key))
        if (key !== undefined) throw new DuplicateKeyError(collection, key[1])
      }
      insert.late = afterDeletion || [...keys.keys()].some((key) => replaced.has(key))
    }
  }

  async #update(index: number, collection: string, { filter, update }: { filter: Filter<StoredDocument>; update: Update<StoredDocument> }, found: Stored): Promise<Effect> {
    const after = changed(found, update)
    if (bytesOf(after) > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
    // The anchor's own write asks the index itself.
    await this.#refuseDuplicate(collection, after, found)
    this.#touched.add(collection)
    this.#copiesOf(collection).set(found._id, after)
    return { kind: 'update', index, collection, filter: filterOf(filter), update: updateOf(collection, update), ids: [found._id], many: false, after }
  }

  #delete(index: number, collection: string, { filter }: { filter: Filter<StoredDocument> }, found: Stored): Effect {
    this.#touched.add(collection)
    this.#copiesOf(collection).set(found._id, null)
    return { kind: 'delete', index, collection, filter: filterOf(filter), id: found._id }
  }

  async #many(index: number, collection: string, operation: Write['operation'] & { kind: 'update' | 'delete' }): Promise<Effect[]> {
    const copies = this.#copiesOf(collection)
    const filter = filterOf(operation.filter)
    this.#touched.add(collection)
    const needed = this.#writes.slice(index + 1).some((write) => write.collection === collection)
    if (operation.kind === 'delete' && !needed) return [{ kind: 'deleteMany', index, collection, filter }]
    const others = both(filter, { _id: { $nin: [...copies.keys()] } })
    const found = await this.#ask(collection, (native) => native.find(others, needed ? {} : { projection: { _id: 1, _pending: 1 } }).toArray())
    refuseBusy(collection, found)
    const all = [...found, ...[...copies.values()].filter((copy) => copy !== null && matches(copy, operation.filter))] as Stored[]
    if (operation.kind === 'delete') {
      for (const { _id } of all) copies.set(_id, null)
      return [{ kind: 'deleteMany', index, collection, filter }]
    }
    if (needed) for (const stored of all) copies.set(stored._id, changed(strip<Stored>(stored), operation.update))
    if (all.length === 0) return []
    return [{ kind: 'update', index, collection, filter, update: updateOf(collection, operation.update), ids: all.map(({ _id }) => _id), many: true, after: null }]
  }

  /** The document that a write to one finds after the writes before it. */
  async #find(collection: string, filter: Filter<StoredDocument>): Promise<Stored | null> {
    const copies = this.#copiesOf(collection)
    for (const copy of copies.values()) if (copy !== null && matches(copy, filter)) return copy
    const asked = copies.size === 0 ? filterOf(filter) : both(filterOf(filter), { _id: { $nin: [...copies.keys()] } })
    const found = await this.#ask(collection, (native) => native.findOne(asked))
    if (found === null) return null
    refuseBusy(collection, [found])
    return strip<Stored>(found)
  }

  /** A change must not give a document a key that another has. @throws DuplicateKeyError, Busy */
  async #refuseDuplicate(collection: string, after: Stored, before: Stored): Promise<void> {
    const keys = uniqueKeys(this.#options.indexes(collection), after, before)
    if (keys.length === 0) return
    const copies = this.#copiesOf(collection)
    const others = [...copies.values()].filter((copy) => copy !== null && copy._id !== after._id) as Stored[]
    const unknown = both({ $or: keys.map(({ asked }) => asked) }, { _id: { $nin: [...copies.keys(), after._id] } })
    const found = await this.#ask(collection, (native) => native.find(unknown, { limit: 1 }).toArray())
    refuseBusy(collection, found)
    for (const { keys: fields, asked } of keys) {
      if ([...others, ...found].some((other) => matches(other, asked as Filter<StoredDocument>))) throw new DuplicateKeyError(collection, fields)
    }
  }

  #copiesOf(collection: string): Map<string, Stored | null> {
    let copies = this.#copies.get(collection)
    if (copies === undefined) this.#copies.set(collection, (copies = new Map()))
    return copies
  }

  #ask<R>(collection: string, question: (native: Native) => Promise<R>): Promise<R> {
    return this.#options.ask(collection, () => question(this.#options.native(collection)))
  }
}

export function refuseBusy(collection: string, documents: readonly Stored[]): void {
  const busy = documents.filter(({ _pending }) => _pending !== undefined)
  if (busy.length > 0) throw new Busy(collection, busy)
}

/** The unique keys that a document has, and those of them only that it hasn't had before. */
export function uniqueKeys(indexes: readonly IndexDefinition[], document: Stored, before: Stored | null): { readonly keys: readonly string[]; readonly asked: object }[] {
  return indexes.flatMap(({ keys, unique, onlyWith }) => {
    if (unique !== true) return []
    const fields = Object.keys(keys)
    if (onlyWith?.some((field) => typeof valueAt(document, field) !== 'string') === true) return []
    const asked = Object.fromEntries(fields.map((field) => [field, valueAt(document, field) ?? null]))
    // Only scalars can be asked for; of anything else the index is asked when it is written.
    if (Object.values(asked).some((value) => typeof value === 'object' && value !== null && !(value instanceof Date))) return []
    if (before !== null && matches(before, asked as Filter<StoredDocument>)) return []
    const present = (onlyWith ?? []).map((field) => ({ [field]: { $gte: '' } }))
    return [{ keys: fields, asked: present.length === 0 ? asked : { ...asked, $and: present } }]
  })
}

function valueAt(document: Stored, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined), document)
}
