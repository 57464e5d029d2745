/**
 * Records every decision of a run and creates trace entries afterwards. During the run only references are stored: a stock ruleset tries about 600
 * rules per event, and most of their details are shared objects.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Event } from '../event/event.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { MatchResult } from '../expressions/expression.js'
import type { TraceEntry } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { fromByteString } from '../source/byte-string.js'
import type { Capture } from './entries.js'
import { alertHostOf, describeDecoderStep, describeHeader, describeRuleStep } from './entries.js'
import { TextCache } from './event-texts.js'
import type { HeaderForm } from './header-form.js'
import type { DecodeRecorder } from '../decoders/recorder.js'
import type { RuleFailure, RuleRecorder } from '../rules/recorder.js'
import { charactersBefore, cutText } from './text.js'

/** A decision of the decoder stage. */
export interface DecoderStep {
  readonly decoder: CompiledDecoder
  readonly step: 'program_name' | 'prematch' | 'root' | 'child' | 'entered' | 'regex' | 'plugin' | 'built-in'
  readonly matched: boolean
  /** Offset in the log where the search began. */
  readonly from: number
}

/** A rule that was tried, and why it failed; null = it matched. */
export interface RuleStep {
  readonly rule: CompiledRule
  readonly failure: RuleFailure | null
}

/** One per run. */
export class TraceRecorder implements DecodeRecorder, RuleRecorder {
  readonly decoderSteps: DecoderStep[] = []
  readonly ruleSteps: RuleStep[] = []
  readonly #captures = new Map<DecoderStep, readonly Capture[]>()
  #event: Event | null = null

  /** Must be called after the event is predecoded. */
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

  regexMatched(decoder: CompiledDecoder, from: number, result: MatchResult): void {
    const step: DecoderStep = { decoder, step: 'regex', matched: true, from }
    this.decoderSteps.push(step)
    this.#captures.set(step, this.#readCaptures(decoder, result))
  }

  regexFailed(decoder: CompiledDecoder, from: number): void {
    this.decoderSteps.push({ decoder, step: 'regex', matched: false, from })
  }

  pluginRun(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'plugin', matched: true, from: 0 })
  }

  /** A built-in decoder handled the event; no other is tried. */
  builtIn(decoder: CompiledDecoder): void {
    this.decoderSteps.push({ decoder, step: 'built-in', matched: true, from: 0 })
  }

  ruleTried(rule: CompiledRule, failure: RuleFailure | null): void {
    this.ruleSteps.push({ rule, failure })
  }

  /** All decisions in order. @param form the recognized header form */
  entries(event: Event, form: HeaderForm): TraceEntry[] {
    const texts = new TextCache(cutText)
    const entries: TraceEntry[] = [describeHeader(event, form, alertHostOf(event), texts)]
    for (const step of this.decoderSteps) entries.push(describeDecoderStep(step, event, this.capturesOf(step), texts))
    for (const step of this.ruleSteps) entries.push(describeRuleStep(step, texts))
    return entries
  }

  /** The groups of a regex; none for other steps. */
  capturesOf(step: DecoderStep): readonly Capture[] {
    return this.#captures.get(step) ?? NO_CAPTURES
  }

  /** The values of the groups; read here, because later decoders may change the fields. */
  #readCaptures(decoder: CompiledDecoder, { bounds, count }: MatchResult): readonly Capture[] {
    const event = this.#event
    if (event === null) return NO_CAPTURES
    const order = decoder.definition.order ?? []
    return order.slice(0, count).map(({ name, staticIndex }, i) => ({
      name: staticIndex >= 0 ? STATIC_FIELDS[staticIndex] : fromByteString(name),
      value: cutText(event.log.slice(bounds[2 * i], bounds[2 * i + 1])),
      at: charactersBefore(event.log, bounds[2 * i]),
    }))
  }
}

const NO_CAPTURES: readonly Capture[] = []
