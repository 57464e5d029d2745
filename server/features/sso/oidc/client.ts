/**
 * The gateway to OpenID providers: authorization code flow with PKCE, on `oauth4webapi` (README.md). Invariants:
 *  1. an ID token counts only after all of its checks: signature with a published key, algorithm, issuer, audience, authorized party, times, nonce, tenant, and
 *     required claims
 *  2. a callback counts only with the state of its login, and with the issuer where the provider announces that it names one (RFC 9207)
 *  3. no error has a secret, a code, a token or a claim in it (`failures.ts`)
 *  4. keys are used for at most five minutes (the library's limit), and downloaded again for a token that none of them has signed, but at most every ten seconds for
 *     each provider (`discovery.ts`): a provider that rotates its keys is followed at once, and hostile tokens cause few requests
 */
import { LRUCache } from 'lru-cache'
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  clockTolerance,
  customFetch,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
import type { HttpClient } from '../../../core/egress/client.js'
import { describeMetadata, Discovery, type DiscoveryOptions, type ProviderMetadata } from './discovery.js'
import { callbackFailure, signatureFailure, tokenFailure, userinfoFailure } from './failures.js'
import type { AuthorizationRequest, CodeExchange, OidcConnection, OidcGateway, OidcMetadata, OidcProbe, ProvenIdentity } from './gateway.js'
import { type Claims, identityOf, lacksClaims, requireTenant } from './identity.js'
import { OidcError } from './oidc-error.js'
import { probe } from './probe.js'
import { objectOf, OidcTransport, readObject } from './transport.js'

/** Clocks of providers and of this service may differ by so much. */
export const CLOCK_TOLERANCE_SECONDS = 30
/** Where the tenant is in an issuer of Entra ID. */
const TENANT_PLACEHOLDER = '{tenantid}'
/** Clients whose method of authentication is remembered. */
const METHODS_LIMIT = 1000

export type OidcClientParts = DiscoveryOptions & { readonly http: Pick<HttpClient, 'send'> }

/** An answer of the token endpoint: its text, because a response can be read once. */
interface TokenAnswer {
  readonly response: Response
  readonly accessToken: string
  readonly claims: Claims
  readonly server: ProviderMetadata
}

export class OidcClient implements OidcGateway {
  readonly #transport: OidcTransport
  readonly #discovery: Discovery
  readonly #plain: { readonly [allowInsecureRequests]: boolean }
  /** The method that a client's provider has accepted, by token endpoint and client. */
  readonly #methods = new LRUCache<string, ClientMethod>({ max: METHODS_LIMIT })

  constructor({ http, ...options }: OidcClientParts) {
    this.#transport = new OidcTransport(http)
    this.#discovery = new Discovery(this.#transport, options)
    this.#plain = { [allowInsecureRequests]: options.allowsPlain }
  }

  async metadata(connection: OidcConnection, isFresh = false): Promise<OidcMetadata> {
    return describeMetadata(await this.#discovery.find(connection, isFresh))
  }

  async authorizationUrl(connection: OidcConnection, request: AuthorizationRequest): Promise<URL> {
    const { authorization_endpoint } = await this.#discovery.find(connection)
    const url = new URL(authorization_endpoint)
    const parameters = {
      response_type: 'code',
      client_id: connection.clientId,
      redirect_uri: request.redirectUri,
      scope: [...new Set(['openid', ...connection.scopes])].join(' '),
      state: request.state,
      nonce: request.nonce,
      code_challenge: await calculatePKCECodeChallenge(request.codeVerifier),
      code_challenge_method: 'S256',
      ...(request.loginHint === undefined ? {} : { login_hint: request.loginHint }),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }

  async exchange(connection: OidcConnection, exchange: CodeExchange): Promise<ProvenIdentity> {
    const server = await this.#discovery.find(connection)
    const answer = await this.#redeem(connection, server, exchange)
    // By the published metadata: all tenants of a provider have the same keys.
    await this.#requireSignature(connection, server, answer.response)
    const { claims } = answer
    requireParty(connection, claims)
    requireTenant(connection, claims)
    const isComplete = !lacksClaims(connection, claims) || server.userinfo_endpoint === undefined
    return identityOf(connection, claims, isComplete ? null : await this.#userinfo(connection, server, answer))
  }

  probe(connection: OidcConnection, redirectUri: string): Promise<OidcProbe> {
    return probe({ gateway: this, transport: this.#transport }, connection, redirectUri)
  }

  /** Redeems the code, and checks the claims of the ID token. Its signature is not checked yet. @throws OidcError */
  async #redeem(connection: OidcConnection, server: ProviderMetadata, exchange: CodeExchange): Promise<TokenAnswer> {
    const client = clientOf(connection)
    const answered = serverOfCallback(connection, server, exchange.callbackUrl)
    let parameters: URLSearchParams
    try {
      parameters = validateAuthResponse(answered, client, exchange.callbackUrl, exchange.state)
    } catch (error) {
      throw callbackFailure(error)
    }
    if (!parameters.has('code')) throw new OidcError('response_invalid', { field: 'code' })
    const send = (authentication: ClientAuth): Promise<Response> =>
      authorizationCodeGrantRequest(server, client, authentication, parameters, exchange.redirectUri, exchange.codeVerifier, {
        ...this.#plain,
        [customFetch]: this.#transport.fetchOf('token'),
      })
    return this.#authenticated(connection, server, async (authentication) => {
      try {
        const sent = await send(authentication)
        const body = new Uint8Array(await sent.arrayBuffer())
        const read = sent.status === 200 ? readObject(body, 'token') : {}
        const own = serverOfToken(server, read.id_token)
        const response = new Response(body, { status: sent.status, headers: sent.headers })
        const tokens = await processAuthorizationCodeResponse(own, client, response, { expectedNonce: exchange.nonce, requireIdToken: true })
        return { response, accessToken: tokens.access_token, claims: getValidatedIdTokenClaims(tokens) as unknown as Claims, server: own }
      } catch (error) {
        throw tokenFailure(error)
      }
    })
  }

  /** Tries the methods that the provider announces, the one first that it has accepted before. Providers announce methods of which a client may use one. */
  async #authenticated<T>(connection: OidcConnection, server: ProviderMetadata, work: (authentication: ClientAuth) => Promise<T>): Promise<T> {
    const { clientId, clientSecret } = connection
    if (clientSecret === null) return work(None())
    const announced = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const key = `${server.token_endpoint}\n${clientId}`
    const known = this.#methods.get(key)
    const methods = CLIENT_METHODS.filter((method) => announced.includes(method)).sort((a, b) => Number(b === known) - Number(a === known))
    if (methods.length === 0) throw new OidcError('unsupported', { field: 'token_endpoint_auth_methods_supported' })
    for (const [index, method] of methods.entries()) {
      try {
        const result = await work(method === 'client_secret_basic' ? basic(clientSecret) : ClientSecretPost(clientSecret))
        this.#methods.set(key, method)
        return result
      } catch (error) {
        if (!(error instanceof OidcError) || error.failure !== 'client_refused' || index === methods.length - 1) throw error
      }
    }
    throw new OidcError('client_refused')
  }

  /** @throws OidcError */
  async #requireSignature(connection: OidcConnection, server: ProviderMetadata, response: Response): Promise<void> {
    try {
      await this.#checkSignature(server, response)
    } catch (error) {
      if (!(error instanceof OidcError) || !isOfOtherKey(error)) throw error
      const renewed = this.#discovery.withNewKeys(connection, server)
      await this.#checkSignature(renewed, response)
      this.#discovery.replace(connection, server, renewed)
    }
  }

  async #checkSignature(server: ProviderMetadata, response: Response): Promise<void> {
    try {
      await validateApplicationLevelSignature(server, response, { ...this.#plain, [customFetch]: this.#transport.fetchOf('jwks') })
    } catch (error) {
      throw signatureFailure(error)
    }
  }

  /** @param published its metadata, by which its keys are cached @throws OidcError */
  async #userinfo(connection: OidcConnection, published: ProviderMetadata, { accessToken, claims, server }: TokenAnswer): Promise<Claims> {
    const client = clientOf(connection)
    let response: Response
    let read: Claims
    try {
      response = await userInfoRequest(server, client, accessToken, { ...this.#plain, [customFetch]: this.#transport.fetchOf('userinfo') })
      read = (await processUserInfoResponse(server, client, String(claims.sub), response)) as unknown as Claims
    } catch (error) {
      throw userinfoFailure(error)
    }
    if (response.headers.get('content-type')?.startsWith('application/jwt') === true) await this.#requireSignature(connection, published, response)
    return read
  }
}

/** Whether a key that is not known here may have signed: one with another id, or in place of a known one. */
function isOfOtherKey({ failure, details }: OidcError): boolean {
  return failure === 'token_invalid' && (details.check === 'key' || details.check === 'signature')
}

/** In the order in which they are tried: every provider should accept the first one (RFC 6749, 2.3.1). */
const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post'] as const
type ClientMethod = (typeof CLIENT_METHODS)[number]

/**
 * `client_secret_basic`, encoded as forms are. The library's own also encodes hyphens and underscores, and some providers (Gitea) do not decode what they need not
 * expect to be encoded.
 */
function basic(secret: string): ClientAuth {
  const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return (_, { client_id }, __, headers) => headers.set('Authorization', `Basic ${Buffer.from(`${encoded(client_id)}:${encoded(secret)}`).toString('base64')}`)
}

function clientOf({ clientId }: OidcConnection): Client {
  return { client_id: clientId, [clockTolerance]: CLOCK_TOLERANCE_SECONDS }
}

/** The provider with the issuer that a callback may name: that of an admitted tenant. */
function serverOfCallback({ tenantIds }: OidcConnection, server: ProviderMetadata, callback: URL): ProviderMetadata {
  const named = callback.searchParams.get('iss')
  const isTenant = named !== null && server.issuer.includes(TENANT_PLACEHOLDER) && tenantIds.some((id) => server.issuer.replace(TENANT_PLACEHOLDER, id) === named)
  return isTenant ? { ...server, issuer: named } : server
}

/**
 * The provider with the issuer that the token must name: where the issuer holds a tenant, that of the token. The token is not checked yet; whether its tenant is
 * an admitted one is decided after its checks. @throws OidcError token_invalid
 */
function serverOfToken(server: ProviderMetadata, token: unknown): ProviderMetadata {
  if (!server.issuer.includes(TENANT_PLACEHOLDER) || typeof token !== 'string') return server
  return { ...server, issuer: server.issuer.replace(TENANT_PLACEHOLDER, String(unverifiedClaims(token).tid)) }
}

/** @throws OidcError token_invalid */
function unverifiedClaims(token: string): Claims {
  const claims = objectOf(Buffer.from(token.split('.')[1] ?? '', 'base64url'))
  if (claims === null) throw new OidcError('token_invalid', { check: 'format' })
  return claims
}

/**
 * OpenID Connect Core 1.0, 3.1.3.7: checks that the library leaves to its caller. @throws OidcError token_invalid
 */
function requireParty({ clientId }: OidcConnection, { azp, iat }: Claims): void {
  if (azp !== undefined && azp !== clientId) throw new OidcError('token_invalid', { check: 'authorized_party' })
  if (Number(iat) > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS) throw new OidcError('token_invalid', { check: 'not_yet_valid' })
}
