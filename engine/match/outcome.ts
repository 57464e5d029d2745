import type { Event } from '../event/event.js'
import type { CompiledRule } from '../rules/compiled-rule.js'

/** The result of running one event. Texts are byte strings; `logtest/` converts them for callers. */
export interface Outcome {
  readonly event: Event
  /** The final rule, or null. A level 0 rule can be final. */
  readonly rule: CompiledRule | null
  /** The description of the rule, with its placeholders filled. */
  readonly description: string
  /** Number of final matches of this rule in the session, including this one. */
  readonly firedTimes: number
  /** Rules that matched, in evaluation order. */
  readonly path: readonly CompiledRule[]
  /** The event is remembered and its rule has a level that alerts (BEHAVIOUR.md#alerts). */
  readonly alert: boolean
  /** Logs that a composite counted, newest first. */
  readonly previous: readonly string[]
  /** The log that check_diff found different. */
  readonly previousLog: string | null
}
