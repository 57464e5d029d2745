/** What a comparison of two rulesets says about each item. */
import type { DirectChange, ItemName } from './direct-changes.js'
import type { BehaviourAnswer, BehaviourEvent } from './side.js'
import type { Link } from './touched.js'

export type BehaviourResult = 'equal' | 'differs' | 'unknown'
/**
 * Why an item is equal or unknown. In this order: only labels differ; the patterns accept the same texts; it matches nothing, for instance because rules before it take all of its
 * events; no event differed; no event differed in the items through which the change reaches it; no event reached it; the time was over.
 */
export type BehaviourReason = 'labels' | 'same_texts' | 'never_matches' | 'searched' | 'not_passed_on' | 'not_reached' | 'deadline'

/** A step from a change to an item: the item that is touched, and how. */
export interface BehaviourCause extends ItemName {
  readonly link: Link
}

export interface BehaviourDifference {
  readonly events: readonly BehaviourEvent[]
  /** The answer to the last event; null: no rule matches. If no rule of either ruleset matches, both answers have their decoder and fields. */
  readonly old: BehaviourAnswer | null
  readonly new: BehaviourAnswer | null
  /** Whether the last event alerts, before and after. */
  readonly alert: { readonly old: boolean; readonly new: boolean }
  /** Fields of the last event that only the old ruleset sets. */
  readonly lostFields: readonly LostField[]
}

export interface LostField {
  readonly name: string
  /** A field that only the new ruleset sets, with the same value; null: there is none. */
  readonly renamed: string | null
  /** Ids of rules of the new ruleset that read the field that is gone. */
  readonly readers: readonly string[]
}

export interface BehaviourItem extends ItemName {
  readonly result: BehaviourResult
  readonly proven: boolean
  /** Null if the item differs: its witness is the reason. */
  readonly reason: BehaviourReason | null
  readonly how: DirectChange['how'] | 'touched'
  /** Options that were changed. */
  readonly changes: readonly string[]
  /** From the change to the item; only the item itself where it was changed. */
  readonly cause: readonly BehaviourCause[]
  readonly difference: BehaviourDifference | null
  /** Differences of other kinds in the same item, such as an event that it gains where `difference` is one that it loses. Not all that there are. */
  readonly more: readonly BehaviourDifference[]
}

export interface BehaviourComparison {
  readonly items: readonly BehaviourItem[]
  /** Number of affected items beyond the limit, which were not compared. */
  readonly more: number
  /** Whether there was time for all. */
  readonly complete: boolean
  /** Sequences that were run on both rulesets. */
  readonly runs: number
}
