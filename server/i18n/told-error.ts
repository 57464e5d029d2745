/** Errors that are known by a name, and told in words of the language of whoever reads them: where they arise nobody knows it. */
import type { Locale } from './locale.js'
import type { PlaceholdersOf } from './texts.js'
import { fill } from './translate.js'

/** The words of faults in each language; `English` is what says which there are. */
export type FaultTexts<English> = Readonly<Record<Locale, Readonly<Record<keyof English, string>>>>

export type FaultParams<English, Fault extends keyof English> = Readonly<Record<PlaceholdersOf<English[Fault]>, string | number>>

/** Its message is the English one: logs are in English. */
export abstract class ToldError<English extends Readonly<Record<string, string>>, Fault extends keyof English> extends Error {
  readonly #texts: FaultTexts<English>
  readonly #params: Readonly<Record<string, string | number>>
  readonly fault: Fault

  constructor(texts: FaultTexts<English>, fault: Fault, params: Readonly<Record<string, string | number>>, options?: ErrorOptions) {
    super(fill(texts['en-US'][fault], params), options)
    this.#texts = texts
    this.#params = params
    this.fault = fault
  }

  tell(locale: Locale): string {
    return fill(this.#texts[locale][this.fault], this.#params)
  }
}
