/**
 * Tries a provider without a person: its metadata, its keys, its authorization endpoint without a page (`prompt=none`), and its token endpoint with a code that
 * does not exist. A provider checks the client before the code, so its refusal of the code says that client id and secret are right.
 */
import { randomBytes } from 'node:crypto'
import type { OidcConnection, OidcGateway, OidcMetadata, OidcProbe, ProbeFinding } from './gateway.js'
import { OidcError } from './oidc-error.js'
import type { OidcTransport } from './transport.js'

/** Bytes of each random value. */
const BYTES = 32
/** A provider that asked a person would answer these: the request itself is right. */
const NEEDS_PERSON: ReadonlySet<string> = new Set(['login_required', 'interaction_required', 'consent_required', 'account_selection_required'])
/** Answers of an authorization endpoint that does not know the client, or not the redirect URI. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 404])

interface ProbeParts {
  readonly gateway: Pick<OidcGateway, 'metadata' | 'authorizationUrl' | 'exchange'>
  readonly transport: OidcTransport
}

/** What one step finds. */
type Step = () => Promise<readonly ProbeFinding[]>

export async function probe({ gateway, transport }: ProbeParts, connection: OidcConnection, redirectUri: string): Promise<OidcProbe> {
  let metadata: OidcMetadata
  try {
    metadata = await gateway.metadata(connection, true)
  } catch (error) {
    return { metadata: null, errors: [failureOf(error)], findings: [] }
  }
  const secrets = { state: random(), nonce: random(), codeVerifier: random() }
  const steps: readonly Step[] = [
    async () => {
      const { keys } = await transport.getJson(new URL(metadata.jwksUri), 'jwks')
      if (!Array.isArray(keys) || !keys.some(isSigningKey)) throw new OidcError('answer_invalid', { endpoint: 'jwks', field: 'keys' })
      return []
    },
    async () => {
      const url = await gateway.authorizationUrl(connection, { redirectUri, ...secrets })
      url.searchParams.set('prompt', 'none')
      const { status, location } = await transport.look(url, 'authorization')
      const callback = location === null || !location.startsWith(redirectUri) || !URL.canParse(location) ? null : new URL(location)
      const error = callback?.searchParams.get('error') ?? null
      if (error !== null && !NEEDS_PERSON.has(error)) throw new OidcError('login_refused', /^[a-z_]{1,64}$/.test(error) ? { error } : {})
      if (REFUSALS.has(status)) throw new OidcError('answer_invalid', { endpoint: 'authorization', status })
      return status >= 400 ? ['authorization_unconfirmed'] : []
    },
    async () => {
      const callbackUrl = new URL(redirectUri)
      callbackUrl.searchParams.set('state', secrets.state)
      callbackUrl.searchParams.set('code', random())
      callbackUrl.searchParams.set('iss', metadata.issuer)
      try {
        await gateway.exchange(connection, { callbackUrl, redirectUri, ...secrets })
      } catch (error) {
        if (!(error instanceof OidcError)) throw error
        if (error.failure === 'code_refused') return []
        if (error.failure !== 'exchange_refused') throw error
      }
      return ['client_unconfirmed']
    },
  ]
  const results = await Promise.allSettled(steps.map((step) => step()))
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [failureOf(result.reason)] : []))
  const findings = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const supported = metadata.scopesSupported
  const isUnknown = supported !== null && connection.scopes.some((scope) => !supported.includes(scope))
  return { metadata, errors, findings: isUnknown ? [...findings, 'scope_unsupported'] : findings }
}

/** Anything else is a fault of this service. */
function failureOf(error: unknown): OidcError {
  if (error instanceof OidcError) return error
  throw error
}

function isSigningKey(key: unknown): boolean {
  const { kty, use } = (typeof key === 'object' ? (key ?? {}) : {}) as { readonly kty?: unknown; readonly use?: unknown }
  return ['RSA', 'EC', 'OKP'].includes(String(kty)) && (use === undefined || use === 'sig')
}

function random(): string {
  return randomBytes(BYTES).toString('base64url')
}
