/** Checks the texts of a rule: its description, groups and compliance tags (BEHAVIOUR.md#description-text, #groups-of-rules). */
import { DESCRIPTION_LIMIT } from '../rules/compile.js'
import type { RuleDefinition } from '../rules/rule.js'
import { fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import { BLANK, trimBytes } from '../source/white-space.js'
import type { XmlElement } from '../xml/node.js'
import { ElementReporter } from '../xml/element-reporter.js'
import type { CheckContext } from './context.js'
import type { RuleReporter } from '../rules/reporter.js'
import { elementsOf } from '../xml/definition-reporter.js'

/** Maximum length of a description that user interfaces show in full. */
const DESCRIPTION_CHARACTERS = 255

/** The form of each compliance tag after its prefix, wide enough for every requirement of its standard. */
const COMPLIANCE: readonly { readonly prefix: string; readonly standard: string; readonly form: RegExp }[] = [
  { prefix: 'pci_dss_', standard: 'PCI DSS', form: /^(?:[1-9]|1[0-2])(?:\.[0-9]{1,2}){0,3}(?:\.[a-z])?$/ },
  { prefix: 'gdpr_', standard: 'GDPR', form: /^(?:I|II|III|IV|V|VI)_[0-9]{1,2}(?:\.[0-9]{1,2})*(?:\.[a-z])?$/ },
  { prefix: 'hipaa_', standard: 'HIPAA', form: /^164\.[0-9]{3}(?:\.[a-z](?:\.[0-9]{1,2}(?:\.[ivxIVX]{1,5})?(?:\.[A-Z])?)?)?$/ },
  { prefix: 'nist_800_53_', standard: 'NIST 800-53', form: /^[A-Z]{2}\.[0-9]{1,2}(?:\.[0-9]{1,2}|\.[a-z]){0,2}$/ },
  { prefix: 'tsc_', standard: 'TSC', form: /^(?:CC|A|PI|C|P)[0-9]{1,2}\.[0-9]{1,2}$/ },
  { prefix: 'gpg13_', standard: 'GPG13', form: /^[0-9]{1,2}\.[0-9]{1,2}$/ },
]

export function checkTexts(reporter: RuleReporter): void {
  checkDescription(reporter)
  checkGroups(reporter)
}

function checkDescription(reporter: RuleReporter): void {
  const { description } = reporter.rule.definition
  if (description === null) return
  if (trimBytes(description) === '') reporter.at('rule_description_empty', 'description', {})
  else if (description.length >= DESCRIPTION_LIMIT) reporter.at('rule_description_truncated', 'description', { length: description.length, limit: DESCRIPTION_LIMIT - 1 })
  else if (description.length > DESCRIPTION_CHARACTERS && fromByteString(description).length > DESCRIPTION_CHARACTERS) {
    reporter.at('rule_description_style', 'description', { reason: `it has ${fromByteString(description).length} characters` })
  } else if (!/[A-Za-z\x80-\xff]/.test(description)) reporter.at('rule_description_style', 'description', { reason: 'it has no words' })
  const pieces = elementsOf(reporter.owner, 'description')
  const glued = pieces.findIndex(({ content }, index) => index > 0 && content !== '' && !BLANK.test(content[0]) && /[^\t-\r ]$/.test(pieces[index - 1].content))
  if (glued > 0) reporter.report('rule_description_repeated', pieces[glued], { count: pieces.length })
}

function checkGroups(reporter: RuleReporter): void {
  const { definition } = reporter.rule
  if (definition.groups.replace(/[\s,]/g, '') === '' && definition.isSure('group')) reporter.at('rule_group_missing', 'group', {})
  const elements = elementsOf(reporter.owner, 'group')
  checkMerged(reporter, definition, elements)
  for (const element of elements) {
    // A word that continues in the next element is checked as a whole above.
    const words = element.content
      .replaceAll('\n', '')
      .split(',')
      .filter((word) => word !== '')
    const blank = words.find((word) => word !== trimBytes(word) && trimBytes(word) !== '')
    if (blank !== undefined) reporter.report('rule_group_blank', element, { value: blank })
    for (const word of words) {
      const standard = brokenStandard(word)
      if (standard !== null) reporter.report('rule_compliance_tag_invalid', element, { value: word, standard })
    }
  }
}

/** The standard whose tag the word resembles without being one, or null. */
function brokenStandard(word: string): string | null {
  const [first] = word
  if (first !== 'p' && first !== 'g' && first !== 'h' && first !== 'n' && first !== 't') return null
  for (const { prefix, standard, form } of COMPLIANCE) if (word.startsWith(prefix)) return form.test(word.slice(prefix.length)) ? null : standard
  return null
}

/** Reports texts of the surrounding group and of the rule's own groups that are joined without a comma. */
function checkMerged(reporter: RuleReporter, definition: RuleDefinition, elements: readonly XmlElement[]): void {
  let before = (definition.groupElement.attributes[0]?.value ?? '').replaceAll('\n', '')
  for (const element of elements) {
    const content = element.content.replaceAll('\n', '')
    if (content === '') continue
    if (before !== '' && !before.endsWith(',') && !content.startsWith(',')) {
      const value = `${before.slice(before.lastIndexOf(',') + 1)}${content.split(',', 1)[0]}`
      reporter.report('rule_group_merged', element, { value })
      return
    }
    before = content
  }
}

/** Checks the names of the groups around rules, each group once. */
export function checkGroupNames({ rules, collector }: CheckContext): void {
  const seen = new Set<XmlElement>()
  for (const { definition } of rules) {
    if (seen.has(definition.groupElement)) continue
    seen.add(definition.groupElement)
    checkGroupName(definition.source, definition.groupElement, collector)
  }
}

function checkGroupName(source: SourceText, element: XmlElement, collector: CheckContext['collector']): void {
  const attribute = element.attributes[0]
  if (attribute === undefined) return
  const words = attribute.value.split(',').filter((word) => word !== '')
  const seen = new Set<string>()
  const odd =
    reasonOf(words, (word) => word !== trimBytes(word), 'a name begins or ends with a blank') ??
    reasonOf(words, (word) => BLANK.test(trimBytes(word)), 'a name has a blank inside') ??
    reasonOf(words, (word) => seen.size === seen.add(word).size, 'a name stands twice')
  if (odd === null) return
  new ElementReporter(source, collector, element).reportAttribute('group_name_style', attribute, { value: odd.word, reason: odd.reason })
}

function reasonOf(words: readonly string[], isOdd: (word: string) => boolean, reason: string): { word: string; reason: string } | null {
  const word = words.find(isOdd)
  return word === undefined ? null : { word, reason }
}
