/** MongoDB's order of values: by type first, texts by their UTF-8 bytes. Keys of indexes (`key.ts`) are in the same order. */
import type { Value, ValueObject } from '../values.js'

/** Where a type stands. `EMPTY` is what an array without elements is sorted as. */
export const RANK = { empty: 0x05, null: 0x10, number: 0x20, string: 0x30, object: 0x40, array: 0x45, boolean: 0x50, date: 0x60 } as const

/** Stands for an array without elements, which sorts before everything. */
export const EMPTY = Symbol('no elements')
export type Ordered = Value | undefined | typeof EMPTY

export function rankOf(value: Ordered): number {
  switch (typeof value) {
    case 'number':
      return RANK.number
    case 'string':
      return RANK.string
    case 'boolean':
      return RANK.boolean
    case 'symbol':
      return RANK.empty
    case 'undefined':
      return RANK.null
    default:
      if (value === null) return RANK.null
      if (value instanceof Date) return RANK.date
      return Array.isArray(value) ? RANK.array : RANK.object
  }
}

export function compareValues(a: Ordered, b: Ordered): number {
  const rank = rankOf(a)
  const difference = rank - rankOf(b)
  if (difference !== 0) return difference
  switch (rank) {
    case RANK.number:
      return compareNumbers(a as number, b as number)
    case RANK.string:
      return compareTexts(a as string, b as string)
    case RANK.boolean:
      return Number(a) - Number(b)
    case RANK.date:
      return (a as Date).getTime() - (b as Date).getTime()
    case RANK.array:
      return compareLists(a as Value[], b as Value[])
    case RANK.object:
      return compareObjects(a as ValueObject, b as ValueObject)
    default:
      return 0
  }
}

/** NaN is the least of the numbers, and equal to itself. */
function compareNumbers(a: number, b: number): number {
  if (a < b) return -1
  if (a > b) return 1
  if (a === b) return 0
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a))
}

/** By code point, which is by UTF-8 byte: in UTF-16 the surrogates of what comes last stand before U+E000. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y)
  }
  return a.length - b.length
}

const surrogatesLast = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit)

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const difference = compareValues(a[index], b[index])
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function compareObjects(a: ValueObject, b: ValueObject): number {
  const left = Object.entries(a)
  const right = Object.entries(b)
  for (let index = 0; index < left.length && index < right.length; index++) {
    const [field, value] = left[index]
    const [otherField, other] = right[index]
    const difference = rankOf(value) - rankOf(other) || compareTexts(field, otherField) || compareValues(value, other)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** What a field sorts as: of an array its least element going up, its greatest going down. */
function sortValue(value: Value | undefined, direction: 1 | -1): Ordered {
  if (!Array.isArray(value)) return value
  if (value.length === 0) return EMPTY
  return value.reduce((best, element) => (compareValues(element, best) * direction < 0 ? element : best))
}

export type SortField = readonly [field: string, direction: 1 | -1]

export function compareBy(fields: readonly SortField[]): (a: ValueObject, b: ValueObject) => number {
  return (a, b) => {
    for (const [field, direction] of fields) {
      const difference = compareValues(sortValue(a[field], direction), sortValue(b[field], direction)) * direction
      if (difference !== 0) return difference
    }
    return 0
  }
}
