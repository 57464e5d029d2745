/** An own rule counts a rule that this event matches, but a rule below that one answers, and only the rule that answers is counted (BEHAVIOUR.md#histories). */
import type { CompiledRule } from '../../rules/compiled-rule.js'
import { fromByteString } from '../../source/byte-string.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly rule: number
  readonly counted: number
  /** The group that is counted; null: the rule itself is. */
  readonly group: string | null
  readonly answer: number
}

function valuesOf({ outcome: { rule: answer, path }, near, failures, runner: { ruleset } }: ToldRun): Values | null {
  // A rule of level 0 is there to keep events from being counted, and another rule that counts them has fired on them.
  if (near === null || answer === null || answer.level === 0 || answer.search !== null || failures.composites.size === 0) return null
  const { feeds } = ruleset.rules.wiring
  const isFed = (rule: CompiledRule, composite: number): boolean => (feeds.get(rule.index) ?? []).some((feed) => feed.composite === composite)
  for (const rule of failures.composites.keys()) {
    const { search } = rule
    if (!near.own.isOwn(rule) || search === null) continue
    if (search.kind === 'rule' && search.target !== answer.index) {
      const counted = path.find(({ index, level }) => index === search.target && level > 0)
      if (counted !== undefined) return { rule: rule.id, counted: counted.id, group: null, answer: answer.id }
    }
    if (search.kind === 'group' && !isFed(answer, rule.index)) {
      const counted = path.find((above) => above.level > 0 && isFed(above, rule.index))
      if (counted !== undefined) return { rule: rule.id, counted: counted.id, group: fromByteString(rule.definition.ifMatchedGroup ?? ''), answer: answer.id }
    }
  }
  return null
}

export const countedRuleOverruled = defineTip<Values>({
  id: 'counted-rule-overruled',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, answer }) => `${rule} ${answer}`,
  text: {
    'en-US': ({ rule, counted, group, answer }) =>
      `Your rule ${rule} counts ${group === null ? `rule ${counted}` : `the group "${group}", which rule ${counted} has`}, but not this event: rule ${answer}, below it, answers, and only the rule that answers is counted.`,
    'pt-BR': ({ rule, counted, group, answer }) =>
      `A sua regra ${rule} conta ${group === null ? `a regra ${counted}` : `o grupo "${group}", que a regra ${counted} tem`}, mas não este evento: a regra ${answer}, abaixo dela, responde, e só a regra que responde é contada.`,
  },
})
