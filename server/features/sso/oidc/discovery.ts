/**
 * Metadata of OpenID providers (OpenID Connect Discovery 1.0), cached. Invariants:
 *  1. metadata is of the configured issuer, and an entry is found by its address and its issuer: no provider can speak for another one
 *  2. every endpoint is `https:`, unless the operator allows private targets
 *  3. requests for one provider at once share one download, and a failure is remembered for some seconds: the login route is public
 *  4. an entry has only the fields that this service reads, each of a limited length
 *  5. keys that did not fit are downloaded again once in some seconds for each provider; those that are known stay until the new ones have fitted
 */
import { LRUCache } from 'lru-cache'
import type { AuthorizationServer } from 'oauth4webapi'
import type { OidcConnection, OidcMetadata } from './gateway.js'
import { OidcError } from './oidc-error.js'
import type { OidcTransport } from './transport.js'

/** Providers change their metadata seldom, and announce it long before. Keys have a time of their own (`client.ts`). */
const FRESH_MS = 10 * 60 * 1000
/** Long enough that a provider that is down costs a request every few seconds; short enough that nobody waits for it to be over. */
const FAILURE_MS = 10_000
/** An entry has a few KB, and up to 128 KB of keys. */
const ENTRIES_LIMIT = 200
/** Longest address that servers commonly accept. */
const URL_CHARACTERS = 2048
/** Entries of a list, and characters of each. */
const LIST_LIMIT = 200
const ENTRY_CHARACTERS = 200
/** Long enough that tokens with wrong keys cause few requests; short enough that nobody who logs in after a rotation waits for long. */
const KEYS_RENEWED_MS = 10_000
const WELL_KNOWN = '/.well-known/openid-configuration'

/** Signatures of ID tokens that are accepted: asymmetric ones. With `HS256` everyone who knows the client secret could sign, and `none` is no signature. */
const ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Fields of an entry, as the library names them. */
export type ProviderMetadata = Pick<AuthorizationServer, 'issuer'> &
  Required<
    Pick<AuthorizationServer, 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri' | 'id_token_signing_alg_values_supported' | 'userinfo_signing_alg_values_supported'>
  > &
  AuthorizationServer

type Entry = { readonly metadata: ProviderMetadata } | { readonly failure: OidcError }

export interface DiscoveryOptions {
  readonly allowsPlain: boolean
  /** For tests: milliseconds that never go back. */
  readonly now?: () => number
}

export class Discovery {
  readonly #transport: OidcTransport
  readonly #allowsPlain: boolean
  readonly #entries: LRUCache<string, Entry>
  readonly #pending = new Map<string, Promise<ProviderMetadata>>()
  /** Copies of entries. The library keeps the keys of a provider with the object of its metadata, so that those of a copy are downloaded. */
  readonly #renewed: LRUCache<string, ProviderMetadata>

  constructor(transport: OidcTransport, { allowsPlain, now }: DiscoveryOptions) {
    this.#transport = transport
    this.#allowsPlain = allowsPlain
    const time = now === undefined ? {} : { perf: { now }, ttlResolution: 0 }
    this.#entries = new LRUCache({ max: ENTRIES_LIMIT, ttl: FRESH_MS, ...time })
    this.#renewed = new LRUCache({ max: ENTRIES_LIMIT, ttl: KEYS_RENEWED_MS, ...time })
  }

  /** @param isFresh whether the provider is asked although its metadata is cached @throws OidcError */
  async find(connection: OidcConnection, isFresh = false): Promise<ProviderMetadata> {
    const key = keyOf(connection)
    const known = isFresh ? undefined : this.#entries.get(key)
    if (known !== undefined) {
      if ('failure' in known) throw known.failure
      return known.metadata
    }
    let pending = this.#pending.get(key)
    if (pending === undefined) {
      pending = this.#download(connection, key).finally(() => this.#pending.delete(key))
      this.#pending.set(key, pending)
    }
    return pending
  }

  /** The metadata with keys that are downloaded again: at most every `KEYS_RENEWED_MS` for a provider, and the same ones for logins in between. */
  withNewKeys(connection: OidcConnection, metadata: ProviderMetadata): ProviderMetadata {
    const key = keyOf(connection)
    const known = this.#renewed.get(key)
    if (known !== undefined) return known
    const renewed = Object.freeze({ ...metadata })
    this.#renewed.set(key, renewed)
    return renewed
  }

  /** Uses metadata of `withNewKeys` in place of the known one, because its keys fit. Metadata that was downloaded meanwhile stays. */
  replace(connection: OidcConnection, known: ProviderMetadata, renewed: ProviderMetadata): void {
    const key = keyOf(connection)
    const entry = this.#entries.get(key)
    // As old as it was: new keys do not make the metadata new.
    if (entry !== undefined && 'metadata' in entry && entry.metadata === known) this.#entries.set(key, { metadata: renewed }, { ttl: this.#entries.getRemainingTTL(key) })
  }

  async #download(connection: OidcConnection, key: string): Promise<ProviderMetadata> {
    try {
      const metadata = this.#check(connection, await this.#transport.getJson(new URL(addressOf(connection)), 'discovery'))
      this.#entries.set(key, { metadata })
      return metadata
    } catch (error) {
      // Who asks afresh learns of the failure. Logins keep what is known: anybody's validation, repeated until a provider limits this service, would stop them all.
      const known = this.#entries.get(key)
      if (error instanceof OidcError && (known === undefined || 'failure' in known)) this.#entries.set(key, { failure: error }, { ttl: FAILURE_MS })
      throw error
    }
  }

  #check({ issuer }: OidcConnection, read: Readonly<Record<string, unknown>>): ProviderMetadata {
    if (read.issuer !== issuer) throw new OidcError('issuer_mismatch', { expected: issuer, found: typeof read.issuer === 'string' ? read.issuer.slice(0, URL_CHARACTERS) : '' })
    const announced = listOf(read.id_token_signing_alg_values_supported) ?? ['RS256']
    const signatures = announced.filter((algorithm) => ALGORITHMS.includes(algorithm))
    if (signatures.length === 0) throw new OidcError('unsupported', { field: 'id_token_signing_alg_values_supported' })
    const methods = listOf(read.token_endpoint_auth_methods_supported)
    const scopes = listOf(read.scopes_supported)
    const userinfo = this.#endpoint(read, 'userinfo_endpoint')
    const logout = this.#endpoint(read, 'end_session_endpoint')
    return Object.freeze({
      issuer,
      authorization_endpoint: this.#required(read, 'authorization_endpoint'),
      token_endpoint: this.#required(read, 'token_endpoint'),
      jwks_uri: this.#required(read, 'jwks_uri'),
      id_token_signing_alg_values_supported: signatures,
      userinfo_signing_alg_values_supported: (listOf(read.userinfo_signing_alg_values_supported) ?? ['RS256']).filter((algorithm) => ALGORITHMS.includes(algorithm)),
      authorization_response_iss_parameter_supported: read.authorization_response_iss_parameter_supported === true,
      ...(userinfo === null ? {} : { userinfo_endpoint: userinfo }),
      ...(logout === null ? {} : { end_session_endpoint: logout }),
      ...(methods === null ? {} : { token_endpoint_auth_methods_supported: methods }),
      ...(scopes === null ? {} : { scopes_supported: scopes }),
    })
  }

  #required(read: Readonly<Record<string, unknown>>, field: string): string {
    const endpoint = this.#endpoint(read, field)
    if (endpoint === null) throw new OidcError('answer_invalid', { endpoint: 'discovery', field })
    return endpoint
  }

  /** Null: the metadata does not have it. */
  #endpoint(read: Readonly<Record<string, unknown>>, field: string): string | null {
    const value = read[field]
    if (value === undefined || value === null) return null
    if (typeof value !== 'string' || value.length > URL_CHARACTERS || !URL.canParse(value)) throw new OidcError('answer_invalid', { endpoint: 'discovery', field })
    const { protocol, username, password } = new URL(value)
    // The guarded client would not send them, and a browser would show them before the name of the host.
    if (username !== '' || password !== '') throw new OidcError('answer_invalid', { endpoint: 'discovery', field })
    if (protocol !== 'https:' && !(this.#allowsPlain && protocol === 'http:')) throw new OidcError('endpoint_insecure', { field })
    return value
  }
}

/** Metadata without the names of the library. */
export function describeMetadata(metadata: ProviderMetadata): OidcMetadata {
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    jwksUri: metadata.jwks_uri,
    userinfoEndpoint: metadata.userinfo_endpoint ?? null,
    endSessionEndpoint: metadata.end_session_endpoint ?? null,
    scopesSupported: metadata.scopes_supported ?? null,
  }
}

/** Where the metadata is (OpenID Connect Discovery 1.0, 4: a trailing slash of the issuer is removed first). */
function addressOf({ issuer, discoveryUrl }: OidcConnection): string {
  return discoveryUrl ?? `${issuer.replace(/\/$/, '')}${WELL_KNOWN}`
}

function keyOf(connection: OidcConnection): string {
  return `${addressOf(connection)}\n${connection.issuer}`
}

/** Null: it is no list. */
function listOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  return value.filter((entry): entry is string => typeof entry === 'string' && entry.length <= ENTRY_CHARACTERS).slice(0, LIST_LIMIT)
}
