/** Entity tags of records, and the check of `If-Match` against them (RFC 9110, 13.1.1). */
import { ApiError } from './errors.js'

/** The tags of an `If-Match` header, without quotes. An empty list matches nothing. Null: any version matches. */
export type IfMatch = readonly string[] | null

/** The tag of a record. It changes with every change of the record. */
export function etagOf({ revision }: { readonly revision: number }): string {
  return String(revision)
}

/**
 * The tag of a record that also shows data that edits don't touch. The part before the first dot identifies the editable state, and edits are checked against
 * it alone. The rest changes when the representation changes. So an edit does not fail because of a new comment or test case.
 * @param edited version of the editable state @param shown versions of the other data
 */
export function versionTag(edited: string | number, ...shown: readonly (string | number)[]): string {
  return [edited, ...shown].join('.')
}

/** @param etag current tag of the record @throws ApiError precondition_failed */
export function requireMatch(etag: string, ifMatch: IfMatch): void {
  if (ifMatch !== null && !ifMatch.includes(etag)) throw new ApiError('precondition_failed')
}

/** The same for a tag of `versionTag`. @param edited current version of the editable state @throws ApiError precondition_failed */
export function requireCurrent(edited: string | number, ifMatch: IfMatch): void {
  if (ifMatch !== null && !ifMatch.some((tag) => tag.split('.')[0] === String(edited))) throw new ApiError('precondition_failed')
}
