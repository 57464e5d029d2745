/** Expands a rule's description (BEHAVIOUR.md#description-text). */
import type { CompiledRule } from '../rules/compiled-rule.js'
import { DESCRIPTION_LIMIT } from '../rules/compile.js'
import type { ConditionEvaluator } from '../rules/evaluate.js'

/** `$(name)` becomes the field's text, or nothing. If the result is too long, the template itself is used. */
export function expandDescription(rule: CompiledRule, evaluator: ConditionEvaluator): string {
  if (rule.fixedDescription !== null) return rule.fixedDescription
  let text = ''
  for (const piece of rule.description) text += typeof piece === 'string' ? piece : piece.subject === null ? '' : (evaluator.text(piece.subject) ?? '')
  return text.length >= DESCRIPTION_LIMIT ? (rule.definition.description ?? '') : text
}
