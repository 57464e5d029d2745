/** Runs one event through the engine and builds the report for callers. */
import type { Locale } from '../diagnostics/text.js'
import { describeInsights } from '../insights/index.js'
import type { Event } from '../event/event.js'
import { quoteJson } from '../json/quote.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { Origin } from '../predecoding/location.js'
import { DEFAULT_LOCATION, readLocation } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { type HeaderForm, headerFormOf } from '../trace/header-form.js'
import { traceJson } from '../trace/trace-json.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import { NO_OUTCOME } from '../records/records.js'
import type { DiagnosticRecord, LogtestInput, LogtestReport, StageTimes } from '../records/records.js'
import { describeDecoder, describeFields, describeFinalRule, describePath, describePredecoding, matchedRules } from './describe-outcome.js'
import type { DetectedFormat } from './detect-format.js'
import { detectFormat } from './detect-format.js'
import { fieldsJson } from './fields-json.js'
import { expandedPath, outcomeJson, type PathDescriptions } from './outcome-json.js'
import { decodeEventchannel, EVENTCHANNEL_DECODER, toAgentForm } from './eventchannel-event.js'
import { presentCrash, presentRunDiagnostic } from './present-diagnostic.js'

/** The reference engine receives 65,536 bytes with the final NUL; queue, location and two colons are part of them (BEHAVIOUR.md#received-message). */
const MESSAGE_LIMIT = 65_535
const MESSAGE_FRAME = '1::'.length

export interface LogtestOptions {
  /** Whether to record every decision and explain it (`trace`, `insights`). It takes several times as long as the run itself. */
  readonly trace: boolean
  readonly locale: Locale
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

/** What an event resulted in, with the longest parts of its report as JSON. */
export interface PrintedReport {
  /** Whether the event ran. */
  readonly ok: boolean
  readonly diagnostics: readonly DiagnosticRecord[]
  /** The members of the report from `predecoded` to `trace`. */
  readonly foundJson: string
  readonly insights: readonly string[]
  readonly alert: boolean
  readonly previous_output: readonly string[]
  /** Id of the final rule; null: none. */
  readonly ruleId: number | null
  /** Ids of the rules that matched, in evaluation order. */
  readonly matchedIds: readonly number[]
  readonly times: StageTimes
}

/**
 * `runLogtest` for callers that print the report: it takes half of the time of building its objects.
 * @param eventJson the received event as JSON, if it is known; else null
 */
export function runPrinted(
  runner: EventRunner,
  input: LogtestInput,
  moment: Moment,
  session: Session | null,
  options: LogtestOptions,
  eventJson: string | null = null,
): PrintedReport {
  return printRun(runUnprinted(runner, input, moment, session, options), eventJson)
}

/**
 * A run whose report is not printed yet. Without a trace it can still be printed when the runner has run other events: callers that run some events and then
 * print them keep the code of each half in the processor's cache.
 */
export interface UnprintedRun {
  readonly runner: EventRunner
  readonly input: LogtestInput
  readonly session: Session | null
  readonly options: LogtestOptions
  readonly stages: StagesRun
  readonly descriptions: PathDescriptions
  /** Null: without a trace. */
  readonly recorder: TraceRecorder | null
}

/** The first half of `runPrinted`. */
export function runUnprinted(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): UnprintedRun {
  const { stages, recorder } = runRecorded(runner, input, moment, session, options)
  const descriptions = stages.kind === 'refused' ? null : expandedPath(stages.outcome, runner)
  return { runner, input, session, options, stages, descriptions, recorder }
}

/** The second half of `runPrinted`. With a trace the event must be the runner's current one. */
export function printRun({ runner, input, session, options, stages, descriptions, recorder }: UnprintedRun, eventJson: string | null = null): PrintedReport {
  if (stages.kind === 'refused') {
    const { ok, diagnostics, insights, alert, previous_output, times, ...found } = refusal(input, stages.format, stages.diagnostics)
    return { ok, diagnostics, foundJson: JSON.stringify(found).slice(1, -1), insights, alert, previous_output, ruleId: null, matchedIds: [], times }
  }
  const { event, outcome, times, format } = stages
  const { form, diagnostics, insights } = describeRun(stages, recorder, session, runner, options.locale)
  const trace = recorder === null ? '' : traceJson(recorder, event, form)
  return {
    ok: true,
    diagnostics,
    foundJson: `${outcomeJson(outcome, descriptions, runner.ruleset, eventJson ?? quoteJson(input.event), format)},"extracted_fields":${fieldsJson(event)},"trace":[${trace}]`,
    insights,
    alert: outcome.alert,
    previous_output: outcome.previous.map(fromByteString),
    ruleId: outcome.rule?.id ?? null,
    matchedIds: matchedRules(outcome).map(({ id }) => id),
    times,
  }
}

/** A report and the outcome inside the engine; null if the event did not run. */
export interface ObservedRun {
  readonly report: TimedLogtestReport
  readonly outcome: Outcome | null
}

/** `runLogtest` for callers inside the engine that also need the outcome. */
export function runObserved(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): ObservedRun {
  const { stages, recorder } = runRecorded(runner, input, moment, session, options)
  if (stages.kind === 'refused') return { report: refusal(input, stages.format, stages.diagnostics), outcome: null }
  const { event, outcome, times, format } = stages
  const { form, diagnostics, insights } = describeRun(stages, recorder, session, runner, options.locale)
  const report: TimedLogtestReport = {
    ok: true,
    diagnostics,
    predecoded: describePredecoding(event, input.event, format),
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
  { text, event, outcome, diagnostics }: RanStages,
  recorder: TraceRecorder | null,
  session: Session | null,
  runner: EventRunner,
  locale: Locale,
): { readonly form: HeaderForm; readonly diagnostics: readonly DiagnosticRecord[]; readonly insights: readonly string[] } {
  const form = recorder === null ? 'none' : headerFormOf(text)
  return {
    form,
    diagnostics: event.crashes.length === 0 ? diagnostics : [...diagnostics, ...event.crashes.map((note) => presentCrash(note, locale))],
    insights: recorder === null ? NO_INSIGHTS : describeInsights({ form, event, outcome, recorder, session, runner }, locale),
  }
}

/** An event that ran. */
interface RanStages {
  readonly kind: 'run'
  readonly format: DetectedFormat
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
      readonly format: DetectedFormat
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
  const format = detectFormat(input)
  const location = input.location ?? DEFAULT_LOCATION
  const origin = readLocation(toByteString(location))
  if (origin === null) {
    return { kind: 'refused', format, diagnostics: [presentRunDiagnostic('session_location_invalid', { value: location }, location, locale)] }
  }
  if (!runner.ruleset.loads) return { kind: 'refused', format, diagnostics: [] }
  const started = now()
  const diagnostics: DiagnosticRecord[] = []
  const text = receive(input, format, origin, diagnostics, locale)
  const event = predecode(text, origin, moment.seconds)
  const predecoded = now()
  recorder?.begin(event)
  if (format !== 'eventchannel') runner.decoders.run(event, recorder)
  else {
    if (!decodeEventchannel(event, runner)) {
      diagnostics.push(presentRunDiagnostic('session_event_dropped', {}, null, locale))
      return { kind: 'refused', format, diagnostics }
    }
    recorder?.builtIn(EVENTCHANNEL_DECODER)
  }
  const decoded = now()
  const outcome = runner.runRules(event, moment, session, recorder)
  const times = { predecode_ms: predecoded - started, decode_ms: decoded - predecoded, rule_ms: now() - decoded }
  return { kind: 'run', format, diagnostics, text, event, outcome, times }
}

/** Returns the event as the reference engine receives it: bytes, cut to the size of one message. */
function receive(input: LogtestInput, format: DetectedFormat, origin: Origin, diagnostics: DiagnosticRecord[], locale: Locale): string {
  const text = toByteString(format === 'eventchannel' ? toAgentForm(input.event) : input.event)
  const limit = MESSAGE_LIMIT - MESSAGE_FRAME - origin.location.length
  if (text.length <= limit) return text
  diagnostics.push(presentRunDiagnostic('session_event_truncated', { length: text.length, limit }, null, locale))
  return text.slice(0, limit)
}

/** Returns the report of an event that does not run. */
function refusal(input: LogtestInput, format: DetectedFormat, diagnostics: readonly DiagnosticRecord[]): TimedLogtestReport {
  return {
    ok: false,
    diagnostics,
    predecoded: {
      timestamp: null,
      hostname: null,
      program_name: null,
      location: input.location ?? DEFAULT_LOCATION,
      raw_message: input.event,
      detected_format: format,
    },
    ...NO_OUTCOME,
    times: NO_TIMES,
  }
}
