/**
 * Defines the values that a document may contain, and copies documents. A document is copied before it is stored, so that the store and the caller share nothing,
 * and both stores hold the same values: undefined fields are dropped, and texts become well-formed Unicode.
 */
import { toUSVString } from 'node:util'

/** Maximum nesting depth of a document; MongoDB has the same limit. */
export const NESTING_LIMIT = 100
/** Maximum size as BSON. MongoDB's limit is 16 MB for the document with the overhead of its command. */
export const DOCUMENT_BYTES = 15 * 1024 * 1024

export type Value = null | boolean | number | string | Date | Value[] | ValueObject
export interface ValueObject {
  [field: string]: Value
}

export const isObject = (value: unknown): value is ValueObject => typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Returns a copy and its size as BSON. @throws TypeError for values that are neither JSON nor a date */
export function copyDocument(document: object): { value: ValueObject; bytes: number } {
  const size = { bytes: 0 }
  return { value: copyObject(document, size, 0), bytes: size.bytes }
}

function copy(value: unknown, size: { bytes: number }, depth: number): Value | undefined {
  switch (typeof value) {
    case 'string': {
      const text = toUSVString(value)
      size.bytes += 5 + Buffer.byteLength(text)
      return text
    }
    case 'number':
      size.bytes += Number.isInteger(value) && value >= -0x80000000 && value <= 0x7fffffff ? 4 : 8
      if (!Number.isFinite(value)) throw new TypeError(`a document can't hold ${value}`)
      // JSON cannot represent -0.
      return value === 0 ? 0 : value
    case 'boolean':
      size.bytes += 1
      return value
    case 'undefined':
      return undefined
    case 'object':
      break
    default:
      throw new TypeError(`a document can't hold a ${typeof value}`)
  }
  if (value === null) return null
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new TypeError("a document can't hold an invalid date")
    size.bytes += 8
    return new Date(value)
  }
  if (Array.isArray(value)) return copyArray(value, size, depth + 1)
  return copyObject(value, size, depth + 1)
}

function copyArray(value: readonly unknown[], size: { bytes: number }, depth: number): Value[] {
  if (depth > NESTING_LIMIT) throw new TypeError(`a document can't be nested deeper than ${NESTING_LIMIT}`)
  size.bytes += 5
  return Array.from(value, (element, index) => {
    size.bytes += 2 + String(index).length
    return copy(element, size, depth) ?? null
  })
}

function copyObject(value: object, size: { bytes: number }, depth: number): ValueObject {
  if (depth > NESTING_LIMIT) throw new TypeError(`a document can't be nested deeper than ${NESTING_LIMIT}`)
  const prototype = Object.getPrototypeOf(value) as unknown
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError(`a document can't hold a ${value.constructor?.name ?? 'foreign object'}`)
  size.bytes += 5
  const copied: ValueObject = {}
  for (const [field, inner] of Object.entries(value)) {
    const copiedValue = copy(inner, size, depth)
    if (copiedValue === undefined) continue
    // An assignment would set the prototype instead.
    if (field === '__proto__') throw new TypeError("a document can't have a field __proto__")
    size.bytes += 2 + Buffer.byteLength(field)
    copied[toUSVString(field)] = copiedValue
  }
  return copied
}
