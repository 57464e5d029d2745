/** Errors with a key and a text in each language: where an error is thrown, the reader's language is unknown. */
import type { Locale } from './locale.js'
import type { PlaceholdersOf } from './texts.js'
import { fill } from './translate.js'

/** Texts of errors in each language. `English` defines which errors exist. */
export type ErrorTexts<English> = Readonly<Record<Locale, Readonly<Record<keyof English, string>>>>

/** A parameter that is an error is localized as well. */
type Params = Readonly<Record<string, string | number | Error>>

export type ErrorParams<English, Fault extends keyof English, Value = string | number> = Readonly<Record<PlaceholdersOf<English[Fault]>, Value>>

/** `message` is the English text, for logs. */
export abstract class LocalizedError<English extends Readonly<Record<string, string>>, Fault extends keyof English> extends Error {
  readonly #texts: ErrorTexts<English>
  readonly #params: Params
  readonly fault: Fault

  constructor(texts: ErrorTexts<English>, fault: Fault, params: Params, options?: ErrorOptions) {
    super(fillIn(texts['en-US'][fault], params, 'en-US'), options)
    this.#texts = texts
    this.#params = params
    this.fault = fault
  }

  localize(locale: Locale): string {
    return fillIn(this.#texts[locale][this.fault], this.#params, locale)
  }
}

/** The text of an error; without localized texts its message. */
export function localizeError(error: Error, locale: Locale): string {
  return error instanceof LocalizedError ? error.localize(locale) : error.message
}

function fillIn(text: string, params: Params, locale: Locale): string {
  return fill(text, Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value instanceof Error ? localizeError(value, locale) : value])))
}
