/** Resources as JSON values. Names are those of the schemas, so that no name of a request (`__proto__`) becomes a key. */

export type ScimValue = string | number | boolean | ScimObject | readonly ScimValue[]

/** An unassigned attribute is missing: there is no null, no empty text, list or object (RFC 7643, 2.5). */
export interface ScimObject {
  readonly [name: string]: ScimValue | undefined
}

/** Whether a value of a body is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as a list: the values of a multi-valued attribute, one value, or none. */
export function valuesOf(value: ScimValue | undefined): readonly ScimValue[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value as ScimValue]
}
