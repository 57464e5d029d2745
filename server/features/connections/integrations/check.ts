/** Checks that settings and credentials are those of the provider, by the table in `providers.ts`. Every wrong field is located. */
import { type EgressGuard, TargetRefusedError } from '../../../core/egress/egress-guard.js'
import { ApiError } from '../../../core/errors.js'
import { type IntegrationKind, PROVIDERS, type Provider } from '../gateways/providers.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { credentialKindOf, isPrivateKey } from './credentials.js'
import { CREDENTIAL_FIELDS, PROVIDER_FIELDS, type SettingName } from './providers.js'
import type { CredentialsInput, SettingsInput } from './schema.js'
import type { CredentialKind, IntegrationSettings } from './store.js'

const DEFAULTS: Omit<IntegrationSettings, 'locale'> = { base_url: null, organization: null, project: null, workflow: null, events: [] }

export function providerIssues(kind: IntegrationKind, provider: Provider): FieldIssue[] {
  const providers: readonly Provider[] = PROVIDERS[kind]
  return providers.includes(provider) ? [] : [issue('/provider', 'choice', providers)]
}

/** Returns the settings of a new integration. @param locale language of its posts, if none is sent */
export function newSettings(sent: SettingsInput, locale: Locale): IntegrationSettings {
  return mergedSettings({ ...DEFAULTS, locale }, sent)
}

/** Returns the settings after a change. */
export function mergedSettings(before: IntegrationSettings, { base_url, ...sent }: SettingsInput): IntegrationSettings {
  const merged = { ...before, ...sent } as IntegrationSettings
  return base_url === undefined ? merged : { ...merged, base_url: base_url === null ? null : withoutSlash(base_url) }
}

/** @param sent fields of the request @param merged settings after the change */
export function settingsIssues(provider: Provider, sent: SettingsInput, merged: IntegrationSettings): FieldIssue[] {
  const { settings } = PROVIDER_FIELDS[provider]
  const strange = Object.keys(sent).filter((name) => !(name in settings))
  const missing = (Object.keys(settings) as SettingName[]).filter((name) => settings[name] === 'required' && isEmpty(merged[name]))
  const { base_url } = sent
  return [
    ...strange.map((name) => issue(`/settings/${name}`, 'unknown', null)),
    ...missing.map((name) => issue(`/settings/${name}`, 'required', { words: 'value' })),
    ...(typeof base_url === 'string' && !isPlain(new URL(base_url), true) ? [issue('/settings/base_url', 'invalid', { type: 'string', format: { words: 'plain_url' } })] : []),
  ]
}

export function credentialIssues(provider: Provider, input: CredentialsInput): FieldIssue[] {
  const accepted = PROVIDER_FIELDS[provider].credentials
  const sent = Object.keys(input) as (keyof CredentialsInput)[]
  const kind = credentialKindOf(input)
  if (kind === null || !accepted.includes(kind)) return wrongForm(accepted, sent)
  if (input.private_key !== undefined && !isPrivateKey(input.private_key)) return [issue('/credentials/private_key', 'invalid', { words: 'rsa_key' })]
  const { webhook_url } = input
  return webhook_url === undefined || isPlain(new URL(webhook_url), false)
    ? []
    : [issue('/credentials/webhook_url', 'invalid', { type: 'string', format: { words: 'url_without_credentials' } })]
}

/** @throws ApiError target_refused */
export async function requirePublic(guard: Pick<EgressGuard, 'check'>, urls: readonly (string | null | undefined)[]): Promise<void> {
  for (const url of urls) {
    if (url === null || url === undefined) continue
    try {
      await guard.check(new URL(url))
    } catch (error) {
      if (error instanceof TargetRefusedError) throw new ApiError('target_refused')
      throw error
    }
  }
}

/** Names what separates the sent fields from the accepted form that is most like them. */
function wrongForm(accepted: readonly CredentialKind[], sent: readonly string[]): FieldIssue[] {
  const forms = accepted.map((kind): readonly string[] => CREDENTIAL_FIELDS[kind]).filter((names) => names.length > 0)
  const strange = sent.filter((name) => !forms.some((names) => names.includes(name)))
  if (strange.length > 0) return strange.map((name) => issue(`/credentials/${name}`, 'unknown', null))
  const common = (names: readonly string[]): number => names.filter((name) => sent.includes(name)).length
  const [closest] = [...forms].sort((a, b) => common(b) - common(a))
  return [
    ...closest.filter((name) => !sent.includes(name)).map((name) => issue(`/credentials/${name}`, 'required', { words: 'value' })),
    ...sent.filter((name) => !closest.includes(name)).map((name) => issue(`/credentials/${name}`, 'either', null, { other: closest[0] })),
  ]
}

function isEmpty(value: IntegrationSettings[SettingName]): boolean {
  return value === null || value.length === 0
}

function isPlain({ username, password, search, hash }: URL, isBase: boolean): boolean {
  return username === '' && password === '' && (!isBase || (search === '' && hash === ''))
}

function withoutSlash(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
