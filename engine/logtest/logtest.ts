/** Runs one event through the engine and builds the report for callers. */
import type { Locale } from '../diagnostics/text.js'
import { describeInsights, type ToldTips } from '../insights/index.js'
import type { Caller } from '../insights/own-content.js'
import type { Event } from '../event/event.js'
import { jsonBytes, type JsonPart, type JsonWriter } from '../json/json-writer.js'
import { quoteJson } from '../json/quote.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { DEFAULT_LOCATION } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import { fromByteString } from '../source/byte-string.js'
import { type HeaderForm, headerFormOf } from '../trace/header-form.js'
import { traceJson } from '../trace/trace-json.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import { NO_OUTCOME } from '../records/records.js'
import type { DiagnosticRecord, LogtestInput, LogtestReport, StageTimes } from '../records/records.js'
import { describeDecoder, describeFields, describeFinalRule, describePath, describePredecoding, matchedRules } from './describe-outcome.js'
import { detectFormat, type RunFormat, runFormat } from './detect-format.js'
import { writeFields } from './fields-json.js'
import { expandedPath, type PathDescriptions, writeOutcome } from './outcome-json.js'
import { presentCrash, presentForeignCaptures, presentRunDiagnostic } from './present-diagnostic.js'
import { decodeAs, receiveEvent } from './received-event.js'
import { describeWrapper } from '../wrappers/describe-wrapper.js'
import { unwrap, type Wrapper } from '../wrappers/unwrap.js'

export interface LogtestOptions {
  /** Whether to record every decision and explain it (`trace`, `insights`). It takes several times as long as the run itself. */
  readonly trace: boolean
  readonly locale: Locale
  /** The reader of the insights; default: a caller of the service. */
  readonly caller?: Caller
  /** The insights of earlier events of the same output, so that each is repeated only a few times. */
  readonly told?: ToldTips | null
  /** A monotonic clock in milliseconds, for the stage times; without one they are 0. The engine has no clock. */
  readonly now?: () => number
}

export interface TimedLogtestReport extends LogtestReport {
  readonly times: StageTimes
}

const NO_TIMES: StageTimes = { predecode_ms: 0, decode_ms: 0, rule_ms: 0 }
const NO_CLOCK = (): number => 0
const NO_INSIGHTS: readonly string[] = []

/**
 * Runs one event.
 * @param session the session to continue; null: a new session that is not kept
 */
export function runLogtest(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): TimedLogtestReport {
  return runObserved(runner, input, moment, session, options).report
}

/**
 * A run whose report is not written yet. Without a trace it can still be written when the runner has run other events: callers that run some events and then
 * write their reports keep the code of each half in the processor's cache.
 */
export interface UnwrittenRun {
  readonly runner: EventRunner
  readonly input: LogtestInput
  readonly stages: StagesRun
  readonly descriptions: PathDescriptions
  /** Null: without a trace. */
  readonly recorder: TraceRecorder | null
  readonly form: HeaderForm
  /** Whether the event ran. */
  readonly ok: boolean
  readonly diagnostics: readonly DiagnosticRecord[]
  readonly insights: readonly string[]
  readonly times: StageTimes
}

/** `runLogtest` for callers that write the report as JSON, which takes half of the time of building its objects. */
export function runUnwritten(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): UnwrittenRun {
  const { stages, recorder } = runRecorded(runner, input, moment, session, options)
  if (stages.kind === 'refused') {
    const { ok, diagnostics, insights, times } = refusal(input, stages, recorder, options.locale)
    return { runner, input, stages, descriptions: null, recorder, form: 'none', ok, diagnostics, insights, times }
  }
  const { form, diagnostics, insights } = describeRun(input, stages, recorder, session, runner, moment, options)
  return { runner, input, stages, descriptions: expandedPath(stages.outcome, runner), recorder, form, ok: true, diagnostics, insights, times: stages.times }
}

/** The final rule of a run; null: none. */
export function finalRuleOf({ stages }: UnwrittenRun): CompiledRule | null {
  return stages.kind === 'refused' ? null : stages.outcome.rule
}

/** The rules that matched, in evaluation order. */
export function matchedRulesOf({ stages }: UnwrittenRun): readonly CompiledRule[] {
  return stages.kind === 'refused' ? [] : matchedRules(stages.outcome)
}

const OK = jsonBytes('{"ok":true,')
const NOT_OK = jsonBytes('{"ok":false,')
const TRACE = jsonBytes(',"trace":[')
const INSIGHTS = jsonBytes('],"insights":[')
const ALERT = jsonBytes('],"alert":true,"previous_output":[')
const NO_ALERT = jsonBytes('],"alert":false,"previous_output":[')
const TEXT = jsonBytes('"')
const NEXT_TEXT = jsonBytes('","')
const END_OF_TEXTS = jsonBytes('"]')
const NO_TEXTS = jsonBytes(']')
/** The end of most reports. */
const ONLY_ALERT = jsonBytes(',"trace":[],"insights":[],"alert":true,"previous_output":[]')
const ONLY_NO_ALERT = jsonBytes(',"trace":[],"insights":[],"alert":false,"previous_output":[]')

/**
 * Writes the report without its diagnostics and its closing brace: an answer has further members. With a trace the event must be the runner's current one.
 * @param told what the caller reports instead of what the run says
 * @param eventJson the received event as JSON, if it is known; else null
 */
export function writeReport(writer: JsonWriter, run: UnwrittenRun, told: Pick<LogtestReport, 'ok' | 'insights'>, eventJson: JsonPart | null): void {
  const { runner, input, stages, descriptions, recorder, form } = run
  writer.constant(told.ok ? OK : NOT_OK)
  if (stages.kind === 'refused') {
    const { predecoded, decoder, rule, matched_rules, extracted_fields } = refusal(input, stages, null, 'en-US')
    writer.text(JSON.stringify({ predecoded, decoder, rule, matched_rules, extracted_fields }).slice(1, -1))
  } else {
    writeOutcome(writer, stages.outcome, descriptions, runner.ruleset, eventJson ?? quoteJson(input.event), detectFormat(input, stages.format))
    writeFields(writer, stages.event)
  }
  const { alert, previous } = stages.kind === 'run' ? stages.outcome : REFUSED
  if (recorder === null && told.insights.length === 0 && previous.length === 0) return writer.constant(alert ? ONLY_ALERT : ONLY_NO_ALERT)
  writer.constant(TRACE)
  if (recorder !== null && stages.kind === 'run') writer.text(traceJson(recorder, stages.event, form))
  writer.constant(INSIGHTS)
  writer.text(told.insights.map(quoteJson).join(','))
  writer.constant(alert ? ALERT : NO_ALERT)
  for (let i = 0; i < previous.length; i++) {
    writer.constant(i === 0 ? TEXT : NEXT_TEXT)
    writer.escaped(previous[i])
  }
  writer.constant(previous.length === 0 ? NO_TEXTS : END_OF_TEXTS)
}

const REFUSED: Pick<Outcome, 'alert' | 'previous'> = { alert: false, previous: [] }

/** A report and the outcome inside the engine; null if the event did not run. */
export interface ObservedRun {
  readonly report: TimedLogtestReport
  readonly outcome: Outcome | null
}

/** `runLogtest` for callers inside the engine that also need the outcome. */
export function runObserved(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): ObservedRun {
  const { stages, recorder } = runRecorded(runner, input, moment, session, options)
  if (stages.kind === 'refused') return { report: refusal(input, stages, recorder, options.locale), outcome: null }
  const { event, outcome, times, format } = stages
  const { form, diagnostics, insights } = describeRun(input, stages, recorder, session, runner, moment, options)
  const report: TimedLogtestReport = {
    ok: true,
    diagnostics,
    predecoded: describePredecoding(event, input.event, detectFormat(input, format)),
    decoder: describeDecoder(event.decoder, runner.ruleset.decoders),
    rule: describeFinalRule(outcome, runner),
    matched_rules: describePath(outcome, runner),
    extracted_fields: describeFields(event),
    trace: recorder === null ? [] : recorder.entries(event, form),
    insights,
    alert: outcome.alert,
    previous_output: outcome.previous.map(fromByteString),
    times,
  }
  return { report, outcome }
}

/** The recorder of a run with a trace, and the run. */
function runRecorded(
  runner: EventRunner,
  input: LogtestInput,
  moment: Moment,
  session: Session | null,
  options: LogtestOptions,
): { readonly stages: StagesRun; readonly recorder: TraceRecorder | null } {
  const recorder = options.trace ? new TraceRecorder() : null
  return { stages: runStages(runner, input, moment, session, recorder, options), recorder }
}

/** What a report says about the run itself. */
function describeRun(
  input: LogtestInput,
  { text, event, outcome, diagnostics }: RanStages,
  recorder: TraceRecorder | null,
  session: Session | null,
  runner: EventRunner,
  clock: Moment,
  { locale, caller = 'service', told = null }: LogtestOptions,
): { readonly form: HeaderForm; readonly diagnostics: readonly DiagnosticRecord[]; readonly insights: readonly string[] } {
  const form = recorder === null ? 'none' : headerFormOf(text)
  return {
    form,
    diagnostics: noted(diagnostics, event, locale),
    insights:
      recorder === null
        ? NO_INSIGHTS
        : (wrapperInsights(input, outcome, locale) ?? describeInsights({ form, event, outcome, recorder, session, clock, runner }, { locale, caller, told })),
  }
}

/**
 * The only insight about an event that is a record about a log: all others would be about the record. Null: it is none, or the content is made for such events.
 */
function wrapperInsights({ event }: LogtestInput, outcome: Outcome | null, locale: Locale): readonly string[] | null {
  const wrapper = unwrap(event)
  if (wrapper === null || (outcome !== null && isMeant(wrapper, outcome))) return null
  return [describeWrapper(wrapper, locale)]
}

/** Whether content is made for such events: a rule that matched reads a member of the record, or a decoder reads the text that is perhaps quoted by its source. */
function isMeant({ kind, isSure }: Wrapper, { event: { decoder }, path }: Outcome): boolean {
  if (kind === 'alerts_json' || kind === 'archives_json' || kind === 'decoded_windows') return path.some(({ conditions }) => conditions.some(({ field }) => field !== null))
  return !isSure && decoder !== null
}

/** Adds what was noted while the event ran; for nearly every event nothing was. */
function noted(diagnostics: readonly DiagnosticRecord[], { crashes, foreignCaptures }: Event, locale: Locale): readonly DiagnosticRecord[] {
  if (crashes.length === 0 && foreignCaptures.length === 0) return diagnostics
  return [...diagnostics, ...crashes.map((note) => presentCrash(note, locale)), ...foreignCaptures.map((note) => presentForeignCaptures(note, locale))]
}

/** An event that ran. */
interface RanStages {
  readonly kind: 'run'
  readonly format: RunFormat
  readonly diagnostics: readonly DiagnosticRecord[]
  /** The received bytes. */
  readonly text: string
  readonly event: Event
  readonly outcome: Outcome
  readonly times: StageTimes
}

/** An event that ran, or the reason why it did not. */
export type StagesRun =
  | RanStages
  | {
      readonly kind: 'refused'
      readonly format: RunFormat
      readonly diagnostics: readonly DiagnosticRecord[]
    }

export function runStages(
  runner: EventRunner,
  input: LogtestInput,
  moment: Moment,
  session: Session | null,
  recorder: TraceRecorder | null,
  { locale, now = NO_CLOCK }: Pick<LogtestOptions, 'locale' | 'now'>,
): StagesRun {
  const started = now()
  const received = receiveEvent(input)
  if (received === null) {
    const location = input.location ?? DEFAULT_LOCATION
    return { kind: 'refused', format: runFormat(input), diagnostics: [presentRunDiagnostic('session_location_invalid', { value: location }, location, locale)] }
  }
  const { text, origin, format, length, limit } = received
  if (!runner.ruleset.loads) return { kind: 'refused', format, diagnostics: [] }
  const diagnostics = length > limit ? [presentRunDiagnostic('session_event_truncated', { length, limit }, null, locale)] : []
  const event = predecode(text, origin, moment.seconds)
  const predecoded = now()
  recorder?.begin(event)
  if (!decodeAs(format, event, runner, session, recorder)) {
    diagnostics.push(presentRunDiagnostic('session_event_dropped', {}, null, locale))
    return { kind: 'refused', format, diagnostics }
  }
  const decoded = now()
  const outcome = runner.runRules(event, moment, session, recorder)
  const times = { predecode_ms: predecoded - started, decode_ms: decoded - predecoded, rule_ms: now() - decoded }
  return { kind: 'run', format, diagnostics, text, event, outcome, times }
}

/** Returns the report of an event that does not run. */
function refusal(input: LogtestInput, { format, diagnostics }: Extract<StagesRun, { kind: 'refused' }>, recorder: TraceRecorder | null, locale: Locale): TimedLogtestReport {
  return {
    ok: false,
    diagnostics,
    predecoded: {
      timestamp: null,
      hostname: null,
      program_name: null,
      location: input.location ?? DEFAULT_LOCATION,
      raw_message: input.event,
      detected_format: detectFormat(input, format),
    },
    ...NO_OUTCOME,
    insights: (recorder === null ? null : wrapperInsights(input, null, locale)) ?? NO_INSIGHTS,
    times: NO_TIMES,
  }
}
