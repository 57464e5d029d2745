/** Which operators and values a filter may apply to an attribute (RFC 7644, 3.4.2.2). */
import type { Attribute, AttributeType } from '../attribute.js'
import { type AttributePath, leafOf, pathText, resolveSub } from '../attribute-path.js'
import { ScimError } from '../errors.js'
import { parseBoolean, parseDateTime } from '../simple-values.js'
import { foldCase } from '../text-order.js'
import type { Filter, FilterValue, Operator } from './filter.js'

const EQUALITY: readonly Operator[] = ['eq', 'ne']
const ORDER: readonly Operator[] = [...EQUALITY, 'gt', 'ge', 'lt', 'le']
const TEXT: readonly Operator[] = [...ORDER, 'co', 'sw', 'ew']

const OPERATORS_OF: Readonly<Record<AttributeType, readonly Operator[]>> = {
  string: TEXT,
  reference: TEXT,
  // RFC 7644 refuses the order of booleans and binary values.
  binary: ['eq', 'ne', 'co', 'sw', 'ew'],
  boolean: EQUALITY,
  integer: ORDER,
  decimal: ORDER,
  dateTime: ORDER,
  complex: [],
}

/**
 * Builds a comparison. The value of a complex attribute is its sub-attribute `value`: `emails co "example.com"` means `emails.value co "example.com"`.
 * @param value as JSON @throws ScimError
 */
export function compareFilter(path: AttributePath, operator: Operator, value: FilterValue): Filter {
  const target = leafOf(path).type === 'complex' ? (resolveSub(path, 'value') ?? path) : path
  const leaf = leafOf(target)
  if (!OPERATORS_OF[leaf.type].includes(operator) || (value === null && !EQUALITY.includes(operator))) {
    throw new ScimError('filter_comparison_unsupported', { operator, attribute: pathText(path) })
  }
  const typed = value === null ? null : typedValue(leaf, value)
  if (typed === undefined) throw new ScimError('filter_value_wrong', { attribute: pathText(path), type: leaf.type })
  return { kind: 'compare', path: target, operator, value: typed, literal: value }
}

/** The form in which values of an attribute are compared; undefined: the value has another type. Entra ID sends booleans as texts. */
export function typedValue({ type, caseExact }: Attribute, value: unknown): string | number | boolean | undefined {
  switch (type) {
    case 'boolean':
      return parseBoolean(value)
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? value : undefined
    case 'dateTime':
      return parseDateTime(value)
    case 'complex':
      return undefined
    default:
      if (typeof value !== 'string') return undefined
      return caseExact ? value : foldCase(value)
  }
}
