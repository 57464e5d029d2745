/** Converts issues to the 422 response, and deprecated fields to the `Warning` header. */
import { type DeprecatedField, presentIssues } from '#requests'
import { ApiError } from '../../errors.js'
import type { Locale } from '../../i18n/locale.js'
import { fieldTexts } from '../../i18n/translate.js'
import type { FieldIssue } from './issue.js'

export type InvalidReason = 'validation_failed' | 'request_validation_failed'

/** The 422 for these issues. Unknown fields are always `request_validation_failed`; for other issues the route declares the code. */
export function invalidRequest(issues: readonly FieldIssue[], locale: Locale, reason: InvalidReason = 'request_validation_failed'): ApiError {
  const isUnknown = issues.some(({ message }) => message === 'unknown')
  return new ApiError(isUnknown ? 'request_validation_failed' : reason, { details: { errors: presentIssues(issues, fieldTexts(locale)) } })
}

/** Value of a `Warning` header (RFC 7234, 5.5) that names deprecated fields and what replaces them. Null: none is used. */
export function deprecationWarning(fields: readonly DeprecatedField[]): string | null {
  if (fields.length === 0) return null
  return fields.map(({ path, replacedBy }) => `299 - "The field ${path.join('.')} is deprecated${replacedBy === null ? '' : `; use ${replacedBy}`}"`).join(', ')
}
