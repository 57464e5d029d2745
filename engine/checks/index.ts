/**
 * Checks of a whole ruleset for mistakes that Wazuh does not report. They are pure functions of what the loader has compiled.
 *
 * Invariants:
 *  1. diagnostics are about files of one scope, and the ruleset contains no higher scope: a layer never changes the diagnostics of its
 *     base (see `collect-diagnostics.ts`)
 *  2. the work is proportional to the content: a check of a rule visits the rule, its ancestors and its siblings, which are
 *     indexed once
 *  3. a check that is not sure reports nothing. The ruleset may be a survey, which also contains faulty rules: a tag that is unsure
 *     allows no conclusion, and no rule is compared with a faulty one
 */
import { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { RULE_ATTRIBUTES } from '../rules/attributes.js'
import { parentIds } from '../rules/options/if-sid.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { findRuleOption } from '../rules/options/index.js'
import { type RuleTree, UNPLACED_ID } from '../rules/tree.js'
import { foldCase } from '../source/byte-string.js'
import type { FileScope } from '../source/source-file.js'
import { VariableIndex } from '../xml/variable-index.js'
import type { CheckContext } from './context.js'
import { Correlation } from './correlation.js'
import { decoderFacts } from './decoder-facts.js'
import { checkBackslashes } from './doubled-backslashes.js'
import { checkDecoders } from './decoders.js'
import { checkFiles } from './files.js'
import { checkLists } from './lists.js'
import { checkMitre } from './mitre.js'
import { checkDecoderPatterns, checkRulePatterns } from './patterns.js'
import { checkPlacement } from './placement.js'
import { checkReachability } from './reachability.js'
import { RuleReporter, unplacedNodes } from '../rules/reporter.js'
import { checkId } from './rule-attributes.js'
import { checkGroupNames, checkTexts } from './rule-texts.js'
import { Shadowing } from './shadowing.js'
import { checkDecoderHeads, checkRuleHeads } from './removed-header.js'
import { checkFields } from './unused-fields.js'
import { checkXml } from './xml.js'

/** Tags that determine the parents of a rule. */
const PLACEMENT_TAGS = ['if_sid', 'if_level', 'if_group', 'if_matched_sid', 'if_matched_group', 'category']

/** Returns the diagnostics for the files of a scope. @param ruleset must contain no file of a higher scope */
export function checkRuleset(ruleset: CompiledRuleset, scope: FileScope): Diagnostic[] {
  const collector = new Collector(ruleset.files)
  const order = ruleset.rules.inOrder()
  const complete = ruleset.survey?.isComplete ?? ruleset.loads
  const rules: CompiledRule[] = []
  let placesKnown = complete
  // One pass: a base has thousands of rules, and nearly all of them are sure of everything.
  for (const rule of order) {
    const { source, unsure } = rule.definition
    if (source.scope === scope) rules.push(rule)
    if (unsure.size > 0 && !rule.definition.isSure(...PLACEMENT_TAGS)) placesKnown = false
  }
  let tested: ReadonlySet<string> | null = null
  const context: CheckContext = {
    ruleset,
    scope,
    collector,
    files: ruleset.files.filter((file) => file.scope === scope),
    decoders: ruleset.decoders.definitions.filter(({ source }) => source.scope === scope),
    rules,
    order,
    complete,
    placesKnown,
    awaitedParents: awaitedParents(ruleset.rules),
    variables: new VariableIndex(ruleset.files),
    fieldsTested: () => (tested ??= new Set(order.flatMap(({ conditions }) => conditions.flatMap((one) => (one.field === null ? [] : [foldCase(one.field)]))))),
  }
  checkFiles(context)
  checkLists(context)
  checkXml(context)
  checkDecoders(context)
  checkDecoderPatterns(context)
  checkDecoderHeads(context)
  checkGroupNames(context)
  checkRules(context)
  return collector.list()
}

/** Ids and groups that rules without a place name, or seem to mean, as their parents. */
function awaitedParents(tree: RuleTree): Set<string> {
  const awaited = new Set<string>()
  for (const { children } of tree.placements(UNPLACED_ID)) {
    for (const { rule } of children) {
      const { ifSid, fault } = rule.definition
      if (ifSid !== null) for (const id of parentIds(ifSid)) awaited.add(String(id))
      if (fault !== null && fault.suggestion !== null) awaited.add(fault.suggestion)
    }
  }
  return awaited
}

function checkRules(context: CheckContext): void {
  const { rules } = context.ruleset
  const facts = decoderFacts(context.ruleset.decoders, context.ruleset.identities)
  const shadowing = new Shadowing(rules)
  const correlation = new Correlation(context)
  const unplaced = unplacedNodes(rules)
  for (const rule of context.rules) {
    const reporter = new RuleReporter(rule, rules, context.collector, unplaced)
    checkId(reporter, context)
    for (const { check } of RULE_ATTRIBUTES) check?.(reporter)
    for (const tag of rule.definition.places.keys()) findRuleOption(tag)?.check?.(reporter, facts)
    checkTexts(reporter)
    checkRulePatterns(reporter, context)
    checkBackslashes(reporter)
    checkRuleHeads(reporter)
    checkPlacement(reporter, facts, context)
    checkReachability(reporter)
    shadowing.check(reporter)
    correlation.check(reporter)
    checkFields(reporter, facts, context)
    checkMitre(reporter, context)
  }
}
