/** Describes why a rule failed, in the terms of its own XML. */
import type { TraceEntry } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { fromByteString } from '../source/byte-string.js'
import type { EventTexts } from './event-texts.js'
import type { RuleFailure } from '../rules/recorder.js'
import { cutText } from './text.js'

type Details = TraceEntry['details']

export const MATCHED: Details = {}
const CHECK_DIFF: Details = { condition: 'check_diff' }
const IF_FTS: Details = { condition: 'if_fts' }

/** A condition as written, independent of the event. */
export interface WrittenCondition {
  readonly tag: string
  readonly field: string | null
  readonly pattern: string
  readonly negate: boolean
}

/** Describes what failed in a rule. */
export function describeFailure(rule: CompiledRule, failure: RuleFailure, texts: EventTexts): Details {
  switch (failure.kind) {
    case 'decoder':
      return { condition: 'decoded_as', expected: fromByteString(failure.expected), actual: failureText(failure, texts) }
    case 'condition': {
      const { tag, field, pattern, negate } = writtenCondition(rule, failure.condition)
      const text = failureText(failure, texts)
      return field === null ? { condition: tag, pattern, negate, text } : { condition: tag, field, pattern, negate, text }
    }
    case 'check_diff':
      return CHECK_DIFF
    case 'if_fts':
      return IF_FTS
    case 'list': {
      const { path, field, lookup } = failure.list
      return { condition: 'list', list: fromByteString(path), field: fromByteString(field), lookup, text: failureText(failure, texts) }
    }
    case 'history':
      return { condition: historyTag(rule), counted: failure.counted, needed: failure.needed, timeframe: rule.definition.timeframe }
  }
}

/** The text of the event that the failed condition tested; null when there is none. */
export function failureText(failure: RuleFailure, texts: EventTexts): string | null {
  switch (failure.kind) {
    case 'condition':
    case 'list':
      return texts.known(failure.text)
    case 'decoder':
      return texts.known(failure.actual)
    default:
      return null
  }
}

/** The tag with which a composite selects what it counts. */
export function historyTag({ definition }: CompiledRule): 'if_matched_sid' | 'if_matched_group' | 'if_matched_regex' {
  if (definition.ifMatchedSid !== null) return 'if_matched_sid'
  return definition.ifMatchedGroup === null ? 'if_matched_regex' : 'if_matched_group'
}

/** Cached: rules with equal conditions share one object. The result depends on the rule only if it wrote the condition with another tag. */
const WRITTEN = new WeakMap<Condition, Map<CompiledRule | null, WrittenCondition>>()

export function writtenCondition(rule: CompiledRule, condition: Condition): WrittenCondition {
  let known = WRITTEN.get(condition)
  if (known === undefined) {
    known = new Map()
    WRITTEN.set(condition, known)
  }
  const isShared = condition.shown !== null && rule.definition.places.has(condition.option.name)
  const key = isShared ? null : rule
  let written = known.get(key)
  if (written === undefined) {
    written = write(rule, condition)
    known.set(key, written)
  }
  return written
}

function write({ definition }: CompiledRule, { option, field, shown, test }: Condition): WrittenCondition {
  const { name } = option
  const negate = 'negate' in test && test.negate
  const shownField = field === null ? null : fromByteString(field)
  if (shown === null) return { tag: name, field: shownField, pattern: contentOf(definition, name), negate }
  // `<match type="osregex">` and `<regex>` are the same condition; the tag that the rule uses is shown.
  const own = definition.places.has(name) ? undefined : definition.conditions.find(({ kind, value }) => kind.patternText?.(value) === shown)
  return { tag: own?.kind.name ?? name, field: shownField, pattern: cutText(shown), negate }
}

/** Contents of all tags with the name. */
function contentOf({ element }: CompiledRule['definition'], tag: string): string {
  const contents = element.children.filter(({ name }) => name.toLowerCase() === tag).map(({ content }) => content)
  return cutText(contents.join(', '))
}
