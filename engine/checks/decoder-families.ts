/** Checks the children of a root, which are tried in load order (BEHAVIOUR.md#choice-of-decoders). */
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import { fromByteString } from '../source/byte-string.js'
import type { CheckContext } from './context.js'
import { mayHavePrematch } from './decoder-facts.js'
import { DecoderReporter } from '../decoders/reporter.js'
import { placeOf } from '../xml/definition-reporter.js'

export class Families {
  readonly #context: CheckContext
  readonly #own: ReadonlySet<DecoderDefinition>
  /** Children after a catch-all, with the catch-all. `#tried` has those that some root tries. */
  readonly #behind = new Map<DecoderDefinition, DecoderDefinition>()
  readonly #tried = new Set<DecoderDefinition>()
  readonly #broken = new Set<DecoderDefinition>()

  constructor(context: CheckContext) {
    this.#context = context
    this.#own = new Set(context.decoders)
  }

  check(): void {
    const { decoders } = this.#context.ruleset
    for (const list of [decoders.programRoots, decoders.plainRoots]) {
      for (const { children } of list) {
        this.#checkChains(children)
        this.#findUntried(children)
      }
    }
    for (const [definition, catchAll] of this.#behind) {
      if (!this.#own.has(definition) || this.#tried.has(definition)) continue
      this.#report(definition).at('decoder_child_behind_catch_all', null, { other: catchAll.name }, { related: [placeOf(catchAll)] })
    }
  }

  #report(definition: DecoderDefinition): DecoderReporter {
    return new DecoderReporter(definition, this.#context.collector)
  }

  /** A chain continues with the next child, which may have another name. The diagnostic is at the member that comes too late. */
  #checkChains(children: readonly CompiledDecoder[]): void {
    const late = new Map<string, DecoderDefinition>()
    for (let i = children.length - 1; i >= 0; i--) {
      const { definition, continues } = children[i]
      const next = children[i + 1]?.definition
      const member = late.get(definition.name)
      late.set(definition.name, definition)
      if (!continues || next === undefined || next.name === definition.name || member === undefined) continue
      if (!this.#own.has(member) || this.#broken.has(member)) continue
      this.#broken.add(member)
      this.#report(member).at('decoder_sibling_name_breaks_chain', null, { other: fromByteString(next.name) }, { related: [placeOf(next)] })
    }
  }

  #findUntried(children: readonly CompiledDecoder[]): void {
    let at = 0
    while (at < children.length && mayHavePrematch(children[at].definition)) {
      // A failed prematch skips its whole family.
      while (at < children.length && children[at].continues) at++
      at++
    }
    if (at >= children.length) {
      this.#markTried(children, children.length)
      return
    }
    const catchAll = children[at].definition
    while (at < children.length && children[at].continues) at++
    this.#markTried(children, at + 1)
    for (const { definition } of children.slice(at + 1)) if (!this.#behind.has(definition)) this.#behind.set(definition, catchAll)
  }

  #markTried(children: readonly CompiledDecoder[], count: number): void {
    for (let i = 0; i < count && i < children.length; i++) this.#tried.add(children[i].definition)
  }
}
