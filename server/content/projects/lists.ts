/** Validation of the lists of a request that a schema cannot express. */
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { Locale } from '../../core/i18n/locale.js'
import { type ContentList, LISTS_BYTES, listsBytes } from '../shared/content.js'

/** Checks that names are unique, and the total size. @throws ApiError request_validation_failed */
export function requireLists(lists: readonly ContentList[], locale: Locale): void {
  const seen = new Set<string>()
  const issues = lists.flatMap(({ name }, at) => (seen.size < seen.add(name).size ? [] : [issue(`/lists/${at}/name`, 'duplicate', { uniqueItems: true })]))
  if (listsBytes(lists) > LISTS_BYTES) issues.push(issue('/lists', 'too_many_bytes', { max_bytes: LISTS_BYTES }, { limit: LISTS_BYTES }))
  if (issues.length > 0) throw invalidRequest(issues, locale)
}
