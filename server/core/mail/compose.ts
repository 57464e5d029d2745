/** Composes the mails of the service in the reader's language. */
import type { Locale, LocalePreference } from '../i18n/locale.js'
import { mail as english } from '../i18n/messages/en-US/mail.js'
import { mail as portuguese } from '../i18n/messages/pt-BR/mail.js'
import { fill } from '../i18n/translate.js'
import type { Mail } from './gateway.js'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, unknown>

/** The reader's preferred language, else the language of the request that caused the mail. */
export function mailLocale(preference: LocalePreference | null, fallback: Locale): Locale {
  return preference === 'en' ? 'en-US' : (preference ?? fallback)
}

/** Parameters of every mail with a token. */
interface TokenMail {
  readonly to: string
  readonly locale: Locale
  readonly token: string
  readonly expiresAt: Date
  /** Address of the pages that mails link to, without a trailing slash. */
  readonly baseUrl: string
}

export interface InvitationMail extends TokenMail {
  readonly organization: string
  readonly inviter: string
  readonly role: string
}

export function composeInvitation({ to, locale, token, expiresAt, baseUrl, organization, inviter, role }: InvitationMail): Mail {
  const { invitation } = TEXTS[locale]
  const link = `${baseUrl}/invitations/${token}`
  return { to, subject: fill(invitation.subject, { organization }), text: fill(invitation.text, { inviter, organization, role, link, expires_at: shown(expiresAt) }) }
}

export function composePasswordReset({ to, locale, token, expiresAt, baseUrl }: TokenMail): Mail {
  const { password_reset } = TEXTS[locale]
  return { to, subject: password_reset.subject, text: fill(password_reset.text, { link: `${baseUrl}/reset-password?token=${token}`, expires_at: shown(expiresAt) }) }
}

export interface WebhookDisabledMail {
  readonly to: string
  readonly locale: Locale
  readonly organization: string
  readonly host: string
  readonly description: string
  readonly reason: 'gone' | 'failing'
  /** Path of the webhook in the API. */
  readonly path: string
}

export function composeWebhookDisabled({ to, locale, organization, host, description, reason, path }: WebhookDisabledMail): Mail {
  const texts = TEXTS[locale]
  const params = { organization, host, path, description: description === '' ? '' : ` ("${description}")`, reason: texts[`webhook_${reason}`].text }
  return { to, subject: fill(texts.webhook_disabled.subject, { organization }), text: fill(texts.webhook_disabled.text, params) }
}

export interface IntegrationDisabledMail extends Omit<WebhookDisabledMail, 'host' | 'description'> {
  /** Name of the integration. */
  readonly name: string
}

export function composeIntegrationDisabled({ to, locale, organization, name, reason, path }: IntegrationDisabledMail): Mail {
  const texts = TEXTS[locale]
  const params = { organization, name, path, reason: texts[`integration_${reason}`].text }
  return { to, subject: fill(texts.integration_disabled.subject, { organization }), text: fill(texts.integration_disabled.text, params) }
}

/** Changes of an account that its user is told about. */
export type NoticedChange =
  | 'password_changed'
  | 'password_reset'
  | 'second_factor_enabled'
  | 'second_factor_removed'
  | 'second_factor_removed_by_admin'
  | 'recovery_code_used'
  | 'recovery_codes_created'

export interface AccountNoticeMail {
  readonly to: string
  readonly locale: Locale
  readonly change: NoticedChange
  readonly at: Date
  /** IP address of the request; null: it is not the user's. */
  readonly address: string | null
  readonly baseUrl: string
}

export function composeAccountNotice({ to, locale, change, at, address, baseUrl }: AccountNoticeMail): Mail {
  const texts = TEXTS[locale]
  const { subject, text } = texts[`account_${change}`]
  const origin = address === null ? '' : fill(texts.account_origin.text, { address })
  return { to, subject, text: fill(texts.account_notice.text, { change: text, at: shown(at), origin, link: `${baseUrl}/reset-password` }) }
}

/** A time in UTC, to the minute. */
function shown(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}
