/** A call that can't be understood. What is wrong is known by its name here, and told in words only at the end: most of it is found where nobody knows the caller's language. */
import type { Locale } from '#engine'
import { usage as english } from '../i18n/messages/en-US/usage.js'
import { usage as portuguese } from '../i18n/messages/pt-BR/usage.js'
import type { PlaceholdersOf } from '../i18n/texts.js'
import { fill } from '../i18n/translate.js'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, unknown>

export type UsageFault = keyof typeof english

/** Values of the placeholders of a fault's texts, but for `call`, which who tells it knows. */
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

  /** In one line. @param call program and command: what `--help` stands behind */
  localize(call: string, locale: Locale): string {
    const { message, hint } = TEXTS[locale][this.fault]
    const params: Readonly<Record<string, string | number>> = { ...this.params, call }
    return `${call}: ${fill(message, params)}. ${fill(hint, params)}`
  }
}
