/**
 * The certified `oidc-provider` in this process, behind a front that can change its answers. Accounts, clients and keys are what the test says. Its own
 * development pages ask for the account and for consent.
 */
import assert from 'node:assert/strict'
import type { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Adapter, AdapterPayload, Configuration, Provider } from 'oidc-provider'
import { callbackTest } from './forge.js'
import { editJson, type Front, startFront } from './front.js'
import type { OpenidAccount, OpenidProvider, RegisteredClient } from './provider.js'
import { type Claims, claimsOf, newSigningKey, publicJwk, releaseKey, type Signature, type SigningKey, signToken } from './signed-token.js'
import { formTo } from './user-agent.js'

export const PATHS = { metadata: '/.well-known/openid-configuration', token: '/token', keys: '/jwks', userinfo: '/me' } as const

/** Where the library keeps the request that it serves. */
const STORAGE_OF_LIBRARY: string = 'oidc-provider/lib/helpers/als.js'

/** Providers that have not ended. */
let running = 0

export interface CertifiedOptions {
  readonly isSecure?: boolean
  /** Whether the claims of scopes are in the id_token, as with Google; else in userinfo alone, as the standard prefers. Default: true. */
  readonly hasClaimsInToken?: boolean
  /** How clients authenticate at the token endpoint. Default: `client_secret_basic`. */
  readonly clientAuthentication?: 'client_secret_basic' | 'client_secret_post'
}

export interface CertifiedProvider extends OpenidProvider {
  readonly front: Front
  /** The key that signs now. */
  readonly key: SigningKey
  /** Creates an account with exactly these claims. */
  addAccountWith(claims: Claims, subject?: string): OpenidAccount
  setClaims(account: OpenidAccount, claims: Claims): void
  register(metadata?: Claims): Promise<RegisteredClient>
  /** Signs with a new key from now on. @param keepsOld whether the key before stays published @param keepsId whether the new key has the id of the one before */
  rotateKeys(options?: { readonly keepsOld?: boolean; readonly keepsId?: boolean }): Promise<void>
  /** Replaces the id_token of token answers. @param edit returns the new claims; @param signature default: the provider's own key */
  alterIdToken(edit: (claims: Claims) => Claims, signature?: Signature, header?: Claims): ReturnType<Front['alter']>
  close(): Promise<void>
}

export async function startCertifiedProvider({
  isSecure = false,
  hasClaimsInToken = true,
  clientAuthentication = 'client_secret_basic',
}: CertifiedOptions = {}): Promise<CertifiedProvider> {
  const { Provider } = await quietly(() => import('oidc-provider'))
  const accounts = new Map<string, Claims>()
  const records = new Map<string, AdapterPayload>()
  let key = newSigningKey()
  let provider: Provider | null = null
  let handler: ReturnType<Provider['callback']> | null = null
  const front = await startFront((request, response) => void handler!(request, response), { isSecure })
  const keys = [key]
  await start()
  running++

  async function start(): Promise<void> {
    provider = await quietly(async () => new Provider(front.url, configuration(keys)))
    // The front says which protocol and host it has.
    provider.proxy = true
    handler = provider.callback()
  }

  function configuration(signing: readonly SigningKey[]): Configuration {
    return {
      adapter: (model) => new MapAdapter(model, records),
      jwks: { keys: signing.map(({ jwk }) => jwk) } as Configuration['jwks'],
      findAccount: (_, id) => {
        const claims = accounts.get(id)
        return claims === undefined ? undefined : { accountId: id, claims: async () => ({ sub: id, ...claims }) }
      },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username', 'oid', 'tid'], groups: ['groups', 'roles', 'department'] },
      scopes: ['openid', 'email', 'profile', 'groups', 'offline_access'],
      conformIdTokenClaims: !hasClaimsInToken,
      cookies: { keys: ['cookies of a provider in tests'] },
      clientBasedCORS: () => false,
      ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
      renderError: (ctx, out) => {
        ctx.type = 'json'
        ctx.body = out
      },
    }
  }

  const made: CertifiedProvider = {
    name: 'oidc-provider',
    issuer: front.url,
    front,
    get key() {
      return key
    },
    addAccountWith(claims, subject = randomUUID()) {
      accounts.set(subject, claims)
      return { subject, email: String(claims.email ?? '') }
    },
    addAccount: async (email) => made.addAccountWith({ email, email_verified: true, name: email.split('@')[0] }),
    setClaims({ subject }, claims) {
      accounts.set(subject, claims)
    },
    async register(metadata = {}) {
      const clientId = randomUUID()
      const clientSecret = randomUUID()
      const stored = `Client:${clientId}`
      const redirectTo = async (...uris: readonly string[]): Promise<void> => {
        records.set(stored, {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [...uris],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          token_endpoint_auth_method: clientAuthentication,
          ...metadata,
        } as AdapterPayload)
      }
      await redirectTo('http://127.0.0.1:1/unset')
      return { clientId, clientSecret, redirectTo }
    },
    async rotateKeys({ keepsOld = false, keepsId = false } = {}) {
      key = newSigningKey(keepsId ? key.kid : undefined)
      keys.splice(0, keys.length, key, ...(keepsOld ? keys : []))
      await start()
    },
    alterIdToken: (edit, signature, header) =>
      front.alter(
        PATHS.token,
        editJson<{ id_token: string }>((answer) => ({ ...answer, id_token: signToken(edit(claimsOf(answer.id_token)), signature ?? { alg: 'RS256', key }, header) })),
      ),
    async signIn(agent, authorizationUrl, { subject }) {
      const { redirect_uri } = Object.fromEntries(new URL(authorizationUrl).searchParams)
      const isCallback = callbackTest(redirect_uri)
      let page = await agent.open(authorizationUrl, { until: isCallback })
      for (let step = 0; page.redirect === null; step++) {
        assert.ok(step < 3, `the provider shows one page after the other, the last at ${page.url}`)
        assert.equal(page.status, 200, page.text.slice(0, 2_000))
        page = await agent.submit(page, formTo(page, /^\/interaction\//), { login: subject, password: 'any' }, isCallback)
      }
      return page.redirect
    },
    async close() {
      await front.close()
      for (const each of keys) releaseKey(each)
      if (--running === 0) await endTracking()
    },
  }
  return made
}

/** With its first use the storage lets Node follow every promise of the process, and all later tests would pay for it. */
async function endTracking(): Promise<void> {
  const { default: storage } = (await import(STORAGE_OF_LIBRARY)) as { readonly default: AsyncLocalStorage<unknown> }
  storage.disable()
}

/** Keys as a provider publishes them. */
export function keySet(keys: readonly SigningKey[]): { readonly keys: readonly object[] } {
  return { keys: keys.map(publicJwk) }
}

/** The library warns of Node 20, and of its development pages: both are what these tests want. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { warn, info } = console
  console.warn = () => undefined
  console.info = () => undefined
  try {
    return await run()
  } finally {
    console.warn = warn
    console.info = info
  }
}

/** Records of one provider, which survive a change of its keys. */
class MapAdapter implements Adapter {
  readonly #model: string
  readonly #records: Map<string, AdapterPayload>

  constructor(model: string, records: Map<string, AdapterPayload>) {
    this.#model = model
    this.#records = records
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#records.get(`${this.#model}:${id}`)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#where((payload) => payload.uid === uid)[0]?.[1]
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#where((payload) => payload.userCode === userCode)[0]?.[1]
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#records.set(`${this.#model}:${id}`, payload)
  }

  async consume(id: string): Promise<void> {
    const payload = this.#records.get(`${this.#model}:${id}`)
    if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string): Promise<void> {
    this.#records.delete(`${this.#model}:${id}`)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [name] of this.#where((payload) => payload.grantId === grantId)) this.#records.delete(name)
  }

  #where(matches: (payload: AdapterPayload) => boolean): readonly (readonly [string, AdapterPayload])[] {
    return [...this.#records].filter(([name, payload]) => name.startsWith(`${this.#model}:`) && matches(payload))
  }
}
