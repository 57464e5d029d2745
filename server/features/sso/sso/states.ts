/**
 * Logins at identity providers that have begun and not ended. Every method but `begin` needs the state itself. Invariants:
 *  1. a state ends one login: one of several concurrent callbacks claims it, on any instance
 *  2. a state is bound to its provider, and to the browser that began: a link that somebody else made logs nobody in
 *  3. the store holds keyed hashes only, and nonce and code verifier are derived from the state: with a copy of the database nobody can end a login
 */
import { hash } from 'node:crypto'
import { hashesMatch } from '../../../core/auth/api-keys.js'
import type { CookieChange } from '../../../core/auth/cookies.js'
import { hashToken, newToken } from '../../../core/auth/one-time-tokens.js'
import { readingKeys, type Secrets } from '../../../core/auth/secrets.js'
import type { LoginSecrets } from '../oidc/gateway.js'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../../../core/storage/contract.js'

/** `_id` is the hash of the state. */
export interface SsoStateDocument extends StoredDocument {
  readonly provider_id: string
  /** Hash of the cookie. */
  readonly browser_hash: string
  /** The member who tests the provider; null: a login. */
  readonly tester_id: string | null
  readonly redirect_path: string
  readonly expires_at: Date
}

export const SSO_STATES = platformCollection<SsoStateDocument>('sso_states', [{ keys: { expires_at: 1 }, expireAfterSeconds: 0 }])

/**
 * Prefix of the cookies. Each state has its own, so that logins in several tabs do not disturb one another. The name does not begin with `__Host-`, which would keep
 * other hosts of the same site from setting the cookie: such a host can set `service_session`, whose name the contract fixes, without any login.
 */
const COOKIE_PREFIX = 'service_sso_'
/** Characters of the hash in the name: enough to distinguish the logins of a browser. */
const COOKIE_CHARACTERS = 16

/** What a login is for. */
export type SsoPurpose = Pick<SsoStateDocument, 'provider_id' | 'tester_id' | 'redirect_path'>

/** A login that begins. */
export interface BegunLogin<Prepared> {
  readonly prepared: Prepared
  readonly state: string
  readonly cookie: CookieChange
}

/** A login that a callback has claimed. */
export interface ClaimedLogin extends SsoPurpose {
  readonly secrets: LoginSecrets
  /** Whether the browser with this cookie began the login. */
  isBegunBy(cookie: string | null): boolean
}

export class SsoStates {
  readonly #documents: Collection<SsoStateDocument>
  readonly #secrets: Secrets
  readonly #ttlSeconds: number
  readonly #clock: () => number

  constructor(storage: Storage, secrets: Secrets, ttlSeconds: number, clock: () => number) {
    this.#documents = storage.open(SSO_STATES)
    this.#secrets = secrets
    this.#ttlSeconds = ttlSeconds
    this.#clock = clock
  }

  /** Begins a login. @param prepare runs before the state is stored, so that a provider that does not answer leaves no state behind */
  async begin<Prepared>(purpose: SsoPurpose, prepare: (secrets: LoginSecrets) => Promise<Prepared>): Promise<BegunLogin<Prepared>> {
    const { tokenHash } = this.#secrets
    const [state, browser] = [newToken(), newToken()]
    const prepared = await prepare(derived(tokenHash, state))
    await this.#documents.insert({
      _id: hashToken(tokenHash, 'sso-state', state),
      browser_hash: hashToken(tokenHash, 'sso-browser', browser),
      ...purpose,
      expires_at: new Date(this.#clock() + this.#ttlSeconds * 1000),
    })
    return { prepared, state, cookie: { name: cookieName(state), value: browser, maxAgeSeconds: this.#ttlSeconds } }
  }

  /** Uses a state up. Null: there is none, it has expired, or another callback has claimed it. */
  async claim(state: string): Promise<ClaimedLogin | null> {
    for (const key of readingKeys(this.#secrets, 'tokenHash')) {
      const _id = hashToken(key, 'sso-state', state)
      const found = await this.#documents.findOne({ _id })
      if (found === null) continue
      const isFirst = await this.#documents.delete({ _id })
      if (!isFirst || found.expires_at.getTime() <= this.#clock()) return null
      const { provider_id, tester_id, redirect_path, browser_hash } = found
      const isBegunBy = (cookie: string | null): boolean => cookie !== null && hashesMatch(hashToken(key, 'sso-browser', cookie), browser_hash)
      return { provider_id, tester_id, redirect_path, secrets: derived(key, state), isBegunBy }
    }
    return null
  }
}

/** Name of the cookie of a state. */
export function cookieName(state: string): string {
  return COOKIE_PREFIX + hash('sha256', state, 'base64url').slice(0, COOKIE_CHARACTERS)
}

/** A hash has the 43 characters that a code verifier needs (RFC 7636, 4.1). */
function derived(key: Buffer, state: string): LoginSecrets {
  return { state, nonce: hashToken(key, 'sso-nonce', state), codeVerifier: hashToken(key, 'sso-verifier', state) }
}
