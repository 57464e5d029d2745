/** Attacks on patterns, as they are told. */
import type { WitnessEventRecord } from './witness.js'

/** An attack on a PCRE2 pattern of a rule or decoder. Texts are Unicode strings. */
export interface AttackRecord {
  /** Null: the pattern is that of a decoder. */
  readonly rule_id: string | null
  readonly decoder: string | null
  /** The tag of the pattern, with the name of a dynamic field. */
  readonly option: string
  readonly pattern: string
  /** `blind`: PCRE2 gives up, and Wazuh takes that for no match. `stall`: the thread is held. */
  readonly kind: 'blind' | 'stall'
  /** Degree by which the steps from one position grow with the copies; null: each copy multiplies them. */
  readonly degree: number | null
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
  readonly copies: number
  /** Bytes of the text that the pattern reads. */
  readonly bytes: number
  /** Steps and milliseconds of the longest text below the limit. */
  readonly steps: number
  readonly ms: number
  /** An event that brings the text to the pattern; it was run. Null: none was found. */
  readonly event: Pick<WitnessEventRecord, 'event' | 'log_format' | 'location'> | null
}
