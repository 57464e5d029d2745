/** The languages of the page. */
import type { Locale } from '#engine'

/** The engine has the same list; importing it from there would put the engine into the page. */
export const LOCALES: readonly Locale[] = ['en-US', 'pt-BR']

const SEPARATORS: Readonly<Record<Locale, string>> = { 'en-US': ',', 'pt-BR': '.' }

/** A count as people of a language write it. `toLocaleString` loads tables first, for which a slow processor takes as long as for the rest of the first answer. */
export function writeCount(count: number, locale: Locale): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, SEPARATORS[locale])
}
