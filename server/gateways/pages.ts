/** Pages of lists in answers of providers. */
import type { Static, TSchema } from 'typebox'
import { malformedAnswer, pruneAnswer } from './answers.js'

/** Returns a page of a list, without the fields that its schema does not name. @throws ProviderError unavailable */
export function checkPage<T extends TSchema>(schema: T, page: unknown, provider: string): Static<T>[] {
  if (!Array.isArray(page)) throw malformedAnswer(provider)
  return page.map((entry: unknown) => pruneAnswer(schema, entry, provider))
}
