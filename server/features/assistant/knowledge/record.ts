/** Builds records. Texts that are too long become several records, so that an answer can quote what it needs. */
import type { Locale } from '../../../core/i18n/locale.js'
import { knowledge as english } from '../../../core/i18n/messages/en-US/knowledge.js'
import { knowledge as portuguese } from '../../../core/i18n/messages/pt-BR/knowledge.js'
import { keywordsOf } from './keywords.js'
import type { KnowledgeRecord } from './knowledge.js'

/** Longest text of a record: four of them, the usual number in an answer, take about 3,000 tokens. */
export const TEXT_CHARACTERS = 3000
/** Longest title; the headings of documents are shorter. */
export const TITLE_CHARACTERS = 200

const WORDS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Readonly<Record<Locale, unknown>>

/** The words between the texts of a record. */
export function wordsOf(locale: Locale): (typeof WORDS)[Locale] {
  return WORDS[locale]
}

/** Returns a record, or several if the text is too long; the second one has the uid with `#2`. */
export function recordsOf(record: Omit<KnowledgeRecord, 'text' | 'trust'> & Partial<Pick<KnowledgeRecord, 'trust'>>, text: string): KnowledgeRecord[] {
  const { uid, title, locale, trust = 'built_in' } = record
  const keywords = locale === null ? '' : keywordsOf(uid.slice(0, -locale.length - 1), locale)
  const common = { ...record, trust, title: title.slice(0, TITLE_CHARACTERS), ...(keywords === '' ? {} : { keywords }) }
  return splitText(text).map((part, index) => ({ ...common, uid: index === 0 ? uid : `${uid}#${index + 1}`, text: part }))
}

/** Splits at a line break, or else at a blank, before the limit. */
export function splitText(text: string): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > TEXT_CHARACTERS) {
    const head = rest.slice(0, TEXT_CHARACTERS)
    const found = [head.lastIndexOf('\n'), head.lastIndexOf(' ')].find((at) => at > TEXT_CHARACTERS / 2) ?? TEXT_CHARACTERS
    // A surrogate pair stays whole.
    const end = /[\ud800-\udbff]$/.test(rest.slice(0, found)) ? found - 1 : found
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  if (rest !== '' || parts.length === 0) parts.push(rest)
  return parts
}

/** Joins the lines that are not empty. */
export function lines(...texts: readonly (string | readonly string[] | null | undefined)[]): string {
  return texts
    .flatMap((text) => text ?? [])
    .filter((text) => text !== '')
    .join('\n')
}

/** `heading: first; second`; empty without entries. */
export function listed(heading: string, entries: readonly string[], separator = '; '): string {
  return entries.length === 0 ? '' : `${heading}: ${entries.join(separator)}`
}
