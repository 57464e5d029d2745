/**
 * Evaluates a filter on resources in memory. An attribute without a value satisfies `ne`, `eq null` and `not (… pr)`, and nothing else. At least one value of a
 * multi-valued attribute must satisfy the comparison (RFC 7644, 3.4.2.2).
 */
import type { Attribute } from '../attribute.js'
import { type AttributePath, attributeValue, leafOf } from '../attribute-path.js'
import { ScimError } from '../errors.js'
import { isObject, type ScimObject, type ScimValue, valuesOf } from '../resource.js'
import { compareTexts } from '../text-order.js'
import type { Comparison, Filter, FilterValue, Operator } from './filter.js'
import { typedValue } from './values.js'

/**
 * Comparisons of one request, over all resources. A list of as many users as an organization has (`MEMBERS_LIMIT` of tenancy) with the largest filter needs less than half of it. They
 * run on the main thread, for about 0.2 seconds at most.
 */
const COMPARISONS_LIMIT = 1_000_000
/** Characters that are compared in about the time of a comparison. */
const CHARACTERS_OF_A_COMPARISON = 64

/** Counts the comparisons of one request. */
export class ComparisonBudget {
  #left: number

  constructor(limit = COMPARISONS_LIMIT) {
    this.#left = limit
  }

  /** @throws ScimError tooMany */
  take(comparisons: number): void {
    this.#left -= comparisons
    if (this.#left < 0) throw new ScimError('too_many_comparisons', {})
  }

  /** Counts the comparison of one value. @throws ScimError tooMany */
  compare(value: ScimValue): void {
    this.take(typeof value === 'string' ? 1 + Math.floor(value.length / CHARACTERS_OF_A_COMPARISON) : 1)
  }
}

/** Whether a resource satisfies a filter. @throws ScimError tooMany */
export function matches(filter: Filter, resource: ScimObject, budget: ComparisonBudget): boolean {
  return evaluate(filter, (path) => attributeValue(resource, path), budget)
}

/** Whether one value of a multi-valued attribute satisfies the filter of its brackets. @throws ScimError tooMany */
export function matchesElement(filter: Filter, element: ScimValue, budget: ComparisonBudget): boolean {
  return evaluate(filter, () => element, budget)
}

/** @param valueAt returns the value of an attribute, without regard to the sub-attribute */
function evaluate(filter: Filter, valueAt: (path: AttributePath) => ScimValue | undefined, budget: ComparisonBudget): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((one) => evaluate(one, valueAt, budget))
    case 'or':
      return filter.filters.some((one) => evaluate(one, valueAt, budget))
    case 'not':
      return !evaluate(filter.filter, valueAt, budget)
    case 'element':
      return valuesOf(valueAt(filter.path)).some((element) => matchesElement(filter.filter, element, budget))
    case 'present':
      budget.take(1)
      return someValue(valueAt(filter.path), filter.path.sub, () => true)
    case 'compare':
      return compareValues(filter, valueAt(filter.path), budget)
  }
}

function compareValues({ path, operator, value: expected }: Comparison, found: ScimValue | undefined, budget: ComparisonBudget): boolean {
  const leaf = leafOf(path)
  let isAssigned = false
  const isMatch = someValue(found, path.sub, (one) => {
    budget.compare(one)
    isAssigned = true
    const actual = typedValue(leaf, one)
    return actual !== undefined && compare(actual, operator, expected)
  })
  return isMatch || (!isAssigned && operator === (expected === null ? 'eq' : 'ne'))
}

/** Whether one of the values, or of their sub-attributes, satisfies a condition. */
function someValue(found: ScimValue | undefined, sub: Attribute | null, is: (value: ScimValue) => boolean): boolean {
  if (found === undefined) return false
  if (Array.isArray(found)) return found.some((one: ScimValue) => someValue(one, sub, is))
  return sub === null ? is(found as ScimValue) : isObject(found) && someValue((found as ScimObject)[sub.name], null, is)
}

/** @param actual of the type of `expected`, which is that of the attribute, or null */
function compare(actual: string | number | boolean, operator: Operator, expected: FilterValue): boolean {
  switch (operator) {
    case 'eq':
      return actual === expected
    case 'ne':
      return actual !== expected
    case 'co':
      return String(actual).includes(String(expected))
    case 'sw':
      return String(actual).startsWith(String(expected))
    case 'ew':
      return String(actual).endsWith(String(expected))
    case 'gt':
      return order(actual, expected) > 0
    case 'ge':
      return order(actual, expected) >= 0
    case 'lt':
      return order(actual, expected) < 0
    case 'le':
      return order(actual, expected) <= 0
  }
}

function order(actual: string | number | boolean, expected: FilterValue): number {
  return typeof actual === 'string' ? compareTexts(actual, String(expected)) : Number(actual) - Number(expected)
}
