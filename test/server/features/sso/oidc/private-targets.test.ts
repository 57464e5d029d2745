/** A provider that leads the service to addresses of its own network: by its metadata, by a redirect, or by a name that resolves to another address later. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { HttpClient } from '../../../../../server/core/egress/client.js'
import { type Address, EgressGuard, TargetRefusedError } from '../../../../../server/core/egress/egress-guard.js'
import { OidcClient } from '../../../../../server/features/sso/oidc/client.js'
import type { OidcConnection } from '../../../../../server/features/sso/oidc/gateway.js'
import { OidcError } from '../../../../../server/features/sso/oidc/oidc-error.js'
import { type CertifiedProvider, PATHS, startCertifiedProvider } from '../../../../support/openid/certified.js'
import { type Altering, editJson, jsonReply, type Reply } from '../../../../support/openid/front.js'
import { type Claims, signToken } from '../../../../support/openid/signed-token.js'

/** The only name that the guard takes for public. */
const PUBLIC_NAME = 'login.example'
const REDIRECT_URI = 'https://service.example/callback?provider_id=one'
const SECRETS = { state: 'a-state', nonce: 'a-nonce', codeVerifier: 'v'.repeat(43) }

class NamedGuard extends EgressGuard {
  /** Whether the name resolves to an address of the own network now. */
  isRebound = false

  override async addressesOf({ hostname }: URL): Promise<readonly Address[]> {
    if (hostname !== PUBLIC_NAME || this.isRebound) throw new TargetRefusedError()
    return [{ address: '127.0.0.1', family: 4 }]
  }
}

describe('a provider that leads to a private address', () => {
  const guard = new NamedGuard({ allowPrivateTargets: false })
  const http = new HttpClient(guard)
  let provider: CertifiedProvider
  let issuer: string
  let connection: OidcConnection
  let gateway: OidcClient
  const altering: Altering[] = []

  before(async () => {
    provider = await startCertifiedProvider()
    issuer = provider.issuer.replace('localhost', PUBLIC_NAME)
    connection = {
      issuer,
      discoveryUrl: null,
      clientId: 'client',
      clientSecret: 'a secret of the client',
      scopes: ['email'],
      tenantIds: [],
      requiredClaims: [],
      emailClaim: 'email',
      groupsClaim: null,
    }
  })
  beforeEach(() => {
    for (const each of altering.splice(0)) each.end()
    guard.isRebound = false
    gateway = new OidcClient({ http, allowsPlain: true })
  })
  after(async () => {
    http.close()
    await provider?.close()
  })

  const alter = (path: string, fault: Parameters<CertifiedProvider['front']['alter']>[1]): Altering => {
    const added = provider.front.alter(path, fault)
    altering.push(added)
    return added
  }
  /** Announces the endpoints under the public name, with changes. */
  const announce = (changes: Claims = {}): void => {
    alter(
      PATHS.metadata,
      editJson<Claims>((metadata) => ({ ...(JSON.parse(JSON.stringify(metadata).replaceAll('localhost', PUBLIC_NAME)) as Claims), ...changes })),
    )
  }
  /** Answers a valid token, as if a person had signed in. @param claims beside those that every token has */
  const answerToken = (claims: Claims): void => {
    const now = Math.floor(Date.now() / 1000)
    const token = { iss: issuer, sub: 'a', aud: connection.clientId, iat: now, exp: now + 60, nonce: SECRETS.nonce, ...claims }
    const answer = (): Reply => jsonReply({ access_token: 'access', token_type: 'Bearer', id_token: signToken(token, { alg: 'RS256', key: provider.key }) })
    alter(PATHS.token, answer)
  }
  const exchange = () => {
    const callbackUrl = new URL(`${REDIRECT_URI}&${new URLSearchParams({ code: 'a-code', state: SECRETS.state, iss: issuer })}`)
    return gateway.exchange(connection, { callbackUrl, redirectUri: REDIRECT_URI, ...SECRETS })
  }
  const isRefused = (work: Promise<unknown>): Promise<void> =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof OidcError)
      assert.equal(error.failure, 'target_refused')
      return true
    })
  const callsTo = (path: string): number => provider.front.callsTo(path).length

  test('is asked under its public name', async () => {
    announce()
    answerToken({ email: 'ana@example.test', email_verified: true })
    assert.equal((await exchange()).email, 'ana@example.test')
  })

  test('gets neither code nor secret at a private token endpoint', async () => {
    announce({ token_endpoint: `${provider.issuer}${PATHS.token}` })
    const before = callsTo(PATHS.token)
    await isRefused(exchange())
    assert.equal(callsTo(PATHS.token), before)
  })

  test('has no keys at a private address', async () => {
    announce({ jwks_uri: `${provider.issuer}${PATHS.keys}` })
    answerToken({ email: 'ana@example.test', email_verified: true })
    const before = callsTo(PATHS.keys)
    await isRefused(exchange())
    assert.equal(callsTo(PATHS.keys), before)
  })

  test('has no userinfo at a private address', async () => {
    announce({ userinfo_endpoint: `${provider.issuer}${PATHS.userinfo}` })
    answerToken({})
    const before = callsTo(PATHS.userinfo)
    await isRefused(exchange())
    assert.equal(callsTo(PATHS.userinfo), before)
  })

  test('has no metadata at a private address', async () => {
    await isRefused(gateway.metadata({ ...connection, issuer: provider.issuer }))
    await isRefused(gateway.metadata({ ...connection, discoveryUrl: `${provider.issuer}${PATHS.metadata}` }))
  })

  test('does not lead there by a redirect', async () => {
    const before = provider.front.calls.length
    alter(PATHS.metadata, () => ({ status: 302, headers: { location: `${provider.issuer}/elsewhere` }, body: '' }))
    await assert.rejects(gateway.metadata(connection), (error) => error instanceof OidcError && error.failure === 'answer_invalid')
    assert.equal(provider.front.calls.length, before + 1)
  })

  test('is not asked any more when its name resolves to a private address (DNS rebinding)', async () => {
    announce()
    answerToken({ email: 'ana@example.test', email_verified: true })
    await gateway.metadata(connection)
    const before = provider.front.calls.length
    guard.isRebound = true
    await isRefused(exchange())
    await isRefused(gateway.metadata(connection, true))
    assert.equal(provider.front.calls.length, before)
  })
})
