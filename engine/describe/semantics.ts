/**
 * Describes what rules and decoders mean, independent of their notation. Each option returns its meaning after variables are resolved, and the
 * meaning becomes a fingerprint. Contents with equal fingerprints are the same to Wazuh. Invariants:
 *  1. white space between tags, comments, the order of attributes and tags, and explicit defaults change no fingerprint
 *  2. what Wazuh reads as a set is a set: ids of parents, groups, techniques, addresses, alternatives of an OSMatch; what it reads in order (fields of a
 *     decoder, texts that are joined) keeps its order
 *  3. tags without any effect (`<ignore>`, `same_agent`…) have no fingerprint
 *  4. rules and decoders that Wazuh leaves out are not included
 */
import { sha256 } from '#platform'
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
import type { SourceText } from '../source/source-text.js'

/** The meaning of a rule or decoder. Plain data, because it is sent between threads. */
export interface SemanticItem {
  /** Id of the rule, name of the decoder. */
  readonly name: string
  /** Description of the rule, or parent of the decoder (empty for a root). */
  readonly label: string
  readonly line: number
  /** Meanings by option. Options that are equal to their absence are left out. */
  readonly options: Readonly<Record<string, string>>
  /** Lists of siblings in which its position matters, because siblings are tried in load order. */
  readonly siblings: readonly string[]
}

/** Both in load order. */
export interface RulesetSemantics {
  readonly rules: readonly SemanticItem[]
  readonly decoders: readonly SemanticItem[]
}

/** Fingerprints up to this length are the meaning itself. */
const PLAIN_LENGTH = 43
/** Maximum number of sibling lists of a rule with very many parents (`if_level`). */
const SIBLING_LISTS = 16

const RULE_TABLES = [...RULE_ATTRIBUTES, ...RULE_OPTIONS]

/** Describes the rules and decoders of the files of a scope. @param scope null: of all files */
export function describeSemantics({ rules, decoders }: CompiledRuleset, scope: FileScope | null = 'adhoc'): RulesetSemantics {
  const isOwn = ({ source }: { readonly source: SourceText }): boolean => scope === null || source.scope === scope
  return {
    rules: rules
      .inOrder()
      .filter(({ definition }) => isOwn(definition))
      .map((rule) => describeRule(rule, rules)),
    decoders: decoders.definitions.filter(isOwn).map(describeDecoder),
  }
}

function describeRule(rule: CompiledRule, tree: RuleTree): SemanticItem {
  const { definition } = rule
  const siblings = tree.placements(rule.id).slice(0, SIBLING_LISTS)
  return {
    name: String(rule.id),
    label: fromByteString(definition.description ?? ''),
    line: definition.span.line,
    options: optionsOf(definition, RULE_TABLES),
    siblings: [...new Set(siblings.map((node) => `${tree.parentOf(node)?.rule.id ?? 'top'} ${rule.rank}`))],
  }
}

/** Options of definitions, which do not change. Contents that have a base in common have its definitions in common: nearly all, where a layer is compared with another. */
const KNOWN = new WeakMap<RuleDefinition | DecoderDefinition, Readonly<Record<string, string>>>()

function describeDecoder(definition: DecoderDefinition): SemanticItem {
  const { name, parent, programName } = definition
  const list = parent === null ? (programName === null ? 'roots' : 'roots with program_name') : `below ${parent}`
  return { name: fromByteString(name), label: fromByteString(parent ?? ''), line: definition.span.line, options: optionsOf(definition, DECODER_OPTIONS), siblings: [list] }
}

/** @param table the options that the definition may have */
function optionsOf<D extends RuleDefinition | DecoderDefinition>(
  definition: D,
  table: readonly { readonly name: string; meaning(definition: D): unknown }[],
): SemanticItem['options'] {
  const known = KNOWN.get(definition)
  if (known !== undefined) return known
  const options: Record<string, string> = {}
  for (const { name, meaning } of table) addFingerprint(options, name, meaning(definition))
  KNOWN.set(definition, options)
  return options
}

/** @param meaning undefined when the option is equal to its absence */
function addFingerprint(options: Record<string, string>, name: string, meaning: unknown): void {
  if (meaning === undefined) return
  const text = JSON.stringify(meaning)
  options[name] = text.length <= PLAIN_LENGTH ? text : `#${sha256(text, 'base64url')}`
}
