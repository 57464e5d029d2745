/** Versions of records as `ETag` shows them, and what a change is held against by `If-Match` (RFC 9110, 13.1.1). */
import { ApiError } from './errors.js'

/** The versions that a change is meant for, as their tags stand between the quotes; none: those that were named match nothing. Null: any version. */
export type IfMatch = readonly string[] | null

/** A record's version: every change of it is another. */
export function etagOf({ revision }: { readonly revision: number }): string {
  return String(revision)
}

/**
 * The version of a record that shows more than what is edited: what an edit is held against stands before the first dot, the rest only tells that the
 * record reads differently. So nobody's edit fails because someone else commented, or added a case.
 * @param edited what an edit must not have missed @param shown what else the record shows
 */
export function versionTag(edited: string | number, ...shown: readonly (string | number)[]): string {
  return [edited, ...shown].join('.')
}

/** @param etag of the record as it is. @throws ApiError precondition_failed */
export function requireMatch(etag: string, ifMatch: IfMatch): void {
  if (ifMatch !== null && !ifMatch.includes(etag)) throw new ApiError('precondition_failed')
}

/** The same for a record with a `versionTag`. @param edited as it is. @throws ApiError precondition_failed */
export function requireCurrent(edited: string | number, ifMatch: IfMatch): void {
  if (ifMatch !== null && !ifMatch.some((tag) => tag.split('.')[0] === String(edited))) throw new ApiError('precondition_failed')
}
