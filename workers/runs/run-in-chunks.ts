/**
 * Runs many items as tasks of several items each. A thread may answer only the first items of a task (its slice or the time of a chain was over), or end at one
 * of them. Then the items before it run again, because their answers were lost, that item is reported as stopped, and the rest continues. So if a thread ends,
 * one answer is lost, and those of the items that continue from it.
 */
import type { NotOk, Submitted } from '../pool/pending-task.js'
import type { FlatFailure } from '../shared/failure.js'

/**
 * Number of items of one request that may be stopped before the rest is abandoned. Each takes up to a whole deadline and a thread; if there are more of them,
 * the fault is in the ruleset, not in the items.
 */
export const STOPS_LIMIT = 3

/** How one item, or a whole request, was stopped: by its deadline or by a failure. */
export type Stop = Extract<Submitted, { outcome: 'timeout' }> | FlatFailure

export type ChunkOutcome<Part> =
  | { readonly outcome: 'ok'; readonly part: Part }
  /** The item at `index` was stopped. The items up to `count` continue from it and were not run. `abandoned`: all later items were not run either. */
  | { readonly outcome: 'stopped'; readonly index: number; readonly count: number; readonly stop: Stop; readonly abandoned: boolean }
  /** The last result. */
  | { readonly outcome: 'ended'; readonly by: NotOk }

/** Number of stops of one request, over all its chunks. */
export interface StopCount {
  stops: number
}

/** The part of a task that a thread answered. */
export interface AnsweredPart {
  /** Number of answered items. */
  readonly count: number
  /** How the next item was stopped before it began. Absent: the thread's slice was over, or it has answered all. */
  readonly stop?: Stop | null
}

/**
 * @param first index of the first item
 * @param submit runs the first of its items; it stops before an item that continues from another only if it gets no more items
 * @param continuesPrevious whether an item continues from the previous one and cannot run without it
 */
export async function* runInChunks<Item, Part extends AnsweredPart>(
  items: readonly Item[],
  first: number,
  counted: StopCount,
  submit: (items: readonly Item[], first: number) => Promise<NotOk | { readonly outcome: 'ok'; readonly part: Part }>,
  continuesPrevious: (item: Item) => boolean = () => false,
): AsyncGenerator<ChunkOutcome<Part>, void, undefined> {
  let at = 0
  /** The item that ended a thread, after which those before it run again, or the item that was stopped before it began. */
  let stopped: { readonly at: number; readonly stop: Stop } | null = null
  while (at < items.length) {
    if (stopped !== null && stopped.at === at) {
      const abandoned = ++counted.stops >= STOPS_LIMIT
      let count = 1
      while (at + count < items.length && continuesPrevious(items[at + count])) count++
      yield { outcome: 'stopped', index: first + at, count, stop: stopped.stop, abandoned }
      if (abandoned) return
      stopped = null
      at += count
      continue
    }
    const submitted = await submit(items.slice(at, stopped?.at), first + at)
    if (submitted.outcome === 'ok') {
      const { part } = submitted
      at += part.count
      yield { outcome: 'ok', part }
      if (part.stop != null) stopped = { at, stop: part.stop }
      continue
    }
    const index = submitted.outcome === 'timeout' ? submitted.at.index : submitted.outcome === 'failed' ? submitted.index : null
    if (index === null || submitted.outcome === 'busy' || submitted.outcome === 'aborted') {
      yield { outcome: 'ended', by: submitted }
      return
    }
    stopped = { at: at + index, stop: submitted }
  }
}
