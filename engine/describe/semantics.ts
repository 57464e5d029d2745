/**
 * What rules and decoders ask and do, apart from how they are written: for each option a fingerprint of its meaning, after variables are resolved. Two
 * texts with the same fingerprints are the same to Wazuh; invariants:
 *  1. white space between tags, comments, the order of attributes and tags, and defaults that are written out change no fingerprint
 *  2. what Wazuh takes as a set is one: ids of parents, groups, techniques, addresses, alternatives of an OSMatch; what it takes in order (fields of a
 *     decoder, texts that are joined) is not
 *  3. tags without any effect (`<ignore>`, `same_agent`…) have no fingerprint
 *  4. rules and decoders that Wazuh leaves out are not there
 */
import { createHash } from 'node:crypto'
import type { DecoderDefinition, PatternSource } from '../event/decoder.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { FREQUENCY_MINIMUM } from '../rules/attributes.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { LISTS_EVALUATED, splitGroups } from '../rules/compile.js'
import { comparisonTag } from '../rules/options/correlation.js'
import { LIST_STATIC_FIELDS } from '../rules/options/filters.js'
import { parentIds } from '../rules/place.js'
import { DEFAULT_TIMEFRAME, type ListCondition, type RuleDefinition, type RulePattern } from '../rules/rule.js'
import type { RuleTree } from '../rules/tree.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { FileScope } from '../source/source-file.js'

/** A rule or decoder by its meaning. Plain data: it crosses threads. */
export interface SemanticItem {
  /** Id of the rule, name of the decoder. */
  readonly name: string
  /** Description of the rule, parent of the decoder; empty: a root. */
  readonly label: string
  readonly line: number
  /** By option: what it means. Options that are as if not written have none. */
  readonly options: Readonly<Record<string, string>>
  /** Lists of siblings in which its place decides, as they are tried in the order in which they are loaded. */
  readonly siblings: readonly string[]
}

/** Both in load order. */
export interface RulesetSemantics {
  readonly rules: readonly SemanticItem[]
  readonly decoders: readonly SemanticItem[]
}

/** Fingerprints up to this length are the meaning itself. */
const PLAIN_LENGTH = 43
/** Of rules below very many parents (`if_level`) only some lists of siblings are looked at. */
const SIBLING_LISTS = 16

/** The rules and decoders of the files of a scope. */
export function describeSemantics({ rules, decoders }: CompiledRuleset, scope: FileScope = 'adhoc'): RulesetSemantics {
  const own = rules.inOrder().filter(({ definition }) => definition.source.scope === scope)
  return {
    rules: own.map((rule) => describeRule(rule, rules)),
    decoders: decoders.definitions.filter(({ source }) => source.scope === scope).map(describeDecoder),
  }
}

function describeRule(rule: CompiledRule, tree: RuleTree): SemanticItem {
  const { definition } = rule
  const siblings = tree.placements(rule.id).slice(0, SIBLING_LISTS)
  return {
    name: String(rule.id),
    label: fromByteString(definition.description ?? ''),
    line: definition.span.line,
    options: ruleOptions(definition),
    siblings: [...new Set(siblings.map((node) => `${tree.parentOf(node)?.rule.id ?? 'top'} ${rule.rank}`))],
  }
}

function ruleOptions(definition: RuleDefinition): Record<string, string> {
  const { addresses, decodedAs, weekday, ifSid, ifGroup, ifMatchedSid, ifMatchedGroup, places, mitre } = definition
  const options = new Fingerprints()
  options.always('level', definition.level)
  options.unless(0, 'maxsize', definition.maxsize)
  options.unless(FREQUENCY_MINIMUM, 'frequency', definition.frequency ?? FREQUENCY_MINIMUM)
  options.unless(DEFAULT_TIMEFRAME, 'timeframe', definition.timeframe)
  options.unless(0, 'ignore', definition.ignore)
  options.unless(false, 'overwrite', definition.overwrite)
  options.unless(false, 'noalert', definition.noalert)
  options.unless(true, 'accuracy', definition.accuracy)
  // Only a `^` in somebody's `if_group` asks which group comes first; the order is told by nothing else.
  options.some('group', setOf(splitGroups(definition.groups)))
  options.always('description', definition.description ?? '')
  for (const [tag, pattern] of definition.patterns) options.always(tag, patternMeaning(pattern))
  options.some('field', setOf(definition.fields.map((field) => JSON.stringify([foldCase(field.name), patternMeaning(field)]))))
  for (const [tag, { entries, negate }] of addresses) options.always(tag, [negate, setOf(entries.map((entry) => JSON.stringify(entry)))])
  options.unless(null, 'decoded_as', decodedAs?.name ?? null)
  options.unless('syslog', 'category', definition.category ?? 'syslog')
  options.unless(null, 'time', definition.time)
  options.unless(null, 'weekday', weekday === null ? null : [...weekday].sort())
  options.some('list', setOf(definition.lists.slice(-LISTS_EVALUATED).map(listMeaning)))
  options.unless(null, 'compiled_rule', definition.compiledRule)
  options.unless(false, 'if_fts', definition.ifFts)
  options.unless(false, 'check_diff', definition.checkDiff)
  // A composite without parents of its own stands under what it counts: that is told once, under the tag that is written.
  if (ifSid !== null && (places.has('if_sid') || ifSid !== ifMatchedSid)) options.always('if_sid', setOf(parentIds(ifSid).map(String)))
  if (ifGroup !== null && (places.has('if_group') || ifGroup !== ifMatchedGroup)) options.always('if_group', setOf(ifGroup.toLowerCase().split('|')))
  options.unless(null, 'if_level', definition.ifLevel === null ? null : Number(definition.ifLevel))
  options.unless(null, 'if_matched_sid', ifMatchedSid === null ? null : ifMatchedSid.replace(/^0+(?=\d)/, ''))
  options.unless(null, 'if_matched_group', ifMatchedGroup === null ? null : alternativesOf(ifMatchedGroup))
  options.unless(null, 'if_matched_regex', definition.ifMatchedRegex)
  for (const field of definition.same) options.always(comparisonTag('same', field), true)
  for (const field of definition.different) options.always(comparisonTag('different', field), true)
  options.some('same_field', setOf(definition.sameFields.map(foldCase)))
  options.some('different_field', setOf(definition.differentFields.map(foldCase)))
  options.unless(false, 'global_frequency', definition.globalFrequency)
  options.some('options', setOf(definition.options))
  options.some('info', infoOf(definition))
  options.unless('', 'cve', definition.cve)
  options.some('mitre', setOf(mitre.form === 'ids' ? mitre.ids : mitre.pairs.map((pair) => JSON.stringify(pair))))
  return options.record
}

function patternMeaning({ text, dialect, negate }: RulePattern): unknown {
  return [dialect, negate, dialect === 'osmatch' ? alternativesOf(text) : text]
}

/** An OSMatch is a set of alternatives that are compared without case. */
function alternativesOf(pattern: string): string[] {
  const negated = pattern.startsWith('!')
  return [negated ? '!' : '', ...setOf(foldCase(negated ? pattern.slice(1) : pattern).split('|'))]
}

function listMeaning({ path, field, lookup, checkValue }: ListCondition): string {
  const folded = foldCase(field)
  const name = (LIST_STATIC_FIELDS as readonly string[]).includes(folded) ? folded : ['dynamic', folded]
  return JSON.stringify([path, name, lookup, checkValue === null ? null : alternativesOf(checkValue)])
}

/** Texts with their kinds; neighbours of one kind are one text. */
function infoOf({ element }: RuleDefinition): string[] {
  const texts: { kind: string; text: string }[] = []
  for (const { name, content, attributes } of element.children) {
    if (name.toLowerCase() !== 'info') continue
    const kind = attributes.find((attribute) => attribute.name === 'type')?.value.toLowerCase() ?? 'text'
    const last = texts.at(-1)
    if (last?.kind === kind) last.text += content
    else texts.push({ kind, text: content })
  }
  return texts.map(({ kind, text }) => `${kind} ${text}`)
}

function describeDecoder(definition: DecoderDefinition): SemanticItem {
  const { name, parent, programName } = definition
  const list = parent === null ? (programName === null ? 'roots' : 'roots with program_name') : `below ${parent}`
  return { name: fromByteString(name), label: fromByteString(parent ?? ''), line: definition.span.line, options: decoderOptions(definition), siblings: [list] }
}

function decoderOptions(definition: DecoderDefinition): Record<string, string> {
  const { order, plugin, fts } = definition
  const options = new Fingerprints()
  options.unless(null, 'parent', definition.parent)
  for (const [tag, pattern] of [
    ['program_name', definition.programName],
    ['prematch', definition.prematch],
    ['regex', definition.regex],
  ] as const)
    options.unless(null, tag, pattern === null ? null : sourceMeaning(pattern))
  options.some(
    'order',
    (order ?? []).map(({ name, staticIndex }) => (staticIndex < 0 ? `dynamic ${name}` : STATIC_FIELDS[staticIndex])),
  )
  options.unless('syslog', 'type', definition.type)
  options.unless(false, 'use_own_name', definition.useOwnName)
  options.unless(null, 'plugin_decoder', plugin === null ? null : [plugin.name, plugin.offset])
  options.unless(false, 'accumulate', definition.accumulate)
  options.unless(null, 'fts', fts === null ? null : [setOf(fts.statics.map(String)), fts.location, fts.name, setOf(fts.dynamic.map(foldCase))])
  options.unless(null, 'ftscomment', definition.ftsComment)
  options.unless('string', 'json_null_field', definition.jsonNull)
  options.unless('array', 'json_array_structure', definition.jsonArray)
  return options.record
}

function sourceMeaning({ text, dialect, offset }: PatternSource): unknown {
  return [dialect, offset, dialect === 'osmatch' ? alternativesOf(text) : text]
}

/** In one order, each once. */
function setOf(values: Iterable<string>): string[] {
  return [...new Set(values)].sort()
}

/** Gathers the options of one rule or decoder. */
class Fingerprints {
  readonly record: Record<string, string> = {}

  always(option: string, value: unknown): void {
    const text = JSON.stringify(value)
    this.record[option] = text.length <= PLAIN_LENGTH ? text : `#${createHash('sha256').update(text).digest('base64url')}`
  }

  /** @param normal as if it were not written */
  unless(normal: unknown, option: string, value: unknown): void {
    if (value !== normal) this.always(option, value)
  }

  some(option: string, values: readonly unknown[]): void {
    if (values.length > 0) this.always(option, values)
  }
}
