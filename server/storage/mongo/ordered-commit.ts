/**
 * A commit where MongoDB has no transactions:
 *
 *     plan ──▶ documents to insert, ahead of time ──▶ anchor + what is left ──▶ the steps that are left ──▶ release
 *      reads    unique keys refuse here; invisible      THE decision, one write     by anyone, see pending.ts
 *
 * What the anchor's filter asks is asked again by its write; later writes are made to the documents that the plan (`commit-plan.ts`) has found.
 */
import { randomBytes } from 'node:crypto'
import type { StoredDocument, Write } from '../contract.js'
import { DOCUMENT_BYTES, DocumentTooLargeError, DuplicateKeyError, StorageUnavailableError } from '../errors.js'
import { ASKED_AT_ONCE, Busy, type Effect, type InsertEffect, Plan, type PlanOptions, refuseBusy, uniqueKeys } from './commit-plan.js'
import { COMMITS, type DocumentsByCollection, type PendingCommits } from './pending.js'
import type { Anchor, Rest, Step } from './steps.js'
import { both, bytesOf, encode, type Native, NOT_PENDING, type Pending, type Stored, strip } from './stored.js'

/** Others who write to the same documents are waited for this long. */
const PATIENCE_MS = 15_000
const PAUSE_MS = 3
const LONGEST_PAUSE_MS = 50
/** Commit ids: short, as documents remember them for a while. */
const ID_BYTES = 12

export interface OrderedCommitOptions extends PlanOptions {
  readonly pending: PendingCommits
}

/** What is made ahead of time took so long that others may take it back. */
class TooSlow extends Error {
  constructor(readonly tookMs: number) {
    super(`${tookMs} ms for what is made ahead of time`)
  }
}

export class OrderedCommit {
  readonly #options: OrderedCommitOptions

  constructor(options: OrderedCommitOptions) {
    this.#options = options
  }

  async commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    const until = performance.now() + PATIENCE_MS
    let { patience } = this.#options.pending
    for (let attempt = 0; ; attempt++) {
      const began = performance.now()
      let isFree = false
      try {
        const effects = await new Plan(this.#options, writes).effects()
        const results = await this.#attempt(effects, patience)
        if (results !== null) return writes.map((_, index) => results.get(index) ?? null).map((stored) => (stored === null ? null : strip<StoredDocument>(stored)))
      } catch (error) {
        // On a database that is slow, or has much to do for it, a commit would never come to its decision in the time that others give it: it asks for more.
        if (error instanceof TooSlow) patience = Math.min(2 * error.tookMs, PATIENCE_MS)
        else if (error instanceof Busy) {
          await this.#options.pending.settle(error.collection, error.documents)
          isFree = true
        } else throw error
      }
      // A slow commit may be waited for longer than that, and then nothing is in the way.
      if ((isFree ? began : performance.now()) > until) throw new StorageUnavailableError({ cause: new Error('what a commit begins with is busy') })
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** attempt)))
    }
  }

  /** @param patience what may pass before the decision, milliseconds @returns null when the anchor has changed since it was planned @throws TooSlow */
  async #attempt(effects: readonly Effect[], patience: number): Promise<Map<number, Stored | null> | null> {
    if (effects.length === 0) return new Map()
    const id = randomBytes(ID_BYTES).toString('base64url')
    const first = effects[0]
    const own = anchorOf(first)
    const anchor = own ?? { collection: COMMITS, id }
    const later = own === null ? effects : effects.slice(1)
    if (own !== null && later.length === 0) return this.#single(first)
    const ahead = later.filter((effect): effect is InsertEffect => effect.kind === 'insert' && !effect.late)
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
    return this.#options.pending.running(id, () => this.#write(first, own, anchor, pending, rest, ahead, patience))
  }

  async #write(
    first: Effect,
    own: Anchor | null,
    anchor: Anchor,
    pending: Pending,
    rest: Rest,
    ahead: readonly InsertEffect[],
    patience: number,
  ): Promise<Map<number, Stored | null> | null> {
    const { id } = pending
    const { pending: commits } = this.#options
    const early = aheadOf(id, anchor, ahead, patience > commits.patience ? commits.waitFor(patience) : null)
    const since = performance.now()
    let written: Stored | null
    try {
      await this.#insertAhead(id, early)
      // Others may take back what is there ahead of its time soon; a process that was asleep begins anew.
      const tookMs = performance.now() - since
      if (tookMs > patience) throw new TooSlow(tookMs)
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
    // The write that decides may have been on its way for so long that others thought nothing would come of it.
    const isLate = performance.now() - since > patience
    const results = await this.#options.pending.finish(anchor, pending, since, rest, isLate ? early : null)
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
    return new Map([[index, effect.kind === 'update' ? stored : null]])
  }

  async #insertAhead(id: string, early: DocumentsByCollection): Promise<void> {
    for (const [collection, documents] of early) {
      try {
        await this.#ask(collection, (native) => native.insertMany([...documents]))
      } catch (error) {
        if (error instanceof DuplicateKeyError) await this.#explain(id, collection, documents)
        throw error
      }
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

function anchorOf(effect: Effect): Anchor | null {
  if (effect.kind === 'insert') return { collection: effect.collection, id: effect.document._id }
  if (effect.kind === 'delete') return { collection: effect.collection, id: effect.id }
  return effect.kind === 'update' && !effect.many ? { collection: effect.collection, id: effect.ids[0] } : null
}

/** Documents as they are made ahead of time, by collection. @param wait how long others wait for the decision; null: for a turn */
function aheadOf(id: string, anchor: Anchor, effects: readonly InsertEffect[], wait: number | null): DocumentsByCollection {
  const documents = new Map<string, Stored[]>()
  for (const { collection, document } of effects) {
    const pending: Stored = { ...document, _pending: { id, turn: 0, anchor, ...(wait !== null && { wait }) } }
    const others = documents.get(collection)
    if (others === undefined) documents.set(collection, [pending])
    else others.push(pending)
  }
  return documents
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
