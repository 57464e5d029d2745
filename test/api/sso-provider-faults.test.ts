/** Providers that fail, or are hostile servers: what they answer harms neither the service nor other organizations, and reaches nobody as it is. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type CertifiedProvider, PATHS, startCertifiedProvider } from '../support/openid/certified.js'
import { type Altering, editJson, type Fault, jsonReply, type Reply } from '../support/openid/front.js'
import type { OpenidAccount } from '../support/openid/provider.js'
import {
  beginSignIn,
  JSON_ANSWER,
  type LinkedProvider,
  linkProvider,
  loginPath,
  notSignedIn,
  PRIVATE_TARGETS,
  providersOf,
  requestCallback,
  signedIn,
  signIn,
  signInAtProvider,
} from '../support/openid/sign-in.js'
import { type Claims, newSigningKey, publicJwk } from '../support/openid/signed-token.js'
import { type Page, UserAgent } from '../support/openid/user-agent.js'
import { type Receiver, startReceiver } from '../support/receiver.js'
import { refused, SIGNUP, withApp } from './steps.js'

const TEN_MEGABYTES = 10 * 1024 * 1024
const KEYS = 10_000
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** What a provider sends as its message. */
const SCRIPT = '<script>alert(document.cookie)</script>'

const bytes =
  (count: number): Fault =>
  ({ headers }) => ({ status: 200, headers, body: Buffer.alloc(count, 0x20) })
const answered = (body: string, status = 200, type = 'application/json'): Reply => ({ status, headers: { 'content-type': type }, body })

describe('a provider that fails', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let receiver: Receiver
  /** The provider of the current test. Each test begins with a new one, because metadata is cached. */
  let openid: CertifiedProvider
  let provider: LinkedProvider
  let person: OpenidAccount
  /** Works all the time. */
  let sound: CertifiedProvider
  let soundProvider: LinkedProvider
  let soundPerson: OpenidAccount
  const opened: CertifiedProvider[] = []
  let sequence = 0
  const origin = (): string => app.client.origin

  before(async () => {
    receiver = await startReceiver()
    app = await startTestApp({ env: { ...PRIVATE_TARGETS, ...SIGNUP } })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    sound = await startCertifiedProvider()
    soundProvider = await linkProvider(other, sound)
    soundPerson = await sound.addAccount('sound@example.test')
    await another()
  })
  afterEach(async () => {
    // The others are served, whatever happened before.
    const agent = new UserAgent()
    signedIn(agent, await signIn(agent, origin(), soundProvider, soundPerson))
  })
  after(async () => {
    await app?.close()
    await receiver?.close()
    for (const each of [...opened, sound]) await each?.close()
  })

  async function another(): Promise<void> {
    // An organization has a limited number of providers.
    const former = opened.at(-1)
    if (former !== undefined) await Promise.all([admin.client.delete(provider.path), former.close()])
    openid = await startCertifiedProvider()
    opened.splice(0, opened.length, openid)
    provider = await linkProvider(admin, openid, { name: 'of the test' })
    person = await openid.addAccount(`person${++sequence}@example.test`)
  }

  /** A login of a provider that was not read before. */
  async function firstLogin(path: string, fault: Fault): Promise<Page> {
    await another()
    openid.front.alter(path, fault)
    return new UserAgent().request(`${origin()}${loginPath(provider)}`, { headers: JSON_ANSWER })
  }

  /** A callback for which one answer of the provider is altered. */
  async function callbackWith(path: string, fault: Fault): Promise<{ agent: UserAgent; page: Page; altering: Altering }> {
    const agent = new UserAgent()
    const callback = await signInAtProvider(agent, origin(), provider, person)
    const altering = openid.front.alter(path, fault)
    const page = await requestCallback(agent, provider, callback)
    altering.end()
    return { agent, page, altering }
  }

  const failed = (page: Page): void => {
    assert.ok(page.status === 400 || page.status === 502 || page.status === 503 || page.status === 504, `${page.status} ${page.text}`)
    assert.ok(!page.text.includes(SCRIPT))
  }

  test('has a certificate that nobody has signed', async () => {
    const secure = await startCertifiedProvider({ isSecure: true })
    try {
      const linked = await linkProvider(admin, secure, { name: 'self-signed' })
      const page = await new UserAgent().request(`${origin()}${loginPath(linked)}`, { headers: JSON_ANSWER })
      failed(page)
      assert.equal((JSON.parse(page.text) as { details: Claims }).details.failure, 'tls_failed')
      assert.deepEqual(secure.front.calls, [])
    } finally {
      await secure.close()
    }
  })

  describe('at the token endpoint', () => {
    const FAULTS: Readonly<Record<string, Fault>> = {
      'answers 10 MB': bytes(TEN_MEGABYTES),
      'answers no JSON': () => answered(`<html>${SCRIPT}</html>`, 200, 'text/html'),
      'answers half a JSON': () => answered('{"access_token": "a'),
      'answers a list': () => answered('[]'),
      'answers null': () => answered('null'),
      'answers nothing': () => answered(''),
      'answers deep JSON': () => answered(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
      'answers 204': () => ({ status: 204, headers: {}, body: '' }),
      'answers 500': () => answered(`{"error":"server_error","error_description":"${SCRIPT}"}`, 500),
      'answers an error': () => answered(`{"error":"invalid_grant","error_description":"${SCRIPT}"}`, 400),
      'answers an error with an error that is no text': () => answered('{"error":{"a":1}}', 400),
      'answers an error as 200': () => answered(`{"error":"invalid_grant","error_description":"${SCRIPT}"}`),
      'answers another type of token': editJson<Claims>((answer) => ({ ...answer, token_type: 'mac' })),
    }
    for (const [name, fault] of Object.entries(FAULTS))
      test(name, async () => {
        const { agent, page, altering } = await callbackWith(PATHS.token, fault)
        assert.equal(altering.count(), 1, 'it was asked once')
        failed(page)
        notSignedIn(agent, page, page.status)
      })

    test('never answers, while others are served', async () => {
      const agent = new UserAgent()
      const callback = await signInAtProvider(agent, origin(), provider, person)
      const waiting = new Promise<void>((resolve) => {
        openid.front.alter(PATHS.token, () => {
          resolve()
          return 'never'
        })
      })
      const ending = requestCallback(agent, provider, callback)
      await waiting
      for (let at = 0; at < 3; at++) {
        const person = new UserAgent()
        signedIn(person, await signIn(person, origin(), soundProvider, soundPerson))
      }
      const page = await ending
      failed(page)
      notSignedIn(agent, page, page.status)
      await another()
    })

    test('redirects to another server, which gets neither the code nor the secret', async () => {
      for (const status of [302, 303, 307, 308]) {
        const { agent, page } = await callbackWith(PATHS.token, () => ({ status, headers: { location: `${receiver.origin}/token` }, body: '' }))
        failed(page)
        notSignedIn(agent, page, page.status)
      }
      assert.deepEqual(receiver.received, [])
    })
  })

  describe('at its metadata', () => {
    const edit = (change: (metadata: Claims) => unknown): Fault => editJson(change)
    const FAULTS: Readonly<Record<string, Fault>> = {
      'has 10 MB': bytes(TEN_MEGABYTES),
      'has 10 MB of JSON': (reply) => ({ ...reply, body: JSON.stringify({ ...(JSON.parse(String(reply.body)) as Claims), filler: 'x'.repeat(TEN_MEGABYTES) }) }),
      'is not JSON': () => answered(`<html>${SCRIPT}</html>`, 200, 'text/html'),
      'is a list': () => answered('[]'),
      'is missing': () => answered('{}', 404),
      'is of another issuer': edit((metadata) => ({ ...metadata, issuer: 'https://attacker.example' })),
      'is of the issuer with a slash': edit((metadata) => ({ ...metadata, issuer: `${String(metadata.issuer)}/` })),
      'has no issuer': edit(({ issuer: _, ...metadata }) => metadata),
      'has no token endpoint': edit(({ token_endpoint: _, ...metadata }) => metadata),
      'has no authorization endpoint': edit(({ authorization_endpoint: _, ...metadata }) => metadata),
      'has no keys': edit(({ jwks_uri: _, ...metadata }) => metadata),
      'has a script as the authorization endpoint': edit((metadata) => ({ ...metadata, authorization_endpoint: 'javascript:alert(1)' })),
      'has data as the authorization endpoint': edit((metadata) => ({ ...metadata, authorization_endpoint: `data:text/html,${SCRIPT}` })),
      'has a file as the token endpoint': edit((metadata) => ({ ...metadata, token_endpoint: 'file:///etc/passwd' })),
      'has a number as the token endpoint': edit((metadata) => ({ ...metadata, token_endpoint: 7 })),
      'has credentials in the token endpoint': edit((metadata) => ({ ...metadata, token_endpoint: String(metadata.token_endpoint).replace('://', '://user:password@') })),
      'has a file as the keys': edit((metadata) => ({ ...metadata, jwks_uri: 'file:///etc/passwd' })),
      'redirects to another server': () => ({ status: 302, headers: { location: `${receiver.origin}/metadata` }, body: '' }),
    }
    for (const [name, fault] of Object.entries(FAULTS))
      test(name, async () => {
        const page = await firstLogin(PATHS.metadata, fault)
        failed(page)
        assert.deepEqual(receiver.received, [])
      })

    test('is read once for many logins at once', async () => {
      await another()
      await Promise.all(Array.from({ length: 20 }, () => beginSignIn(new UserAgent(), origin(), provider)))
      assert.ok(openid.front.callsTo(PATHS.metadata).length <= 2, `${openid.front.callsTo(PATHS.metadata).length}`)
    })
  })

  describe('at its keys', () => {
    const FAULTS: Readonly<Record<string, Fault>> = {
      'has 10,000 keys': (reply) => {
        const key = publicJwk(newSigningKey())
        const { keys } = JSON.parse(String(reply.body)) as { keys: object[] }
        return jsonReply({ keys: [...Array.from({ length: KEYS }, (_, at) => ({ ...key, kid: `${at}` })), ...keys] })
      },
      'has 10,000 keys of one id': (reply) => {
        const { keys } = JSON.parse(String(reply.body)) as { keys: object[] }
        return jsonReply({ keys: Array.from({ length: KEYS }, () => keys[0]) })
      },
      'has 10 MB': bytes(TEN_MEGABYTES),
      'has no keys': () => answered('{"keys":[]}'),
      'has no list': () => answered('{}'),
      'has what is no key': () => answered('{"keys":[null,7,"x",{},{"kty":"RSA"},{"kty":"oct","k":"AA"}]}'),
      'redirects to another server': () => ({ status: 302, headers: { location: `${receiver.origin}/keys` }, body: '' }),
    }
    for (const [name, fault] of Object.entries(FAULTS))
      test(name, async () => {
        await another()
        const { agent, page } = await callbackWith(PATHS.keys, fault)
        failed(page)
        notSignedIn(agent, page, page.status)
        assert.deepEqual(receiver.received, [])
      })
  })

  describe('in the browser', () => {
    before(another)

    const ERRORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'with a script as the description': { error: 'server_error', error_description: SCRIPT, error_uri: 'javascript:alert(1)' },
      'with a script as the code': { error: SCRIPT },
      'with a long description': { error: 'access_denied', error_description: 'x'.repeat(5_000) },
      'because the person gave up': { error: 'access_denied', error_description: 'End-User aborted interaction' },
    }
    for (const [name, fields] of Object.entries(ERRORS))
      for (const language of ['en-US', 'pt-BR'] as const)
        test(`${name}, in ${language}`, async () => {
          const agent = new UserAgent(language)
          const callback = await signInAtProvider(agent, origin(), provider, person)
          callback.searchParams.delete('code')
          for (const [field, value] of Object.entries(fields)) callback.searchParams.set(field, value)
          const page = await requestCallback(agent, provider, callback, BROWSER)
          assert.ok(page.status >= 400 && page.status < 500, page.text)
          assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
          assert.match(page.text, new RegExp(`<html lang="${language}"`))
          for (const text of ['<script', 'javascript:', 'xxxxx', 'aborted']) assert.ok(!page.text.includes(text), text)
          assert.ok(page.text.includes(page.headers.get('x-request-id') ?? '-'), 'the page has the id of the request')
          assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
        })

    test('answers JSON to a program', async () => {
      const agent = new UserAgent()
      const callback = await signInAtProvider(agent, origin(), provider, person)
      callback.searchParams.delete('code')
      callback.searchParams.set('error', 'access_denied')
      callback.searchParams.set('error_description', SCRIPT)
      const page = await requestCallback(agent, provider, callback)
      const refusal = notSignedIn(agent, page, page.status)
      assert.equal(refusal.debug_id, page.headers.get('x-request-id'))
      assert.ok(!page.text.includes('script'))
    })

    test('has a page of its own for a link that is not valid any more', async () => {
      for (const [language, expected] of [
        ['en-US', 'en-US'],
        ['pt-BR,pt;q=0.9', 'pt-BR'],
      ] as const) {
        const agent = new UserAgent(language)
        const page = await agent.request(`${origin()}/api/v1/sso/oidc/callback?provider_id=${provider.id}&code=a&state=${'b'.repeat(43)}`, { headers: BROWSER })
        assert.equal(page.status, 400)
        assert.match(page.text, new RegExp(`<html lang="${expected}"`))
        assert.doesNotMatch(page.text, /b{43}/)
      }
    })
  })

  describe('of an organization that claims the issuer of another one', () => {
    test('changes nothing for that one: metadata and keys are of a provider, not of an issuer', async () => {
      const evil = await startReceiver()
      try {
        const metadata = (await (await fetch(`${sound.issuer}${PATHS.metadata}`)).json()) as Claims
        const forged = {
          ...metadata,
          token_endpoint: `${evil.origin}/token`,
          jwks_uri: `${evil.origin}/jwks`,
          authorization_endpoint: `${evil.origin}/auth`,
          userinfo_endpoint: `${evil.origin}/me`,
        }
        evil.answers(({ path }, response) => {
          response.writeHead(200, { 'Content-Type': 'application/json' })
          response.end(JSON.stringify(path === '/jwks' ? { keys: [publicJwk(newSigningKey())] } : forged))
        })
        const fields = { name: 'evil', kind: 'oidc', issuer: sound.issuer, client_id: soundProvider.registered.clientId, discovery_url: `${evil.origin}/metadata` }
        const created = await admin.client.post<{ id: string }>(providersOf(admin), fields)
        assert.equal(created.status, 200, created.text)
        const page = await new UserAgent().request(`${origin()}${loginPath(created.body)}`, { headers: JSON_ANSWER })
        const begun = JSON.parse(page.text) as { authorization_url: string }
        assert.ok(page.status !== 200 || begun.authorization_url.startsWith(evil.origin))
        for (let at = 0; at < 3; at++) {
          const { authorizationUrl } = await beginSignIn(new UserAgent(), origin(), soundProvider)
          assert.equal(authorizationUrl.origin, sound.issuer)
        }
        // A provider of that organization which is read for the first time now.
        const second = await linkProvider(other, sound, { name: 'second' })
        const agent = new UserAgent()
        signedIn(agent, await signIn(agent, origin(), second, soundPerson))
        assert.deepEqual(
          evil.received.filter(({ path }) => path !== '/metadata'),
          [],
          'no code and no secret was sent there',
        )
      } finally {
        await evil.close()
      }
    })

    test('does not get the secret by a change of its address', async () => {
      for (const change of [{ discovery_url: `${receiver.origin}/metadata` }, { issuer: receiver.origin }]) {
        const answer = refused(await other.client.patch(soundProvider.path, change), 422, 'request_validation_failed')
        assert.deepEqual(
          (answer.details.errors as readonly { path: string }[]).map(({ path }) => path),
          ['/client_secret'],
        )
      }
      // Nor by a change that is undone: the login goes to the old address.
      const { authorizationUrl } = await beginSignIn(new UserAgent(), origin(), soundProvider)
      assert.equal(authorizationUrl.origin, sound.issuer)
      assert.deepEqual(receiver.received, [])
    })
  })
})

describe('validations of providers', () => {
  test('are limited, because every member may ask for them', () =>
    withApp({ env: PRIVATE_TARGETS }, async (app) => {
      const admin = await bootstrap(app.client)
      const { body } = await admin.client.post<{ id: string }>(providersOf(admin), { name: 'away', kind: 'oidc', issuer: 'http://127.0.0.1:9', client_id: 'a' })
      const statuses = await Promise.all(Array.from({ length: 62 }, async () => (await admin.client.post(`${providersOf(admin)}/${body.id}/validate`)).status))
      assert.deepEqual(
        [200, 429].map((expected) => statuses.filter((status) => status === expected).length),
        [60, 2],
      )
    }))
})

describe('a provider on a private address', () => {
  let app: TestApp
  let admin: Actor
  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const TARGETS = [
    'https://127.0.0.1',
    'https://127.0.0.1:8443/realms/a',
    'https://localhost',
    'https://a.localhost',
    'https://10.1.2.3',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254',
    'https://100.100.100.200',
    'https://0.0.0.0',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://127.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[fd00::1]',
    'https://[fe80::1]',
  ]
  const fields = { name: 'private', kind: 'oidc', client_id: 'a', client_secret: 'b' }

  for (const issuer of TARGETS)
    test(`is refused at creation: ${issuer}`, async () => {
      refused(await admin.client.post(providersOf(admin), { ...fields, issuer }), 400, 'bad_request')
      refused(
        await admin.client.post(providersOf(admin), { ...fields, issuer: 'https://login.example.com', discovery_url: `${issuer}/.well-known/openid-configuration` }),
        400,
        'bad_request',
      )
    })

  test('is refused at an update', async () => {
    const { body } = await admin.client.post<{ id: string }>(providersOf(admin), { ...fields, issuer: 'https://192.0.1.1' })
    const path = `${providersOf(admin)}/${body.id}`
    refused(await admin.client.patch(path, { issuer: 'https://127.0.0.1', client_secret: 'b' }), 400, 'bad_request')
    refused(await admin.client.patch(path, { discovery_url: 'https://10.0.0.1/a', client_secret: 'b' }), 400, 'bad_request')
  })

  for (const issuer of [
    'http://login.example.com',
    'ftp://login.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:password@login.example.com',
    'https://login.example.com?a=b',
    'https://login.example.com#a',
    'login.example.com',
    'https://',
    '',
  ])
    test(`is no issuer: ${issuer}`, async () => {
      refused(await admin.client.post(providersOf(admin), { ...fields, issuer }), 422, 'request_validation_failed')
    })
})
