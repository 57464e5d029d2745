/** An item of a comparison as the plain record that callers receive. */
import type { BehaviourItem, BehaviourReason, BehaviourResult, LostField } from './behaviour.js'
import type { ItemName } from './direct-changes.js'
import type { BehaviourAnswer, BehaviourEvent } from './side.js'
import type { Link } from './touched.js'

export type ItemRecord = { readonly rule_id: string } | { readonly decoder: string }

/** A difference that was run. */
export interface WitnessedDifference {
  readonly witness: { readonly events: readonly BehaviourEvent[] }
  readonly old: BehaviourAnswer | null
  readonly new: BehaviourAnswer | null
  readonly alert: { readonly old: boolean; readonly new: boolean }
  readonly lost_fields: readonly LostField[]
}

export interface BehaviourRecord {
  readonly item: ItemRecord
  readonly result: BehaviourResult
  readonly proven: boolean
  /** Events of one session whose last event shows the difference; null if there is no difference. */
  readonly witness: { readonly events: readonly BehaviourEvent[] } | null
  readonly old: BehaviourAnswer | null
  readonly new: BehaviourAnswer | null
  /** Whether the last event alerts; null without a witness. */
  readonly alert: { readonly old: boolean; readonly new: boolean } | null
  readonly lost_fields: readonly LostField[]
  /** Differences of other kinds in the same item; not all that there are. */
  readonly more: readonly WitnessedDifference[]
  readonly reason: BehaviourReason | null
  readonly how: BehaviourItem['how']
  readonly changes: readonly string[]
  /** From the change to the item. */
  readonly cause: readonly (ItemRecord & { readonly link: Link })[]
}

/** Returns an item of a comparison as the plain record that callers receive. */
export function behaviourRecord(item: BehaviourItem): BehaviourRecord {
  const { result, proven, reason, how, changes, cause, difference, more } = item
  return {
    item: nameOf(item),
    result,
    proven,
    witness: difference === null ? null : { events: difference.events },
    old: difference?.old ?? null,
    new: difference?.new ?? null,
    alert: difference?.alert ?? null,
    lost_fields: difference?.lostFields ?? [],
    more: more.map(({ events, old, new: now, alert, lostFields }) => ({ witness: { events }, old, new: now, alert, lost_fields: lostFields })),
    reason,
    how,
    changes,
    cause: cause.map((step) => ({ ...nameOf(step), link: step.link })),
  }
}

function nameOf({ kind, name }: ItemName): ItemRecord {
  return kind === 'rule' ? { rule_id: name } : { decoder: name }
}
