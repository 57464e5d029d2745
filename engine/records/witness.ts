/** The plain records of `generate`: the events that fire a rule, or why there are none. */

import type { LogFormat } from './records.js'

/** How sure it is that a rule fires: it was run, it is proven that it cannot, or neither. */
export type WitnessStatus = 'fires' | 'cannot_fire' | 'unknown'

export interface WitnessEventRecord {
  readonly event: string
  readonly log_format: Exclude<LogFormat, 'auto'>
  readonly location?: string
  /** Seconds between the event before and this one; 1 if it is absent. The first event of a session comes that long after 1700000000 (UTC). */
  readonly advance?: number
}

/** Events that fail one condition of the rule. */
export interface NearRecord {
  /** The option of the rule that they fail. */
  readonly option: string
  readonly field: string | null
  /** The final rule of the last event. */
  readonly rule_id: string | null
  readonly events: readonly WitnessEventRecord[]
}

export interface WitnessRecord {
  readonly rule_id: string
  readonly status: WitnessStatus
  /** Events of one session; the last one's final rule is the rule. Empty unless the rule fires. */
  readonly events: readonly WitnessEventRecord[]
  readonly near: readonly NearRecord[]
  /** Null if the rule fires. */
  readonly reason: { readonly code: string; readonly text: string } | null
}
