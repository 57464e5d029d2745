/** A body's bytes to a value that fits a schema, in one call and without exceptions: for threads, which must not throw, and whose answers are plain data. */
import { ApiError } from '../../errors.js'
import { parseJson } from '../parse-json.js'
import type { FieldIssue } from './issue.js'
import type { DeprecatedField } from './prepare.js'
import { validatorFor } from './validator.js'

export type ValidatedBytes =
  | { readonly kind: 'valid'; readonly value: unknown; readonly deprecated: readonly DeprecatedField[] }
  /** A 422: `invalidRequest` puts the issues into words. */
  | { readonly kind: 'invalid'; readonly issues: readonly FieldIssue[] }
  /** A 400 `body_unparseable`. */
  | { readonly kind: 'unparseable' }

/** Parses and checks; defaults of the schema are filled in. */
export function validateBytes(schema: object, bytes: Uint8Array): ValidatedBytes {
  try {
    const parsed = parseJson(bytes)
    const validator = validatorFor(schema)
    const issues = parsed.issues ?? validator.check(parsed.value)
    return issues.length > 0 ? { kind: 'invalid', issues } : { kind: 'valid', value: parsed.value, deprecated: validator.deprecated(parsed.value) }
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'unparseable' }
    throw error
  }
}
