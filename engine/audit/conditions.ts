/** What an event needs beside its own text to fire a rule: earlier events, entries of lists, a time, a place. */
import type { Locale } from '../diagnostics/text.js'
import { comparedFields } from '../generate/goal.js'
import { readsClock } from '../generate/rule-search.js'
import { neededEvents } from '../match/history.js'
import type { AuditCondition } from '../records/audit.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { SUBJECT_LOCATION } from '../rules/condition.js'
import type { RuleTree } from '../rules/tree.js'
import { fromByteString } from '../source/byte-string.js'
import { CONDITION_WORDS, type ConditionWords } from './words.js'

/** @param chain the rules from the top of the tree to the one that fires */
export function conditionsOf(rules: RuleTree, chain: readonly CompiledRule[], locale: Locale): AuditCondition[] {
  const words = CONDITION_WORDS[locale]
  const found: AuditCondition[] = []
  for (const rule of chain) {
    const { definition, lists, conditions, search } = rule
    if (search !== null && !definition.checkDiff) found.push({ code: 'counts', text: countText(rules, rule, words) })
    if (definition.ifFts) found.push({ code: 'first_time', text: words.firstTime })
    if (definition.checkDiff) found.push({ code: 'changed', text: words.changed })
    for (const { path, field } of lists) found.push({ code: 'list', text: words.list(fromByteString(path), fromByteString(field)) })
    for (const { option } of conditions.filter(readsClock)) found.push({ code: 'clock', text: words.clock(option.name, contentOf(rule, option.name)) })
    for (const condition of conditions) if (condition.subject === SUBJECT_LOCATION) found.push({ code: 'location', text: words.location(contentOf(rule, condition.option.name)) })
  }
  const ignore = chain.at(-1)?.definition.ignore ?? 0
  if (ignore > 0) found.push({ code: 'ignore', text: words.ignore(ignore) })
  return found.filter(({ text }, at) => found.findIndex((other) => other.text === text) === at)
}

function countText(rules: RuleTree, rule: CompiledRule, words: ConditionWords): string {
  const { search, definition } = rule
  const source =
    search?.kind === 'rule'
      ? words.rule(rules.inOrder().find(({ index }) => index === search.target)?.id ?? 0)
      : search?.kind === 'group'
        ? words.group(fromByteString(definition.ifMatchedGroup ?? ''))
        : words.memory
  const { same, different } = comparedFields(rule)
  const names = (fields: ReadonlyMap<unknown, string>, place: boolean): string[] => [...[...fields.values()].map(fromByteString), ...(place ? ['location'] : [])]
  return words.counts(
    neededEvents(rule) + 1,
    source,
    definition.timeframe,
    names(same, rule.same.includes(SUBJECT_LOCATION)).join(', '),
    names(different, rule.different.includes(SUBJECT_LOCATION)).join(', '),
  )
}

function contentOf({ definition }: CompiledRule, tag: string): string {
  return fromByteString(definition.places.get(tag)?.content ?? '').trim()
}
