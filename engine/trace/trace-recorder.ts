/**
 * Notes every decision of a run, and makes trace entries of it afterwards. While the event runs only references are kept: a stock ruleset
 * tries about 600 rules per event, and most of their details are the same objects.
 */
import type { CompiledDecoder } from '../decoders/decoder.js'
import type { Event } from '../event/event.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { MatchResult } from '../expressions/expression.js'
import { createMatchResult } from '../expressions/expression.js'
import type { TraceEntry } from '../logtest/contract.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { fromByteString } from '../source/byte-string.js'
import type { HeaderForm } from './header-form.js'
import type { DecodeRecorder, RuleFailure, RuleRecorder } from './recorder.js'
import { describeFailure, MATCHED } from './rule-details.js'
import { cutText } from './text.js'

/** A decision of the decoder stage. */
export interface DecoderStep {
  readonly decoder: CompiledDecoder
  readonly step: 'program_name' | 'prematch' | 'root' | 'child' | 'entered' | 'regex' | 'plugin' | 'built-in'
  readonly matched: boolean
  /** Offset in the log where the search began. */
  readonly from: number
}

/** A rule that was asked, and what decided against it; null = it matched. */
export interface RuleStep {
  readonly rule: CompiledRule
  readonly failure: RuleFailure | null
}

type Details = TraceEntry['details']

/** One per run. */
export class TraceRecorder implements DecodeRecorder, RuleRecorder {
  readonly decoderSteps: DecoderStep[] = []
  readonly ruleSteps: RuleStep[] = []
  readonly #captures = new Map<DecoderStep, readonly { name: string; value: string }[]>()
  readonly #result: MatchResult = createMatchResult()
  #event: Event | null = null

  /** To be called when the event is pre-decoded. */
  begin(event: Event): void {
    this.#event = event
  }

  rootRejected(decoder: CompiledDecoder, condition: 'program_name' | 'prematch'): void {
    this.decoderSteps.push({ decoder, step: condition, matched: false, from: 0 })
  }

  rootMatched(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'root', matched: true, from: 0 })
  }

  childRejected(decoder: CompiledDecoder, from: number): void {
    this.decoderSteps.push({ decoder, step: 'prematch', matched: false, from })
  }

  childMatched(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'child', matched: true, from: 0 })
  }

  childEntered(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'entered', matched: true, from: 0 })
  }

  regexMatched(decoder: CompiledDecoder, from: number): void {
    const step: DecoderStep = { decoder, step: 'regex', matched: true, from }
    this.decoderSteps.push(step)
    this.#captures.set(step, this.#readCaptures(decoder, from))
  }

  regexFailed(decoder: CompiledDecoder, from: number): void {
    this.decoderSteps.push({ decoder, step: 'regex', matched: false, from })
  }

  pluginRun(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'plugin', matched: true, from: 0 })
  }

  /** A decoder of the engine's own answered; no other is tried. */
  builtIn(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'built-in', matched: true, from: 0 })
  }

  ruleTried(rule: CompiledRule, failure: RuleFailure | null): void {
    this.ruleSteps.push({ rule, failure })
  }

  /** All decisions in order. @param form header that pre-decoding recognised */
  entries(event: Event, form: HeaderForm): TraceEntry[] {
    const entries: TraceEntry[] = [describeHeader(event, form)]
    const texts = new TextCache()
    for (const step of this.decoderSteps) entries.push(this.#describeDecoder(step, event, texts))
    for (const { rule, failure } of this.ruleSteps) {
      const { source, span } = rule.definition
      const details = failure === null ? MATCHED : describeFailure(rule, failure, (text) => texts.shown(text))
      entries.push({ phase: 'rule', name: String(rule.id), matched: failure === null, details, line: span.line, filename: source.filename })
    }
    return entries
  }

  #describeDecoder(step: DecoderStep, event: Event, texts: TextCache): TraceEntry {
    const { definition } = step.decoder
    const phase = 'decode'
    const name = fromByteString(definition.name)
    const { matched } = step
    const details = this.#decoderDetails(step, event, texts)
    const { filename } = definition.source
    // Built-in decoders stand in no file.
    return filename === '' ? { phase, name, matched, details } : { phase, name, matched, details, line: definition.span.line, filename }
  }

  #decoderDetails(step: DecoderStep, event: Event, texts: TextCache): Details {
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
        return { condition: 'program_name', pattern: patternOf(definition.programName), text: texts.shown(event.programName ?? '') }
      case 'prematch':
        return { condition: 'prematch', pattern: patternOf(definition.prematch), text: texts.shownFrom(event.log, step.from) }
      case 'regex': {
        const details = { condition: 'regex', pattern: patternOf(definition.regex), text: texts.shownFrom(event.log, step.from) }
        return step.matched ? { ...details, captures: this.#captures.get(step) ?? [] } : details
      }
    }
  }

  /** What the groups found, read once more: the fields may be changed by later decoders. */
  #readCaptures(decoder: CompiledDecoder, from: number): { name: string; value: string }[] {
    const event = this.#event
    if (event === null || decoder.regex === null || !decoder.regex.search(event.log, event.logLower, from, this.#result)) return []
    const { bounds, count } = this.#result
    const order = decoder.definition.order ?? []
    return order.slice(0, count).map(({ name, staticIndex }, i) => ({
      name: staticIndex >= 0 ? STATIC_FIELDS[staticIndex] : fromByteString(name),
      value: cutText(event.log.slice(bounds[2 * i], bounds[2 * i + 1])),
    }))
  }
}

/** A child without prematch takes every event that its root took. */
const ENTERED: Details = { condition: 'no prematch' }
const BUILT_IN: Details = { condition: 'built-in' }

function patternOf(pattern: { readonly text: string } | null): string {
  return pattern === null ? '' : cutText(pattern.text)
}

function describeHeader(event: Event, form: HeaderForm): TraceEntry {
  const known = (text: string | undefined): string | null => (text === undefined ? null : cutText(text))
  const details = { timestamp: known(event.timestamp), hostname: known(event.hostname), program_name: known(event.programName), log: cutText(event.log) }
  return { phase: 'predecode', name: form, matched: form !== 'none', details }
}

/** Shows texts of one event: hundreds of conditions look at the same few. */
class TextCache {
  readonly #shown = new Map<string, string>()
  readonly #fromOffset = new Map<number, string>()

  shown(text: string): string {
    let shown = this.#shown.get(text)
    if (shown === undefined) {
      shown = cutText(text)
      this.#shown.set(text, shown)
    }
    return shown
  }

  shownFrom(log: string, from: number): string {
    if (from === 0) return this.shown(log)
    let shown = this.#fromOffset.get(from)
    if (shown === undefined) {
      shown = cutText(log.slice(from))
      this.#fromOffset.set(from, shown)
    }
    return shown
  }
}
