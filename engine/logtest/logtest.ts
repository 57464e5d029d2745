/** Runs one event through the engine and builds the report for callers. */
import type { Locale } from '../diagnostics/text.js'
import { describeInsights } from '../insights/index.js'
import type { Event } from '../event/event.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { Origin } from '../predecoding/location.js'
import { DEFAULT_LOCATION, readLocation } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { headerFormOf } from '../trace/header-form.js'
import { traceJson } from '../trace/trace-json.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import { NO_OUTCOME } from '../records/records.js'
import type { DiagnosticRecord, LogtestInput, LogtestReport, StageTimes } from '../records/records.js'
import { describeDecoder, describeFields, describeFinalRule, describePath, describePredecoding } from './describe-outcome.js'
import type { DetectedFormat } from './detect-format.js'
import { detectFormat } from './detect-format.js'
import { fieldsJson } from './fields-json.js'
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
const NO_FIELDS: LogtestReport['extracted_fields'] = {}

/**
 * Runs one event.
 * @param session the session to continue; null: a new session that is not kept
 */
export function runLogtest(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): TimedLogtestReport {
  return runObserved(runner, input, moment, session, options).report
}

/** A report whose longest parts are separate JSON texts; they are empty in the report itself. */
export interface PrintedReport {
  readonly report: TimedLogtestReport
  /** The entries of the trace, separated by commas, without brackets. */
  readonly traceJson: string
  /** The extracted fields: an object. */
  readonly fieldsJson: string
}

/** `runLogtest` for callers that print the report: printing the trace and the fields directly takes less time than building their objects. */
export function runPrinted(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): PrintedReport {
  return runReported(runner, input, moment, session, options, true)
}

/** A report and the outcome inside the engine; null if the event did not run. */
export interface ObservedRun {
  readonly report: TimedLogtestReport
  readonly outcome: Outcome | null
}

/** `runLogtest` for callers inside the engine that also need the outcome. */
export function runObserved(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): ObservedRun {
  return runReported(runner, input, moment, session, options, false)
}

/** @param isPrinted whether the trace and the fields are JSON texts instead of objects */
function runReported(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions, isPrinted: boolean): ObservedRun & PrintedReport {
  const { locale, trace } = options
  const recorder = trace ? new TraceRecorder() : null
  const stages = runStages(runner, input, moment, session, recorder, options)
  const { format, diagnostics } = stages
  if (stages.kind === 'refused') {
    return { report: refusal(input, format, diagnostics), outcome: null, traceJson: '', fieldsJson: '{}' }
  }
  const { event, outcome, times } = stages
  const form = recorder === null ? 'none' : headerFormOf(stages.text)
  const report: TimedLogtestReport = {
    ok: true,
    diagnostics: event.crashes.length === 0 ? diagnostics : [...diagnostics, ...event.crashes.map((note) => presentCrash(note, locale))],
    predecoded: describePredecoding(event, input.event, format),
    decoder: describeDecoder(event.decoder, runner.ruleset.decoders),
    rule: describeFinalRule(outcome, runner),
    matched_rules: describePath(outcome, runner),
    extracted_fields: isPrinted ? NO_FIELDS : describeFields(event),
    trace: recorder === null || isPrinted ? [] : recorder.entries(event, form),
    insights: recorder === null ? [] : describeInsights({ form, event, outcome, recorder, session, runner }, locale),
    alert: outcome.alert,
    previous_output: outcome.previous.map(fromByteString),
    times,
  }
  return {
    report,
    outcome,
    traceJson: recorder !== null && isPrinted ? traceJson(recorder, event, form) : '',
    fieldsJson: isPrinted ? fieldsJson(event) : '',
  }
}

/** An event that ran, or the reason why it did not. */
export type StagesRun =
  | {
      readonly kind: 'run'
      readonly format: DetectedFormat
      readonly diagnostics: readonly DiagnosticRecord[]
      /** The received bytes. */
      readonly text: string
      readonly event: Event
      readonly outcome: Outcome
      readonly times: StageTimes
    }
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
