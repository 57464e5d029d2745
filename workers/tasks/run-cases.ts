/** Test cases, each from a fresh session. Ends early when its turn is over, like a batch. */
import { momentAt, now } from '../clock.js'
import type { CaseReport } from '#engine'
import { measureCoverage, runSuiteCase } from '#engine'
import type { CasesPart, CoverageTask, RunCasesTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult, TURN_MS } from './context.js'

export function runCases(context: TaskContext, task: RunCasesTask): TaskResult {
  const { runner, ruleset } = entryOf(context)
  const moment = momentAt(task.seconds)
  const reports: CaseReport[] = []
  const turnEnds = now() + TURN_MS
  while (reports.length < task.cases.length && (reports.length === 0 || now() < turnEnds)) {
    context.progress?.unit(reports.length)
    reports.push(runSuiteCase(runner, task.cases[reports.length], moment, task.locale, task.trace))
  }
  return plain({ loads: ruleset.loads, count: reports.length, reports } satisfies CasesPart)
}

/** Which rules and decoders the cases went through. */
export function coverage(context: TaskContext, task: CoverageTask): TaskResult {
  return plain(measureCoverage(entryOf(context).ruleset, task.reports))
}
