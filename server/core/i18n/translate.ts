/** Texts of the service by language. English is the reference: a language with other keys or placeholders does not compile. */
import type { IssueTexts, TextParams, ValidationExpectation, ValidationMessage } from '#requests'
import { fillText as fill } from '#basics'
import type { ErrorReason } from '../errors.js'
import type { Locale } from './locale.js'
import { errors as errorsEnglish } from './messages/en-US/errors.js'
import { expected as expectedEnglish } from './messages/en-US/expected.js'
import { fields as fieldsEnglish } from './messages/en-US/fields.js'
import { git as gitEnglish } from './messages/en-US/git.js'
import { notifications as notificationsEnglish } from './messages/en-US/notifications.js'
import { pages as pagesEnglish } from './messages/en-US/pages.js'
import { quality as qualityEnglish } from './messages/en-US/quality.js'
import { report as reportEnglish } from './messages/en-US/report.js'
import { sso as ssoEnglish } from './messages/en-US/sso.js'
import { errors as errorsPortuguese } from './messages/pt-BR/errors.js'
import { expected as expectedPortuguese } from './messages/pt-BR/expected.js'
import { fields as fieldsPortuguese } from './messages/pt-BR/fields.js'
import { git as gitPortuguese } from './messages/pt-BR/git.js'
import { notifications as notificationsPortuguese } from './messages/pt-BR/notifications.js'
import { pages as pagesPortuguese } from './messages/pt-BR/pages.js'
import { quality as qualityPortuguese } from './messages/pt-BR/quality.js'
import { report as reportPortuguese } from './messages/pt-BR/report.js'
import { sso as ssoPortuguese } from './messages/pt-BR/sso.js'

export { fill }

const ERROR_TEXTS = { 'en-US': errorsEnglish, 'pt-BR': errorsPortuguese } as const satisfies Record<Locale, unknown>
const FIELD_TEXTS = { 'en-US': fieldsEnglish, 'pt-BR': fieldsPortuguese } as const satisfies Record<Locale, Record<ValidationMessage, string>>
const EXPECTED_TEXTS = { 'en-US': expectedEnglish, 'pt-BR': expectedPortuguese } as const satisfies Record<Locale, Record<ValidationExpectation, string>>
const NOTIFICATION_TEXTS = { 'en-US': notificationsEnglish, 'pt-BR': notificationsPortuguese } as const satisfies Record<Locale, unknown>

const GIT_TEXTS = { 'en-US': gitEnglish, 'pt-BR': gitPortuguese } as const satisfies Record<Locale, unknown>
const PAGE_TEXTS = { 'en-US': pagesEnglish, 'pt-BR': pagesPortuguese } as const satisfies Record<Locale, unknown>
const QUALITY_TEXTS = { 'en-US': qualityEnglish, 'pt-BR': qualityPortuguese } as const satisfies Record<Locale, unknown>
const REPORT_TEXTS = { 'en-US': reportEnglish, 'pt-BR': reportPortuguese } as const satisfies Record<Locale, unknown>
const SSO_TEXTS = { 'en-US': ssoEnglish, 'pt-BR': ssoPortuguese } as const satisfies Record<Locale, unknown>

export type FieldMessage = keyof typeof fieldsEnglish
export type FieldExpectation = keyof typeof expectedEnglish
type NotificationKind = keyof typeof notificationsEnglish

/** A term of a quality score, with the numbers in its text. */
interface QualityTerm {
  readonly term: keyof typeof qualityEnglish
  readonly count: number
  readonly each: number | null
  readonly of: number | null
  readonly most: number
}

/** The texts of a refusal: the reason and a hint. */
export function errorTexts(reason: ErrorReason, locale: Locale, params: TextParams): { message: string; hint: string } {
  const { message, hint } = ERROR_TEXTS[locale][reason]
  return { message: fill(message, params), hint: fill(hint, params) }
}

/** The texts of field errors; placeholders are not filled in. */
export function fieldTexts(locale: Locale): IssueTexts<FieldMessage> {
  return { messages: FIELD_TEXTS[locale], expected: EXPECTED_TEXTS[locale] }
}

/** The text of what a validation of a Git binding finds. */
export function gitFindingText(code: keyof typeof gitEnglish, locale: Locale): string {
  return GIT_TEXTS[locale][code]
}

/** The text of what a validation of an identity provider finds. */
export function ssoFindingText(code: keyof typeof ssoEnglish, locale: Locale): string {
  return SSO_TEXTS[locale][code]
}

/** The texts of a notification. A kind that only a newer instance knows is shown by its name. */
export function notificationTexts(kind: NotificationKind, locale: Locale, params: TextParams): { title: string; body: string } {
  const texts: Partial<Record<NotificationKind, { readonly title: string; readonly body: string }>> = NOTIFICATION_TEXTS[locale]
  const { title, body } = texts[kind] ?? { title: kind, body: '' }
  return { title: fill(title, params), body: fill(body, params) }
}

/** The texts of a quality term: what it evaluates, and why it deducts points. */
export function qualityTexts({ term, count, each, of, most }: QualityTerm, locale: Locale): { title: string; explanation: string } {
  const { title, explanation } = QUALITY_TEXTS[locale][term]
  const number = (value: number): string => value.toLocaleString(locale)
  return { title, explanation: fill(explanation, { count: number(count), most, ...(each === null ? {} : { each }), ...(of === null ? {} : { of: number(of) }) }) }
}

/** The texts of the HTML pages; placeholders are not filled in. */
export function pageTexts(locale: Locale): (typeof PAGE_TEXTS)[Locale] {
  return PAGE_TEXTS[locale]
}

/** The texts of the printable report; placeholders are not filled in. */
export function reportTexts(locale: Locale): (typeof REPORT_TEXTS)[Locale] {
  return REPORT_TEXTS[locale]
}
