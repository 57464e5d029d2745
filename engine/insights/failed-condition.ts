/** Describes the condition that failed in a rule, and says it in a sentence. */
import type { Locale } from '../diagnostics/text.js'
import type { Explanation } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { category } from '../rules/options/category.js'
import { checkDiff } from '../rules/options/check-diff.js'
import { decodedAs } from '../rules/options/decoded-as.js'
import { SEARCH_FAILS } from '../rules/options/explanations.js'
import { ifFts } from '../rules/options/if-fts.js'
import { list } from '../rules/options/list.js'
import type { RuleFailure } from '../rules/recorder.js'
import { fromByteString } from '../source/byte-string.js'
import { historyTag, writtenCondition } from '../trace/rule-details.js'
import { cutText } from '../trace/text.js'
import { findStop, type StoppedAt } from './stopped-at.js'
import type { TracedRun } from './tip.js'

export type FailedCondition = NonNullable<Explanation['failed_condition']>
export type Failure = RuleFailure | { readonly kind: 'category'; readonly expected: string; readonly actual: string }

export function describeFailure(rule: CompiledRule, failure: Failure): FailedCondition {
  const plain = { rule_id: String(rule.id), field: null, pattern: '', negate: false, text: null, stopped_at: null }
  switch (failure.kind) {
    case 'category':
      return { ...plain, tag: 'category', pattern: failure.expected, text: failure.actual }
    case 'decoder':
      return { ...plain, tag: 'decoded_as', pattern: fromByteString(failure.expected), text: failure.actual === null ? null : fromByteString(failure.actual) }
    case 'condition':
      return { ...plain, ...writtenCondition(rule, failure.condition), text: failure.text === undefined ? null : cutText(failure.text), stopped_at: stopOf(failure) }
    case 'list':
      return {
        ...plain,
        tag: 'list',
        field: fromByteString(failure.list.field),
        pattern: fromByteString(failure.list.path),
        text: failure.text === undefined ? null : cutText(failure.text),
      }
    case 'history':
      return { ...plain, tag: historyTag(rule), pattern: countedBy(rule) }
    case 'check_diff':
    case 'if_fts':
      return { ...plain, tag: failure.kind }
  }
}

function countedBy({ definition }: CompiledRule): string {
  return cutText(definition.ifMatchedSid ?? definition.ifMatchedGroup ?? definition.ifMatchedRegex ?? '')
}

/** Each option describes its own failure. */
export function failureSentence({ event, runner }: TracedRun, rule: CompiledRule, failure: Failure, failed: FailedCondition, locale: Locale): string {
  const { decoder } = event
  const { tag, field, pattern, negate, text, stopped_at: stop } = failed
  switch (failure.kind) {
    case 'category':
      return category.explain[locale](failure.expected, failure.actual)
    case 'decoder':
      return decodedAs.explain[locale]({ wanted: pattern, actual: text })
    case 'condition': {
      const stopped = stop === null ? null : { matched: stop.matched_part, expected: stop.expected, at: stop.text_offset }
      return failure.condition.option.explain[locale]({ tag, field, pattern, negate, text, stopped })
    }
    case 'list':
      return list.explain[locale]({ list: pattern, field: field ?? '', text })
    case 'history': {
      const counted = rule.search?.kind === 'rule' ? runner.ruleset.rules.find(Number(pattern)) : undefined
      const isSilent = counted !== undefined && (counted.level === 0 || counted.definition.noalert)
      const { timeframe } = rule.definition
      return SEARCH_FAILS[locale]({ tag, counted: failure.counted, needed: failure.needed, timeframe, silent: isSilent ? String(counted.id) : null })
    }
    case 'check_diff':
      return checkDiff.explain[locale](null)
    case 'if_fts':
      return ifFts.explain[locale]({ decoder: decoder === null ? null : fromByteString(decoder.name), hasFts: decoder?.definition.fts != null })
  }
}

/** Where a pattern stopped matching. Null for other conditions, and when there is no text or the match itself failed the rule. */
function stopOf({ condition: { test }, text }: Extract<RuleFailure, { readonly kind: 'condition' }>): StoppedAt | null {
  if (text === undefined) return null
  if (test.kind === 'pattern') return test.negate ? null : findStop(test.expression.dialect, test.expression.pattern, text)
  return test.kind === 'exact' && !test.negate ? findStop('exact', test.text, text) : null
}
