/** The events from which the cost of a content is counted: of all lines those with the smallest hashes. Plain data: a checkpoint contains them. */
import { admits, createSmallest, hashOf, inHashOrder, keep, type Smallest } from './smallest.js'

/** Events of the sample, and bytes of the longest one. */
const EVENTS = 2000
const LENGTH_LIMIT = 32 * 1024

/** Lines, byte strings. */
export type CostSample = Smallest<string>

export function createCostSample(): CostSample {
  return createSmallest()
}

/** @param seed of the source @param read returns the line, a byte string */
export function noteEvent(sample: CostSample, seed: number, line: number, bytes: number, read: () => string): void {
  const hash = hashOf(seed, line)
  if (bytes <= LENGTH_LIMIT && admits(sample, EVENTS, hash)) keep(sample, EVENTS, hash, read())
}

/** Adds the sample of a part of the input. */
export function joinSample(sample: CostSample, { heap }: CostSample): void {
  for (const { hash, item } of heap) if (admits(sample, EVENTS, hash)) keep(sample, EVENTS, hash, item)
}

/** The lines in an order that does not depend on that of the input. */
export function sampledLines(sample: CostSample): readonly string[] {
  return inHashOrder(sample)
}
