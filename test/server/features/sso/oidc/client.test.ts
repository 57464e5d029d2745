/** The gateway to OpenID providers, against two real ones over HTTP: sign-ins, and answers that are changed in one point each. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, mock, test } from 'node:test'
import { HttpClient } from '../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../server/core/egress/egress-guard.js'
import { OidcClient } from '../../../../../server/features/sso/oidc/client.js'
import type { LoginSecrets, OidcConnection, ProvenIdentity } from '../../../../../server/features/sso/oidc/gateway.js'
import { type OidcDetails, OidcError } from '../../../../../server/features/sso/oidc/oidc-error.js'
import { forgeForTests } from '../../../../support/git/forge.js'
import { type CertifiedProvider, PATHS, startCertifiedProvider } from '../../../../support/openid/certified.js'
import { forgeAsProvider } from '../../../../support/openid/forge.js'
import { editJson, type Fault, jsonReply } from '../../../../support/openid/front.js'
import type { OpenidAccount, OpenidProvider } from '../../../../support/openid/provider.js'
import { type Claims, newSigningKey, publicKeyTexts } from '../../../../support/openid/signed-token.js'
import { UserAgent } from '../../../../support/openid/user-agent.js'

/** Never requested: the walk ends before it. */
const CALLBACK = 'http://127.0.0.1:9/callback?provider_id=one'
const TENANTS = ['72f988bf-86f1-41af-91ab-2d7cd011db47', '9122040d-6c67-4c5b-b112-36a304b66dad']
const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
const newGateway = () => new OidcClient({ http, allowsPlain: true })

const connectionTo = (issuer: string, clientId: string, clientSecret: string | null, settings: Partial<OidcConnection> = {}): OidcConnection => ({
  issuer,
  discoveryUrl: null,
  clientId,
  clientSecret,
  scopes: ['openid', 'email', 'profile'],
  tenantIds: [],
  requiredClaims: [],
  emailClaim: 'email',
  groupsClaim: null,
  ...settings,
})
const newSecrets = (): LoginSecrets => ({
  state: randomBytes(32).toString('base64url'),
  nonce: randomBytes(32).toString('base64url'),
  codeVerifier: randomBytes(32).toString('base64url'),
})

/** A sign-in up to the callback. */
async function callbackOf(gateway: OidcClient, connection: OidcConnection, provider: OpenidProvider, account: OpenidAccount, secrets: LoginSecrets): Promise<URL> {
  const url = await gateway.authorizationUrl(connection, { redirectUri: CALLBACK, ...secrets })
  return provider.signIn(new UserAgent(), url, account)
}

async function signIn(gateway: OidcClient, connection: OidcConnection, provider: OpenidProvider, account: OpenidAccount): Promise<ProvenIdentity> {
  const secrets = newSecrets()
  const callbackUrl = await callbackOf(gateway, connection, provider, account, secrets)
  return gateway.exchange(connection, { callbackUrl, redirectUri: CALLBACK, ...secrets })
}

/** Asserts the failure, and that nothing of the error has one of the texts. */
async function fails(work: Promise<unknown>, reason: string, details: OidcDetails = {}, hidden: readonly string[] = []): Promise<void> {
  const error = await work.then(
    () => assert.fail(`it succeeded, and ${reason} was expected`),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof OidcError, String(error))
  assert.deepEqual([error.reason, error.details], [reason, details])
  assert.equal(error.cause, undefined)
  const written = `${error.stack} ${JSON.stringify(error)}`
  for (const text of hidden) assert.ok(!written.includes(text))
}

describe('the gateway to OpenID providers', () => {
  let provider: CertifiedProvider
  let account: OpenidAccount
  let client: { readonly clientId: string; readonly clientSecret: string }
  let gateway: OidcClient
  const connect = (settings: Partial<OidcConnection> = {}) => connectionTo(provider.issuer, client.clientId, client.clientSecret, settings)
  const enter = (settings?: Partial<OidcConnection>, person = account) => signIn(gateway, connect(settings), provider, person)

  /** Changes answers of a path during some work. */
  async function altered<T>(path: string, fault: Fault, work: () => Promise<T>): Promise<T> {
    const altering = provider.front.alter(path, fault)
    try {
      return await work()
    } finally {
      altering.end()
    }
  }
  /** A sign-in with other claims, or another signature. */
  async function withToken(
    edit: (claims: Claims) => Claims,
    settings: Partial<OidcConnection> = {},
    signature?: Parameters<CertifiedProvider['alterIdToken']>[1],
    header?: Claims,
  ) {
    const altering = provider.alterIdToken(edit, signature, header)
    try {
      return await enter(settings)
    } finally {
      altering.end()
    }
  }

  before(async () => {
    provider = await startCertifiedProvider()
    account = provider.addAccountWith({ email: 'ana@example.test', email_verified: true, name: 'Ana' })
    const registered = await provider.register()
    await registered.redirectTo(CALLBACK)
    client = registered
  })
  after(() => provider?.close())
  beforeEach(() => {
    gateway = newGateway()
  })

  test('a sign-in proves who the person is', async () => {
    const { claims, ...identity } = await enter()
    assert.deepEqual(identity, { issuer: provider.issuer, subject: account.subject, email: 'ana@example.test', emailVerified: true, name: 'Ana', groups: null })
    assert.equal(claims.aud, client.clientId)
    // What the token has is not asked for.
    assert.deepEqual(provider.front.callsTo(PATHS.userinfo), [])
    const [{ body, headers }] = provider.front.callsTo(PATHS.token)
    const sent = new URLSearchParams(body)
    assert.deepEqual([sent.get('redirect_uri'), sent.get('client_secret'), headers.authorization?.startsWith('Basic ')], [CALLBACK, null, true])
  })

  test('the authorization request has PKCE, a nonce, and what the settings say', async () => {
    const secrets = newSecrets()
    const url = await gateway.authorizationUrl(connect({ scopes: ['email'] }), { redirectUri: CALLBACK, ...secrets, loginHint: 'ana@example.test' })
    const { code_challenge, ...rest } = Object.fromEntries(url.searchParams)
    assert.match(code_challenge, /^[\w-]{43}$/)
    assert.notEqual(code_challenge, secrets.codeVerifier)
    assert.deepEqual(rest, {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: CALLBACK,
      scope: 'openid email',
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge_method: 'S256',
      login_hint: 'ana@example.test',
    })
  })

  test('a client without a secret signs in too, and one whose provider takes another method than the first', async () => {
    const open = await provider.register({ token_endpoint_auth_method: 'none' })
    await open.redirectTo(CALLBACK)
    assert.equal((await signIn(gateway, connect({ clientId: open.clientId, clientSecret: null }), provider, account)).subject, account.subject)
    const methods: string[] = []
    const refusing: Pick<HttpClient, 'send'> = {
      async send(request) {
        if (request.url.pathname !== PATHS.token) return http.send(request)
        const isBasic = request.headers?.authorization !== undefined
        methods.push(isBasic ? 'basic' : 'post')
        return isBasic ? { status: 401, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"error":"invalid_client"}') } : http.send(request)
      },
    }
    gateway = new OidcClient({ http: refusing, allowsPlain: true })
    for (let at = 0; at < 2; at++) assert.equal((await enter()).subject, account.subject)
    // The method is found once, and remembered.
    assert.deepEqual(methods, ['basic', 'post', 'post'])
    await fails(signIn(newGateway(), connect({ clientSecret: 'wrong' }), provider, account), 'oidc_client_refused')
    for (const [announced, hasHeader] of [
      [['client_secret_post'], false],
      [undefined, true],
    ] as const) {
      gateway = newGateway()
      await altered(
        PATHS.metadata,
        editJson<object>((metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: announced })),
        () => enter(),
      )
      const last = provider.front.callsTo(PATHS.token).at(-1)
      assert.equal(last?.headers.authorization !== undefined, hasHeader)
    }
    gateway = newGateway()
    await altered(
      PATHS.metadata,
      editJson<object>((metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: ['private_key_jwt'] })),
      async () => {
        await fails(enter(), 'oidc_unsupported', { field: 'token_endpoint_auth_methods_supported' })
      },
    )
  })

  test('a callback of another login, another state or another issuer is refused, and a code is redeemed once', async () => {
    const secrets = newSecrets()
    const callbackUrl = await callbackOf(gateway, connect(), provider, account, secrets)
    const exchange = { callbackUrl, redirectUri: CALLBACK, ...secrets }
    await fails(gateway.exchange(connect(), { ...exchange, state: newSecrets().state }), 'oidc_response_invalid')
    for (const iss of ['https://evil.example', null]) {
      const mixed = new URL(callbackUrl)
      if (iss === null) mixed.searchParams.delete('iss')
      else mixed.searchParams.set('iss', iss)
      await fails(gateway.exchange(connect(), { ...exchange, callbackUrl: mixed }), 'oidc_response_invalid')
    }
    const withoutCode = new URL(callbackUrl)
    withoutCode.searchParams.delete('code')
    await fails(gateway.exchange(connect(), { ...exchange, callbackUrl: withoutCode }), 'oidc_response_invalid', { field: 'code' })
    assert.equal((await gateway.exchange(connect(), exchange)).subject, account.subject)
    await fails(gateway.exchange(connect(), exchange), 'oidc_code_refused', {}, [callbackUrl.searchParams.get('code')!, client.clientSecret])
    const again = { ...exchange, callbackUrl: await callbackOf(gateway, connect(), provider, account, secrets) }
    await fails(gateway.exchange(connect(), { ...again, codeVerifier: newSecrets().codeVerifier }), 'oidc_code_refused')
    for (const [error, reason, details] of [
      ['access_denied', 'oidc_login_canceled', {}],
      ['server_error', 'oidc_login_refused', { error: 'server_error' }],
      ['<script>', 'oidc_login_refused', {}],
    ] as const) {
      const refused = new URL(`${CALLBACK}&${new URLSearchParams({ state: secrets.state, iss: provider.issuer, error, error_description: 'mark' })}`)
      await fails(gateway.exchange(connect(), { ...exchange, callbackUrl: refused }), reason, details, ['mark', '<script>'])
    }
  })

  test('a token that fails one check is refused, whichever it is', async () => {
    const same = (claims: Claims): Claims => claims
    const now = Math.floor(Date.now() / 1000)
    for (const [check, edit] of [
      ['issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
      ['audience', (claims) => ({ ...claims, aud: 'another-client' })],
      ['audience', (claims) => ({ ...claims, aud: [claims.aud, 'another-client'] })],
      ['authorized_party', (claims) => ({ ...claims, aud: [claims.aud, 'another-client'], azp: 'another-client' })],
      ['authorized_party', (claims) => ({ ...claims, azp: 'another-client' })],
      ['nonce', (claims) => ({ ...claims, nonce: 'of another login' })],
      ['claims', ({ nonce: _, ...claims }) => claims],
      ['expired', (claims) => ({ ...claims, exp: now - 31 })],
      ['not_yet_valid', (claims) => ({ ...claims, nbf: now + 90 })],
      ['not_yet_valid', (claims) => ({ ...claims, iat: now + 90 })],
      ['claims', ({ exp: _, ...claims }) => claims],
      ['claims', ({ sub: _, ...claims }) => claims],
    ] as const satisfies readonly (readonly [string, (claims: Claims) => Claims])[]) {
      await fails(withToken(edit), 'oidc_token_invalid', { check })
    }
    await fails(
      withToken((claims) => ({ ...claims, sub: 'x'.repeat(256) })),
      'oidc_token_invalid',
      { check: 'claims', claim: 'sub' },
    )
    await fails(withToken(same, {}, { alg: 'none' }), 'oidc_token_invalid', { check: 'algorithm' })
    for (const secret of [...publicKeyTexts(provider.key), client.clientSecret]) {
      await fails(withToken(same, {}, { alg: 'HS256', secret, kid: provider.key.kid }), 'oidc_token_invalid', { check: 'algorithm' }, [String(secret)])
    }
    await fails(withToken(same, {}, { alg: 'RS256', key: newSigningKey() }), 'oidc_token_invalid', { check: 'key' })
    await fails(withToken(same, {}, { alg: 'RS256', key: { ...newSigningKey(), kid: provider.key.kid } }), 'oidc_token_invalid', { check: 'signature' })
    await fails(withToken(same, {}, { alg: 'RS256', key: provider.key }, { crit: ['b64'] }), 'oidc_token_invalid', { check: 'format' })
    for (const token of ['', 'a.b', 'a.b.c', `${'e30'}.e30.`]) {
      const broken = altered(
        PATHS.token,
        editJson<object>((answer) => ({ ...answer, id_token: token })),
        () => enter(),
      )
      await assert.rejects(broken, (error) => error instanceof OidcError && ['oidc_token_invalid', 'oidc_answer_invalid'].includes(error.reason), token)
    }
    // A clock that differs by less than the tolerance is no reason.
    assert.equal((await withToken((claims) => ({ ...claims, exp: now - 5, nbf: now + 10, iat: now + 10 }))).subject, account.subject)
  })

  test('signatures that a provider announces are accepted only if they are asymmetric', async () => {
    const announcing = (algorithms: readonly string[]) => editJson<object>((metadata) => ({ ...metadata, id_token_signing_alg_values_supported: algorithms }))
    await altered(PATHS.metadata, announcing(['HS256', 'none']), async () => {
      await fails(enter(), 'oidc_unsupported', { field: 'id_token_signing_alg_values_supported' })
    })
    await altered(PATHS.metadata, announcing(['HS256', 'none', 'RS256']), async () => {
      gateway = newGateway()
      for (const signature of [{ alg: 'none' }, { alg: 'HS256', secret: client.clientSecret }] as const) {
        await fails(
          withToken((claims) => claims, {}, signature),
          'oidc_token_invalid',
          { check: 'algorithm' },
        )
      }
      assert.equal((await enter()).subject, account.subject)
    })
  })

  test('keys are downloaded again for a token that none has signed, but seldom', async () => {
    const rotating = await startCertifiedProvider()
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    let now = 1
    const gateway = new OidcClient({ http, allowsPlain: true, now: () => now })
    const tick = (ms: number): void => {
      now += ms
      mock.timers.tick(ms)
    }
    try {
      const registered = await rotating.register()
      await registered.redirectTo(CALLBACK)
      const connection = connectionTo(rotating.issuer, registered.clientId, registered.clientSecret)
      const person = await rotating.addAccount('rui@example.test')
      const downloads = () => rotating.front.callsTo(PATHS.keys).length
      await signIn(gateway, connection, rotating, person)
      await signIn(gateway, connection, rotating, person)
      assert.equal(downloads(), 1)
      const altering = rotating.alterIdToken((claims) => claims, { alg: 'RS256', key: newSigningKey() })
      for (let at = 0; at < 3; at++) await fails(signIn(gateway, connection, rotating, person), 'oidc_token_invalid', { check: 'key' })
      altering.end()
      assert.equal(downloads(), 2)
      await rotating.rotateKeys()
      await fails(signIn(gateway, connection, rotating, person), 'oidc_token_invalid', { check: 'key' })
      tick(10_001)
      // The logins after a rotation share one download, which replaces the known keys.
      const people = await Promise.all(Array.from({ length: 5 }, () => signIn(gateway, connection, rotating, person)))
      assert.deepEqual(new Set(people.map(({ subject }) => subject)), new Set([person.subject]))
      assert.equal(downloads(), 3)
      await signIn(gateway, connection, rotating, person)
      assert.equal(downloads(), 3)
      // A new key in place of the old one, with its id.
      tick(10_001)
      await rotating.rotateKeys({ keepsId: true })
      assert.equal((await signIn(gateway, connection, rotating, person)).subject, person.subject)
      assert.equal(downloads(), 4)
      // A download that fails takes nothing away from who signs with a known key.
      tick(10_001)
      const down = rotating.front.alter(PATHS.keys, () => jsonReply({}, 503))
      const other = rotating.alterIdToken((claims) => claims, { alg: 'RS256', key: newSigningKey() })
      await fails(signIn(gateway, connection, rotating, person), 'oidc_unreachable', { endpoint: 'jwks', status: 503 })
      other.end()
      await signIn(gateway, connection, rotating, person)
      down.end()
      // A key that is not published any more is not used for ever.
      const before = downloads()
      tick(301_000)
      await signIn(gateway, connection, rotating, person)
      assert.equal(downloads(), before + 1)
    } finally {
      mock.timers.reset()
      await rotating.close()
    }
  })

  test('claims of userinfo complete those of the token, for the same subject only', async () => {
    const sparse = await startCertifiedProvider({ hasClaimsInToken: false })
    try {
      const registered = await sparse.register()
      await registered.redirectTo(CALLBACK)
      const person = sparse.addAccountWith({ email: 'eva@example.test', email_verified: 'true', name: 'Eva', groups: ['soc', 'leads', 7] })
      const settings = { groupsClaim: 'groups', scopes: ['email', 'profile', 'groups'] }
      const connection = connectionTo(sparse.issuer, registered.clientId, registered.clientSecret, settings)
      const { claims: _, ...identity } = await signIn(gateway, connection, sparse, person)
      // A required claim may be there alone as well.
      const requiring = (value: string) =>
        connectionTo(sparse.issuer, registered.clientId, registered.clientSecret, { ...settings, requiredClaims: [{ claim: 'name', values: [value] }] })
      assert.equal((await signIn(gateway, requiring('Eva'), sparse, person)).name, 'Eva')
      await fails(signIn(gateway, requiring('Rui'), sparse, person), 'oidc_claim_refused', { claim: 'name' })
      assert.deepEqual(identity, { issuer: sparse.issuer, subject: person.subject, email: 'eva@example.test', emailVerified: true, name: 'Eva', groups: ['soc', 'leads', '7'] })
      for (const [fault, reason, details] of [
        [editJson<object>((answer) => ({ ...answer, sub: 'somebody else' })), 'oidc_userinfo_invalid', {}],
        [() => jsonReply({}, 403), 'oidc_answer_invalid', { endpoint: 'userinfo', status: 403 }],
        [() => jsonReply({}, 500), 'oidc_unreachable', { endpoint: 'userinfo', status: 500 }],
        [() => ({ ...jsonReply(''), body: 'x' }), 'oidc_userinfo_invalid', {}],
        [() => ({ ...jsonReply(''), body: Buffer.alloc(10 * 1024 * 1024, 'x') }), 'oidc_too_large', { endpoint: 'userinfo' }],
      ] as const satisfies readonly (readonly [Fault, string, OidcDetails])[]) {
        const altering = sparse.front.alter(PATHS.userinfo, fault)
        await fails(signIn(gateway, connection, sparse, person), reason, details)
        altering.end()
      }
    } finally {
      await sparse.close()
    }
  })

  test('address and confirmation are those of one answer and one claim', async () => {
    const read = async (claims: Claims, settings: Partial<OidcConnection> = {}) => {
      const { email, emailVerified } = await withToken((own) => ({ ...own, email: undefined, email_verified: undefined, ...claims }), settings)
      return [email, emailVerified]
    }
    assert.deepEqual(await read({ email: 'b@example.test' }), ['b@example.test', null])
    assert.deepEqual(await read({ email: 'b@example.test', email_verified: false }), ['b@example.test', false])
    // The token confirms nothing of the address that userinfo has.
    assert.deepEqual(await read({ email_verified: false }), ['ana@example.test', true])
    assert.deepEqual(await read({ email: 'no address' }), ['ana@example.test', true])
    const upn = { emailClaim: 'upn' }
    assert.deepEqual(await read({ upn: 'c@example.test', email: 'b@example.test', email_verified: true }, upn), ['c@example.test', null])
    assert.deepEqual(await read({ upn: 'c@example.test', email: 'c@example.test', email_verified: true }, upn), ['c@example.test', true])
    assert.deepEqual(await read({ upn: ['c@example.test'] }, upn), [null, null])
  })

  test('required claims and tenants decide who may log in', async () => {
    const requiredClaims = [{ claim: 'hd', values: ['example.com', 'example.net'] }]
    assert.equal((await withToken((claims) => ({ ...claims, hd: 'example.net' }), { requiredClaims })).claims.hd, 'example.net')
    assert.ok(await withToken((claims) => ({ ...claims, hd: ['x', 'example.com'] }), { requiredClaims }))
    for (const hd of ['example.org', 'EXAMPLE.COM', undefined, null, { 'example.com': true }]) {
      await fails(
        withToken((claims) => ({ ...claims, hd }), { requiredClaims }),
        'oidc_claim_refused',
        { claim: 'hd' },
      )
    }
    assert.ok(await withToken((claims) => ({ ...claims, tid: TENANTS[1].toUpperCase() }), { tenantIds: TENANTS }))
    for (const tid of ['another', undefined, 7])
      await fails(
        withToken((claims) => ({ ...claims, tid }), { tenantIds: TENANTS }),
        'oidc_tenant_refused',
      )
  })

  test('an issuer with a tenant in it is the one of an admitted tenant, for keys of the provider', async () => {
    const issuer = `${provider.issuer}/{tenantid}/v2.0`
    const settings = { issuer, discoveryUrl: `${provider.issuer}${PATHS.metadata}`, tenantIds: TENANTS }
    const template = editJson<object>((metadata) => ({ ...metadata, issuer, authorization_response_iss_parameter_supported: false }))
    const of = (tenant: string) => `${provider.issuer}/${tenant}/v2.0`
    await altered(PATHS.metadata, template, async () => {
      // The provider names its own issuer in callbacks, which Entra ID does not.
      const enterAs = async (edit: Claims, iss: string | null = null) => {
        const altering = provider.alterIdToken((claims) => ({ ...claims, ...edit }))
        try {
          const secrets = newSecrets()
          const callbackUrl = await callbackOf(gateway, connect(settings), provider, account, secrets)
          callbackUrl.searchParams.delete('iss')
          if (iss !== null) callbackUrl.searchParams.set('iss', iss)
          return await gateway.exchange(connect(settings), { callbackUrl, redirectUri: CALLBACK, ...secrets })
        } finally {
          altering.end()
        }
      }
      const [first, second] = TENANTS
      for (const tid of TENANTS) assert.equal((await enterAs({ tid, iss: of(tid) })).issuer, of(tid))
      assert.equal((await enterAs({ tid: first, iss: of(first) }, of(first))).issuer, of(first))
      await fails(enterAs({ tid: first, iss: of(second) }), 'oidc_token_invalid', { check: 'issuer' })
      await fails(enterAs({ tid: first, iss: issuer }), 'oidc_token_invalid', { check: 'issuer' })
      await fails(enterAs({ tid: first, iss: provider.issuer }), 'oidc_token_invalid', { check: 'issuer' })
      await fails(enterAs({ tid: 'another', iss: of('another') }), 'oidc_tenant_refused')
      await fails(enterAs({ tid: first, iss: of(first) }, of('another')), 'oidc_response_invalid')
      const forged = provider.alterIdToken((claims) => ({ ...claims, tid: first, iss: of(first) }), { alg: 'RS256', key: newSigningKey() })
      const secrets = newSecrets()
      const callbackUrl = await callbackOf(gateway, connect(settings), provider, account, secrets)
      callbackUrl.searchParams.delete('iss')
      await fails(gateway.exchange(connect(settings), { callbackUrl, redirectUri: CALLBACK, ...secrets }), 'oidc_token_invalid', { check: 'key' })
      forged.end()
    })
  })

  test('answers of the token endpoint that are no answers end the sign-in', async () => {
    for (const [fault, reason, details] of [
      [() => jsonReply({ error: 'invalid_client' }, 401), 'oidc_client_refused', {}],
      [() => jsonReply({ error: 'invalid_grant', error_description: 'mark' }, 400), 'oidc_code_refused', {}],
      [() => jsonReply({ error: 'unauthorized_client' }, 400), 'oidc_exchange_refused', { error: 'unauthorized_client' }],
      [() => jsonReply({ error: 'the secret is mark' }, 400), 'oidc_exchange_refused', {}],
      [() => jsonReply({}, 503), 'oidc_unreachable', { endpoint: 'token', status: 503 }],
      [() => ({ ...jsonReply({}, 302), headers: { location: 'http://127.0.0.1:9/mark' } }), 'oidc_answer_invalid', { endpoint: 'token', status: 302 }],
      [() => ({ ...jsonReply({}), body: '<html>mark' }), 'oidc_answer_invalid', { endpoint: 'token', field: 'json' }],
      [() => jsonReply({ mark: 1 }), 'oidc_answer_invalid', { endpoint: 'token' }],
      [() => ({ ...jsonReply({}), body: Buffer.alloc(10 * 1024 * 1024, 'x') }), 'oidc_too_large', { endpoint: 'token' }],
    ] as const satisfies readonly (readonly [Fault, string, OidcDetails])[]) {
      await altered(PATHS.token, fault, () => fails(enter(), reason, details, ['mark']))
    }
    const hasty = new OidcClient({ http: { send: (request) => http.send({ ...request, timeoutMs: 200 }) }, allowsPlain: true })
    await hasty.metadata(connect())
    await altered(
      PATHS.token,
      () => 'never',
      () => fails(signIn(hasty, connect(), provider, account), 'oidc_unreachable', { endpoint: 'token', failure: 'timeout' }),
    )
    await altered(
      PATHS.keys,
      () => jsonReply({ keys: [{ ...provider.key.jwk, n: '!' }] }),
      async () => {
        await fails(enter(), 'oidc_token_invalid', { check: 'key' })
      },
    )
    await altered(
      PATHS.keys,
      () => jsonReply({}, 404),
      async () => {
        gateway = newGateway()
        await fails(enter(), 'oidc_answer_invalid', { endpoint: 'jwks', status: 404 })
      },
    )
  })

  test('metadata is of the configured issuer, has https only, and is downloaded once', async () => {
    const metadataOf = (edit: object) => editJson<object>((metadata) => ({ ...metadata, ...edit }))
    const other = 'https://evil.example'
    for (const [edit, reason, details] of [
      [{ issuer: other }, 'oidc_issuer_mismatch', { expected: provider.issuer, found: other }],
      [{ issuer: `${provider.issuer}/` }, 'oidc_issuer_mismatch', { expected: provider.issuer, found: `${provider.issuer}/` }],
      [{ token_endpoint: undefined }, 'oidc_answer_invalid', { endpoint: 'discovery', field: 'token_endpoint' }],
      [{ jwks_uri: 7 }, 'oidc_answer_invalid', { endpoint: 'discovery', field: 'jwks_uri' }],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 'oidc_endpoint_insecure', { field: 'authorization_endpoint' }],
      [{ token_endpoint: 'https://user:password@evil.example/token' }, 'oidc_answer_invalid', { endpoint: 'discovery', field: 'token_endpoint' }],
      [{ userinfo_endpoint: `${provider.issuer}/${'x'.repeat(3000)}` }, 'oidc_answer_invalid', { endpoint: 'discovery', field: 'userinfo_endpoint' }],
    ] as const) {
      gateway = newGateway()
      await altered(PATHS.metadata, metadataOf(edit), () => fails(gateway.metadata(connect()), reason, details))
    }
    await altered(
      PATHS.metadata,
      () => ({ ...jsonReply({}), body: Buffer.alloc(200 * 1024, 'x') }),
      () => fails(newGateway().metadata(connect()), 'oidc_too_large', { endpoint: 'discovery' }),
    )
    await altered(
      PATHS.metadata,
      () => jsonReply([]),
      () => fails(newGateway().metadata(connect()), 'oidc_answer_invalid', { endpoint: 'discovery', field: 'json' }),
    )
    const downloads = () => provider.front.callsTo(PATHS.metadata).length
    let now = 1000
    gateway = new OidcClient({ http, allowsPlain: true, now: () => now })
    const before = downloads()
    await Promise.all(Array.from({ length: 20 }, () => gateway.metadata(connect())))
    await gateway.metadata(connect({ clientId: 'another client of the provider' }))
    assert.equal(downloads() - before, 1)
    await gateway.metadata(connect(), true)
    assert.equal(downloads() - before, 2)
    now += 11 * 60 * 1000
    await gateway.metadata(connect())
    assert.equal(downloads() - before, 3)
    // A failure that somebody meets who asks afresh takes nothing from the others.
    await altered(
      PATHS.metadata,
      () => jsonReply({}, 429),
      () => fails(gateway.metadata(connect(), true), 'oidc_answer_invalid', { endpoint: 'discovery', status: 429 }),
    )
    await gateway.metadata(connect())
    assert.equal(downloads() - before, 4)
    // A failure is remembered for seconds, unless somebody asks afresh.
    now += 11 * 60 * 1000
    await altered(
      PATHS.metadata,
      () => jsonReply({}, 404),
      async () => {
        for (let at = 0; at < 5; at++) await fails(gateway.metadata(connect()), 'oidc_answer_invalid', { endpoint: 'discovery', status: 404 })
      },
    )
    assert.equal(downloads() - before, 5)
    now += 10_500
    assert.equal((await gateway.metadata(connect())).tokenEndpoint, `${provider.issuer}${PATHS.token}`)
  })

  test('metadata at another address does not stand for that of the issuer', async () => {
    const forged = { issuer: provider.issuer, ...Object.fromEntries(['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map((name) => [name, 'https://evil.example/x'])) }
    await altered(
      '/forged',
      () => jsonReply(forged),
      async () => {
        assert.equal((await gateway.metadata(connect({ discoveryUrl: `${provider.issuer}/forged` }))).tokenEndpoint, 'https://evil.example/x')
        assert.equal((await gateway.metadata(connect())).tokenEndpoint, `${provider.issuer}${PATHS.token}`)
      },
    )
  })

  test('private addresses are refused where the operator does not allow them, in the metadata too', async () => {
    const guarded = new OidcClient({ http: new HttpClient(new EgressGuard({ allowPrivateTargets: false })), allowsPlain: false })
    await fails(guarded.metadata(connect()), 'target_refused', { endpoint: 'discovery' })
    const secure = await startCertifiedProvider({ isSecure: true })
    try {
      // TLS with a certificate that nobody trusts is no TLS.
      await fails(newGateway().metadata(connect({ issuer: secure.issuer })), 'oidc_unreachable', { endpoint: 'discovery', failure: 'tls_failed' })
    } finally {
      await secure.close()
    }
    const strict = new OidcClient({ http, allowsPlain: false })
    for (const field of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'end_session_endpoint']) {
      const others = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'end_session_endpoint'].filter((other) => other !== field)
      const secured = editJson<object>((metadata) => ({ ...metadata, ...Object.fromEntries(others.map((other) => [other, 'https://idp.example.test/x'])) }))
      await altered(PATHS.metadata, secured, () => fails(strict.metadata(connect(), true), 'oidc_endpoint_insecure', { field }))
    }
  })

  test('a probe says whether a provider would let people in', async () => {
    const probe = async (settings: Partial<OidcConnection> = {}) => {
      const { metadata, errors, findings } = await gateway.probe(connect(settings), CALLBACK)
      return [metadata?.issuer ?? null, errors.map(({ reason }) => reason), findings]
    }
    assert.deepEqual(await probe(), [provider.issuer, [], []])
    assert.deepEqual(await probe({ scopes: ['openid', 'calendar'] }), [provider.issuer, [], ['scope_unsupported']])
    assert.deepEqual(await probe({ clientSecret: 'wrong' }), [provider.issuer, ['oidc_client_refused'], []])
    assert.deepEqual(await probe({ clientId: 'unknown' }), [provider.issuer, ['oidc_answer_invalid', 'oidc_client_refused'], []])
    assert.deepEqual(await probe({ issuer: 'http://127.0.0.1:9' }), [null, ['oidc_unreachable'], []])
    await altered(
      PATHS.keys,
      () => jsonReply({ keys: [{ kty: 'oct' }] }),
      async () => assert.deepEqual(await probe(), [provider.issuer, ['oidc_answer_invalid'], []]),
    )
    await altered(
      PATHS.token,
      () => jsonReply({ error: 'invalid_request' }, 400),
      async () => assert.deepEqual(await probe(), [provider.issuer, [], ['client_unconfirmed']]),
    )
    await altered(
      PATHS.token,
      () => jsonReply({}, 500),
      async () => assert.deepEqual(await probe(), [provider.issuer, ['oidc_unreachable'], []]),
    )
  })
})

describe('the forge as a provider', () => {
  const { skip, forge } = forgeForTests()

  test('signs people in, by userinfo and groups', { skip }, async () => {
    const provider = forgeAsProvider(await forge())
    const registered = await provider.register()
    await registered.redirectTo(CALLBACK)
    const person = await provider.addAccount('lia@example.test')
    const issuer = ((await (await fetch(new URL('/.well-known/openid-configuration', provider.issuer))).json()) as { issuer: string }).issuer
    const connection = connectionTo(issuer, registered.clientId, registered.clientSecret, { groupsClaim: 'groups', scopes: ['email', 'profile', 'groups'] })
    const { claims: _, ...identity } = await signIn(newGateway(), connection, provider, person)
    assert.deepEqual({ ...identity, name: null, groups: null }, { issuer, subject: person.subject, email: 'lia@example.test', emailVerified: true, name: null, groups: null })
    const { errors } = await newGateway().probe({ ...connection, clientSecret: registered.clientSecret }, CALLBACK)
    assert.deepEqual(errors, [])
  })
})
