/**
 * Conditions of a rule that hold wherever others do: those of the rules above it, or of the rule itself. The patterns of one text are compared by their bounds, so each
 * is a proof.
 */
import type { CompiledRule } from '../rules/compiled-rule.js'
import { type Condition, SUBJECT_NEVER } from '../rules/condition.js'
import type { ConflictPart } from './cannot-fire.js'
import { type Bounds, type Requirement, requirementOf } from './exclusion.js'

/** Conditions of one text that are compared together. */
const TOGETHER_LIMIT = 24

type ConditionPart = Extract<ConflictPart, { readonly kind: 'condition' }>
type Given = Requirement & { readonly part: ConditionPart | null }

export interface ImpliedCondition {
  readonly condition: Condition
  /** The conditions that decide instead, in the rule's first placement. */
  readonly by: readonly ConditionPart[]
}

/**
 * A `<match>` before a regular expression of its rule is none: it spares the expression most texts.
 * @param paths the rules above each placement @returns conditions without all of which the rule has the same events; not those that a rule above has itself
 */
export function impliedConditions(bounds: Bounds, rule: CompiledRule, paths: readonly (readonly CompiledRule[])[]): readonly ImpliedCondition[] {
  if (paths.length === 0) return []
  const out = new Set(rule.conditions.filter((condition) => paths.every((path) => path.some(({ conditions }) => conditions.includes(condition)))))
  const found: ImpliedCondition[] = []
  for (const condition of rule.conditions) {
    if (out.has(condition) || condition.subject === SUBJECT_NEVER) continue
    const fails = requirementOf(bounds, condition.test, false)
    if (fails === null) continue
    const own = rule.conditions.filter((other) => other !== condition && !out.has(other) && !isSpared(condition, other)).map((other) => partOf(rule, other))
    const reasons: (readonly ConditionPart[])[] = []
    for (const path of paths) {
      const above = path.flatMap((other) => other.conditions.map((each) => partOf(other, each)))
      const reason = reasonFor(bounds, condition, fails, above) ?? reasonFor(bounds, condition, fails, [...above, ...own])
      if (reason === null) break
      reasons.push(reason)
    }
    if (reasons.length < paths.length) continue
    out.add(condition)
    found.push({ condition, by: reasons[0] })
  }
  return found
}

function partOf(rule: CompiledRule, condition: Condition): ConditionPart {
  return { kind: 'condition', rule, condition }
}

/** Whether the condition is a search for texts that spares a regular expression most events. */
function isSpared({ test }: Condition, { test: other }: Condition): boolean {
  const isList = test.kind === 'pattern' && test.expression.dialect === 'osmatch'
  return isList && other.kind === 'pattern' && other.expression.dialect !== 'osmatch'
}

/** The fewest conditions that hold only where the condition does. Null: they are not known to, or exclude each other. */
function reasonFor(bounds: Bounds, condition: Condition, fails: Requirement, parts: readonly ConditionPart[]): readonly ConditionPart[] | null {
  const same = parts.find((part) => part.condition === condition)
  if (same !== undefined) return [same]
  const given = parts
    .filter((part) => part.condition.subject === condition.subject)
    .slice(0, TOGETHER_LIMIT)
    .flatMap((part): Given[] => {
      const requirement = requirementOf(bounds, part.condition.test, true)
      return requirement === null ? [] : [{ ...requirement, part }]
    })
  if (given.length === 0) return null
  const all: readonly Given[] = [...given, { ...fails, part: null }]
  if (!bounds.excludeEachOther(all)) return null
  const core = bounds.coreOf(all)
  const reason = core.flatMap(({ part }) => part ?? [])
  return reason.length > 0 && reason.length < core.length ? reason : null
}
