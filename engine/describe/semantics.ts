/**
 * What rules and decoders mean, apart from how they are written: each option gives its meaning, after variables are resolved, and it becomes a fingerprint.
 * Two contents with the same fingerprints are the same to Wazuh. Invariants:
 *  1. white space between tags, comments, the order of attributes and tags, and defaults that are written out change no fingerprint
 *  2. what Wazuh reads as a set is a set: ids of parents, groups, techniques, addresses, alternatives of an OSMatch; what it reads in order (fields of a
 *     decoder, texts that are joined) keeps its order
 *  3. tags without any effect (`<ignore>`, `same_agent`…) have no fingerprint
 *  4. rules and decoders that Wazuh leaves out are not included
 */
import { createHash } from 'node:crypto'
import type { DecoderDefinition } from '../event/decoder.js'
import { DECODER_OPTIONS } from '../decoders/options/index.js'
import { RULE_ATTRIBUTES } from '../rules/attributes.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { RULE_OPTIONS } from '../rules/options/index.js'
import type { RuleDefinition } from '../rules/rule.js'
import type { RuleTree } from '../rules/tree.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
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
  const options: Record<string, string> = {}
  for (const { name, meaning } of [...RULE_ATTRIBUTES, ...RULE_OPTIONS]) addFingerprint(options, name, meaning(definition))
  return options
}

function describeDecoder(definition: DecoderDefinition): SemanticItem {
  const { name, parent, programName } = definition
  const list = parent === null ? (programName === null ? 'roots' : 'roots with program_name') : `below ${parent}`
  return { name: fromByteString(name), label: fromByteString(parent ?? ''), line: definition.span.line, options: decoderOptions(definition), siblings: [list] }
}

function decoderOptions(definition: DecoderDefinition): Record<string, string> {
  const options: Record<string, string> = {}
  for (const { name, meaning } of DECODER_OPTIONS) addFingerprint(options, name, meaning(definition))
  return options
}

/** @param meaning undefined: as if the option were not written */
function addFingerprint(options: Record<string, string>, name: string, meaning: unknown): void {
  if (meaning === undefined) return
  const text = JSON.stringify(meaning)
  options[name] = text.length <= PLAIN_LENGTH ? text : `#${createHash('sha256').update(text).digest('base64url')}`
}
