/**
 * Commits that are under way on a MongoDB without transactions: carrying them out, waiting for them, and finishing them for an instance that is gone.
 *  1. a commit is decided when its anchor carries `_pending.writes`; from then on it is finished, by whoever
 *  2. every step may be done again: documents remember in `_applied` what was done to them
 *  3. one is at work at a time. Whoever takes over has watched `turn` stand still for `TURN_MS` on its own clock, and counts it up; whoever is at
 *     work counts it up itself long before that, and stops when somebody else has
 */
import { StorageFullError, StorageUnavailableError } from '../errors.js'
import type { Settling } from './collection.js'
import { Hold, TurnLost } from './hold.js'
import { ahead, type Anchor, type Rest, Steps, type StepsOptions } from './steps.js'
import { both, decode, IS_PENDING, type Native, type NativeFilter, type Pending, type Stored } from './stored.js'

/** Holds anchors of commits that don't begin with a single document. */
export const COMMITS = '_commits'
/** Longer than any pause of a process or of the network that is to be expected. */
const TURN_MS = 3_000
/** Others wait for so many times the time after which whoever is at work says so: that write may be long on its way. */
const PATIENCES_IN_TURN = 3
/** How long marks of a commit that changed hands stay, in turns: longer than anyone sleeps between a look at the turn and the write that follows it. */
const MARKED_TURNS = 10
/** How often an instance looks for what others have left. */
export const SWEEP_MS = 10_000
/** How much of it at a time. */
const SWEEP_LIMIT = 1_000
const LOOK_MS = 10
const LONGEST_LOOK_MS = 200
export type DocumentsByCollection = ReadonlyMap<string, readonly Stored[]>

export interface PendingOptions extends StepsOptions {
  readonly onWarning: (message: string, error?: unknown) => void
  readonly turnMs?: number
}

/** Without what is left to do, which may be large. */
const PENDING_ONLY = { '_pending.id': 1, '_pending.turn': 1, '_pending.anchor': 1, '_pending.wait': 1, '_pending.gone': 1, '_pending.again': 1, '_pending.from': 1 }

export class PendingCommits implements Settling {
  readonly #options: PendingOptions
  readonly #turnMs: number
  readonly #steps: Steps
  /** Commits that this process is at work on, or watches: others wait for that. */
  readonly #running = new Map<string, Promise<void>>()
  #closed = false

  constructor(options: PendingOptions) {
    this.#options = options
    this.#turnMs = options.turnMs ?? TURN_MS
    this.#steps = new Steps(options)
  }

  /** Time after which whoever is at work has to say so. */
  get patience(): number {
    return this.#turnMs / PATIENCES_IN_TURN
  }

  /**
   * How long others wait for a decision that may take this time to be written: the write is as long on its way as any other, however much was made ahead
   * of it. (What a crash leaves is waited for as long, by all who meet it.)
   */
  waitFor(patience: number): number {
    return patience + this.#turnMs - this.patience
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

  /**
   * Does the rest of a commit.
   * @param late documents that were made ahead so long ago that others may have taken them back
   * @returns the documents of updates, by the index of the write
   */
  async finish(first: Anchor, pending: Pending, since: number, rest: Rest, late: DocumentsByCollection | null = null): Promise<Map<number, Stored | null>> {
    const { id } = pending
    const results = new Map<number, Stored | null>()
    const hold = new Hold(this.#options, first, id, pending.turn, since, this.patience)
    try {
      await hold.keep()
      if (late !== null) await this.#insertAgain(late, hold)
      const anchor = pending.moves === true ? await this.#move(first, pending, hold) : first
      let refused: unknown
      for (const step of rest.steps) {
        await hold.keep()
        try {
          const stored = await this.#steps.perform(step)
          if (step.kind === 'update') results.set(step.index, stored)
        } catch (error) {
          if (!isHopeless(error)) throw error
          // The commit is decided; a step that can never be done must not keep its anchor busy for ever.
          this.#options.onWarning(`a write of a commit to ${step.collection} can't be done`, error)
          refused ??= error
        }
      }
      await hold.keep()
      for (const collection of rest.ahead) await this.#steps.release(collection, id)
      await this.#steps.leave(anchor, id, pending.gone === true)
      this.#steps.clean(rest, hold.turn > 0 ? MARKED_TURNS * this.#turnMs : 0)
      if (refused !== undefined) throw refused
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error
      await this.#watch(first, id)
      for (const step of rest.steps) if (step.kind === 'update' && step.ids.length === 1) results.set(step.index, await this.#steps.read(step.collection, step.ids[0]))
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
    await Promise.allSettled(this.#running.values())
    await this.#steps.cleaned()
  }

  /** Makes what others have taken back, as it seemed that the commit would never be decided. Nobody else can: whoever took over would finish without it. */
  async #insertAgain(documents: DocumentsByCollection, hold: Hold): Promise<void> {
    for (const [collection, all] of documents) {
      for (const document of all) {
        await hold.keep()
        const isThere = (await this.#steps.read(collection, document._id)) !== null
        if (isThere) continue
        try {
          await this.#ask(collection, (native) => native.insertOne(document))
        } catch (error) {
          if (!isHopeless(error)) throw error
          this.#options.onWarning(`a document of a commit to ${collection} can't be made`, error)
        }
      }
    }
  }

  async #settleOne(place: Anchor, pending: Pending): Promise<void> {
    const running = this.#running.get(pending.id)
    if (running !== undefined) {
      await running
      // Who was at work may have looked after a document in another collection only, and taken back nothing here.
      if (pending.anchor === undefined || (await this.#look(place))?.id !== pending.id) return
      return this.#settleOne(place, pending)
    }
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
    const mine = { _id: anchor.id, '_pending.id': pending.id, '_pending.turn': hold.turn } as NativeFilter
    const { deletedCount } = await this.#ask(anchor.collection, (native) => native.deleteOne(mine))
    if (deletedCount === 0) throw new TurnLost()
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
      if (began - since > Math.max(this.#turnMs, pending.wait ?? 0)) {
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

  async #look({ collection, id }: Anchor): Promise<Pending | undefined> {
    return (await this.#ask(collection, (native) => native.findOne({ _id: id }, { projection: PENDING_ONLY })))?._pending
  }

  #ask<R>(collection: string, question: (native: Native) => Promise<R>): Promise<R> {
    return this.#options.ask(collection, () => question(this.#options.native(collection)))
  }
}

/** What would fail again at the next attempt. */
function isHopeless(error: unknown): boolean {
  return error instanceof Error && !(error instanceof StorageUnavailableError) && !(error instanceof StorageFullError)
}
