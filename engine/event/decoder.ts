import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { DecoderType } from './event.js'
import type { Dialect, Expression } from '../expressions/expression.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import type { XmlElement } from '../xml/node.js'
import type { UnsureTags } from '../xml/unsure.js'

/** From which place an expression or plugin reads (BEHAVIOUR.md#offsets). */
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

/** A joined pattern of a decoder, with the places it came from. */
export interface PatternSource {
  readonly text: string
  readonly dialect: Dialect
  readonly offset: Offset
  /** The tags whose texts were joined, in document order. */
  readonly elements: readonly XmlElement[]
}

/** What `<fts>` asks for (BEHAVIOUR.md#first-time-seen). */
export interface FtsFields {
  /** Positions in `Event.statics`, in key order; `extra_data` sets the flag of `data`. */
  readonly statics: readonly number[]
  readonly location: boolean
  readonly name: boolean
  /** Dynamic words. */
  readonly dynamic: readonly string[]
}

/** A `<decoder>` as read from its file, before it is linked to others. All texts are byte strings. */
export interface DecoderDefinition {
  readonly name: string
  readonly parent: string | null
  readonly programName: PatternSource | null
  readonly prematch: PatternSource | null
  readonly regex: PatternSource | null
  readonly order: readonly OrderWord[] | null
  readonly type: DecoderType
  readonly useOwnName: boolean
  readonly plugin: { readonly name: PluginName; readonly offset: Offset } | null
  readonly accumulate: boolean
  readonly fts: FtsFields | null
  readonly ftsComment: string | null
  readonly jsonNull: 'string' | 'discard'
  readonly jsonArray: 'array' | 'csv'
  readonly source: SourceText
  readonly span: Span
  readonly element: XmlElement
  /** Why Wazuh refuses to load with it; only a survey goes on with such a decoder. */
  fault: Diagnostic | null
  readonly unsure: UnsureTags
  /** The engine does not come to know it by its name either. */
  readonly isUnread: boolean
}

/** A decoder ready to run. Immutable once its ruleset is compiled; a layer that changes one makes a new one. */
export interface CompiledDecoder {
  readonly definition: DecoderDefinition
  /** The name it answers with: its parent's, unless it has `use_own_name` (BEHAVIOUR.md#decoder-linking). */
  readonly name: string
  /** What rules' `decoded_as` compares: one number per name. */
  readonly identity: number
  readonly programName: Expression | null
  readonly prematch: Expression | null
  readonly regex: Expression | null
  /** Numbers of the gates of prematch and regex, -1 = none. */
  readonly prematchGate: number
  readonly regexGate: number
  /** Interned field name of each dynamic `order` word. */
  readonly orderKeys: readonly number[]
  /** Interned names of the dynamic `fts` words. */
  readonly ftsKeys: readonly number[]
  /** The next decoder of the list runs after this one (sibling family, 4.5). */
  readonly continues: boolean
  /** Of a root; empty for children. */
  readonly children: readonly CompiledDecoder[]
}
