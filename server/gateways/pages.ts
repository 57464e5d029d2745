/** Pages of lists in answers of providers. */
import type { Static, TSchema } from 'typebox'
import { Clean } from 'typebox/value'
import { checkAnswer, malformedAnswer } from './answers.js'

/** Returns a page of a list, without the fields that its schema does not name: a list is kept, and a hostile one may have anything in them. @throws ProviderError unavailable */
export function checkPage<T extends TSchema>(schema: T, page: unknown, provider: string): Static<T>[] {
  if (!Array.isArray(page)) throw malformedAnswer(provider)
  return page.map((entry: unknown) => Clean(schema, checkAnswer(schema, entry, provider)) as Static<T>)
}
