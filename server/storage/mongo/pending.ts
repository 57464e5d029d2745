/**
 * Commits that are under way on a MongoDB without transactions: carrying them out, waiting for them, and finishing them for an instance that is gone.
 *  1. a commit is decided when its anchor carries `_pending.writes`; from then on it is finished, by whoever
 *  2. every step may be done again: documents remember in `_applied` what was done to them
 *  3. one is at work at a time. Whoever takes over has watched `turn` stand still for `TURN_MS` on its own clock, and counts it up; whoever is at
 *     work counts it up itself long before that, and stops when somebody else has
 */
import { DuplicateKeyError, StorageFullError, StorageUnavailableError } from '../errors.js'
import type { Settling } from './collection.js'
import type { UpdateDocument } from './questions.js'
import { both, decode, IS_PENDING, type Native, type NativeFilter, NOT_PENDING, type Pending, type Stored } from './stored.js'

/** Holds anchors of commits that don't begin with a single document. */
export const COMMITS = '_commits'
/** Longer than any pause of a process or of the network that is to be expected. */
export const TURN_MS = 3_000
/** How often an instance looks for what others have left. */
export const SWEEP_MS = 10_000
/** How much of it at a time. */
const SWEEP_LIMIT = 1_000
const LOOK_MS = 10
const LONGEST_LOOK_MS = 200
/** Marks of commits that are done are taken away at once; of those that a crash has left some stay, and they must not grow. */
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

export interface PendingOptions {
  readonly native: (collection: string) => Native
  readonly ask: <R>(collection: string, question: () => Promise<R>) => Promise<R>
  readonly onWarning: (message: string, error?: unknown) => void
  readonly turnMs?: number
  /** For tests, called after every single write of a commit: what never resolves is a crash. */
  readonly afterWrite?: () => Promise<void>
}

/** Without what is left to do, which may be large. */
const PENDING_ONLY = { '_pending.id': 1, '_pending.turn': 1, '_pending.anchor': 1, '_pending.gone': 1, '_pending.again': 1, '_pending.from': 1 }

/** Someone else has taken over. */
class TurnLost extends Error {
  override readonly name = 'TurnLost'
}

export class PendingCommits implements Settling {
  readonly #options: PendingOptions
  readonly #turnMs: number
  /** Commits that this process is at work on, or watches: others wait for that. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #cleaning = new Set<Promise<void>>()
  #closed = false

  constructor(options: PendingOptions) {
    this.#options = options
    this.#turnMs = options.turnMs ?? TURN_MS
  }

  /** Time after which whoever is at work has to say so. */
  get patience(): number {
    return this.#turnMs / 3
  }

  /** Announces a commit of this process, so that others wait for it instead of watching. */
  running<R>(id: string, work: () => Promise<R>): Promise<R> {
    const result = work()
    const done = result.then(
      () => {},
      () => {},
    )
    this.#running.set(id, done)
    void done.then(() => {
      if (this.#running.get(id) === done) this.#running.delete(id)
    })
    return result
  }

  /** Does the rest of a commit. @returns the documents of updates, by the index of the write */
  async finish(first: Anchor, pending: Pending, since: number, rest: Rest): Promise<Map<number, Stored | null>> {
    const { id } = pending
    const results = new Map<number, Stored | null>()
    const hold = new Hold(this.#options, first, id, pending.turn, since, this.patience)
    try {
      await hold.keep()
      const anchor = pending.moves === true ? await this.#move(first, pending, hold) : first
      let refused: unknown
      for (const step of rest.steps) {
        await hold.keep()
        try {
          const stored = await this.#perform(step)
          if (step.kind === 'update') results.set(step.index, stored)
        } catch (error) {
          if (!isHopeless(error)) throw error
          // The commit is decided; a step that can never be done must not keep its anchor busy for ever.
          this.#options.onWarning(`a write of a commit to ${step.collection} can't be done`, error)
          refused ??= error
        }
        await this.#options.afterWrite?.()
      }
      await hold.keep()
      for (const collection of rest.ahead) await this.#release(collection, id)
      await this.#leave(anchor, id, pending.gone === true)
      this.#clean(rest)
      if (refused !== undefined) throw refused
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error
      await this.#watch(first, id)
      for (const step of rest.steps) if (step.kind === 'update' && step.ids.length === 1) results.set(step.index, await this.#read(step.collection, step.ids[0]))
    }
    return results
  }

  /** Takes back what was made ahead of time for a commit that is not to be. */
  async takeBack(id: string, collections: readonly string[]): Promise<void> {
    for (const collection of collections) await this.#ask(collection, (native) => native.deleteMany(ahead(id)))
  }

  async settle(collection: string, documents: readonly Stored[]): Promise<void> {
    await Promise.all(documents.map(({ _id, _pending }) => (_pending === undefined ? undefined : this.#settleOne({ collection, id: _id }, _pending))))
  }

  async settleMatching(collection: string, filter: object): Promise<boolean> {
    const found = await this.#ask(collection, (native) => native.find(both(filter, IS_PENDING), { projection: PENDING_ONLY }).toArray())
    await this.settle(collection, found)
    return found.length > 0
  }

  /** Finishes what instances that are gone have left. */
  async sweep(collections: readonly string[]): Promise<void> {
    for (const collection of [...collections, COMMITS]) {
      const found = await this.#ask(collection, (native) => native.find(IS_PENDING, { projection: PENDING_ONLY, limit: SWEEP_LIMIT }).toArray())
      const settled = await Promise.allSettled(found.map((stored) => this.settle(collection, [stored])))
      const failed = settled.find((result) => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    }
  }

  /** Resolves when nothing is at work any more. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#running.values(), ...this.#cleaning])
  }

  async #settleOne(place: Anchor, pending: Pending): Promise<void> {
    const running = this.#running.get(pending.id)
    if (running !== undefined) return running
    const work = pending.anchor === undefined ? () => this.#watch(place, pending.id) : () => this.#watchAhead(place, pending)
    return this.running(pending.id, work)
  }

  /** Waits until a commit is done; does it when nobody else seems to. */
  async #watch(first: Anchor, id: string): Promise<void> {
    let anchor = first
    let turn = -1
    let since = 0
    for (let look = 0; ; look++) {
      const began = performance.now()
      const _pending = await this.#look(anchor)
      if (_pending?.id !== id) {
        if (anchor.collection === COMMITS || (await this.#look({ collection: COMMITS, id })) === undefined) return
        anchor = { collection: COMMITS, id }
        turn = -1
        continue
      }
      if (_pending.from !== undefined && (await this.#look(_pending.from))?.id === id) {
        anchor = _pending.from
        turn = -1
      } else if (_pending.turn !== turn) {
        turn = _pending.turn
        since = performance.now()
      } else if (began - since > this.#turnMs) {
        const taken = await this.#takeOver(anchor, id, turn)
        if (taken !== null) return
      }
      await this.#pause(look)
    }
  }

  async #takeOver(anchor: Anchor, id: string, turn: number): Promise<true | null> {
    const since = performance.now()
    const taken = await this.#ask(anchor.collection, (native) =>
      native.findOneAndUpdate({ _id: anchor.id, '_pending.id': id, '_pending.turn': turn } as NativeFilter, { $set: { '_pending.turn': turn + 1 } }, { returnDocument: 'after' }),
    )
    const pending = taken?._pending
    if (pending?.writes === undefined) return null
    await this.finish(anchor, pending, since, decode<Rest>(pending.writes))
    return true
  }

  /** First the rest is at its new place, then the anchor goes; as long as both are there the anchor is the truth. */
  async #move(anchor: Anchor, { moves, ...pending }: Pending, hold: Hold): Promise<Anchor> {
    const place = { collection: COMMITS, id: pending.id }
    const moved: Pending = { ...pending, turn: hold.turn, gone: true, from: anchor }
    await this.#ask(COMMITS, (native) => native.replaceOne({ _id: place.id }, { _pending: moved }, { upsert: true }))
    await this.#options.afterWrite?.()
    const mine = { _id: anchor.id, '_pending.id': pending.id, '_pending.turn': hold.turn } as NativeFilter
    const { deletedCount } = await this.#ask(anchor.collection, (native) => native.deleteOne(mine))
    if (deletedCount === 0) throw new TurnLost()
    await this.#options.afterWrite?.()
    hold.moved(place)
    return place
  }

  /** Waits until it is decided whether a document that was made ahead of time stays. */
  async #watchAhead(place: Anchor, pending: Pending): Promise<void> {
    const since = performance.now()
    const anchor = pending.anchor as Anchor
    for (let look = 0; ; look++) {
      const began = performance.now()
      if ((await this.#look(place))?.id !== pending.id) return
      const decided = (await this.#look(anchor))?.id === pending.id || (await this.#look({ collection: COMMITS, id: pending.id })) !== undefined
      if (decided) return this.#watch(anchor, pending.id)
      // The commit's end takes away this mark before the anchor's: here it never came to a decision. Whoever began it has given up by now.
      if (began - since > this.#turnMs) {
        await this.takeBack(pending.id, [place.collection])
        return
      }
      await this.#pause(look)
    }
  }

  #pause(look: number): Promise<void> {
    if (this.#closed) throw new StorageUnavailableError({ cause: new Error('the storage is closed') })
    return new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_LOOK_MS, this.#turnMs / 4, LOOK_MS * (look + 1))))
  }

  async #perform(step: Step): Promise<Stored | null> {
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
      return stored ?? this.#read(collection, ids[0])
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
      if (!(error instanceof DuplicateKeyError) || !(await this.#read(collection, document._id))?._applied?.includes(mark)) throw error
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
  async #release(collection: string, id: string): Promise<void> {
    await this.#ask(collection, (native) => native.updateMany(both(ahead(id), { '_pending.gone': { $ne: true } }), { $unset: { _pending: true } } as object))
    await this.#options.afterWrite?.()
    await this.#ask(collection, (native) => native.deleteMany(both(ahead(id), { '_pending.gone': true })))
    await this.#options.afterWrite?.()
  }

  /** The last write: nothing says any more that there was a commit. */
  async #leave(anchor: Anchor, id: string, gone: boolean): Promise<void> {
    const mine = { _id: anchor.id, '_pending.id': id }
    if (!gone) {
      const left = await this.#ask(anchor.collection, (native) => native.updateOne(both(mine, { '_pending.gone': { $ne: true } }), { $unset: { _pending: true } } as object))
      await this.#options.afterWrite?.()
      if (left.matchedCount > 0) return
    }
    await this.#ask(anchor.collection, (native) => native.deleteOne(both(mine, { '_pending.gone': true })))
    await this.#options.afterWrite?.()
  }

  /** Takes marks away, while nobody waits for it. */
  #clean(rest: Rest): void {
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

  async #look({ collection, id }: Anchor): Promise<Pending | undefined> {
    return (await this.#ask(collection, (native) => native.findOne({ _id: id }, { projection: PENDING_ONLY })))?._pending
  }

  #read(collection: string, id: string): Promise<Stored | null> {
    return this.#ask(collection, (native) => native.findOne({ _id: id }))
  }

  #ask<R>(collection: string, question: (native: Native) => Promise<R>): Promise<R> {
    return this.#options.ask(collection, () => question(this.#options.native(collection)))
  }
}

/** Says from time to time that somebody is at work. */
class Hold {
  readonly #options: PendingOptions
  readonly #id: string
  readonly #every: number
  #anchor: Anchor
  #turn: number
  #since: number

  constructor(options: PendingOptions, anchor: Anchor, id: string, turn: number, since: number, every: number) {
    this.#options = options
    this.#anchor = anchor
    this.#id = id
    this.#turn = turn
    this.#since = since
    this.#every = every
  }

  get turn(): number {
    return this.#turn
  }

  moved(anchor: Anchor): void {
    this.#anchor = anchor
  }

  /** @throws TurnLost */
  async keep(): Promise<void> {
    const now = performance.now()
    if (now - this.#since < this.#every) return
    const { collection, id } = this.#anchor
    const mine = { _id: id, '_pending.id': this.#id, '_pending.turn': this.#turn } as NativeFilter
    const { matchedCount } = await this.#options.ask(collection, () => this.#options.native(collection).updateOne(mine, { $set: { '_pending.turn': this.#turn + 1 } } as object))
    if (matchedCount === 0) throw new TurnLost()
    this.#turn++
    this.#since = now
  }
}

const ahead = (id: string): NativeFilter => ({ '_pending.id': id, '_pending.anchor': { $exists: true } }) as NativeFilter

/** What would fail again at the next attempt. */
function isHopeless(error: unknown): boolean {
  return error instanceof Error && !(error instanceof StorageUnavailableError) && !(error instanceof StorageFullError)
}
