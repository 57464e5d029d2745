/**
 * Diagnostics of rules of which it is proven that no event has them as its final rule: what the checks do not see, because it takes the patterns of a whole path, or those
 * of siblings and decoders. Only rules beside the reference content are proven, within a number of steps.
 */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Localized } from '../diagnostics/text.js'
import { type CannotFireCode, CannotFireProver, type Conflict } from '../generate/cannot-fire.js'
import { describeConflict } from '../generate/reasons.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { RuleReporter, unplacedNodes } from '../rules/reporter.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { placeOf } from '../xml/definition-reporter.js'
import { isSaidAlready, RedundancyFinder } from './redundancy-diagnostics.js'

/** Steps of all proofs of a ruleset: about half a second, and enough for some hundred rules. */
export const PROOF_STEPS = 2_000_000
/** Places of other rules that are named. */
const RELATED_LIMIT = 4

/**
 * What is not a fault of a rule: `noalert` is intended, modules of the manager make events of their own, lists are filled later, and a rule below may be there to
 * replace the rule.
 */
const INTENDED: ReadonlySet<CannotFireCode> = new Set<CannotFireCode>(['noalert', 'decoder_of_manager', 'list_excludes', 'child_always_matches'])

/** Diagnostics that say already why a rule has no events. */
const SAID: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'rule_unreachable',
  'rule_overlapping_level',
  'rule_duplicate_logic',
  'rule_orphan',
  'rule_category_decoder_mismatch',
  'rule_decoded_as_child_decoder',
  'rule_field_never_extracted',
  'rule_field_data_prefix',
  'rule_field_array_member',
  'rule_same_field_never_extracted',
  'rule_list_field_unresolvable',
  'rule_if_fts_without_fts',
  'rule_matched_level_zero',
  'rule_frequency_sibling_blocked',
  'rule_if_matched_sid_unwired',
  'rule_if_matched_sid_shadowed',
  'rule_if_matched_group_unwired',
  'rule_if_matched_group_starved',
  'rule_if_matched_group_member_taken',
  'regex_never_matches',
])

/** Diagnostics of rules that no event reaches: all of their conditions hold wherever the others do. */
const WITHOUT_EVENTS: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>(['rule_unreachable', 'regex_never_matches'])

/** Pauses after each rule and decoder. @param known the diagnostics of the loader and of the checks @returns in load order of the files */
export function* proofSteps(ruleset: CompiledRuleset, known: readonly Diagnostic[]): Generator<void, readonly Diagnostic[]> {
  const { rules } = ruleset
  const own = ruleset.loads ? rules.inOrder().filter(({ definition }) => definition.source.scope !== 'default') : []
  const decoders = ruleset.loads ? ownDecoders(ruleset) : []
  if (own.length === 0 && decoders.length === 0) return []
  const idsOf = (codes: ReadonlySet<DiagnosticCode>): ReadonlySet<unknown> => new Set(known.filter(({ code }) => codes.has(code)).map(({ params }) => params.id))
  const said = idsOf(SAID)
  const withoutEvents = idsOf(WITHOUT_EVENTS)
  const prover = new CannotFireProver(ruleset)
  const collector = new Collector(ruleset.files)
  const unplaced = unplacedNodes(rules)
  const redundancy = new RedundancyFinder(ruleset, collector)
  for (const rule of own) {
    if (prover.steps > PROOF_STEPS && redundancy.isExhausted) break
    const reporter = new RuleReporter(rule, rules, collector, unplaced)
    const conflict = said.has(rule.id) || prover.steps > PROOF_STEPS ? null : prover.prove(rule)
    if (conflict !== null && !INTENDED.has(conflict.code)) report(reporter, conflict)
    redundancy.examineRule(reporter, !withoutEvents.has(rule.id) && (conflict === null || INTENDED.has(conflict.code)))
    yield
  }
  for (const decoder of decoders) {
    redundancy.examineDecoder(decoder)
    yield
  }
  return collector.list().filter((one) => !isSaidAlready(one, known))
}

/** Each once: a child is below every root of the name of its parent. */
function ownDecoders({ decoders: { programRoots, plainRoots } }: CompiledRuleset): CompiledDecoder[] {
  const all = [...programRoots, ...plainRoots].flatMap((root) => [root, ...root.children])
  const byDefinition = new Map(all.filter(({ definition }) => definition.source.scope !== 'default').map((decoder) => [decoder.definition, decoder]))
  return [...byDefinition.values()]
}

function report(reporter: RuleReporter, conflict: Conflict): void {
  const { rule } = reporter
  const related = othersIn(conflict, rule)
    .slice(0, RELATED_LIMIT)
    .map(({ definition }) => placeOf(definition))
  const [only] = conflict.parts
  if (conflict.code === 'sibling_always_first' && conflict.parts.length === 1 && only.kind === 'taker') {
    reporter.atAttribute('rule_overlapping_level', 'level', { other: only.rule.id }, { related })
    return
  }
  const tag = conflict.parts.flatMap((part) => (part.kind === 'condition' && part.rule === rule ? [part.condition.option.name] : [])).at(-1) ?? null
  reporter.at('rule_unreachable', tag, { reason: reasonOf(conflict) }, { related })
}

/** The other rules that a proof is about. */
function othersIn({ parts }: Conflict, rule: CompiledRule): CompiledRule[] {
  const others = new Set(parts.flatMap((part) => (part.kind === 'condition' || part.kind === 'taker' || part.kind === 'rule' ? [part.rule] : [])))
  others.delete(rule)
  return [...others]
}

/** The reason as a clause. */
function reasonOf(conflict: Conflict): Localized {
  const clause = (locale: keyof Localized): string => {
    const { text } = describeConflict(conflict, locale, () => null)
    return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')
  }
  return { 'en-US': clause('en-US'), 'pt-BR': clause('pt-BR') }
}
