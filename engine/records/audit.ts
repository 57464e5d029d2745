/** The plain records of `audit`: one verdict for each rule that is written. */

import type { WitnessEventRecord } from './witness.js'

/**
 * The verdicts on a rule; those that need action come first.
 * - `dropped`: the loader leaves it out
 * - `unreachable`: it is proven that no event fires it
 * - `shadowed`: it is proven that other rules take every event that it would fire on
 * - `unknown`: no event was found that fires it, and no proof that none does
 * - `only_if`: it fires only if more than the event itself is given
 * - `noalert`: it is never the final rule, because it has the option `noalert`
 * - `fires`: a single event fires it
 */
export const AUDIT_VERDICTS = ['dropped', 'unreachable', 'shadowed', 'unknown', 'only_if', 'noalert', 'fires'] as const
export type AuditVerdict = (typeof AUDIT_VERDICTS)[number]

/** What a rule needs in addition to the text of an event. */
export type AuditConditionCode = 'counts' | 'first_time' | 'changed' | 'list' | 'clock' | 'location' | 'ignore' | 'list_entry' | 'manager_module' | 'clock_or_manager'

export interface AuditCondition {
  readonly code: AuditConditionCode
  /** Completes "It fires only if …". */
  readonly text: string
}

export interface AuditRecord {
  readonly rule_id: string
  readonly filename: string
  readonly line: number
  readonly level: number
  readonly description: string
  readonly verdict: AuditVerdict
  /** Rules that take its events, or null for a verdict other than `shadowed`. */
  readonly shadowed_by: readonly string[] | null
  /** Whether a rule below it takes them. Such a rule of level 0 only groups others. */
  readonly by_child: boolean
  /** Events of one session. `fires` and `only_if`: the rule is final for the last one. `shadowed`: the last one meets its conditions, and another rule takes it. Empty: there are none. */
  readonly events: readonly WitnessEventRecord[]
  /** The final rule of the last event; null: there is none. */
  readonly final_rule: string | null
  /** Empty unless the verdict is `only_if`. Without events, the content does not meet them as it is. */
  readonly conditions: readonly AuditCondition[]
  /** Why it does not fire, or is not known to; null: it fires. */
  readonly reason: { readonly code: string; readonly text: string } | null
}

/** Whether no event fires the rule although its author wants it to. */
export function canNeverFire({ verdict, level, by_child }: Pick<AuditRecord, 'verdict' | 'level' | 'by_child'>): boolean {
  return verdict === 'dropped' || verdict === 'unreachable' || (verdict === 'shadowed' && !(by_child && level === 0))
}
