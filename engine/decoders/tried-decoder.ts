/** What the run of a decoder reads. */
import type { CompiledDecoder, Offset, OrderField, PluginName } from '../event/decoder.js'
import type { DecoderType } from '../event/event.js'
import type { Matcher } from '../expressions/expression.js'
import { EntryIndex } from './entry-index.js'

/**
 * A decoder that events try. It is created at the first attempt, because few decoders of a ruleset are ever tried: side by side these fit the pages that a core
 * has at hand, where the decoders themselves, each of them between all that compiling it left, do not.
 */
export class TriedDecoder {
  readonly decoder: CompiledDecoder
  readonly prematch: Matcher | null
  readonly prematchPrefilter: number
  /** Whether the prematch reads what follows the match of the parent. */
  readonly isAfterParent: boolean
  readonly regex: Matcher | null
  readonly regexPrefilter: number
  readonly regexOffset: Offset
  readonly plugin: PluginName | null
  readonly order: readonly OrderField[] | null
  readonly continues: boolean
  readonly type: DecoderType
  /** Number of its children. */
  readonly size: number
  readonly #children: (TriedDecoder | null)[]
  #entries: EntryIndex | null = null

  constructor(decoder: CompiledDecoder) {
    const { definition, prematch, regex, order, children } = decoder
    this.decoder = decoder
    this.prematch = prematch?.tried ?? null
    this.prematchPrefilter = decoder.prematchPrefilter
    this.isAfterParent = definition.prematch?.offset === 'after_parent'
    this.regex = regex?.tried ?? null
    this.regexPrefilter = decoder.regexPrefilter
    this.regexOffset = decoder.regexOffset
    this.plugin = decoder.plugin
    this.order = order?.map((field) => ({ ...field })) ?? null
    this.continues = decoder.continues
    this.type = definition.type
    this.size = children.length
    this.#children = new Array<TriedDecoder | null>(children.length).fill(null)
  }

  /** @param at position of a child */
  child(at: number): TriedDecoder {
    return (this.#children[at] ??= triedOf(this.decoder.children[at]))
  }

  /** The index of its children. */
  get entries(): EntryIndex {
    return (this.#entries ??= new EntryIndex(this.decoder.children))
  }
}

/** Returns what the run of a decoder reads. Layers on the same base share it. */
export function triedOf(decoder: CompiledDecoder): TriedDecoder {
  return (decoder.tried ??= new TriedDecoder(decoder)) as TriedDecoder
}
