/** Runs a sequence of events in one session without threads: the expected result of the threads. */
import type { LogtestInput, SourceFile } from '#engine'
import { compileRuleset, createSession, EventRunner, runLogtest } from '#engine'
import { momentAt } from '../../../workers/shared/clock.js'
import { AT } from './rulesets.js'

export interface Answered {
  readonly rule: string | null
  readonly firedtimes: number
  readonly previous: number
}

export function runInOneSession(files: readonly SourceFile[], inputs: readonly LogtestInput[]): Answered[] {
  const runner = new EventRunner(compileRuleset(files))
  const session = createSession()
  return inputs.map((input) => answeredOf(runLogtest(runner, input, momentAt(AT), session, { trace: false, locale: 'en-US' })))
}

export function answeredOf(report: { readonly rule: { readonly id: string; readonly firedtimes: number | null } | null; readonly previous_output: readonly string[] }): Answered {
  return { rule: report.rule?.id ?? null, firedtimes: report.rule?.firedtimes ?? 0, previous: report.previous_output.length }
}
