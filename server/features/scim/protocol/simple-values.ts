/** Values of simple types as clients write them. Undefined: the value has another type. */

/** A boolean, also as text: Entra ID sends `"True"` and `"False"`. */
export function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' || value.length > 'false'.length) return undefined
  return BOOLEANS.get(value.toLowerCase())
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** `xsd:dateTime` (RFC 7643, 2.3.5), at most nine digits of a second. Without an offset the time is UTC. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/i

/** Milliseconds of a date. */
export function parseDateTime(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const found = DATE_TIME.exec(value)
  if (found === null) return undefined
  const time = Date.parse(found[1] === undefined ? `${value}Z` : value.toUpperCase())
  return Number.isNaN(time) ? undefined : time
}
