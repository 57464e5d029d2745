/** Errors that are known by a name, and told in words of the language of whoever reads them: where they arise nobody knows it. */
import type { Locale } from './locale.js'
import type { PlaceholdersOf } from './texts.js'
import { fill } from './translate.js'

/** The words of faults in each language; `English` is what says which there are. */
export type FaultTexts<English> = Readonly<Record<Locale, Readonly<Record<keyof English, string>>>>

/** An error among them is told in the same language. */
type Params = Readonly<Record<string, string | number | Error>>

export type FaultParams<English, Fault extends keyof English, Value = string | number> = Readonly<Record<PlaceholdersOf<English[Fault]>, Value>>

/** Its message is the English one: logs are in English. */
export abstract class ToldError<English extends Readonly<Record<string, string>>, Fault extends keyof English> extends Error {
  readonly #texts: FaultTexts<English>
  readonly #params: Params
  readonly fault: Fault

  constructor(texts: FaultTexts<English>, fault: Fault, params: Params, options?: ErrorOptions) {
    super(fillIn(texts['en-US'][fault], params, 'en-US'), options)
    this.#texts = texts
    this.#params = params
    this.fault = fault
  }

  tell(locale: Locale): string {
    return fillIn(this.#texts[locale][this.fault], this.#params, locale)
  }
}

/** Of an error that knows one language only, its message. */
export function tellError(error: Error, locale: Locale): string {
  return error instanceof ToldError ? error.tell(locale) : error.message
}

function fillIn(text: string, params: Params, locale: Locale): string {
  return fill(text, Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value instanceof Error ? tellError(value, locale) : value])))
}
