/** One event. */
import { momentAt, now, roundMs } from '../clock.js'
import type { LogtestInput, LogtestOptions, PrintedReport, Session, StageTimes } from '#engine'
import { runLogtest, runPrinted } from '#engine'
import type { LogtestAnswer, LogtestDigest, LogtestPerformance, LogtestTask, SessionReference, Task, ThreadAnswer } from '../protocol.js'
import { crossing, entryOf, performanceOf, plain, SESSION_MISSING, type TaskContext, type TaskResult } from './context.js'
import { reportJson } from './report-json.js'

/** Of an answer that is lent nothing crosses. */
const LENT = { json: null, transfer: [] } as const

/** How an event is run, whatever task it is part of. */
export type RunSetting = Pick<LogtestTask, 'locale' | 'seconds' | 'trace' | 'includeBaseline' | 'prepareMs'>

export function logtest(context: TaskContext, task: LogtestTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const snapshotOf = (): Uint8Array | null => (session === null || task.session === null ? null : context.sessions.put(task.session, session, [task.input]))
  if (task.form === 'object') return { ...plain(answerEvent(context, task, task.input, session)), snapshot: snapshotOf() }
  const made = logtestJson(context, task, task.input, session)
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

/** Runs an event and makes its whole answer. Where Wazuh would not start nothing runs, and `ok` is false. */
export function answerEvent(context: TaskContext, task: LogtestTask, input: LogtestInput, session: Session | null): LogtestAnswer {
  const { summary, diagnosticCount, diagnostics } = entryOf(context).findings(task.locale, task.includeBaseline)
  const report = runLogtest(entryOf(context).runner, input, momentAt(task.seconds), session, optionsOf(task))
  const performance = performanceOfRun(context, task, report.times)
  const { times: _, ...told } = report
  return { ...told, summary, diagnostics: diagnosticCount === 0 ? report.diagnostics : [...report.diagnostics, ...diagnostics], performance }
}

/** Likewise, as it goes out, in pieces. What is the same in every answer on the ruleset is not written again. */
export function logtestJson(context: TaskContext, task: RunSetting, input: LogtestInput, session: Session | null): { json: readonly string[]; digest: LogtestDigest } {
  const entry = entryOf(context)
  const { summary, summaryJson, diagnosticsJson } = entry.findings(task.locale, task.includeBaseline)
  const { printed, performance } = runTimed(context, task, input, session)
  const { ok, rule, matched_rules } = printed.report
  return {
    json: withFindings(printed, summaryJson, diagnosticsJson, performance),
    digest: {
      unreadable: entry.unreadable(task.locale),
      ok,
      compiledHash: summary.compiled_hash,
      matchedRuleId: rule?.id ?? null,
      matchedRules: matched_rules.map(({ id }) => id),
    },
  }
}

/** An answer in pieces. @param diagnosticsJson findings of the ruleset, without brackets; they follow those of the run */
export function withFindings(printed: PrintedReport, summaryJson: string, diagnosticsJson: string, performance: LogtestPerformance): readonly string[] {
  const { diagnostics } = printed.report
  const ofRun = diagnostics.length === 0 ? '' : JSON.stringify(diagnostics).slice(1, -1)
  const comma = ofRun !== '' && diagnosticsJson !== '' ? ',' : ''
  const [found, said] = reportJson(printed)
  return [found, `${said},"summary":${summaryJson},"diagnostics":[${ofRun}${comma}${diagnosticsJson}],"performance":${performanceJson(performance)}}`]
}

/** A line of a batch that tells nothing of the ruleset, in pieces. */
export function withoutFindings(printed: PrintedReport, performance: LogtestPerformance): readonly string[] {
  const { diagnostics } = printed.report
  const [found, said] = reportJson(printed)
  return [found, `${said},"diagnostics":${diagnostics.length === 0 ? '[]' : JSON.stringify(diagnostics)},"performance":${performanceJson(performance)}}`]
}

function performanceJson({ source_build_ms, compile_ms, total_ms, cache_hit, predecode_ms, decode_ms, rule_ms }: LogtestPerformance): string {
  return `{"source_build_ms":${source_build_ms},"compile_ms":${compile_ms},"total_ms":${total_ms},"cache_hit":${cache_hit},"predecode_ms":${predecode_ms},"decode_ms":${decode_ms},"rule_ms":${rule_ms}}`
}

/** Runs an event to be printed, and says what it took. */
export function runTimed(
  context: TaskContext,
  task: RunSetting,
  input: LogtestInput,
  session: Session | null,
): { readonly printed: PrintedReport; readonly performance: LogtestPerformance } {
  const printed = runPrinted(entryOf(context).runner, input, momentAt(task.seconds), session, optionsOf(task))
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
