/** What the caller's own content has to do with a run. Each part is found when a tip first asks for it. */
import { type NearDecoder, findNearDecoder } from './near-decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import { type NearRule, findNearRule } from './near-rule.js'
import type { OwnContent } from './own-content.js'
import type { TracedRun } from './tip.js'

/** An own rule that was tried, and why it failed. */
export interface OwnFailure {
  readonly rule: CompiledRule
  readonly failure: RuleFailure
}

export class NearContent {
  readonly own: OwnContent
  readonly #tried: ReadonlyMap<CompiledRule, RuleFailure>
  readonly #run: TracedRun
  #rule: NearRule | null | undefined
  #decoder: NearDecoder | null | undefined
  #failures: readonly OwnFailure[] | undefined

  /** @param tried rules that were tried and failed, the own ones among them */
  constructor(run: TracedRun, own: OwnContent, tried: ReadonlyMap<CompiledRule, RuleFailure>) {
    this.#tried = tried
    this.#run = run
    this.own = own
  }

  /** The own decoder that came nearest, if none got the event. */
  get decoder(): NearDecoder | null {
    if (this.#decoder === undefined) this.#decoder = findNearDecoder(this.#run, this.own)
    return this.#decoder
  }

  /** The own rule that came nearest, if none got the event. Null also if it only lacks the decoder. */
  get rule(): NearRule | null {
    if (this.#rule === undefined) {
      const found = findNearRule(this.#run, this.own)
      this.#rule = found?.kind === 'missed' && found.failure.kind === 'decoder' && this.decoder !== null ? null : found
    }
    return this.#rule
  }

  /** Whether a hint names an own rule or decoder; what others say of decoders in general would only distract from it. */
  get isNamed(): boolean {
    return this.rule !== null || this.decoder !== null
  }

  /** Own rules that were tried and failed. */
  get failures(): readonly OwnFailure[] {
    if (this.#failures === undefined) {
      const found: OwnFailure[] = []
      for (const [rule, failure] of this.#tried) if (this.own.isOwn(rule)) found.push({ rule, failure })
      this.#failures = found
    }
    return this.#failures
  }
}
