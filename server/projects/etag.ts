/**
 * Versions of records that show more than what is edited: what an edit is held against stands before the first dot, the rest only tells that a record
 * reads differently. So nobody's edit fails because someone else commented, or added a case.
 */

/** @param edited what an edit must not have missed @param shown what else the record shows */
export function versionTag(edited: string | number, ...shown: readonly (string | number)[]): string {
  return [edited, ...shown].join('.')
}

/** Whether `If-Match` names a record whose edited part is that. */
export function isCurrent(edited: string | number, ifMatch: string): boolean {
  return ifMatch.split('.')[0] === String(edited)
}
