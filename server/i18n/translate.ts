/** Texts of the service by language. English is the measure: another language has the same keys and placeholders, or does not compile. */
import type { ErrorReason } from '../errors.js'
import type { Locale } from './locale.js'
import { errors as errorsEnglish } from './messages/en-US/errors.js'
import { fields as fieldsEnglish } from './messages/en-US/fields.js'
import { errors as errorsPortuguese } from './messages/pt-BR/errors.js'
import { fields as fieldsPortuguese } from './messages/pt-BR/fields.js'

type Params = Readonly<Record<string, string | number>>

const ERROR_TEXTS = { 'en-US': errorsEnglish, 'pt-BR': errorsPortuguese } as const satisfies Record<Locale, unknown>
const FIELD_TEXTS = { 'en-US': fieldsEnglish, 'pt-BR': fieldsPortuguese } as const satisfies Record<Locale, unknown>

export type FieldMessage = keyof typeof fieldsEnglish

/** A refusal in words: what is wrong, and what to do about it. */
export function errorTexts(reason: ErrorReason, locale: Locale, params: Params): { message: string; hint: string } {
  const { message, hint } = ERROR_TEXTS[locale][reason]
  return { message: fill(message, params), hint: fill(hint, params) }
}

/** What is wrong with one field. */
export function fieldText(key: FieldMessage, locale: Locale, params: Params): string {
  return fill(FIELD_TEXTS[locale][key], params)
}

/** Puts values in the place of `{name}`. A value is put in as it is: what stands in it is not looked at again. */
export function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(params, name) ? String(params[name]) : whole))
}
