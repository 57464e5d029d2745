import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { DecoderType } from './event.js'
import type { Dialect, Expression } from '../expressions/expression.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import type { XmlElement } from '../xml/node.js'
import { NO_TAGS, withTag } from '../xml/unsure.js'

/** Maximum number of words of an `<order>`, and of dynamic fields of an event (internal option `analysisd.decoder_order_size`). */
export const ORDER_LIMIT = 256

/** Where an expression or plugin starts to read. */
export const OFFSETS = ['none', 'after_parent', 'after_prematch', 'after_regex'] as const
export type Offset = (typeof OFFSETS)[number]

export const PLUGINS = ['PF_Decoder', 'SymantecWS_Decoder', 'SonicWall_Decoder', 'OSSECAlert_Decoder', 'JSON_Decoder'] as const
export type PluginName = (typeof PLUGINS)[number]

/** One word of an `order`. */
export interface OrderWord {
  /** As written. */
  readonly name: string
  /** Position in `Event.statics`, -1 for a dynamic field. */
  readonly staticIndex: number
}

/** One field of a compiled `order`. */
export interface OrderField extends OrderWord {
  /** Number of the interned name, -1 for a static field. */
  readonly key: number
}

/** A joined pattern of a decoder, with the places of its parts. */
export interface PatternSource {
  readonly text: string
  readonly dialect: Dialect
  readonly offset: Offset
  /** The tags whose texts were joined, in document order. */
  readonly elements: readonly XmlElement[]
}

/** Fields of the key of `<fts>`. */
export interface FtsFields {
  /** Positions in `Event.statics`, in key order; `extra_data` sets the flag of `data`. */
  readonly statics: readonly number[]
  readonly location: boolean
  readonly name: boolean
  /** Dynamic words. */
  readonly dynamic: readonly string[]
}

/** An option that stores a value in a definition. */
interface ValueKey<V> {
  readonly byDefault: V
}

interface OptionValue {
  readonly option: ValueKey<unknown>
  readonly value: unknown
}

/** Shared by all decoders without such options. */
const NO_VALUES: readonly OptionValue[] = []

/** A parsed `<decoder>` before it is linked to others. All texts are byte strings. */
export class DecoderDefinition {
  name = ''
  parent: string | null = null
  programName: PatternSource | null = null
  prematch: PatternSource | null = null
  regex: PatternSource | null = null
  order: readonly OrderWord[] | null = null
  orderElement: XmlElement | null = null
  type: DecoderType = 'syslog'
  plugin: { readonly name: PluginName; readonly offset: Offset } | null = null
  pluginElement: XmlElement | null = null
  fts: FtsFields | null = null
  ftsElement: XmlElement | null = null
  /** Why Wazuh refuses to load with it; only a survey continues with such a decoder. */
  fault: Diagnostic | null = null
  unsure = NO_TAGS
  /** Wazuh does not even read the decoder's name. */
  isUnread = false
  #values: readonly OptionValue[] = NO_VALUES
  #span: Span | null = null

  constructor(
    readonly source: SourceText,
    readonly element: XmlElement,
  ) {}

  /** Returns the value of an option that has no member above. */
  valueOf<V>(option: ValueKey<V>): V {
    for (const known of this.#values) if (known.option === option) return known.value as V
    return option.byDefault
  }

  setValue<V>(option: ValueKey<V>, value: V): void {
    this.#values = [...this.#values.filter((known) => known.option !== option), { option, value }]
  }

  /** Computed on first use: most decoders have no diagnostics. */
  get span(): Span {
    this.#span ??= this.source.span(this.element.start, this.element.end)
    return this.#span
  }

  addUnsure(tag: string): void {
    this.unsure = withTag(this.unsure, tag)
  }
}

/** A decoder ready to run. Immutable once its ruleset is compiled; a layer that changes one creates a new one. */
export interface CompiledDecoder {
  readonly definition: DecoderDefinition
  /** The reported name: its parent's, unless it has `use_own_name`. */
  readonly name: string
  /** The number that `decoded_as` of rules compares: one for each name. */
  readonly identity: number
  readonly programName: Expression | null
  readonly prematch: Expression | null
  readonly regex: Expression | null
  /** Numbers of the prefilters of prematch and regex, -1 = none. */
  readonly prematchPrefilter: number
  readonly regexPrefilter: number
  /** Where the regex begins to read. */
  readonly regexOffset: Offset
  readonly plugin: PluginName | null
  /** The fields of the groups. */
  readonly order: readonly OrderField[] | null
  /** Interned names of the dynamic `fts` words. */
  readonly ftsKeys: readonly number[]
  /** The next decoder of the list runs after this one: both belong to one sibling family. */
  readonly continues: boolean
  /** Empty for children. */
  readonly children: readonly CompiledDecoder[]
  /** Created by the matcher on first use; depends only on the decoder and its children. */
  tried: unknown
}
