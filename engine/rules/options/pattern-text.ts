/** Parses the attributes and texts that all tags with a pattern share. */
import type { Localized } from '../../diagnostics/text.js'
import { type Dialect, DIALECTS } from '../../expressions/expression.js'
import { textMeaning } from '../../expressions/meaning.js'
import { trimBytes } from '../../source/white-space.js'
import type { XmlElement } from '../../xml/node.js'
import { type OptionAttribute, typeAttribute } from '../../xml/tag-option.js'
import type { RuleReader } from '../parse.js'
import type { RuleReporter } from '../reporter.js'

/** A pattern, joined from the texts of repeated tags. `exact`: equals the whole text, case-sensitive (the default of `action`). */
export interface RulePattern {
  readonly text: string
  readonly dialect: Dialect | 'exact'
  readonly negate: boolean
  readonly elements: readonly XmlElement[]
}

export const TYPE_ATTRIBUTE = typeAttribute(DIALECTS)

export const NEGATE_ATTRIBUTE: OptionAttribute = {
  name: 'negate',
  required: false,
  values: ['yes', 'no'],
  help: {
    'en-US': 'Inverts the result. A missing field still fails the rule. When the tag is repeated, the last one decides.',
    'pt-BR': 'Inverte o resultado. Um campo ausente ainda faz a regra falhar. Quando a tag se repete, vale a última.',
  },
}

/** The default dialect as text, for help. */
export const DIALECT_NAME: Readonly<Record<RulePattern['dialect'], Localized>> = {
  osmatch: { 'en-US': 'osmatch', 'pt-BR': 'osmatch' },
  osregex: { 'en-US': 'osregex', 'pt-BR': 'osregex' },
  pcre2: { 'en-US': 'pcre2', 'pt-BR': 'pcre2' },
  exact: { 'en-US': 'the exact text, case-sensitive', 'pt-BR': 'o texto exato, diferenciando maiúsculas' },
}

/** Returns the `type` attribute; null: the default. */
export function readDialect(reader: RuleReader, element: XmlElement): Dialect | null {
  const attribute = element.attributes.find(({ name }) => name === 'type')
  if (attribute === undefined) return null
  const known = DIALECTS.find((word) => word === attribute.value.toLowerCase())
  if (known === undefined) reader.reportAttribute('rule_attribute_type_invalid', attribute, { tag: element.name, value: attribute.value }, { known: DIALECTS })
  return known ?? null
}

export function readNegate(reader: RuleReader, element: XmlElement): boolean {
  const attribute = element.attributes.find(({ name }) => name === 'negate')
  if (attribute === undefined) return false
  const value = attribute.value.toLowerCase()
  if (value !== 'yes' && value !== 'no') reader.reportAttribute('rule_negate_invalid', attribute, { tag: element.name, value: attribute.value })
  return value === 'yes'
}

export function patternMeaning({ text, dialect, negate }: RulePattern): unknown {
  return [dialect, negate, textMeaning(dialect, text)]
}

/** @param isFreeText the tag searches free text, where blanks at the edges are often intended */
export function checkEdges(reporter: RuleReporter, tag: string, { text, elements }: RulePattern, isFreeText: boolean): void {
  if (hasUnintendedEdge(text, isFreeText)) reporter.report('rule_text_edge_whitespace', elements[0], { tag })
}

/** Line breaks at the edges, and blanks that move an anchor away from the edge, are never intended. */
function hasUnintendedEdge(text: string, isFreeText: boolean): boolean {
  if (text === '' || trimBytes(text) === '') return /[\n\r\t]/.test(text)
  const [first] = text
  const last = text[text.length - 1]
  if (/[\n\r\t]/.test(first) || /[\n\r\t]/.test(last)) return true
  if (/^ +\^/.test(text) || /[^\\]\$ +$/.test(text)) return true
  return !isFreeText && (first === ' ' || last === ' ')
}
