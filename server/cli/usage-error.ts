/** An invalid call. The error holds a key and parameters; its text is created at the end, where the caller's language is known. */
import type { Locale } from '#engine'
import { usage as english } from '../core/i18n/messages/en-US/usage.js'
import { usage as portuguese } from '../core/i18n/messages/pt-BR/usage.js'
import type { PlaceholdersOf } from '../core/i18n/texts.js'
import { fill } from '../core/i18n/translate.js'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, unknown>

export type UsageFault = keyof typeof english

/** Parameters of an error's text, except `call`, which `localize` takes. */
type UsageParams<Fault extends UsageFault> = Readonly<Record<Exclude<PlaceholdersOf<(typeof english)[Fault]>, 'call'>, string | number>>

export class UsageError<Fault extends UsageFault = UsageFault> extends Error {
  override readonly name = 'UsageError'
  readonly fault: Fault
  readonly params: UsageParams<Fault>

  constructor(fault: Fault, params: UsageParams<Fault>) {
    super(fault)
    this.fault = fault
    this.params = params
  }

  /** The text in one line. @param call program and command, for which `--help` is suggested */
  localize(call: string, locale: Locale): string {
    const { message, hint } = TEXTS[locale][this.fault]
    const params: Readonly<Record<string, string | number>> = { ...this.params, call }
    return `${call}: ${fill(message, params)}. ${fill(hint, params)}`
  }
}
