/**
 * A commit where MongoDB has no transactions:
 *
 *     plan ──▶ documents to insert, ahead of time ──▶ anchor + what is left ──▶ the steps that are left ──▶ release
 *      reads    unique keys refuse here; invisible      THE decision, one write     by anyone, see pending.ts
 *
 * The plan goes through the writes on copies, so that each sees what those before it do, and finds out what doesn't match or is a duplicate before
 * anything is written. What the anchor's filter asks is asked again by its write; later writes are made to the documents that the plan has found.
 */
import { randomBytes } from 'node:crypto'
import type { Filter, IndexDefinition, StoredDocument, Update, Write } from '../contract.js'
import { DOCUMENT_BYTES, DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageUnavailableError } from '../errors.js'
import { type Anchor, COMMITS, type PendingCommits, type Rest, type Step } from './pending.js'
import { changed, documentOf, filterOf, matches, type UpdateDocument, updateOf } from './questions.js'
import { both, bytesOf, encode, type Native, type NativeFilter, NOT_PENDING, type Pending, type Stored, strip } from './stored.js'

/** Others who write to the same documents are waited for this long. */
const PATIENCE_MS = 15_000
const PAUSE_MS = 3
const LONGEST_PAUSE_MS = 50
/** Documents whose keys are looked for in one question. */
const ASKED_AT_ONCE = 100
/** Commit ids: short, as documents remember them for a while. */
const ID_BYTES = 12

export interface OrderedCommitOptions {
  readonly native: (collection: string) => Native
  readonly ask: <R>(collection: string, question: () => Promise<R>) => Promise<R>
  readonly pending: PendingCommits
  readonly indexes: (collection: string) => readonly IndexDefinition[]
  readonly afterWrite?: () => Promise<void>
}

/** What a write comes to. */
type Effect =
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

/** Someone else's commit is in the way: it is waited for, and all begins anew. */
class Busy extends Error {
  constructor(
    readonly collection: string,
    readonly documents: readonly Stored[],
  ) {
    super(`busy in ${collection}`)
  }
}

export class OrderedCommit {
  readonly #options: OrderedCommitOptions

  constructor(options: OrderedCommitOptions) {
    this.#options = options
  }

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    const until = performance.now() + PATIENCE_MS
    for (let attempt = 0; ; attempt++) {
      try {
        const effects = await new Plan(this.#options, writes).effects()
        const results = await this.#attempt(effects)
        if (results !== null) return writes.map((_, index) => results.get(index) ?? null).map((stored) => (stored === null ? null : strip<StoredDocument>(stored)))
      } catch (error) {
        if (!(error instanceof Busy)) throw error
        await this.#options.pending.settle(error.collection, error.documents)
      }
      if (performance.now() > until) throw new StorageUnavailableError({ cause: new Error('what a commit begins with is busy') })
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** attempt)))
    }
  }

  /** @returns null when the anchor has changed since it was planned */
  async #attempt(effects: readonly Effect[]): Promise<Map<number, Stored | null> | null> {
    if (effects.length === 0) return new Map()
    const id = randomBytes(ID_BYTES).toString('base64url')
    const first = effects[0]
    const own = anchorOf(first)
    const anchor = own ?? { collection: COMMITS, id }
    const later = own === null ? effects : effects.slice(1)
    if (own !== null && later.length === 0) return this.#single(first)
    const ahead = later.filter((effect): effect is Effect & { kind: 'insert' } => effect.kind === 'insert' && !effect.late)
    const rest = restOf(id, later, ahead)
    const pending: Pending = {
      id,
      turn: 0,
      writes: encode(rest),
      ...(own === null || first.kind === 'delete' ? { gone: true } : {}),
      ...(own !== null && touches(rest, anchor) ? { again: true } : {}),
      ...(first.kind === 'delete' && needsKeys(rest, first.collection) ? { moves: true } : {}),
    }
    const whole = first.kind === 'insert' ? first.document : first.kind === 'update' && first.after !== null ? first.after : {}
    if (bytesOf(whole) + bytesOf(pending) > DOCUMENT_BYTES) throw new DocumentTooLargeError(anchor.collection)
    return this.#options.pending.running(id, () => this.#write(first, own, anchor, pending, rest, ahead))
  }

  async #write(
    first: Effect,
    own: Anchor | null,
    anchor: Anchor,
    pending: Pending,
    rest: Rest,
    ahead: readonly (Effect & { kind: 'insert' })[],
  ): Promise<Map<number, Stored | null> | null> {
    const { id } = pending
    const since = performance.now()
    let written: Stored | null
    try {
      await this.#insertAhead(id, anchor, ahead)
      // Others may take back what is there ahead of its time soon; a process that was asleep begins anew.
      if (performance.now() - since > this.#options.pending.patience) {
        await this.#options.pending.takeBack(id, rest.ahead)
        return null
      }
      written = own === null ? await this.#insert(COMMITS, { _id: id, _pending: pending }) : await this.#decide(first, pending)
    } catch (error) {
      // Whether MongoDB has the anchor isn't known: what stays is found by a sweep.
      if (!(error instanceof StorageUnavailableError)) await this.#options.pending.takeBack(id, rest.ahead)
      throw error
    }
    if (written === null) {
      await this.#options.pending.takeBack(id, rest.ahead)
      return null
    }
    await this.#options.afterWrite?.()
    const results = await this.#options.pending.finish(anchor, pending, since, rest)
    if (first.kind === 'update' && own !== null) results.set(first.index, written)
    return results
  }

  /** The write that decides. Null: what the plan has found isn't there any more, or another commit is at work on it. */
  async #decide(first: Effect, pending: Pending): Promise<Stored | null> {
    switch (first.kind) {
      case 'insert':
        return this.#insert(first.collection, { ...first.document, _pending: pending })
      case 'update': {
        const update = { ...first.update, $set: { ...first.update.$set, _pending: pending } } as object
        return this.#ask(first.collection, (native) => native.findOneAndUpdate(both(first.filter, { _id: first.ids[0] }, NOT_PENDING), update, { returnDocument: 'after' }))
      }
      case 'delete': {
        // It must not expire before the rest is done.
        const expiring = this.#options.indexes(first.collection).flatMap(({ keys, expireAfterSeconds }) => (expireAfterSeconds === undefined ? [] : Object.keys(keys)))
        const update = { $set: { _pending: pending }, ...(expiring.length === 0 ? {} : { $unset: Object.fromEntries(expiring.map((field) => [field, true])) }) } as object
        return this.#ask(first.collection, (native) => native.findOneAndUpdate(both(first.filter, { _id: first.id }, NOT_PENDING), update, { returnDocument: 'after' }))
      }
      default:
        throw new TypeError('a write to many documents decides nothing')
    }
  }

  /** A commit that comes to one document needs no anchor. */
  async #single(effect: Effect): Promise<Map<number, Stored | null> | null> {
    const { collection, index } = effect
    let stored: Stored | null = null
    if (effect.kind === 'insert') stored = await this.#insert(collection, effect.document)
    else if (effect.kind === 'update') {
      stored = await this.#ask(collection, (native) =>
        native.findOneAndUpdate(both(effect.filter, { _id: effect.ids[0] }, NOT_PENDING), { ...effect.update } as object, { returnDocument: 'after' }),
      )
    } else if (effect.kind === 'delete') stored = await this.#ask(collection, (native) => native.findOneAndDelete(both(effect.filter, { _id: effect.id }, NOT_PENDING)))
    if (stored === null) return null
    await this.#options.afterWrite?.()
    return new Map([[index, effect.kind === 'update' ? stored : null]])
  }

  async #insertAhead(id: string, anchor: Anchor, effects: readonly (Effect & { kind: 'insert' })[]): Promise<void> {
    for (const collection of new Set(effects.map((effect) => effect.collection))) {
      const own = effects.filter((effect) => effect.collection === collection)
      const documents = own.map(({ document }): Stored => ({ ...document, _pending: { id, turn: 0, anchor } }))
      try {
        await this.#ask(collection, (native) => native.insertMany(documents))
      } catch (error) {
        if (error instanceof DuplicateKeyError) await this.#explain(id, collection, documents)
        throw error
      }
      await this.#options.afterWrite?.()
    }
  }

  async #insert(collection: string, document: Stored): Promise<Stored> {
    try {
      await this.#ask(collection, (native) => native.insertOne(document))
    } catch (error) {
      if (error instanceof DuplicateKeyError) await this.#explain(document._pending?.id ?? '', collection, [document])
      throw error
    }
    return document
  }

  /** A duplicate of a document that another commit is at work on isn't one yet. @throws Busy */
  async #explain(id: string, collection: string, documents: readonly Stored[]): Promise<void> {
    for (let at = 0; at < documents.length; at += ASKED_AT_ONCE) {
      const keys = documents
        .slice(at, at + ASKED_AT_ONCE)
        .flatMap((document) => [{ _id: document._id }, ...uniqueKeys(this.#options.indexes(collection), document, null).map(({ asked }) => asked)])
      refuseBusy(collection, await this.#ask(collection, (native) => native.find(both({ $or: keys }, { '_pending.id': { $ne: id } }), { limit: ASKED_AT_ONCE }).toArray()))
    }
  }

  #ask<R>(collection: string, question: (native: Native) => Promise<R>): Promise<R> {
    return this.#options.ask(collection, () => question(this.#options.native(collection)))
  }
}

/** Goes through the writes on copies. */
class Plan {
  readonly #options: OrderedCommitOptions
  readonly #writes: readonly Write[]
  /** Documents that the writes so far concern, as they leave them; null: deleted. */
  readonly #copies = new Map<string, Map<string, Stored | null>>()
  /** Collections in which documents go or change. */
  readonly #touched = new Set<string>()

  constructor(options: OrderedCommitOptions, writes: readonly Write[]) {
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
    const inserts: (Effect & { kind: 'insert' })[] = []
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

  async #findLate(collection: string, inserts: readonly (Effect & { kind: 'insert' })[], afterDeletion: boolean): Promise<void> {
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

function refuseBusy(collection: string, documents: readonly Stored[]): void {
  const busy = documents.filter(({ _pending }) => _pending !== undefined)
  if (busy.length > 0) throw new Busy(collection, busy)
}

/** The unique keys that a document has, and those of them only that it hasn't had before. */
function uniqueKeys(indexes: readonly IndexDefinition[], document: Stored, before: Stored | null): { readonly keys: readonly string[]; readonly asked: object }[] {
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

function anchorOf(effect: Effect): Anchor | null {
  if (effect.kind === 'insert') return { collection: effect.collection, id: effect.document._id }
  if (effect.kind === 'delete') return { collection: effect.collection, id: effect.id }
  return effect.kind === 'update' && !effect.many ? { collection: effect.collection, id: effect.ids[0] } : null
}

function restOf(id: string, effects: readonly Effect[], ahead: readonly Effect[]): Rest {
  const steps = effects.flatMap((effect): Step[] => {
    const { collection, index } = effect
    const mark = `${id}:${index}`
    if (effect.kind === 'insert') return effect.late ? [{ kind: 'insert', collection, document: effect.document, mark }] : []
    if (effect.kind === 'update') return [{ kind: 'update', collection, ids: effect.ids, update: effect.update, mark, index }]
    if (effect.kind === 'delete') return [{ kind: 'delete', collection, id: effect.id }]
    return [{ kind: 'deleteMany', collection, filter: effect.filter }]
  })
  return { steps, ahead: [...new Set(ahead.map(({ collection }) => collection))] }
}

function touches({ steps }: Rest, anchor: Anchor): boolean {
  return steps.some((step) => {
    if (step.collection !== anchor.collection) return false
    if (step.kind === 'update') return step.ids.includes(anchor.id)
    return step.kind === 'delete' ? step.id === anchor.id : step.kind === 'deleteMany'
  })
}

/** Whether the rest may give other documents the unique keys of one that goes. */
function needsKeys({ steps }: Rest, collection: string): boolean {
  return steps.some((step) => step.collection === collection && (step.kind === 'insert' || step.kind === 'update'))
}
