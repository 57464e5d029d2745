/** The format of trace entries, for callers that need objects and for callers that need JSON. */
import type { Event } from '../event/event.js'
import { alertHostname } from '../predecoding/alert-hostname.js'
import type { TraceEntry } from '../records/records.js'
import { fromByteString } from '../source/byte-string.js'
import type { EventTexts } from './event-texts.js'
import type { HeaderForm } from './header-form.js'
import { describeFailure, MATCHED } from './rule-details.js'
import { cutText } from './text.js'
import type { DecoderStep, RuleStep } from './trace-recorder.js'

type Details = TraceEntry['details']

/** A group of a decoder's regex: its field and its value. */
export interface Capture {
  readonly name: string
  readonly value: string
  /** Where it begins in the log, in characters. */
  readonly at: number
}

/** The results of pre-decoding: the members of its entry, in order. */
export type HeaderTexts = Pick<Event, 'timestamp' | 'hostname' | 'programName' | 'log'>

/** The host that an alert of Wazuh shows, if it is not the one that rules test. */
export type AlertHost = { readonly hostname: string | undefined } | null

/** Returns the host of the alert if it is not that of the event. */
export function alertHostOf({ fullLog, hostname }: Event): AlertHost {
  const shown = alertHostname(fullLog)
  return shown === hostname ? null : { hostname: shown }
}

/** Describes pre-decoding. @param form the recognised header form */
export function describeHeader({ timestamp, hostname, programName, log }: HeaderTexts, form: HeaderForm, alert: AlertHost, texts: EventTexts): TraceEntry {
  const details = { timestamp: texts.known(timestamp), hostname: texts.known(hostname), program_name: texts.known(programName), log: texts.of(log) }
  return {
    phase: 'predecode',
    name: form,
    matched: form !== 'none',
    details: alert === null ? details : { ...details, alert_predecoder: { hostname: texts.known(alert.hostname) } },
  }
}

/** Describes a decision of the decoder stage. @param captures the groups of its regex, or a placeholder for them */
export function describeDecoderStep(step: DecoderStep, event: HeaderTexts, captures: readonly Capture[] | string, texts: EventTexts): TraceEntry {
  const { definition } = step.decoder
  const phase = 'decode'
  const name = fromByteString(definition.name)
  const { matched } = step
  const details = decoderDetails(step, event, captures, texts)
  const { filename } = definition.source
  // Built-in decoders have no file.
  return filename === '' ? { phase, name, matched, details } : { phase, name, matched, details, line: definition.span.line, filename }
}

/** Returns the text that a decoder searched; null if the entry shows none. */
export function decoderText({ step, from }: DecoderStep, { programName, log }: HeaderTexts, texts: EventTexts): string | null {
  if (step === 'program_name') return texts.of(programName ?? '')
  return step === 'prematch' || step === 'regex' ? texts.from(log, from) : null
}

function decoderDetails(step: DecoderStep, event: HeaderTexts, captures: readonly Capture[] | string, texts: EventTexts): Details {
  const { definition } = step.decoder
  switch (step.step) {
    case 'root':
      return { condition: definition.prematch !== null ? 'prematch' : 'program_name', pattern: patternOf(definition.prematch ?? definition.programName) }
    case 'child':
      return { condition: 'prematch', pattern: patternOf(definition.prematch) }
    case 'entered':
      return ENTERED
    case 'built-in':
      return BUILT_IN
    case 'plugin':
      return { condition: 'plugin_decoder', plugin: definition.plugin?.name ?? '' }
    case 'program_name':
      return { condition: 'program_name', pattern: patternOf(definition.programName), text: decoderText(step, event, texts) }
    case 'prematch':
      return { condition: 'prematch', pattern: patternOf(definition.prematch), text: decoderText(step, event, texts) }
    case 'regex': {
      const details = { condition: 'regex', pattern: patternOf(definition.regex), text: decoderText(step, event, texts) }
      return step.matched ? { ...details, captures } : details
    }
  }
}

/** Describes a rule that was tried. */
export function describeRuleStep({ rule, failure }: RuleStep, texts: EventTexts): TraceEntry {
  const { source, span } = rule.definition
  const details = failure === null ? MATCHED : describeFailure(rule, failure, texts)
  return { phase: 'rule', name: String(rule.id), matched: failure === null, details, line: span.line, filename: source.filename }
}

/** A child without prematch matches every event of its root. */
const ENTERED: Details = { condition: 'no prematch' }
const BUILT_IN: Details = { condition: 'built-in' }

function patternOf(pattern: { readonly text: string } | null): string {
  return pattern === null ? '' : cutText(pattern.text)
}
