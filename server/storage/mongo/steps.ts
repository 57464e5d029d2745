/** The writes of a commit after its anchor's. Each may be done again, by whoever goes on with the commit. */
import { DuplicateKeyError } from '../errors.js'
import type { UpdateDocument } from './questions.js'
import { both, IS_PENDING, type Native, type NativeFilter, NOT_PENDING, type Stored } from './stored.js'

/** Marks of commits that are done are taken away, mostly at once; of those that a crash has left some stay, and they must not grow. */
const MARKS = 200
/** Documents that are made all the time while a commit deletes are left at last. */
const DELETE_ROUNDS = 20
/** Ids in one write; it has to fit a message of 48 MB. */
const IDS_IN_A_WRITE = 50_000

/** What is left to do after the anchor is written, in order. */
export type Step =
  | { readonly kind: 'update'; readonly collection: string; readonly ids: readonly string[]; readonly update: UpdateDocument; readonly mark: string; readonly index: number }
  | { readonly kind: 'insert'; readonly collection: string; readonly document: Stored; readonly mark: string }
  | { readonly kind: 'delete'; readonly collection: string; readonly id: string }
  | { readonly kind: 'deleteMany'; readonly collection: string; readonly filter: object }

export interface Rest {
  readonly steps: readonly Step[]
  /** Collections with documents that were made ahead of time. */
  readonly ahead: readonly string[]
}

export interface Anchor {
  readonly collection: string
  readonly id: string
}

export interface StepsOptions {
  readonly native: (collection: string) => Native
  readonly ask: <R>(collection: string, question: () => Promise<R>) => Promise<R>
}

export class Steps {
  readonly #options: StepsOptions
  readonly #cleaning = new Set<Promise<void>>()
  readonly #later = new Set<NodeJS.Timeout>()

  constructor(options: StepsOptions) {
    this.#options = options
  }

  async perform(step: Step): Promise<Stored | null> {
    switch (step.kind) {
      case 'update':
        return this.#update(step)
      case 'insert':
        return this.#insert(step)
      case 'delete':
        await this.#delete(step.collection, { _id: step.id })
        return null
      case 'deleteMany':
        await this.#delete(step.collection, step.filter)
        return null
    }
  }

  async #update({ collection, ids, update, mark }: Step & { readonly kind: 'update' }): Promise<Stored | null> {
    const marked = { ...update, $push: { _applied: { $each: [mark], $slice: -MARKS } } } as object
    const free = { _applied: { $ne: mark } }
    if (ids.length === 1) {
      const stored = await this.#ask(collection, (native) => native.findOneAndUpdate(both({ _id: ids[0] }, free), marked, { returnDocument: 'after' }))
      return stored ?? this.read(collection, ids[0])
    }
    for (let at = 0; at < ids.length; at += IDS_IN_A_WRITE) {
      const some = ids.slice(at, at + IDS_IN_A_WRITE)
      await this.#ask(collection, (native) => native.updateMany(both({ _id: { $in: some } }, free), marked))
    }
    return null
  }

  async #insert({ collection, document, mark }: Step & { readonly kind: 'insert' }): Promise<null> {
    try {
      await this.#ask(collection, (native) => native.insertOne({ ...document, _applied: [mark] }))
    } catch (error) {
      if (!(error instanceof DuplicateKeyError) || !(await this.read(collection, document._id))?._applied?.includes(mark)) throw error
    }
    return null
  }

  /** A document that another commit is at work on goes when that is done. */
  async #delete(collection: string, filter: object): Promise<void> {
    const staying = both(filter, { '_pending.gone': { $ne: true } })
    // One of the two writes misses a document whose commit begins or ends in between.
    for (let round = 0; round < DELETE_ROUNDS; round++) {
      await this.#ask(collection, (native) => native.updateMany(both(staying, IS_PENDING), { $set: { '_pending.gone': true } } as object))
      await this.#ask(collection, (native) => native.deleteMany(both(filter, NOT_PENDING)))
      if ((await this.#ask(collection, (native) => native.findOne(staying, { projection: { _id: 1 } }))) === null) return
    }
  }

  /** Documents that were made ahead of time are there now. */
  async release(collection: string, id: string): Promise<void> {
    await this.#ask(collection, (native) => native.updateMany(both(ahead(id), { '_pending.gone': { $ne: true } }), { $unset: { _pending: true } } as object))
    await this.#ask(collection, (native) => native.deleteMany(both(ahead(id), { '_pending.gone': true })))
  }

  /** The last write: nothing says any more that there was a commit. */
  async leave(anchor: Anchor, id: string, gone: boolean): Promise<void> {
    const mine = { _id: anchor.id, '_pending.id': id }
    if (!gone) {
      const left = await this.#ask(anchor.collection, (native) => native.updateOne(both(mine, { '_pending.gone': { $ne: true } }), { $unset: { _pending: true } } as object))
      if (left.matchedCount > 0) return
    }
    await this.#ask(anchor.collection, (native) => native.deleteOne(both(mine, { '_pending.gone': true })))
  }

  /**
   * Takes marks away, while nobody waits for it. @param afterMs of a commit that someone took over: whoever was at work before may be asleep right before
   * a write, and the mark alone keeps that write from being done twice when they wake up
   */
  clean(rest: Rest, afterMs: number): void {
    if (afterMs > 0) {
      const timer = setTimeout(() => {
        this.#later.delete(timer)
        this.clean(rest, 0)
      }, afterMs).unref()
      this.#later.add(timer)
      return
    }
    const work = async (): Promise<void> => {
      for (const step of rest.steps) {
        if (step.kind !== 'update' && step.kind !== 'insert') continue
        const ids = step.kind === 'update' ? step.ids : [step.document._id]
        for (let at = 0; at < ids.length; at += IDS_IN_A_WRITE) {
          const some = { _id: { $in: ids.slice(at, at + IDS_IN_A_WRITE) }, _applied: step.mark } as NativeFilter
          await this.#ask(step.collection, (native) => native.updateMany(some, { $pull: { _applied: step.mark } } as object))
        }
      }
    }
    const cleaning = work()
      .catch(() => {})
      .then(() => {
        this.#cleaning.delete(cleaning)
      })
    this.#cleaning.add(cleaning)
  }

  /** Resolves when no marks are being taken away any more. Those that are not due yet stay: they are few, and do no harm. */
  async cleaned(): Promise<void> {
    for (const timer of this.#later) clearTimeout(timer)
    this.#later.clear()
    await Promise.all(this.#cleaning)
  }

  read(collection: string, id: string): Promise<Stored | null> {
    return this.#ask(collection, (native) => native.findOne({ _id: id }))
  }

  #ask<R>(collection: string, question: (native: Native) => Promise<R>): Promise<R> {
    return this.#options.ask(collection, () => question(this.#options.native(collection)))
  }
}

/** Documents that the commit has made ahead of time. */
export const ahead = (id: string): NativeFilter => ({ '_pending.id': id, '_pending.anchor': { $exists: true } }) as NativeFilter
