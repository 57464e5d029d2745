/** Records of attacks on patterns. */
import type { AttackNote } from '../diagnostics/diagnostic.js'
import type { WitnessEventRecord } from './witness.js'

/** The text of an attack on a PCRE2 pattern: `prefix`, `pump` as often as `copies` says, `suffix`. Here they are Unicode strings. */
export type AttackTextRecord = Omit<AttackNote, 'pattern' | 'groupsCount'>

/** An attack on a PCRE2 pattern of a rule or decoder. */
export interface AttackRecord extends AttackTextRecord {
  /** Null: the pattern is that of a decoder. */
  readonly rule_id: string | null
  readonly decoder: string | null
  /** The tag of the pattern, with the name of a dynamic field. */
  readonly option: string
  readonly pattern: string
  /** An event that brings the text to the pattern; it was run. Null: none was found. */
  readonly event: Pick<WitnessEventRecord, 'event' | 'log_format' | 'location'> | null
}
