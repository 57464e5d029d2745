/** Validation of the content of a request that a schema cannot express. */
import { type FieldIssue, issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { Locale } from '../../core/i18n/locale.js'
import { exceedsBytes, LISTS_BYTES, listsBytes, type PublishedContent, XML_BYTES } from './content.js'

/**
 * Checks the bytes of both XML texts, and of lists their total size and that names are unique. A schema counts characters, of which one has up to four bytes.
 * @throws ApiError request_validation_failed
 */
export function requireContent({ lists = [], ...texts }: Partial<PublishedContent>, locale: Locale): void {
  const issues: FieldIssue[] = []
  for (const field of ['decoders_xml', 'rules_xml'] as const)
    if (exceedsBytes(texts[field] ?? '', XML_BYTES)) issues.push(issue(`/${field}`, 'too_many_bytes', { max_bytes: XML_BYTES }, { limit: XML_BYTES }))
  const seen = new Set<string>()
  for (const [at, { name }] of lists.entries()) if (seen.size === seen.add(name).size) issues.push(issue(`/lists/${at}/name`, 'duplicate', { uniqueItems: true }))
  if (listsBytes(lists) > LISTS_BYTES) issues.push(issue('/lists', 'too_many_bytes', { max_bytes: LISTS_BYTES }, { limit: LISTS_BYTES }))
  if (issues.length > 0) throw invalidRequest(issues, locale)
}
