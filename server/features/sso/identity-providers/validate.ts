/** Tries a provider with its stored settings (CONTRACT.md#identity-providers). What is wrong is a finding with the field to change, and no error of the request. */
import type { Throttles } from '../../../core/auth/throttles.js'
import { ApiError } from '../../../core/errors.js'
import type { OidcConnection, OidcGateway, OidcMetadata, ProbeFinding } from '../oidc/gateway.js'
import { type OidcDetails, OidcError } from '../oidc/oidc-error.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { errorTexts, ssoFindingText } from '../../../core/i18n/translate.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { DomainsService } from '../../accounts/index.js'
import type { IdentityProvidersService } from './service.js'
import type { IdentityProviderDocument } from './store.js'

/** What a validation finds besides failures of the provider. */
export type ProviderFinding = ProbeFinding | 'domain_unproven' | 'default_role_admin' | 'email_unverified'

export interface ProviderFindingEntry {
  readonly code: string
  readonly message: string
  /** Null: the message says it all. */
  readonly hint: string | null
  /** Field of the provider that probably has to change, as a JSON pointer; null: none. */
  readonly path: string | null
  readonly details: OidcDetails
}

export interface ProviderValidation {
  readonly valid: boolean
  readonly metadata: OidcMetadata | null
  readonly warnings: readonly ProviderFindingEntry[]
  readonly errors: readonly ProviderFindingEntry[]
}

export interface ProviderValidationParts {
  readonly providers: Pick<IdentityProvidersService, 'get' | 'connection' | 'redirectUri'>
  readonly domains: Pick<DomainsService, 'provenBy'>
  readonly oidc: Pick<OidcGateway, 'probe'>
  readonly throttles: Pick<Throttles, 'providerValidation'>
}

/** Entra ID; other clouds of it have other names and are not recognized. */
const ENTRA = 'https://login.microsoftonline.com/'
const PATHS: Readonly<Record<ProbeFinding, string | null>> = { client_unconfirmed: null, authorization_unconfirmed: null, scope_unsupported: '/scopes' }

/** @throws ApiError resource_missing, rate_limited */
export async function validateProvider(
  { providers, domains, oidc, throttles }: ProviderValidationParts,
  scope: Scope,
  providerId: string,
  locale: Locale,
): Promise<ProviderValidation> {
  const provider = await providers.get(scope, providerId)
  await throttles.providerValidation(scope.organizationId)
  const warning = (code: ProviderFinding, path: string | null): ProviderFindingEntry => ({ code, message: ssoFindingText(code, locale), hint: null, path, details: {} })
  const own = await Promise.all(
    provider.domains.map(async (domain, index) => ((await domains.provenBy(domain)) === scope.organizationId ? [] : [warning('domain_unproven', `/domains/${index}`)])),
  )
  const warnings = [
    ...own.flat(),
    ...(provider.default_role === 'org_admin' ? [warning('default_role_admin', '/default_role')] : []),
    ...(provider.issuer.startsWith(ENTRA) && !provider.trust_email ? [warning('email_unverified', '/trust_email')] : []),
  ]
  const connection = opened(providers, provider)
  if (connection instanceof ApiError) return { valid: false, metadata: null, warnings, errors: [refusal(connection, '/client_secret', locale)] }
  const { metadata, errors, findings } = await oidc.probe(connection, providers.redirectUri(providerId))
  return {
    valid: errors.length === 0,
    metadata,
    warnings: [...findings.map((finding) => warning(finding, PATHS[finding])), ...warnings],
    errors: errors.map((error) => refusal(error, pathOf(error, provider), locale)),
  }
}

/** The connection, or why the stored secret cannot be read. */
function opened(providers: Pick<IdentityProvidersService, 'connection'>, provider: IdentityProviderDocument): OidcConnection | ApiError {
  try {
    return providers.connection(provider)
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'credentials_unreadable') return error
    throw error
  }
}

function refusal(error: ApiError, path: string | null, locale: Locale): ProviderFindingEntry {
  const { message, hint } = errorTexts(error.reason, locale, error.params)
  return { code: error.reason, message, hint, path, details: error instanceof OidcError ? error.details : {} }
}

function pathOf({ failure, details }: OidcError, { discovery_url, client_secret }: IdentityProviderDocument): string | null {
  if (failure === 'issuer_mismatch') return '/issuer'
  if (failure === 'client_refused') return client_secret === null ? '/client_id' : '/client_secret'
  if (failure === 'login_refused') return details.error === 'invalid_scope' ? '/scopes' : '/client_id'
  if (details.endpoint === 'discovery') return discovery_url === null ? '/issuer' : '/discovery_url'
  return details.endpoint === 'authorization' ? '/client_id' : null
}
