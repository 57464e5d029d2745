/** An own rule counts a group, and another rule counts this member of it by its id: only that one gets the events (BEHAVIOUR.md#histories). */
import type { CompiledRule } from '../../rules/compiled-rule.js'
import type { RuleTree } from '../../rules/tree.js'
import { fromByteString } from '../../source/byte-string.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** The first rule that counts each rule by its id. Found once for each tree. */
const COUNTING = new WeakMap<RuleTree, ReadonlyMap<number, CompiledRule>>()

function countingOf(tree: RuleTree): ReadonlyMap<number, CompiledRule> {
  let counting = COUNTING.get(tree)
  if (counting === undefined) {
    const found = new Map<number, CompiledRule>()
    for (const rule of tree.inOrder()) if (rule.search?.kind === 'rule' && !found.has(rule.search.target)) found.set(rule.search.target, rule)
    counting = found
    COUNTING.set(tree, counting)
  }
  return counting
}

function valuesOf({ outcome: { rule: answer }, near, runner: { ruleset } }: ToldRun): Values | null {
  if (near === null || answer === null || answer.level === 0) return null
  const { matched, feeds } = ruleset.rules.wiring
  if (!matched.has(answer.index)) return null
  const fed = feeds.get(answer.index) ?? []
  const starved = near.failures.find(({ rule, failure }) => failure.kind === 'history' && rule.search?.kind === 'group' && fed.some(({ composite }) => composite === rule.index))
  const taker = starved === undefined ? undefined : countingOf(ruleset.rules).get(answer.index)
  if (starved === undefined || taker === undefined) return null
  return { rule: starved.rule.id, group: fromByteString(starved.rule.definition.ifMatchedGroup ?? ''), member: answer.id, taker: taker.id }
}

interface Values {
  readonly rule: number
  readonly group: string
  readonly member: number
  readonly taker: number
}

export const groupMemberTaken = defineTip<Values>({
  id: 'group-member-taken',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, member }) => `${rule} ${member}`,
  text: {
    'en-US': ({ rule, group, member, taker }) =>
      `Your rule ${rule} counts the group "${group}", but not this event: rule ${taker} counts rule ${member} in <if_matched_sid>, and a rule that is counted by its id never counts for a group.`,
    'pt-BR': ({ rule, group, member, taker }) =>
      `A sua regra ${rule} conta o grupo "${group}", mas não este evento: a regra ${taker} conta a regra ${member} em <if_matched_sid>, e uma regra contada pelo id nunca conta para um grupo.`,
  },
})
