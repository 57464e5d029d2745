/**
 * Parses JSON from outside and checks the value, in one call and without exceptions: for event loops, which read what is small, and for threads, which must not
 * throw and whose results are plain data. JSON of requests and of answers is parsed only here.
 */
import { isUtf8 } from 'node:buffer'
import type { FieldIssue } from './issue.js'
import { overJsonLimit } from './json-limits.js'
import type { DeprecatedField } from './prepare.js'
import { prune } from './prune.js'
import { validatorFor } from './validator.js'

export type ValidatedBytes =
  | { readonly kind: 'valid'; readonly value: unknown; readonly deprecated: readonly DeprecatedField[] }
  /** A 422; `invalidRequest` adds the texts of the issues. */
  | { readonly kind: 'invalid'; readonly issues: readonly FieldIssue[] }
  /** A 400 `body_unparseable`. */
  | { readonly kind: 'unparseable' }

export type PrunedBytes =
  | { readonly kind: 'valid'; readonly value: unknown }
  /** It exceeds a limit of JSON. */
  | { readonly kind: 'over'; readonly limit: number }
  /** It is not JSON, or not as the schema says. */
  | { readonly kind: 'malformed' }

const UNPARSEABLE = { kind: 'unparseable' } as const
const BYTE_ORDER_MARK = 0xfeff

/**
 * Parses and validates the body of a request; adds defaults of the schema. An empty body counts as an empty object, so that missing fields are reported.
 * @param anyName as in `Validator.check`
 */
export function validateBytes(schema: object, bytes: Uint8Array, anyName = false): ValidatedBytes {
  const parsed = bytes.byteLength > 0 ? parse(bytes) : { value: {} }
  if (parsed === null) return UNPARSEABLE
  if ('over' in parsed) return { kind: 'invalid', issues: [parsed.over] }
  const { value } = parsed
  const validator = validatorFor(schema)
  const issues = validator.check(value, anyName)
  return issues.length > 0 ? { kind: 'invalid', issues } : { kind: 'valid', value, deprecated: validator.deprecated(value) }
}

/** Parses an answer, and prunes it to what its schema names (`prune.ts`). @param valuesLimit as in `overJsonLimit` */
export function pruneBytes(schema: object, bytes: Uint8Array, valuesLimit?: number): PrunedBytes {
  const parsed = parse(bytes, valuesLimit)
  if (parsed === null) return { kind: 'malformed' }
  if ('over' in parsed) return { kind: 'over', limit: Number(parsed.over.params.limit) }
  return prune(schema, parsed.value) ? { kind: 'valid', value: parsed.value } : { kind: 'malformed' }
}

/** Null: it is not JSON in UTF-8. */
function parse(bytes: Uint8Array, valuesLimit?: number): { readonly value: unknown } | { readonly over: FieldIssue } | null {
  if (!isUtf8(bytes)) return null
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const over = overJsonLimit(text, valuesLimit)
  if (over !== null) return { over }
  try {
    return { value: JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) }
  } catch {
    return null
  }
}
