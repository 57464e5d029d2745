/** Chooses the language of a caller (CONTRACT.md#values, #locale). */
import { LOCALES, type Locale } from '#workers'

export { LOCALES, type Locale }

/** Languages that a user can prefer. `en` means en-US. */
export const LOCALE_PREFERENCES = ['pt-BR', 'en'] as const
export type LocalePreference = (typeof LOCALE_PREFERENCES)[number]

/** Longer headers are ignored. */
const LANGUAGES_LIMIT = 16

/** `x-locale`, else the user's preference, else `Accept-Language`, else the default of the instance. Unsupported languages are skipped. */
export function chooseLocale(xLocale: string | undefined, preference: LocalePreference | null, acceptLanguage: string | undefined, otherwise: Locale): Locale {
  return localeOf(xLocale) ?? localeOf(preference ?? undefined) ?? acceptedLocale(acceptLanguage) ?? otherwise
}

/** The supported language of a tag (`pt`, `pt-BR`, `en`, `en-GB`…); undefined: none. */
export function localeOf(tag: string | undefined): Locale | undefined {
  const language = tag?.trim().toLowerCase().split(/[-_]/)[0]
  return language === 'pt' ? 'pt-BR' : language === 'en' ? 'en-US' : undefined
}

/** The supported language with the highest weight (RFC 9110, 12.5.4). */
function acceptedLocale(header: string | undefined): Locale | undefined {
  if (header === undefined) return undefined
  const accepted = header
    .split(',', LANGUAGES_LIMIT)
    .map((part) => {
      const [tag, ...parameters] = part.split(';')
      const weight = parameters.map((parameter) => /^\s*q=(\d(?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1]).find((found) => found !== undefined)
      return { locale: localeOf(tag), weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ locale, weight }) => locale !== undefined && weight > 0)
  return accepted.sort((a, b) => b.weight - a.weight)[0]?.locale
}
