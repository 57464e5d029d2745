/** What the service asks of an OpenID provider (OpenID Connect Core 1.0). `client.ts` implements it. */
import type { OidcError } from './oidc-error.js'

/** A value that a claim must have. */
export interface RequiredClaim {
  /** Name at the top level of the claims, for example `hd` of Google. */
  readonly claim: string
  /** One of them must be the value of the claim, or in it if the claim is a list. */
  readonly values: readonly string[]
}

/** A provider, and how this service is known to it. */
export interface OidcConnection {
  /** As the provider writes it in its metadata. With `tenantIds` it may hold `{tenantid}` (Entra ID with several tenants). */
  readonly issuer: string
  /** Address of the metadata; null: that of the issuer (`<issuer>/.well-known/openid-configuration`). */
  readonly discoveryUrl: string | null
  readonly clientId: string
  /** Null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null
  /** Requested in addition to `openid`. */
  readonly scopes: readonly string[]
  /** Entra ID: the token's `tid` must be one of them. Empty: tenants do not matter, and the issuer is fixed. */
  readonly tenantIds: readonly string[]
  /** Each must hold for a login. */
  readonly requiredClaims: readonly RequiredClaim[]
  /** The claim that has the e-mail: `email`, or for example `upn`. */
  readonly emailClaim: string
  /** The claim that has the groups; null: none is read. */
  readonly groupsClaim: string | null
}

/** What the provider announces of itself, checked. */
export interface OidcMetadata {
  /** As `OidcConnection.issuer`; with a `{tenantid}` that is not filled in. */
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly jwksUri: string
  readonly userinfoEndpoint: string | null
  /** Where a browser ends its session at the provider (RP-initiated logout). */
  readonly endSessionEndpoint: string | null
  readonly scopesSupported: readonly string[] | null
}

/** One login: what binds the answer to the request. */
export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface AuthorizationRequest extends LoginSecrets {
  readonly redirectUri: string
  /** E-mail that the provider fills in. */
  readonly loginHint?: string
}

export interface CodeExchange extends LoginSecrets {
  /** The address that the provider redirected the browser to, with its query. */
  readonly callbackUrl: URL
  /** Exactly as in the authorization request. */
  readonly redirectUri: string
}

/** Whom the provider has authenticated. Every claim has passed all checks of the token. */
export interface ProvenIdentity {
  /** The token's issuer, with the tenant filled in. A subject is unique within it. */
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** Null: the provider says nothing about it. */
  readonly emailVerified: boolean | null
  readonly name: string | null
  /** Null: no claim is configured, or the provider did not send it. */
  readonly groups: readonly string[] | null
  /** Claims of the token, and those of userinfo that the token does not have. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** What a probe finds besides failures: nothing is wrong for certain. */
export const PROBE_FINDINGS = [
  /** The token endpoint does not say whether it accepts client id and secret. */
  'client_unconfirmed',
  /** The authorization endpoint refused a request without a person. */
  'authorization_unconfirmed',
  /** A scope is not one of those that the provider announces. */
  'scope_unsupported',
] as const
export type ProbeFinding = (typeof PROBE_FINDINGS)[number]

/** What a provider answers to requests that no person is part of. */
export interface OidcProbe {
  /** Null: it could not be read. */
  readonly metadata: OidcMetadata | null
  readonly errors: readonly OidcError[]
  readonly findings: readonly ProbeFinding[]
}

/** Every method but `probe` throws `OidcError`. */
export interface OidcGateway {
  /** @param isFresh whether the provider is asked although its metadata is cached */
  metadata(connection: OidcConnection, isFresh?: boolean): Promise<OidcMetadata>
  authorizationUrl(connection: OidcConnection, request: AuthorizationRequest): Promise<URL>
  exchange(connection: OidcConnection, exchange: CodeExchange): Promise<ProvenIdentity>
  /** Asks the provider afresh. @param redirectUri the registered one */
  probe(connection: OidcConnection, redirectUri: string): Promise<OidcProbe>
}
