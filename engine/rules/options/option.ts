import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'

/** An attribute of a tag, for the parser, the checker and `/analysis/schema`. */
export interface OptionAttribute {
  readonly name: string
  readonly required: boolean
  /** Accepted values; empty = any. */
  readonly values: readonly string[]
  readonly help: string
}

/** Where a tag's effect belongs: what the rule needs, where it stands in the tree, what it correlates, what it says. */
export type OptionPart = 'condition' | 'placement' | 'correlation' | 'metadata'

/** One child tag of `<rule>`: how it is read, and what people are told of it. */
export interface RuleOption {
  readonly name: string
  readonly part: OptionPart
  /** The tag must be lower case; all others compare without case (engine-rules.md 2.1). */
  readonly exactCase?: boolean
  /** What happens when the tag is repeated. */
  readonly repeat: 'joined' | 'last' | 'each' | 'once'
  readonly help: string
  readonly attributes: readonly OptionAttribute[]
  readonly values: readonly string[]
  readonly children?: readonly string[]
  readonly example: string
  /** Set for tags that still load but should no longer be written. */
  readonly deprecated?: 'deprecated' | 'removed'
  /** A tag that should be written instead. */
  readonly instead?: string
  read(reader: RuleReader, element: XmlElement): void
}
