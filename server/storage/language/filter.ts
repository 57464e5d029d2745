/**
 * Filters of the contract as predicates. Own code instead of a library: mingo differs from MongoDB where the contract's stores must not (null
 * inside arrays of objects, the order of texts, nested arrays), and takes longer to read a filter than a look-up takes.
 */
import { toUSVString } from 'node:util'
import type { Filter, Scalar, StoredDocument } from '../contract.js'
import { compareValues, rankOf } from './order.js'
import { reach } from './path.js'
import { type FieldCondition as CheckedCondition, patternOf, readFilter as readQuestion } from '../questions.js'
import type { Value, ValueObject } from '../values.js'

type Test = (document: ValueObject) => boolean

/** One condition on one field, for the planner as well. */
export type Operation =
  | { readonly kind: '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte'; readonly value: Scalar }
  | { readonly kind: '$in' | '$nin'; readonly values: readonly Scalar[] }
  | { readonly kind: '$exists'; readonly value: boolean }
  | { readonly kind: '$regex'; readonly value: RegExp }

export interface FieldCondition {
  readonly field: string
  readonly operation: Operation
}

/** All conditions hold, and one branch of every choice. */
export interface Conjunction {
  readonly conditions: readonly FieldCondition[]
  readonly choices: readonly (readonly Conjunction[])[]
}

export interface CompiledFilter extends Conjunction {
  readonly test: Test
}

/** @throws TypeError for anything that the contract doesn't name: a misspelt operator must not match everything */
export function compileFilter<T extends StoredDocument>(filter: Filter<T>): CompiledFilter {
  const conjunction = readFilter(filter as Filter<StoredDocument>)
  return { ...conjunction, test: compileConjunction(conjunction) }
}

function readFilter(filter: Filter<StoredDocument>): Conjunction {
  const { conditions, anyOf } = readQuestion(filter)
  const choices = anyOf === null ? [] : [anyOf.map((alternative) => ({ conditions: alternative.map(conditionOf), choices: [] }))]
  return { conditions: conditions.map(conditionOf), choices }
}

function conditionOf(condition: CheckedCondition): FieldCondition {
  const { field, operator } = condition
  switch (operator) {
    case 'is':
    case 'has':
      return { field, operation: { kind: '$eq', value: condition.value } }
    case 'not':
      return { field, operation: { kind: '$ne', value: condition.value } }
    case 'in':
      return { field, operation: { kind: '$in', values: condition.value } }
    case 'notIn':
      return { field, operation: { kind: '$nin', values: condition.value } }
    case 'contains':
      return { field, operation: { kind: '$regex', value: patternOf(condition.value) } }
    default:
      return { field, operation: { kind: `$${operator}`, value: condition.value } }
  }
}

function compileConjunction({ conditions, choices }: Conjunction): Test {
  const tests = [
    ...conditions.map(compileCondition),
    ...choices.map((branches): Test => {
      const alternatives = branches.map(compileConjunction)
      return (document) => alternatives.some((alternative) => alternative(document))
    }),
  ]
  if (tests.length === 1) return tests[0]
  return (document) => {
    for (const test of tests) if (!test(document)) return false
    return true
  }
}

function compileCondition({ field, operation }: FieldCondition): Test {
  const path = field.split('.')
  const some =
    (visit: (found: Value | undefined) => boolean): Test =>
    (document) =>
      reach(document, path, visit)
  const none = (visit: (found: Value | undefined) => boolean): Test => {
    const test = some(visit)
    return (document) => !test(document)
  }
  switch (operation.kind) {
    case '$eq':
      return some(equals(operation.value))
    case '$ne':
      return none(equals(operation.value))
    case '$in':
      return some(isOneOf(operation.values))
    case '$nin':
      return none(isOneOf(operation.values))
    case '$exists':
      return operation.value ? some((found) => found !== undefined) : none((found) => found !== undefined)
    case '$regex':
      return some(matches(operation.value))
    default:
      return some(isBeyond(operation.kind, operation.value))
  }
}

/** Null is what isn't there, too. */
function equals(wanted: Scalar): (found: Value | undefined) => boolean {
  if (wanted === null) return (found) => found === null || found === undefined
  if (wanted instanceof Date) return (found) => found instanceof Date && found.getTime() === wanted.getTime()
  if (typeof wanted === 'number' && Number.isNaN(wanted)) return (found) => Number.isNaN(found)
  const value = typeof wanted === 'string' ? toUSVString(wanted) : wanted
  return (found) => found === value
}

function isOneOf(wanted: readonly Scalar[]): (found: Value | undefined) => boolean {
  const tests = wanted.map(equals)
  return (found) => tests.some((test) => test(found))
}

/** Only values of the same type are compared. NaN is neither less nor more than a number. */
function isBeyond(operator: '$gt' | '$gte' | '$lt' | '$lte', bound: Scalar): (found: Value | undefined) => boolean {
  const orEqual = operator === '$gte' || operator === '$lte'
  if (bound === null) return orEqual ? equals(null) : () => false
  const equal = equals(bound)
  if (Number.isNaN(bound)) return orEqual ? equal : () => false
  const rank = rankOf(bound)
  const sign = operator === '$gt' || operator === '$gte' ? 1 : -1
  return (found) => {
    if (rankOf(found) !== rank || Number.isNaN(found)) return false
    const difference = compareValues(found, bound) * sign
    return difference > 0 || (orEqual && difference === 0)
  }
}

function matches(pattern: RegExp): (found: Value | undefined) => boolean {
  return (found) => {
    if (typeof found !== 'string') return false
    pattern.lastIndex = 0
    return pattern.test(found)
  }
}
