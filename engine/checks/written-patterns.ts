/** The patterns of a rule's conditions, with the elements that they were written in. */
import type { Expression } from '../expressions/expression.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { field } from '../rules/options/field.js'
import type { ConditionKind } from '../rules/options/option.js'
import type { RulePattern } from '../rules/options/pattern-text.js'

export interface WrittenPattern {
  readonly condition: Condition
  readonly expression: Expression
  /** The name of the tag. */
  readonly name: string
  /** The name of the tag, with the field of `<field>`. */
  readonly tag: string
  readonly written: RulePattern
}

export function writtenPatterns({ definition, conditions }: CompiledRule): WrittenPattern[] {
  return conditions.flatMap((condition) => {
    if (condition.test.kind !== 'pattern') return []
    const { expression } = condition.test
    const { name } = condition.option
    const written =
      condition.field === null
        ? [definition.valueOf(condition.option as ConditionKind<RulePattern>)]
        : (definition.valueOf(field)?.accepted ?? []).filter((one) => one.text === expression.pattern && one.name === condition.field)
    const tag = condition.field === null ? name : `${name} name="${condition.field}"`
    return written.flatMap((one) => (one === undefined ? [] : [{ condition, expression, name, tag, written: one }]))
  })
}
