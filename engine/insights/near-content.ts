/** What the caller's own content has to do with a run. Each part is found when a tip first asks for it. */
import type { CompiledDecoder } from '../event/decoder.js'
import { type DecisiveCondition, findDecisive, type OwnFailure, type Place, PLACES } from './decisive-condition.js'
import { HeaderTexts } from './header-text.js'
import { type NearDecoder, findNearDecoder } from './near-decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import { type NearRule, findNearRule, sets } from './near-rule.js'
import type { OwnContent } from './own-content.js'
import type { TracedRun } from './tip.js'

export class NearContent {
  readonly own: OwnContent
  readonly #tried: ReadonlyMap<CompiledRule, RuleFailure>
  readonly #run: TracedRun
  readonly #header: HeaderTexts
  #rule: NearRule | null | undefined
  #decoder: NearDecoder | null | undefined
  #failures: readonly OwnFailure[] | undefined
  #decisive: Map<Place, DecisiveCondition | null> | null = null

  /** @param tried own rules that were tried and failed */
  constructor(run: TracedRun, own: OwnContent, tried: ReadonlyMap<CompiledRule, RuleFailure>) {
    this.#tried = tried
    this.#run = run
    this.#header = new HeaderTexts(run.event)
    this.own = own
  }

  /** The own decoder that came nearest, if none got the event. */
  get decoder(): NearDecoder | null {
    if (this.#decoder === undefined) this.#decoder = findNearDecoder(this.#run, this.own, this.#header, (decoder) => this.#isMissed(decoder))
    return this.#decoder
  }

  /** The own rule that came nearest, if none got the event. Null also if it only lacks the decoder. */
  get rule(): NearRule | null {
    if (this.#rule === undefined) {
      const found = findNearRule(this.#run, this.own, this.#header)
      this.#rule = found?.kind === 'missed' && found.failure.kind === 'decoder' && this.decoder !== null ? null : found
    }
    return this.#rule
  }

  /** Whether a hint names an own rule or decoder; what others say about decoders in general would only distract from it. */
  get isNamed(): boolean {
    return this.rule !== null || this.decoder !== null || PLACES.some((place) => this.decisive(place)?.holds === false)
  }

  /** The condition of that kind on which an own rule depends. */
  decisive(place: Place): DecisiveCondition | null {
    this.#decisive ??= new Map()
    let found = this.#decisive.get(place)
    if (found === undefined) {
      found = findDecisive(this.#run, this.own, this.failures, place)
      this.#decisive.set(place, found)
    }
    return found
  }

  /** Whether the decoder would set a field that an own rule lacks. */
  #isMissed(decoder: CompiledDecoder): boolean {
    return this.failures.some(({ failure }) => failure.kind === 'condition' && failure.text === undefined && sets(decoder, failure.condition.subject))
  }

  /** Own rules that were tried and failed. */
  get failures(): readonly OwnFailure[] {
    this.#failures ??= Array.from(this.#tried, ([rule, failure]) => ({ rule, failure }))
    return this.#failures
  }
}
