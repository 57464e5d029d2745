/** One event. */
import { momentAt, now, roundMs } from '../clock.js'
import type { DiagnosticRecord, LogtestInput, LogtestOptions, PrintedReport, Session, StageTimes } from '#engine'
import { insightOf, isAnswerOk, presentRunDiagnostic, runLogtest, runPrinted } from '#engine'
import type { LogtestAnswer, LogtestDigest, LogtestPerformance, LogtestTask, SessionReference, Task, ThreadAnswer } from '../protocol.js'
import type { Findings } from '../ruleset-cache.js'
import { crossing, entryOf, performanceOf, plain, SESSION_MISSING, type TaskContext, type TaskResult } from './context.js'
import { reportJson } from './report-json.js'

/** Of an answer that is lent nothing crosses. */
const LENT = { json: null, transfer: [] } as const
const NOTHING: readonly DiagnosticRecord[] = []

/** How an event is run, whatever task it is part of. */
export type RunSetting = Pick<LogtestTask, 'locale' | 'seconds' | 'trace' | 'includeBaseline' | 'prepareMs'>

export function logtest(context: TaskContext, task: LogtestTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const snapshotOf = (): Uint8Array | null => (session === null || task.session === null ? null : context.sessions.put(task.session, session, [task.input]))
  const lost = session === null ? NOTHING : lostSession(task, task.session)
  if (task.form === 'object') return { ...plain(answerEvent(context, task, task.input, session, lost)), snapshot: snapshotOf() }
  const made = logtestJson(context, task, task.input, session, lost)
  const snapshot = snapshotOf()
  // Nothing that can fail comes after it: a place that nobody is told of is lent for ever.
  const place = task.form === 'lent' && context.sheets !== null ? context.sheets.write(made.json) : null
  const { json, transfer } = place === null ? crossing(made.json) : LENT
  const value: ThreadAnswer<LogtestDigest> = { json, digest: made.digest }
  return { value, snapshot, transfer, place }
}

/** The state that the task goes on from; null when it has no session. */
export function takeSession(context: TaskContext, task: Pick<Task, 'locale'>, reference: SessionReference | null): Session | null | typeof SESSION_MISSING {
  const { runner, ruleset } = entryOf(context)
  if (reference === null || !ruleset.loads) return null
  const replay = (input: LogtestInput, seconds: number, state: Session): void => {
    runLogtest(runner, input, momentAt(seconds), state, { trace: false, locale: task.locale, now })
  }
  return context.sessions.take(reference, replay) ?? SESSION_MISSING
}

/** What is told with the first event of a session that was given up and begins anew. */
export function lostSession({ locale }: Pick<Task, 'locale'>, reference: SessionReference | null): readonly DiagnosticRecord[] {
  return reference?.isLost === true ? [presentRunDiagnostic('session_lost', {}, null, locale)] : NOTHING
}

/**
 * Runs an event and makes its whole answer. `ok`: the event ran, and the content has no error of the client's own. Where Wazuh would not start nothing runs.
 * @param found beforehand, and told with it
 */
export function answerEvent(context: TaskContext, task: LogtestTask, input: LogtestInput, session: Session | null, found: readonly DiagnosticRecord[] = NOTHING): LogtestAnswer {
  const { ok, summary, diagnostics } = entryOf(context).findings(task.locale, task.includeBaseline)
  const report = runLogtest(entryOf(context).runner, input, momentAt(task.seconds), session, optionsOf(task))
  const performance = performanceOfRun(context, task, report.times)
  const { times: _, ...told } = report
  return { ...told, ok: isAnswerOk(report, ok), summary, diagnostics: [...found, ...report.diagnostics, ...diagnostics], performance }
}

/** Likewise, as it goes out, in pieces. What is the same in every answer on the ruleset is not written again. */
export function logtestJson(
  context: TaskContext,
  task: RunSetting,
  input: LogtestInput,
  session: Session | null,
  found: readonly DiagnosticRecord[] = NOTHING,
): { json: readonly string[]; digest: LogtestDigest } {
  const entry = entryOf(context)
  const findings = entry.findings(task.locale, task.includeBaseline)
  const { printed, performance } = runTimed(context, task, input, session, found)
  const { rule, matched_rules } = printed.report
  return {
    json: withFindings(printed, findings, performance),
    digest: {
      unreadable: entry.unreadable(task.locale),
      ok: isAnswerOk(printed.report, findings.ok),
      compiledHash: findings.summary.compiled_hash,
      matchedRuleId: rule?.id ?? null,
      matchedRules: matched_rules.map(({ id }) => id),
    },
  }
}

/** An answer in pieces. Findings of the ruleset follow those of the run. */
export function withFindings(
  printed: PrintedReport,
  { ok, summaryJson, diagnosticsJson }: Pick<Findings, 'ok' | 'summaryJson' | 'diagnosticsJson'>,
  performance: LogtestPerformance,
): readonly string[] {
  const { report } = printed
  const ofRun = report.diagnostics.length === 0 ? '' : JSON.stringify(report.diagnostics).slice(1, -1)
  const comma = ofRun !== '' && diagnosticsJson !== '' ? ',' : ''
  const [matched, said] = reportJson(printed, isAnswerOk(report, ok))
  return [matched, `${said},"summary":${summaryJson},"diagnostics":[${ofRun}${comma}${diagnosticsJson}],"performance":${performanceJson(performance)}}`]
}

/** A line of a batch that tells nothing of the ruleset but whether its content is right, in pieces. */
export function withoutFindings(printed: PrintedReport, isContentOk: boolean, performance: LogtestPerformance): readonly string[] {
  const [matched, said] = reportJson(printed, isAnswerOk(printed.report, isContentOk))
  return [matched, `${said},"performance":${performanceJson(performance)}}`]
}

/** A line of a batch says in its insights what was found about its event: all lines alike, as those after the first have no `diagnostics`. */
export function withInsights(printed: PrintedReport): PrintedReport {
  const { report } = printed
  if (report.diagnostics.length === 0) return printed
  return { ...printed, report: { ...report, insights: [...report.diagnostics.map(insightOf), ...report.insights] } }
}

function performanceJson({ source_build_ms, compile_ms, total_ms, cache_hit, predecode_ms, decode_ms, rule_ms }: LogtestPerformance): string {
  return `{"source_build_ms":${source_build_ms},"compile_ms":${compile_ms},"total_ms":${total_ms},"cache_hit":${cache_hit},"predecode_ms":${predecode_ms},"decode_ms":${decode_ms},"rule_ms":${rule_ms}}`
}

/** Runs an event to be printed, and says what it took. @param found beforehand, and told with it */
export function runTimed(
  context: TaskContext,
  task: RunSetting,
  input: LogtestInput,
  session: Session | null,
  found: readonly DiagnosticRecord[] = NOTHING,
): { readonly printed: PrintedReport; readonly performance: LogtestPerformance } {
  const run = runPrinted(entryOf(context).runner, input, momentAt(task.seconds), session, optionsOf(task))
  const printed = found.length === 0 ? run : { ...run, report: { ...run.report, diagnostics: [...found, ...run.report.diagnostics] } }
  return { printed, performance: performanceOfRun(context, task, printed.report.times) }
}

function optionsOf({ trace, locale }: RunSetting): LogtestOptions {
  return { trace, locale, now }
}

function performanceOfRun(context: TaskContext, task: RunSetting, { predecode_ms, decode_ms, rule_ms }: StageTimes): LogtestPerformance {
  const { source_build_ms, compile_ms, total_ms, cache_hit } = performanceOf(context, task)
  return {
    source_build_ms,
    compile_ms,
    total_ms,
    cache_hit,
    predecode_ms: roundMs(predecode_ms),
    decode_ms: roundMs(decode_ms),
    rule_ms: roundMs(rule_ms),
  }
}
