/**
 * Encodes documents as JSON and decodes them, for rows of the embedded store and lines of backups. A value that JSON cannot represent becomes an object with one
 * field whose name begins with `$`. An object of a document that has such a field is wrapped as `$object`.
 */
import { NESTING_LIMIT } from './values.js'

export function encode(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return { $date: value.getTime() }
  if (Array.isArray(value)) return value.map(encode)
  const encoded: Record<string, unknown> = {}
  for (const [field, inner] of Object.entries(value)) {
    if (field.startsWith('$')) return { $object: Object.entries(value).map(([name, part]) => [name, encode(part)]) }
    encoded[field] = encode(inner)
  }
  return encoded
}

/** Decodes in place a value that `JSON.parse` returned. @throws RangeError for values that are nested too deeply */
export function decode(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > NESTING_LIMIT) throw new RangeError(`nested deeper than ${NESTING_LIMIT}`)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = decode(value[index], depth + 1)
    return value
  }
  const object = value as Record<string, unknown>
  for (const field in object) {
    if (field.startsWith('$')) return decodeWrapped(object, field, depth)
    const inner = object[field]
    if (typeof inner === 'object' && inner !== null) object[field] = decode(inner, depth + 1)
  }
  return object
}

function decodeWrapped(object: Record<string, unknown>, field: string, depth: number): unknown {
  const inner = object[field]
  if (field === '$date' && typeof inner === 'number') return new Date(inner)
  if (field === '$number') return Number(inner)
  if (field === '$object' && Array.isArray(inner) && inner.every(Array.isArray)) return Object.fromEntries(inner.map(([name, part]) => [String(name), decode(part, depth + 1)]))
  return object
}
