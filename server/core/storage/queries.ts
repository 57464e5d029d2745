/**
 * Checks filters, updates and orders, and converts them to the form that both stores translate. Every store uses these functions, so all stores refuse the same
 * input with the same TypeErrors: an undefined or misspelt condition must not match every document, and a value of a request must not become an operator.
 */
import { toUSVString } from 'node:util'
import type { Bound, Filter, FindOptions, Scalar, StoredDocument, Update } from './contract.js'
import { copyDocument, isObject, type ValueObject } from './values.js'

export type FieldCondition = { readonly field: string } & (
  | { readonly operator: 'is' | 'not'; readonly value: Scalar }
  | { readonly operator: 'in' | 'notIn'; readonly value: readonly Scalar[] }
  | { readonly operator: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Bound }
  | { readonly operator: 'contains' | 'has'; readonly value: string }
)

export interface CheckedFilter {
  readonly conditions: readonly FieldCondition[]
  /** Null: there are no alternatives. */
  readonly anyOf: readonly (readonly FieldCondition[])[] | null
}

export interface CheckedUpdate {
  /** A copy of the caller's object. */
  readonly set: ValueObject
  readonly increment: Readonly<Record<string, number>>
  /** Size of `set` as BSON. */
  readonly bytes: number
}

export interface CheckedOptions {
  readonly sort: readonly (readonly [field: string, direction: 1 | -1])[]
  readonly skip: number
  /** Null: no limit. */
  readonly limit: number | null
}

const IMMUTABLE: ReadonlySet<string> = new Set(['_id', 'organization_id'])

/** @throws TypeError */
export function readFilter<T extends StoredDocument>(filter: Filter<T>): CheckedFilter {
  const { anyOf, ...conditions } = filter as Readonly<Record<string, unknown>>
  if (!('anyOf' in filter)) return { conditions: readConditions(conditions), anyOf: null }
  if (!Array.isArray(anyOf) || anyOf.length === 0) throw new TypeError('anyOf needs alternatives')
  return { conditions: readConditions(conditions), anyOf: anyOf.map(readConditions) }
}

/** @throws TypeError */
export function readUpdate<T extends StoredDocument>(update: Update<T>): CheckedUpdate {
  const { set = {}, increment = {}, ...rest } = update as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined || !isObject(set) || !isObject(increment)) throw new TypeError(`an update has set and increment, not ${unknown ?? 'other values of them'}`)
  const { value, bytes } = copyDocument(set)
  const added: Record<string, number> = {}
  for (const [field, step] of Object.entries(increment)) {
    if (step === undefined) continue
    if (typeof step !== 'number' || !Number.isFinite(step)) throw new TypeError(`the increment of ${field} is no number`)
    if (field in value) throw new TypeError(`an update sets and increments ${field}`)
    added[field] = step
  }
  for (const field of [...Object.keys(value), ...Object.keys(added)]) {
    requireField(field)
    if (IMMUTABLE.has(field)) throw new TypeError(`${field} never changes`)
  }
  return { set: value, increment: added, bytes }
}

/** @throws TypeError */
export function readOptions<T>({ sort = {}, skip = 0, limit }: FindOptions<T>): CheckedOptions {
  const order = Object.entries(sort as Readonly<Record<string, 1 | -1 | undefined>>).filter((field): field is [string, 1 | -1] => field[1] !== undefined)
  for (const [field, direction] of order) {
    requireField(field)
    if (direction !== 1 && direction !== -1) throw new TypeError('an order is 1 or -1')
  }
  if (!Number.isSafeInteger(skip) || skip < 0) throw new TypeError('skip is no number of documents')
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0)) throw new TypeError('limit is no number of documents')
  return { sort: order, skip, limit: limit ?? null }
}

/** Returns the pattern of a `contains` condition. Case folding is that of Unicode (`u`), as in MongoDB. */
export function patternOf(text: string): RegExp {
  // MongoDB refuses a pattern with a zero byte, but accepts the escape.
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\0', '\\x00'), 'iu')
}

function readConditions(conditions: unknown): FieldCondition[] {
  if (!isObject(conditions)) throw new TypeError('a filter is an object')
  return Object.entries(conditions as Readonly<Record<string, unknown>>).flatMap(([field, condition]): FieldCondition[] => {
    requireField(field)
    if (isScalar(condition)) return [{ field, operator: 'is', value: checkedText(condition) }]
    // This includes undefined: without the condition the filter would match every document.
    if (!isObject(condition)) throw new TypeError(`the condition on ${field} is neither a scalar nor a condition`)
    const operators = Object.entries(condition as Readonly<Record<string, unknown>>)
    if (operators.length === 0) throw new TypeError(`the condition on ${field} is empty`)
    return operators.map(([operator, value]) => readCondition(field, operator, value))
  })
}

function readCondition(field: string, operator: string, value: unknown): FieldCondition {
  switch (operator) {
    case 'not':
      if (isScalar(value)) return { field, operator, value: checkedText(value) }
      break
    case 'in':
    case 'notIn':
      if (Array.isArray(value) && value.every(isScalar)) return { field, operator, value: value.map(checkedText) }
      break
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (isScalar(value) && value !== null && typeof value !== 'boolean') return { field, operator, value: checkedText(value) }
      break
    case 'contains':
    case 'has':
      if (typeof value === 'string') return { field, operator, value: checkedText(value) }
      break
    default:
      throw new TypeError(`unknown condition ${operator} on ${field}`)
  }
  throw new TypeError(`${operator} on ${field} can't take that value`)
}

/** MongoDB would interpret such a name as a path or an operator. @throws TypeError */
function requireField(field: string): void {
  if (field === '' || field.startsWith('$') || field.includes('.') || field === '__proto__') throw new TypeError(`${field} is no field`)
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'string' || typeof value === 'boolean' || (value instanceof Date && !Number.isNaN(value.getTime()))
}

/** Returns the value with texts as well-formed Unicode, as they are stored. */
function checkedText<S extends Scalar>(value: S): S {
  return (typeof value === 'string' ? toUSVString(value) : value) as S
}
