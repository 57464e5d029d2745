/** One event through the engine, and everything that callers are told about it. */
import type { Locale } from '../diagnostics/text.js'
import { describeInsights } from '../insights/index.js'
import { Event } from '../event/event.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { Origin } from '../predecoding/location.js'
import { readLocation } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { headerFormOf } from '../trace/header-form.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import type { DiagnosticRecord, LogtestInput, LogtestReport, StageTimes } from './contract.js'
import { describeDecoder, describeFields, describeFinalRule, describePath, describePredecoding } from './describe-outcome.js'
import type { DetectedFormat } from './detect-format.js'
import { detectFormat } from './detect-format.js'
import { decodeEventchannel, toAgentForm } from './eventchannel-event.js'
import { presentRunDiagnostic } from './present-diagnostic.js'

/** Where `wazuh-logtest` says that its events come from. */
export const DEFAULT_LOCATION = 'stdin'
/** The reference receives 65,536 bytes with the final NUL; queue, location and two colons are part of them (engine-decoding.md 3.1). */
const MESSAGE_LIMIT = 65_535
const MESSAGE_FRAME = '1::'.length

export interface LogtestOptions {
  /** Record every decision, and say what it means (`trace`, `insights`). Costs several times the run itself. */
  readonly trace: boolean
  readonly locale: Locale
  /** A monotonic clock in milliseconds, for the stage times; without one they are 0. The engine has no clock of its own. */
  readonly now?: () => number
}

export interface TimedLogtestReport extends LogtestReport {
  readonly times: StageTimes
}

const NO_TIMES: StageTimes = { predecode_ms: 0, decode_ms: 0, rule_ms: 0 }
const NO_CLOCK = (): number => 0

/**
 * Runs one event.
 * @param session what earlier events left, and where this one is remembered; null = the event starts fresh and nothing is kept
 */
export function runLogtest(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): TimedLogtestReport {
  return runObserved(runner, input, moment, session, options).report
}

/** A report, and the event that it tells of; null when it was not run. */
export interface ObservedRun {
  readonly report: TimedLogtestReport
  readonly outcome: Outcome | null
}

/** `runLogtest` for callers inside the engine that also need what the engine itself found. */
export function runObserved(runner: EventRunner, input: LogtestInput, moment: Moment, session: Session | null, options: LogtestOptions): ObservedRun {
  const { locale } = options
  const now = options.now ?? NO_CLOCK
  const format = detectFormat(input)
  const location = input.location ?? DEFAULT_LOCATION
  const origin = readLocation(toByteString(location))
  if (origin === null) return refuse(input, format, [presentRunDiagnostic('session_location_invalid', { value: location }, location, locale)])
  if (!runner.ruleset.loads) return refuse(input, format, [])

  const started = now()
  const findings: DiagnosticRecord[] = []
  const text = receive(input, format, origin, findings, locale)
  const event = predecode(text, origin, moment.seconds)
  const predecoded = now()
  const recorder = options.trace ? new TraceRecorder() : null
  recorder?.begin(event)
  if (format !== 'eventchannel') runner.decoders.run(event, recorder)
  else if (!decodeEventchannel(event, runner)) return refuse(input, format, findings, options.trace ? describeInsights({ kind: 'dropped', input }, locale) : [])
  const decoded = now()
  const outcome = runner.runRules(event, moment, session, recorder)
  const finished = now()

  const form = recorder === null ? null : headerFormOf(text)
  const report: TimedLogtestReport = {
    ok: true,
    diagnostics: findings,
    predecoded: describePredecoding(event, input.event, format),
    decoder: describeDecoder(event.decoder, runner.ruleset.decoders),
    rule: describeFinalRule(outcome, runner),
    matched_rules: describePath(outcome, runner),
    extracted_fields: describeFields(event),
    trace: recorder === null || form === null ? [] : recorder.entries(event, form),
    insights: recorder === null || form === null ? [] : describeInsights({ kind: 'run', input, form, event, outcome, recorder, session, runner }, locale),
    alert: outcome.alert,
    previous_output: outcome.previous.map(fromByteString),
    times: { predecode_ms: predecoded - started, decode_ms: decoded - predecoded, rule_ms: finished - decoded },
  }
  return { report, outcome }
}

/** The event as the reference receives it: bytes, and no more than fit into one message. */
function receive(input: LogtestInput, format: DetectedFormat, origin: Origin, findings: DiagnosticRecord[], locale: Locale): string {
  const text = toByteString(format === 'eventchannel' ? toAgentForm(input.event) : input.event)
  const limit = MESSAGE_LIMIT - MESSAGE_FRAME - origin.location.length
  if (text.length <= limit) return text
  findings.push(presentRunDiagnostic('session_event_truncated', { length: text.length, limit }, null, locale))
  return text.slice(0, limit)
}

/** What is told of an event that is not run. */
function refuse(input: LogtestInput, format: DetectedFormat, diagnostics: readonly DiagnosticRecord[], insights: readonly string[] = []): ObservedRun {
  const event = new Event('', 0)
  const report: TimedLogtestReport = {
    ok: false,
    diagnostics,
    predecoded: { ...describePredecoding(event, input.event, format), location: input.location ?? DEFAULT_LOCATION },
    decoder: null,
    rule: null,
    matched_rules: [],
    extracted_fields: {},
    trace: [],
    insights,
    alert: false,
    previous_output: [],
    times: NO_TIMES,
  }
  return { report, outcome: null }
}
