/** "Which part failed?": runs the event again on a copy of its session, and shows the conditions of a rule or decoder one by one. */
import { type DecoderPlace, inspectDecoder as inspectDecoderOf } from '../insights/inspect-decoder.js'
import { inspectRule as inspectRuleOf } from '../insights/inspect-rule.js'
import { findNearMisses } from '../insights/near-misses.js'
import type { TracedRun } from '../insights/tip.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { Inspection, LogtestInput, NearMiss } from '../records/records.js'
import { headerFormOf } from '../trace/header-form.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import { runStages } from './logtest.js'

/** What is inspected: a rule by its id, or a decoder. */
export type InspectedTarget = { readonly kind: 'rule'; readonly id: string } | ({ readonly kind: 'decoder' } & DecoderPlace)

/** Shows the conditions of a rule or decoder on an event, one by one. @param session is not changed */
export function inspect(runner: EventRunner, target: InspectedTarget, input: LogtestInput, moment: Moment, session: Session | null): Inspection {
  const run = runTraced(runner, input, moment, session)
  const name = target.kind === 'rule' ? target.id : target.name
  const nothing: Inspection = { kind: target.kind, name, path: [], taken_by: null }
  if (run === null) return nothing
  if (target.kind === 'decoder') return inspectDecoderOf(run, target)
  const rule = /^[0-9]{1,6}$/.test(target.id) ? runner.ruleset.rules.find(Number(target.id)) : undefined
  return rule === undefined ? nothing : inspectRuleOf(run, rule)
}

/** The rules and decoders that came near to the event without matching, the nearest first. @param session is not changed */
export function nearMisses(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null): readonly NearMiss[] {
  const run = runTraced(runner, input, moment, session)
  return run === null ? [] : findNearMisses(run)
}

function runTraced(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null): TracedRun | null {
  const recorder = new TraceRecorder()
  const copy = session === null ? null : structuredClone(session)
  const stages = runStages(runner, input, moment, copy, recorder, { locale: 'en-US' })
  if (stages.kind === 'refused') return null
  const { text, event, outcome } = stages
  return { form: headerFormOf(text), event, outcome, recorder, session: copy, clock: moment, runner }
}
