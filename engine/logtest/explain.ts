/** "Why not this rule?": runs the event again on a copy of its session and finds the deciding condition. */
import type { Locale } from '../diagnostics/text.js'
import { explainRefusal, explainRun, explainUnloaded } from '../insights/explain.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { headerFormOf } from '../trace/header-form.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import type { Explanation, LogtestInput } from '../records/records.js'
import { runStages } from './logtest.js'

/**
 * Explains why a rule is, or is not, the final rule of an event.
 * @param ruleset the runner's ruleset; it also has the dropped rules
 * @param session is not changed
 */
export function explainRule(
  runner: EventRunner,
  ruleset: CompiledRuleset,
  ruleId: string,
  input: LogtestInput,
  moment: Moment,
  session: Session | null,
  locale: Locale,
): Explanation {
  const rule = /^[0-9]{1,6}$/.test(ruleId) ? ruleset.rules.find(Number(ruleId)) : undefined
  if (rule === undefined || !ruleset.loads) return explainUnloaded(ruleset, ruleId, locale)
  const recorder = new TraceRecorder()
  const copy = session === null ? null : structuredClone(session)
  const stages = runStages(runner, input, moment, copy, recorder, { locale })
  if (stages.kind === 'refused') return explainRefusal(ruleId, stages.diagnostics[0]?.message ?? null, locale)
  const { text, event, outcome } = stages
  return explainRun({ form: headerFormOf(text), event, outcome, recorder, session: copy, clock: moment, runner }, rule, locale)
}
