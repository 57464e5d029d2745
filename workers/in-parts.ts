/**
 * Runs many things as tasks of some each. A thread may answer only the first few of a task (its turn was over, or the time of what goes on from them), or
 * die at one of them: then those before it are run again, as their answers died too, the one is told as stopped, and the rest goes on. So whatever happens
 * to a thread, one answer is lost, and those of items that go on from it.
 */
import type { FlatFailure } from './failure.js'
import type { Submitted } from './job.js'

/**
 * Items of one request that may be stopped before the rest is given up. Each costs up to a whole deadline and a thread; a request with more of
 * them is the fault of its ruleset, not of the items.
 */
export const STOPS_LIMIT = 3

/** How one item, or the whole, was stopped. */
export type Stop = Extract<Submitted, { outcome: 'timeout' }> | FlatFailure

export type PartOutcome<Part> =
  | { readonly outcome: 'ok'; readonly part: Part }
  /** The item at `index` was stopped, and so, unrun, those up to `count` that go on from it. `abandoned`: and all that follow. */
  | { readonly outcome: 'stopped'; readonly index: number; readonly count: number; readonly stop: Stop; readonly abandoned: boolean }
  /** Nothing more comes. */
  | { readonly outcome: 'ended'; readonly by: Exclude<Submitted, { outcome: 'ok' }> }

/** Stops of one request, counted over all its chunks. */
export interface StopCount {
  stops: number
}

/** What a thread answered of a task. */
export interface AnsweredPart {
  /** So many items. */
  readonly count: number
  /** How the item after them was stopped, before it began; none was: the thread's turn was over, or it has answered all. */
  readonly stop?: Stop | null
}

/**
 * @param first index of the first item
 * @param submit runs the first items of those it is given; it stops before an item that goes on from another only when no more were given
 * @param goesOn whether an item goes on from the one before it, and means nothing without it
 */
export async function* inParts<Item, Part extends AnsweredPart>(
  items: readonly Item[],
  first: number,
  counted: StopCount,
  submit: (items: readonly Item[], first: number) => Promise<Exclude<Submitted, { outcome: 'ok' }> | { readonly outcome: 'ok'; readonly part: Part }>,
  goesOn: (item: Item) => boolean = () => false,
): AsyncGenerator<PartOutcome<Part>, void, undefined> {
  let at = 0
  /** The item that stopped a thread, and how; those before it are being run again. Or the one that was stopped before it began. */
  let stopped: { readonly at: number; readonly stop: Stop } | null = null
  while (at < items.length) {
    if (stopped !== null && stopped.at === at) {
      const abandoned = ++counted.stops >= STOPS_LIMIT
      let count = 1
      while (at + count < items.length && goesOn(items[at + count])) count++
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
