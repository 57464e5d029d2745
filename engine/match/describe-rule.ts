/** Expands a rule's description (BEHAVIOUR.md#description-text). */
import type { CompiledRule } from '../rules/compiled-rule.js'
import { DESCRIPTION_LIMIT } from '../rules/compile.js'
import type { ConditionEvaluator } from '../rules/evaluate.js'

/** Returns the description of a rule if it is the same for every event; null: it contains fields, or is too long. */
export function constantDescription({ description }: CompiledRule): string | null {
  return description.length === 1 && typeof description[0] === 'string' && description[0].length < DESCRIPTION_LIMIT ? description[0] : null
}

/** `$(name)` becomes the field's text, or nothing. If the result is too long, the template itself is used. */
export function expandDescription(rule: CompiledRule, evaluator: ConditionEvaluator): string {
  const constant = constantDescription(rule)
  if (constant !== null) return constant
  let text = ''
  for (const piece of rule.description) text += typeof piece === 'string' ? piece : piece.subject === null ? '' : (evaluator.text(piece.subject) ?? '')
  return text.length >= DESCRIPTION_LIMIT ? (rule.definition.description ?? '') : text
}
