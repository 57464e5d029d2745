/** TEMPORARY, until `#engine` exports `explainRule`. */
import type { CompiledRuleset, EventRunner, Explanation, Locale, LogtestInput, Moment, Session } from '#engine'

export * from '#engine'

export function explainRule(_runner: EventRunner, _ruleset: CompiledRuleset, _ruleId: string, _input: LogtestInput, _moment: Moment, _session: Session | null, _locale: Locale): Explanation {
  throw new Error('not landed')
}
