/**
 * Parses the bytes of a body and validates the value, in one call and without exceptions: for routes, and for threads, which must not throw and whose answers
 * are plain data. Bodies are parsed only here.
 */
import { isUtf8 } from 'node:buffer'
import type { FieldIssue } from './issue.js'
import { overJsonLimit } from './json-limits.js'
import type { DeprecatedField } from './prepare.js'
import { validatorFor } from './validator.js'

export type ValidatedBytes =
  | { readonly kind: 'valid'; readonly value: unknown; readonly deprecated: readonly DeprecatedField[] }
  /** A 422; `invalidRequest` adds the texts of the issues. */
  | { readonly kind: 'invalid'; readonly issues: readonly FieldIssue[] }
  /** A 400 `body_unparseable`. */
  | { readonly kind: 'unparseable' }

const UNPARSEABLE = { kind: 'unparseable' } as const
const BYTE_ORDER_MARK = 0xfeff

/**
 * Parses and validates; adds defaults of the schema. An empty body counts as an empty object, so that missing fields are reported.
 * @param anyName as in `Validator.check`
 */
export function validateBytes(schema: object, bytes: Uint8Array, anyName = false): ValidatedBytes {
  let value: unknown = {}
  if (bytes.byteLength > 0) {
    if (!isUtf8(bytes)) return UNPARSEABLE
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    const over = overJsonLimit(text)
    if (over !== null) return { kind: 'invalid', issues: [over] }
    try {
      value = JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text)
    } catch {
      return UNPARSEABLE
    }
  }
  const validator = validatorFor(schema)
  const issues = validator.check(value, anyName)
  return issues.length > 0 ? { kind: 'invalid', issues } : { kind: 'valid', value, deprecated: validator.deprecated(value) }
}
