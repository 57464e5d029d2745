/** Lists the rules of a ruleset with what leads from one to another, for pictures. */
import type { RuleGraphNode, RuleLink } from '../records/records.js'
import { neededEvents } from '../match/history.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { TOP_LEVEL_IDS } from '../rules/tree.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import { countedRules } from './rule-catalog.js'

/** Maximum number of links of a kind that a rule lists: `if_level` and `if_group` have thousands, of which a picture shows a few. */
const LINKS_LIMIT = 64

/** Returns every rule with its links, in load order. */
export function describeRuleGraph(ruleset: CompiledRuleset): readonly RuleGraphNode[] {
  const { rules } = ruleset
  const loaded = rules.inOrder()
  const originals = rules.originals()
  const byIndex = new Map(loaded.map((rule) => [rule.index, rule]))
  const counted = countedRules(ruleset, byIndex)
  return loaded.map((rule, at): RuleGraphNode => {
    const { definition } = rule
    const original = originals[at]
    const parents = new Set(rules.placements(rule.id).flatMap(({ parent }) => (parent === null ? [] : [parent.rule.id])))
    const target = rule.search?.kind === 'rule' ? byIndex.get(rule.search.target) : undefined
    // A rule that names no other parent is below the rule whose events it counts.
    const matched = target === undefined ? (counted.get(rule.index) ?? []) : [target.id]
    return {
      id: String(rule.id),
      level: rule.level,
      description: fromByteString(definition.description ?? ''),
      filename: definition.source.filename,
      line: definition.span.line,
      scope: definition.source.scope,
      groups: rule.groups.map(fromByteString),
      attack_ids: rule.mitreIds.map(fromByteString),
      noalert: definition.noalert,
      overwrites: original === definition || rule.id < TOP_LEVEL_IDS ? null : { filename: original.source.filename, line: original.span.line },
      links: [
        ...linksOf(
          placementKind(rule),
          [...parents].filter((parent) => !matched.includes(parent)),
        ),
        ...linksOf(target === undefined ? 'if_matched_group' : 'if_matched_sid', matched),
      ],
      counts: rule.search === null ? null : { events: neededEvents(rule) + 2, seconds: definition.timeframe },
      ignore: definition.ignore,
    }
  })
}

function linksOf(kind: RuleLink['kind'], ids: readonly number[]): readonly RuleLink[] {
  return ids.slice(0, LINKS_LIMIT).map((id) => ({ kind, id: String(id) }))
}

/** Returns the option that places a rule below its parents. */
function placementKind({ definition: { ifSid, ifLevel, ifGroup } }: CompiledRule): RuleLink['kind'] {
  if (ifSid !== null && ifSid !== '') return 'if_sid'
  if (ifLevel !== null) return 'if_level'
  return ifGroup !== null ? 'if_group' : 'category'
}
