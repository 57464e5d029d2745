/** Runs one event. */
import type { DiagnosticRecord, JsonWriter, LogtestInput, Session, StageTimes, UnwrittenRun } from '#engine'
import { finalRuleOf, isAnswerOk, jsonBytes, matchedRulesOf, presentRunDiagnostic, runLogtest, runUnwritten, writeReport } from '#engine'
import type { LogtestDigest } from '../../shared/answers.js'
import { momentAt, now } from '../../shared/clock.js'
import type { ReadableTaskHead, SessionReference, TaskHead } from '../../shared/protocol.js'
import type { ContentReport } from '../ruleset-cache.js'
import { answers } from './answer-buffer.js'
import { entryOf, SESSION_MISSING, type TaskContext, type TaskDefinition } from './context.js'

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
  withRequest: (task, { input = null, trace = true }) => ({ ...task, input, trace }),
  run(context, task) {
    const { input } = task
    if (input === null) throw new TypeError('a logtest has an input')
    const session = takeSession(context, task, task.session)
    if (session === SESSION_MISSING) return SESSION_MISSING
    const entry = entryOf(context)
    const content = entry.report(task.locale, task.includeBaseline)
    const run = runEvent(context, task, input, session, session === null ? NOTHING : lostSession(task, task.session))
    const ok = isAnswerOk(run, content.ok)
    answers.clear()
    writeReport(answers, run, { ok, insights: run.insights }, null)
    writeDiagnostics(answers, run.diagnostics, content)
    writePerformance(answers, context, task.prepareMs, task.prepareMs + now() - context.startedAt, run.times)
    const digest: LogtestDigest = {
      unreadable: entry.unreadable(task.locale),
      ok,
      compiledHash: content.summary.compiled_hash,
      matchedRuleId: finalRuleOf(run)?.id.toString() ?? null,
      matchedRules: matchedRulesOf(run).map(({ id }) => String(id)),
    }
    const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, [input])
    return { value: digest, snapshot, ...answers.take(context.buffers) }
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

const SUMMARY = jsonBytes(',"summary":')
const DIAGNOSTICS = jsonBytes(',"diagnostics":[')
const COMMA = jsonBytes(',')
const END_OF_DIAGNOSTICS = jsonBytes(']')
const SOURCE_BUILD_MS = jsonBytes(',"performance":{"source_build_ms":')
const COMPILE_MS = jsonBytes(',"compile_ms":')
const TOTAL_MS = jsonBytes(',"total_ms":')
const CACHED_TOTAL_MS = jsonBytes(',"performance":{"source_build_ms":0,"compile_ms":0,"total_ms":')
const CACHE_HIT = jsonBytes(',"cache_hit":true,"predecode_ms":')
const CACHE_MISS = jsonBytes(',"cache_hit":false,"predecode_ms":')
const DECODE_MS = jsonBytes(',"decode_ms":')
const RULE_MS = jsonBytes(',"rule_ms":')
const END = jsonBytes('}}')

/** Writes what an answer says about the ruleset, after the report. Lines of a batch after the first lack it. @param ofRun the diagnostics of the run, which precede those of the ruleset */
export function writeDiagnostics(
  writer: JsonWriter,
  ofRun: readonly DiagnosticRecord[],
  { summaryJson, diagnosticsJson }: Pick<ContentReport, 'summaryJson' | 'diagnosticsJson'>,
): void {
  writer.constant(SUMMARY)
  writer.text(summaryJson)
  writer.constant(DIAGNOSTICS)
  writer.text(JSON.stringify(ofRun).slice(1, -1))
  if (ofRun.length > 0 && diagnosticsJson !== '') writer.constant(COMMA)
  writer.text(diagnosticsJson)
  writer.constant(END_OF_DIAGNOSTICS)
}

/** Writes the end of an answer, a `LogtestPerformance`. */
export function writePerformance(
  writer: JsonWriter,
  { found: { sourceMs, compileMs, cacheHit } }: Pick<TaskContext, 'found'>,
  prepareMs: number,
  totalMs: number,
  { predecode_ms, decode_ms, rule_ms }: StageTimes,
): void {
  if (prepareMs + sourceMs + compileMs === 0) writer.constant(CACHED_TOTAL_MS)
  else {
    writer.constant(SOURCE_BUILD_MS)
    writeMs(writer, prepareMs + sourceMs)
    writer.constant(COMPILE_MS)
    writeMs(writer, compileMs)
    writer.constant(TOTAL_MS)
  }
  writeMs(writer, totalMs)
  writer.constant(cacheHit ? CACHE_HIT : CACHE_MISS)
  writeMs(writer, predecode_ms)
  writer.constant(DECODE_MS)
  writeMs(writer, decode_ms)
  writer.constant(RULE_MS)
  writeMs(writer, rule_ms)
  writer.constant(END)
}

/** Writes milliseconds as `roundMs` returns them. */
function writeMs(writer: JsonWriter, ms: number): void {
  writer.thousandths(Math.round(ms * 1000))
}

/** Runs an event. @param found diagnostics that precede its own */
export function runEvent(
  context: Pick<TaskContext, 'found'>,
  { seconds, trace, locale }: RunSetting,
  input: LogtestInput,
  session: Session | null,
  found: readonly DiagnosticRecord[],
): UnwrittenRun {
  const run = runUnwritten(entryOf(context).runner, input, momentAt(seconds), session, { trace, locale, now })
  return found.length === 0 ? run : { ...run, diagnostics: [...found, ...run.diagnostics] }
}
