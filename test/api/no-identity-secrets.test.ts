/**
 * Secrets of sign-ins are nowhere: client secrets, states, codes, code verifiers, nonces, tokens of providers, tokens of SCIM, secrets of authenticators and
 * recovery codes. The provider repeats in its errors what it was sent, and all that the service says, logs, mails and stores is searched.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Actor, addMember, anonymous, bootstrap, PASSWORD } from '../support/actors.js'
import { sharedPool, startTestApp, type TestApp } from '../support/app.js'
import { codeAt } from '../support/authenticator.js'
import { Marks } from '../support/marks.js'
import { type CertifiedProvider, PATHS, startCertifiedProvider } from '../support/openid/certified.js'
import type { Fault, FrontCall, Reply } from '../support/openid/front.js'
import { callbackOf, JSON_ANSWER, type LinkedProvider, linkProvider, PRIVATE_TARGETS, providersOf, requestCallback, signedIn, signInAtProvider } from '../support/openid/sign-in.js'
import { type Page, UserAgent } from '../support/openid/user-agent.js'

// Created here, the pool belongs to the file.
sharedPool()

/** What the provider repeats, where it has its messages. */
const repeated = ({ headers, body, url }: FrontCall): string =>
  `${JSON.stringify(headers)} ${Buffer.from(
    String(headers.authorization ?? '')
      .split(' ')
      .at(-1) ?? '',
    'base64',
  ).toString()} ${body} ${url}`

const repeating =
  (status: number): Fault =>
  (_, call): Reply => {
    const text = repeated(call)
    return {
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error: text, error_description: text, error_uri: text, message: text, issuer: text, keys: text, sub: text }),
    }
  }

const FAULTS: Readonly<Record<string, Fault>> = {
  'a refusal': repeating(400),
  'a refused client': (_, call) => ({ ...(repeating(401)(_, call) as Reply), body: JSON.stringify({ error: 'invalid_client', error_description: repeated(call) }) }),
  'a failure': repeating(500),
  'another shape': repeating(200),
  'no JSON': (_, call) => ({ status: 200, headers: { 'content-type': 'text/html' }, body: `<html>${repeated(call)}</html>` }),
  'a redirect': (_, call) => ({ status: 302, headers: { location: `http://127.0.0.1:9/${encodeURIComponent(repeated(call))}` }, body: '' }),
}

describe('secrets of sign-ins', () => {
  const marks = new Marks()
  let app: TestApp
  let admin: Actor
  let openid: CertifiedProvider

  before(async () => {
    openid = await startCertifiedProvider()
    app = await startTestApp({ env: { ...PRIVATE_TARGETS, NATIVE_SERVICE_LOG_LEVEL: 'debug' } })
    admin = await bootstrap(app.client)
  })
  after(async () => {
    await app?.close()
    await openid?.close()
  })

  const keepPage = (where: string, page: Page): Page => {
    marks.keep(where, { status: page.status, headers: page.headers, text: page.text, body: undefined })
    return page
  }
  /** Marks what an attempt consists of; its session cookie is the person's own. */
  const markCallback = (where: string, callback: URL): void => {
    for (const name of ['state', 'code']) marks.add(`${name} of ${where}`, callback.searchParams.get(name) ?? assert.fail(name))
  }
  const markSent = (where: string): void => {
    for (const [at, { body }] of openid.front.callsTo(PATHS.token).entries()) {
      const verifier = new URLSearchParams(body).get('code_verifier')
      if (verifier !== null) marks.add(`code verifier ${at} of ${where}`, verifier)
    }
  }
  const attempt = async (where: string, provider: LinkedProvider, headers = JSON_ANSWER): Promise<{ agent: UserAgent; page: Page }> => {
    const agent = new UserAgent()
    const account = await openid.addAccount(`person${Math.random()}@example.test`)
    const callback = await signInAtProvider(agent, app.client.origin, provider, account)
    markCallback(where, callback)
    return { agent, page: keepPage(where, await requestCallback(agent, provider, callback, headers)) }
  }

  test('of providers are in no answer, log line, mail, stored document or backup', async () => {
    const provider = await linkProvider(admin, openid)
    marks.add('client secret', provider.registered.clientSecret)
    // Answers of the provider, as it sends them.
    const watching = openid.front.alter(PATHS.token, (reply) => {
      const { id_token, access_token } = JSON.parse(String(reply.body)) as Record<string, string>
      marks.add('id token', id_token)
      marks.add('access token', access_token)
      return reply
    })
    const { agent, page } = await attempt('a sign-in', provider)
    signedIn(agent, page)
    assert.equal(watching.count(), 1)
    watching.end()
    for (const [name, fault] of Object.entries(FAULTS)) {
      for (const path of [PATHS.token, PATHS.userinfo, PATHS.keys]) {
        const altering = openid.front.alter(path, fault)
        for (const headers of [JSON_ANSWER, { Accept: 'text/html' }]) await attempt(`${name} of ${path}`, provider, headers as typeof JSON_ANSWER)
        altering.end()
      }
      const altering = openid.front.alter(PATHS.metadata, fault)
      const secret = marks.create(`client secret of ${name}`)
      const fields = { name, kind: 'oidc', issuer: openid.issuer, client_id: `client of ${name}`, client_secret: secret }
      const created = marks.keep(name, await admin.client.post<{ id: string }>(providersOf(admin), fields))
      assert.equal(created.status, 200, created.text)
      const path = `${providersOf(admin)}/${created.body.id}`
      for (const action of ['test', 'validate']) marks.keep(`${action}, ${name}`, await admin.client.post(`${path}/${action}`))
      marks.keep(`update, ${name}`, await admin.client.patch(path, { client_secret: marks.create(`new client secret of ${name}`) }))
      // Refused requests repeat nothing of what they have.
      marks.keep(`refused, ${name}`, await admin.client.patch(path, { client_secret: marks.create(`refused client secret of ${name}`), issuer: 'none' }))
      marks.keep(`refused, ${name}`, await admin.client.post(providersOf(admin), { ...fields, client_secret: { value: marks.create(`wrong client secret of ${name}`) } }))
      marks.keep(`deleted, ${name}`, await admin.client.delete(path))
      altering.end()
    }
    markSent('all')
    // A link of somebody else.
    const stranger = new UserAgent()
    const foreign = new URL(`${callbackOf(app.client.origin, provider.id)}&code=${marks.create('foreign code')}&state=${marks.create('foreign state')}`)
    for (const headers of [JSON_ANSWER, { Accept: 'text/html' }]) keepPage('a foreign link', await requestCallback(stranger, provider, foreign, headers as typeof JSON_ANSWER))
    for (const path of [provider.path, providersOf(admin), '/platform/audit?limit=200', '/notifications?limit=200']) marks.keep(path, await admin.client.get(path))
    await marks.search(app)
  })

  test('of authenticators and of SCIM are shown once', async () => {
    const member = await addMember(admin, 'engineer')
    const later = new Marks()
    const begun = await member.client.post<{ secret: string }>('/auth/me/second-factor', { password: PASSWORD })
    later.add('authenticator', begun.body.secret)
    const confirmed = await member.client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/confirm', { code: codeAt(begun.body.secret, Date.now()) })
    assert.equal(confirmed.status, 200, confirmed.text)
    for (const [at, code] of confirmed.body.recovery_codes.entries()) later.add(`recovery code ${at}`, code)
    const path = `/platform/organizations/${admin.organizationId}/scim-tokens`
    const created = await admin.client.post<{ id: string; token: string }>(path, { name: 'directory' })
    assert.equal(created.status, 200, created.text)
    const { token } = created.body
    later.add('token of SCIM', token.slice(-32))
    const scim = anonymous(app.client).as({ token })
    for (const [where, answer] of [
      ['users', await scim.get('/scim/v2/Users')],
      ['a wrong filter', await scim.get(`/scim/v2/Users?filter=${encodeURIComponent(`userName eq ${token}`)}`)],
      ['elsewhere', await scim.get('/platform/projects')],
      ['tokens', await admin.client.get(path)],
      ['the second factor', await member.client.get('/auth/me/second-factor')],
      ['a wrong code', await member.client.post('/auth/me/second-factor/recovery-codes', { code: '000000' })],
      ['the audit', await admin.client.get('/platform/audit?limit=200')],
    ] as const)
      later.keep(where, answer)
    await later.search(app)
  })
})
