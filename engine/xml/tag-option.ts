/** What the options of rules and those of decoders have in common. */
import type { Localized } from '../diagnostics/text.js'

/** An attribute of a tag. */
export interface OptionAttribute {
  readonly name: string
  readonly required: boolean
  /** Accepted values; empty = any. */
  readonly values: readonly string[]
  readonly help: Localized
}

/** A tag. */
export interface TagOption {
  readonly name: string
  /** The tag must be lower case; all others ignore case. */
  readonly exactCase?: boolean
  /** The effect of a repeated tag. */
  readonly repeat: 'joined' | 'last' | 'each' | 'once'
  readonly help: Localized
  readonly attributes: readonly OptionAttribute[]
  /** Accepted contents; empty = any. */
  readonly values: readonly string[]
}

/** The attribute for the dialect of a pattern. @param dialects accepted by the tag */
export function typeAttribute(dialects: readonly string[]): OptionAttribute {
  return {
    name: 'type',
    required: false,
    values: dialects,
    help: {
      'en-US': 'Dialect of the pattern. When the tag is repeated, the last one decides.',
      'pt-BR': 'Dialeto do padrão. Quando a tag se repete, vale a última.',
    },
  }
}

/** Returns a function that returns the option of a tag name; undefined if there is none. */
export function findIn<Option extends TagOption>(options: readonly Option[]): (tag: string) => Option | undefined {
  const byName = new Map(options.map((option) => [option.name, option]))
  return (tag) => {
    const option = byName.get(tag.toLowerCase())
    return option?.exactCase === true && option.name !== tag ? undefined : option
  }
}
