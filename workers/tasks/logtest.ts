/** Runs one event. */
import { momentAt, msText, now } from '../clock.js'
import type { DiagnosticRecord, LogtestInput, PrintedReport, Session, StageTimes, UnprintedRun } from '#engine'
import { insightOf, isAnswerOk, presentRunDiagnostic, printRun, runLogtest, runUnprinted } from '#engine'
import type { LogtestDigest } from '../answers.js'
import type { ReadableTaskHead, SessionReference, TaskHead } from '../protocol.js'
import type { ContentReport } from '../ruleset-cache.js'
import { answerOf, entryOf, SESSION_MISSING, type TaskContext, type TaskDefinition } from './context.js'
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
export type RunSetting = Pick<LogtestTask, 'locale' | 'seconds' | 'trace'>

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
    const printed = printEvent(runEvent(context, task, input, session), session === null ? NOTHING : lostSession(task, task.session))
    const digest: LogtestDigest = {
      unreadable: entry.unreadable(task.locale),
      ok: isAnswerOk(printed, content.ok),
      compiledHash: content.summary.compiled_hash,
      matchedRuleId: printed.ruleId === null ? null : String(printed.ruleId),
      matchedRules: printed.matchedIds.map(String),
    }
    const texts = withDiagnostics(printed, content, performanceJson(context, task.prepareMs, task.prepareMs + now() - context.startedAt, printed.times))
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
  performance: string,
): readonly [found: string, said: string] {
  const { diagnostics } = printed
  const ofRun = diagnostics.length === 0 ? '' : JSON.stringify(diagnostics).slice(1, -1)
  const comma = ofRun !== '' && diagnosticsJson !== '' ? ',' : ''
  const [found, said] = reportJson(printed, isAnswerOk(printed, ok))
  return [found, `${said},"summary":${summaryJson},"diagnostics":[${ofRun}${comma}${diagnosticsJson}],"performance":${performance}}`]
}

/** Returns the answer to a line of a batch without the diagnostics of the ruleset, in the same form. */
export function withoutDiagnostics(printed: PrintedReport, isContentOk: boolean, performance: string): readonly [found: string, said: string] {
  const [found, said] = reportJson(printed, isAnswerOk(printed, isContentOk))
  return [found, `${said},"performance":${performance}}`]
}

/** Adds the diagnostics about the event to its insights: lines of a batch after the first have no `diagnostics`. */
export function withInsights(printed: PrintedReport): PrintedReport {
  const { diagnostics, insights } = printed
  return diagnostics.length === 0 ? printed : { ...printed, insights: [...diagnostics.map(insightOf), ...insights] }
}

/** Prints the `LogtestPerformance` of an answer. */
export function performanceJson({ found }: Pick<TaskContext, 'found'>, prepareMs: number, totalMs: number, { predecode_ms, decode_ms, rule_ms }: StageTimes): string {
  const { sourceMs, compileMs, cacheHit } = found
  return `{"source_build_ms":${msText(prepareMs + sourceMs)},"compile_ms":${msText(compileMs)},"total_ms":${msText(totalMs)},"cache_hit":${cacheHit},"predecode_ms":${msText(predecode_ms)},"decode_ms":${msText(decode_ms)},"rule_ms":${msText(rule_ms)}}`
}

/** Runs an event. */
export function runEvent(context: Pick<TaskContext, 'found'>, { seconds, trace, locale }: RunSetting, input: LogtestInput, session: Session | null): UnprintedRun {
  return runUnprinted(entryOf(context).runner, input, momentAt(seconds), session, { trace, locale, now })
}

/** Prints the report of an event. @param found diagnostics to be reported before its own @param eventJson the event as JSON, if it is known */
export function printEvent(run: UnprintedRun, found: readonly DiagnosticRecord[], eventJson: string | null = null): PrintedReport {
  const printed = printRun(run, eventJson)
  return found.length === 0 ? printed : { ...printed, diagnostics: [...found, ...printed.diagnostics] }
}
