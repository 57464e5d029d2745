/** Runs one event. */
import { momentAt, now, roundMs } from '../clock.js'
import type { DiagnosticRecord, LogtestInput, LogtestOptions, PrintedReport, Session, StageTimes } from '#engine'
import { insightOf, isAnswerOk, presentRunDiagnostic, runLogtest, runPrinted } from '#engine'
import type { LogtestDigest, LogtestPerformance } from '../answers.js'
import type { ReadableTaskHead, SessionReference, TaskHead } from '../protocol.js'
import type { ContentReport } from '../ruleset-cache.js'
import { answerOf, entryOf, performanceOf, SESSION_MISSING, type TaskContext, type TaskDefinition } from './context.js'
import { reportJson } from './report-json.js'

const NOTHING: readonly DiagnosticRecord[] = []

export interface LogtestTask extends ReadableTaskHead {
  readonly kind: 'logtest'
  /** Null: it is in the body. */
  readonly input: LogtestInput | null
  readonly seconds: number
  readonly trace: boolean
  readonly includeBaseline: boolean
  readonly session: SessionReference | null
}

/** How an event is run, for every task. */
export type RunSetting = Pick<LogtestTask, 'locale' | 'seconds' | 'trace' | 'includeBaseline' | 'prepareMs'>

/** `ok` of the answer: the event ran, and the content has no error of the client's own. If Wazuh would not start, nothing runs. */
export const logtest: TaskDefinition<LogtestTask> = {
  body: 'logtest',
  withRequest: (task, { input, trace }) => ({ ...task, input, trace }),
  run(context, task) {
    const { input } = task
    if (input === null) throw new TypeError('a logtest has an input')
    const session = takeSession(context, task, task.session)
    if (session === SESSION_MISSING) return SESSION_MISSING
    const entry = entryOf(context)
    const content = entry.report(task.locale, task.includeBaseline)
    const { printed, performance } = runTimed(context, task, input, session, session === null ? NOTHING : lostSession(task, task.session))
    const { rule, matched_rules } = printed.report
    const digest: LogtestDigest = {
      unreadable: entry.unreadable(task.locale),
      ok: isAnswerOk(printed.report, content.ok),
      compiledHash: content.summary.compiled_hash,
      matchedRuleId: rule?.id ?? null,
      matchedRules: matched_rules.map(({ id }) => id),
    }
    const texts = withDiagnostics(printed, content, performance)
    const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, [input])
    return answerOf(context, texts, digest, snapshot)
  },
}

/** Returns the state with which the task begins; null: it has no session. */
export function takeSession(context: TaskContext, task: Pick<TaskHead, 'locale'>, reference: SessionReference | null): Session | null | typeof SESSION_MISSING {
  const { runner, ruleset } = entryOf(context)
  if (reference === null || !ruleset.loads) return null
  const replay = (input: LogtestInput, seconds: number, state: Session): void => {
    runLogtest(runner, input, momentAt(seconds), state, { trace: false, locale: task.locale, now })
  }
  return context.sessions.take(reference, replay) ?? SESSION_MISSING
}

/** Returns the diagnostic of the first event of a session that was discarded and starts again. */
export function lostSession({ locale }: Pick<TaskHead, 'locale'>, reference: SessionReference | null): readonly DiagnosticRecord[] {
  return reference?.isLost === true ? [presentRunDiagnostic('session_lost', {}, null, locale)] : NOTHING
}

/** Returns a whole answer, as texts to be written one after the other. Diagnostics of the ruleset follow those of the run. */
export function withDiagnostics(
  printed: PrintedReport,
  { ok, summaryJson, diagnosticsJson }: Pick<ContentReport, 'ok' | 'summaryJson' | 'diagnosticsJson'>,
  performance: LogtestPerformance,
): readonly string[] {
  const { report } = printed
  const ofRun = report.diagnostics.length === 0 ? '' : JSON.stringify(report.diagnostics).slice(1, -1)
  const comma = ofRun !== '' && diagnosticsJson !== '' ? ',' : ''
  const [matched, said] = reportJson(printed, isAnswerOk(report, ok))
  return [matched, `${said},"summary":${summaryJson},"diagnostics":[${ofRun}${comma}${diagnosticsJson}],"performance":${performanceJson(performance)}}`]
}

/** Returns the answer to a line of a batch without the diagnostics of the ruleset, in the same form. */
export function withoutDiagnostics(printed: PrintedReport, isContentOk: boolean, performance: LogtestPerformance): readonly string[] {
  const [matched, said] = reportJson(printed, isAnswerOk(printed.report, isContentOk))
  return [matched, `${said},"performance":${performanceJson(performance)}}`]
}

/** Adds the diagnostics about the event to its insights: lines of a batch after the first have no `diagnostics`. */
export function withInsights(printed: PrintedReport): PrintedReport {
  const { report } = printed
  if (report.diagnostics.length === 0) return printed
  return { ...printed, report: { ...report, insights: [...report.diagnostics.map(insightOf), ...report.insights] } }
}

function performanceJson({ source_build_ms, compile_ms, total_ms, cache_hit, predecode_ms, decode_ms, rule_ms }: LogtestPerformance): string {
  return `{"source_build_ms":${source_build_ms},"compile_ms":${compile_ms},"total_ms":${total_ms},"cache_hit":${cache_hit},"predecode_ms":${predecode_ms},"decode_ms":${decode_ms},"rule_ms":${rule_ms}}`
}

/** Runs an event and measures its time. @param found diagnostics to be reported before its own */
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
