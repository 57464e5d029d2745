/** Options of a rule, each looked at by itself or against the others of the same rule (engine-rules.md 7.2). */
import type { AddressEntry } from '../conditions/address.js'
import { holdsAllIpv4, parseAddressEntry } from '../conditions/address.js'
import { isIncompleteTime, parseTimeRange } from '../conditions/time-range.js'
import { STATIC_INDEX } from '../event/static-fields.js'
import { foldCase } from '../source/byte-string.js'
import { LISTS_EVALUATED } from '../rules/compile.js'
import type { PatternTag } from '../rules/rule.js'
import { isComposite } from '../rules/rule.js'
import type { XmlElement } from '../xml/node.js'
import type { DecoderFacts } from './decoder-facts.js'
import type { RuleReporter } from './reporters.js'
import { elementsOf } from './reporters.js'

const MINUTES_IN_HOUR = 60
/** Tags that read free text, in which blanks at the edges are often meant. */
const FREE_TEXT: ReadonlySet<PatternTag> = new Set(['match', 'regex'])

export function checkOptions(reporter: RuleReporter, facts: DecoderFacts): void {
  checkPatterns(reporter)
  checkAddresses(reporter)
  checkLists(reporter)
  checkOptionOrder(reporter)
  checkTime(reporter)
  checkComparisons(reporter, facts)
}

function attributeOf(element: XmlElement, name: string): string | null {
  return element.attributes.find((attribute) => attribute.name === name)?.value.toLowerCase() ?? null
}

function checkPatterns(reporter: RuleReporter): void {
  const { patterns, fields } = reporter.rule.definition
  for (const [tag, { text, dialect, negate, elements }] of patterns) {
    if (elements.length > 1) checkRepeat(reporter, tag, elements, dialect === 'osmatch' || dialect === 'exact')
    if (negate && dialect === 'osmatch' && text.startsWith('!')) reporter.report('rule_double_negation', elements[elements.length - 1], { tag })
    if (tag === 'action' && dialect === 'exact' && /[|^$!*\\]/.test(text)) reporter.report('rule_action_exact', elements[0], { value: text })
    if (hasStrayEdge(text, FREE_TEXT.has(tag))) reporter.report('rule_text_edge_whitespace', elements[0], { tag })
  }
  for (const { text, elements } of fields) if (hasStrayEdge(text, false)) reporter.report('rule_text_edge_whitespace', elements[0], { tag: 'field' })
}

/** Blanks may be meant where free text is searched; line breaks and blanks that move an anchor away from the edge never are. */
function hasStrayEdge(text: string, freeText: boolean): boolean {
  if (text === '' || text.trim() === '') return /[\n\r\t]/.test(text)
  const [first] = text
  const last = text[text.length - 1]
  if (/[\n\r\t]/.test(first) || /[\n\r\t]/.test(last)) return true
  if (/^ +\^/.test(text) || /[^\\]\$ +$/.test(text)) return true
  return !freeText && (first === ' ' || last === ' ')
}

/** `isList`: the dialect is a list of plain alternatives, where two texts never continue each other. */
function checkRepeat(reporter: RuleReporter, tag: PatternTag, elements: readonly XmlElement[], isList: boolean): void {
  const last = elements[elements.length - 1]
  for (const name of ['type', 'negate']) {
    const odd = elements.find((element) => (attributeOf(element, name) ?? (name === 'negate' ? 'no' : '')) !== (attributeOf(last, name) ?? (name === 'negate' ? 'no' : '')))
    if (odd !== undefined) reporter.report('rule_negate_lost_on_repeat', odd, { tag, name })
  }
  if (!isList) return
  const joint = elements.findIndex((element, index) => index > 0 && !element.content.startsWith('|') && !elements[index - 1].content.endsWith('|'))
  if (joint > 0) reporter.report('rule_repeat_glued', elements[joint], { tag, value: elements.map(({ content }) => content).join('') })
}

function checkAddresses(reporter: RuleReporter): void {
  for (const tag of reporter.rule.definition.addresses.keys()) {
    for (const element of elementsOf(reporter.owner, tag)) {
      const entry = parseAddressEntry(element.content)
      if (entry !== null && holdsAllIpv4(entry)) reporter.report('rule_ip_all_ipv4', element, { tag, value: element.content })
      if (entry !== null && matchesSomeIpv4(entry)) reporter.report('rule_ip_cross_family', element, { tag, value: element.content })
    }
  }
}

/** Quirk of 2.3: an IPv4 address is held against bytes 0 to 3 of an IPv6 entry, masked by bytes 4 to 7. */
function matchesSomeIpv4(entry: AddressEntry): boolean {
  if (entry.family !== 6) return false
  return [0, 1, 2, 3].every((byte) => (entry.address[byte] & ~entry.address[byte + 4]) === 0)
}

function checkLists(reporter: RuleReporter): void {
  const { lists } = reporter.rule.definition
  if (lists.length > LISTS_EVALUATED) reporter.report('rule_list_more_than_two', lists[0].element, { count: lists.length })
  for (const { field, lookup, checkValue, element } of lists) {
    if (lookup === 'address_match_key_value') reporter.report('rule_list_inverted_lookup', element, {})
    else if (lookup === 'match_key_value' && checkValue === null) {
      reporter.report('rule_list_value_without_check', element, { lookup, reason: 'without check_value it never passes' })
    } else if (lookup !== 'match_key_value' && checkValue !== null) {
      reporter.report('rule_list_value_without_check', element, { lookup, reason: 'check_value is ignored' })
    }
    if (field.toLowerCase() === 'user') reporter.report('rule_list_user_order', element, {})
  }
}

/** Clearing a flag that is set takes an earlier no_counter with it (2.5). */
function checkOptionOrder(reporter: RuleReporter): void {
  if (reporter.rule.definition.options.size < 2) return
  const seen = new Set<string>()
  for (const element of elementsOf(reporter.owner, 'options')) {
    const word = element.content
    const clears = (word === 'no_email_alert' && seen.has('alert_by_email')) || (word === 'no_log' && seen.has('log_alert'))
    if (clears && seen.has('no_counter')) reporter.report('rule_option_order', element, { value: word })
    seen.add(word)
  }
}

function checkTime(reporter: RuleReporter): void {
  if (reporter.rule.definition.time === null) return
  for (const element of elementsOf(reporter.owner, 'time')) {
    const range = parseTimeRange(element.content)
    if (range !== null && isIncompleteTime(element.content)) {
      reporter.report('rule_time_incomplete', element, { value: element.content, read: `${range.negated ? '!' : ''}${range.from} - ${range.to}` })
    }
    if ([...element.content.matchAll(/:(\d\d)/g)].some(([, minutes]) => Number(minutes) >= MINUTES_IN_HOUR))
      reporter.report('rule_time_minutes', element, { value: element.content })
  }
}

/** `same_*` and `different_*`, and check_diff, which leaves nothing to compare with. */
function checkComparisons(reporter: RuleReporter, facts: DecoderFacts): void {
  const { definition } = reporter.rule
  if (definition.checkDiff && isComposite(definition)) {
    const tag = ['if_matched_sid', 'if_matched_group', 'if_matched_regex'].find((name) => definition.places.has(name)) ?? 'if_matched_sid'
    reporter.at('rule_check_diff_disables_search', 'check_diff', { tag })
  }
  for (const field of definition.same) {
    if (!definition.different.has(field)) continue
    const name = field === 'dstuser' ? 'user' : field
    const tags = reporter.owner.children.map((child) => child.name.toLowerCase())
    const same = tags.find((tag) => tag === `same_${name}` || (field === 'srcip' && tag === 'same_source_ip')) ?? `same_${name}`
    const other = tags.find((tag) => tag === `different_${name}` || tag === `not_same_${name}` || (field === 'srcip' && tag === 'not_same_source_ip')) ?? `different_${name}`
    reporter.at('rule_same_different_conflict', same, { tag: same, other })
  }
  for (const name of definition.sameFields) {
    if (definition.differentFields.some((other) => foldCase(other) === foldCase(name)))
      reporter.at('rule_same_different_conflict', 'same_field', { tag: 'same_field', other: 'different_field' })
  }
  for (const tag of ['same_field', 'different_field', 'not_same_field']) {
    if (!definition.places.has(tag)) continue
    for (const element of elementsOf(reporter.owner, tag)) checkFieldName(reporter, tag, element, facts)
  }
}

function checkFieldName(reporter: RuleReporter, tag: string, element: XmlElement, facts: DecoderFacts): void {
  const { content } = element
  if (content !== content.trim()) reporter.report('rule_same_field_static', element, { tag, value: content, reason: 'it has white space around it' })
  else if (content.toLowerCase() in STATIC_INDEX && !facts.allDynamic.has(foldCase(content))) {
    reporter.report('rule_same_field_static', element, { tag, value: content, reason: 'it is a static field' })
  }
}
