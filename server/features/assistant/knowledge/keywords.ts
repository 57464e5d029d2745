/**
 * What users call the things whose records are terse: tags, attributes, constructs, commands and settings are named for machines. The words are searched, and
 * not shown. A record whose own text has the words of its users needs none.
 */
import type { Locale } from '../../../core/i18n/locale.js'
import vocabulary from './words.json' with { type: 'json' }

/** By the uid without its language. */
const KEYWORDS: Readonly<Record<string, Readonly<Record<Locale, string>>>> = vocabulary.keywords

/** The subjects that have keywords, for their test. */
export const KEYWORD_SUBJECTS: readonly string[] = Object.keys(KEYWORDS)

/** Words that are searched for a record, besides its own. @param subject its uid without the language */
export function keywordsOf(subject: string, locale: Locale): string {
  return KEYWORDS[subject]?.[locale] ?? ''
}
