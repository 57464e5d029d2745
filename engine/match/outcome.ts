import type { Event } from '../event/event.js'
import type { CompiledRule } from '../rules/compiled-rule.js'

/** What running one event gave. Texts are byte strings; `logtest/` makes answers for people of it. */
export interface Outcome {
  readonly event: Event
  /** The final rule, or null. A level 0 rule can be final. */
  readonly rule: CompiledRule | null
  /** Filled in. */
  readonly description: string
  /** Final answers of this rule in the session, this one included. */
  readonly firedTimes: number
  /** Rules that matched on the way, in evaluation order. */
  readonly path: readonly CompiledRule[]
  /** Remembered, and of a level that alerts. */
  readonly alert: boolean
  /** Logs that a composite counted, newest first. */
  readonly previous: readonly string[]
  /** The log that check_diff found different. */
  readonly previousLog: string | null
}
