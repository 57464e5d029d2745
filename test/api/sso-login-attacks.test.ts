/** Attacks on the binding of a login: to its browser, to its provider, to one use, to its time, and to the origin that it returns to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SESSION_COOKIE } from '../../server/core/auth/cookies.js'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { withInstances } from '../support/instances.js'
import { type CertifiedProvider, startCertifiedProvider } from '../support/openid/certified.js'
import {
  beginSignIn,
  JSON_ANSWER,
  type LinkedProvider,
  linkProvider,
  loginPath,
  notSignedIn,
  PRIVATE_TARGETS,
  requestCallback,
  signedIn,
  signIn,
  signInAtProvider,
} from '../support/openid/sign-in.js'
import type { OpenidAccount } from '../support/openid/provider.js'
import { UserAgent } from '../support/openid/user-agent.js'
import { ALL_STORES, SIGNUP } from './steps.js'

/** More than the lifetime of a state. */
const LATER_MS = 601_000

describe('attacks on a login', () => {
  let app: TestApp
  let admin: Actor
  let openid: CertifiedProvider
  let provider: LinkedProvider
  let person: OpenidAccount
  let attacker: OpenidAccount
  let offset = 0
  const origin = (): string => app.client.origin
  const begun = (agent: UserAgent, account: OpenidAccount, at = provider): Promise<URL> => signInAtProvider(agent, origin(), at, account)

  before(async () => {
    openid = await startCertifiedProvider()
    app = await startTestApp({ env: { ...PRIVATE_TARGETS, ...SIGNUP }, clock: () => Date.now() + offset })
    admin = await bootstrap(app.client)
    provider = await linkProvider(admin, openid)
    person = await openid.addAccount('person@example.test')
    attacker = await openid.addAccount('attacker@example.test')
  })
  after(async () => {
    await app?.close()
    await openid?.close()
  })

  test("a callback of somebody else's login opens no session (login CSRF)", async () => {
    const callback = await begun(new UserAgent(), attacker)
    const victim = new UserAgent()
    notSignedIn(victim, await requestCallback(victim, provider, callback), 400)
    // Typed, or followed from a mail: without a page before it.
    const typed = await begun(new UserAgent(), attacker)
    notSignedIn(victim, await victim.request(typed, { headers: JSON_ANSWER }), 400)
  })

  test('a login of another browser opens no session in a browser that has begun one of its own', async () => {
    const other = new UserAgent()
    const callback = await begun(other, attacker)
    const victim = new UserAgent()
    const own = await begun(victim, person)
    notSignedIn(victim, await requestCallback(victim, provider, callback), 400)
    // The values of the victim's cookies, under the names of the other login.
    const names = other.cookieNames(origin()).filter((name) => name.startsWith('service_'))
    assert.ok(names.length > 0)
    const value = victim
      .cookieNames(origin())
      .filter((name) => name.startsWith('service_'))
      .map((name) => victim.cookie(origin(), name) ?? '')[0]
    const again = await begun(other, attacker)
    for (const name of other.cookieNames(origin()).filter((each) => each.startsWith('service_'))) victim.setCookie(origin(), name, value)
    notSignedIn(victim, await requestCallback(victim, provider, again), 400)
    // The victim's own login still ends.
    signedIn(victim, await requestCallback(victim, provider, own))
  })

  test('a signed-in browser keeps its session when a callback of another login is refused', async () => {
    const victim = new UserAgent()
    const token = signedIn(victim, await signIn(victim, origin(), provider, person))
    const page = await requestCallback(victim, provider, await begun(new UserAgent(), attacker))
    assert.equal(page.status, 400, page.text)
    assert.equal(victim.cookie(origin(), SESSION_COOKIE), token)
    assert.equal((await app.client.get('/auth/me', { token })).status, 200)
  })

  test('a page of another site begins no login: it could lead to the provider of an attacker, which signs in whom it likes', async () => {
    const page = { Accept: 'text/html' }
    const address = `${origin()}${loginPath(provider, '/a?b=c')}`
    for (const referer of [{}, { Referer: 'https://attacker.example/' }, { Referer: 'none' }]) {
      const agent = new UserAgent()
      const answer = await agent.request(address, { headers: { ...page, 'Sec-Fetch-Site': 'cross-site', ...referer } })
      assert.equal(answer.status, 403, answer.text)
      assert.ok(answer.text.includes(`<a href="${address.replaceAll('&', '&amp;')}">`), answer.text)
      assert.deepEqual(agent.cookieNames(origin()), [])
    }
    for (const allowed of [
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'cross-site', Referer: `${origin()}/login` },
      {},
    ])
      assert.equal((await new UserAgent().request(address, { headers: { ...page, ...(allowed as Record<string, string>) } })).redirect?.origin, openid.issuer)
  })

  test('a state of another provider is refused, in the same organization and in another one', async () => {
    const neighbour = await linkProvider(admin, openid, { name: 'second' })
    const other = await register(app.client, 'elsewhere')
    const elsewhere = await linkProvider(other, openid, { name: 'third' })
    for (const target of [neighbour, elsewhere]) {
      const agent = new UserAgent()
      const callback = await begun(agent, person)
      callback.searchParams.set('provider_id', target.id)
      notSignedIn(agent, await requestCallback(agent, target, callback), 400)
    }
    const agent = new UserAgent()
    const callback = await begun(agent, person)
    const mixed = new URL(callback)
    mixed.searchParams.append('provider_id', neighbour.id)
    assert.ok((await requestCallback(agent, provider, mixed)).status >= 400)
    const unknown = new URL(await begun(agent, person))
    unknown.searchParams.set('provider_id', '0'.repeat(24))
    assert.ok(notSignedIn(agent, await requestCallback(agent, provider, unknown), 400))
  })

  test('a state ends one login', async () => {
    const agent = new UserAgent()
    const callback = await begun(agent, person)
    const copy = agent.clone()
    signedIn(agent, await requestCallback(agent, provider, callback))
    notSignedIn(copy, await requestCallback(copy, provider, callback), 400)
  })

  test('a refused callback uses its state up', async () => {
    const agent = new UserAgent()
    const callback = await begun(agent, person)
    const stranger = new UserAgent()
    notSignedIn(stranger, await requestCallback(stranger, provider, callback), 400)
    // A stranger without the cookie may end somebody's login only by knowing its state; the person begins again.
    const page = await requestCallback(agent, provider, callback)
    assert.ok(page.status === 302 || page.status === 400, page.text)
  })

  test('an expired state is refused', async () => {
    const agent = new UserAgent()
    const callback = await begun(agent, person)
    offset = LATER_MS
    try {
      notSignedIn(agent, await requestCallback(agent, provider, callback), 400)
    } finally {
      offset = 0
    }
  })

  test('a code of an earlier login is refused in a new one', async () => {
    const agent = new UserAgent()
    const used = await begun(agent, person)
    signedIn(agent, await requestCallback(agent, provider, used))
    const next = new UserAgent()
    const callback = await begun(next, person)
    callback.searchParams.set('code', used.searchParams.get('code') ?? '')
    notSignedIn(next, await requestCallback(next, provider, callback), 400)
  })

  test("a code that was stolen from another browser is refused in the thief's login", async () => {
    const stolen = await begun(new UserAgent(), person)
    const thief = new UserAgent()
    const callback = await begun(thief, attacker)
    // The code is fresh: the code verifier, and the nonce, are of another login.
    callback.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    notSignedIn(thief, await requestCallback(thief, provider, callback), 400)
  })

  test('a response that names another issuer is refused (RFC 9207)', async () => {
    for (const issuer of ['https://attacker.example', `${openid.issuer}/`, '', null]) {
      const agent = new UserAgent()
      const callback = await begun(agent, person)
      assert.equal(callback.searchParams.get('iss'), openid.issuer)
      if (issuer === null) callback.searchParams.delete('iss')
      else callback.searchParams.set('iss', issuer)
      notSignedIn(agent, await requestCallback(agent, provider, callback), 400)
    }
  })

  test('a response with missing, empty, repeated or long values is refused', async () => {
    const wrong: readonly ((search: URLSearchParams) => void)[] = [
      (search) => search.delete('state'),
      (search) => search.set('state', ''),
      (search) => search.set('state', 'x'.repeat(5_000)),
      (search) => search.set('state', '\u0000'),
      (search) => search.append('state', search.get('state') ?? ''),
      (search) => search.delete('code'),
      (search) => search.set('code', ''),
      (search) => search.append('code', 'another'),
      (search) => search.set('code', 'x'.repeat(10_000)),
      (search) => search.delete('provider_id'),
      (search) => search.set('error', 'access_denied'),
    ]
    for (const [at, change] of wrong.entries()) {
      const agent = new UserAgent()
      const callback = await begun(agent, person)
      change(callback.searchParams)
      const page = await requestCallback(agent, provider, callback)
      assert.ok(page.status >= 400 && page.status < 500, `${at}: ${page.status} ${page.text}`)
      notSignedIn(agent, page, page.status)
    }
  })

  test('a callback sent as POST, HEAD or from a form opens no session', async () => {
    const agent = new UserAgent()
    const callback = await begun(agent, person)
    const page = await agent.request(callback, { method: 'POST', fields: Object.fromEntries(callback.searchParams), from: new URL(openid.issuer), headers: JSON_ANSWER })
    notSignedIn(agent, page, 405)
  })

  describe('redirect_path', () => {
    const REFUSED: Readonly<Record<string, string>> = {
      'another host': 'https://attacker.example/',
      'another scheme': 'javascript:alert(1)',
      'a scheme after a slash': '/https://attacker.example/../../..//attacker.example',
      'no slash': 'attacker.example',
      'an empty path': '',
      'two slashes': '//attacker.example',
      'three slashes': '///attacker.example',
      'a backslash': '/\\attacker.example',
      'backslashes alone': '\\\\attacker.example',
      'an encoded slash': '/%2fattacker.example',
      'an encoded slash, twice': '/%252fattacker.example',
      'an encoded backslash': '/%5cattacker.example',
      'an encoded backslash, three times': '/%25255cattacker.example',
      'a tab': '/\t/attacker.example',
      'an encoded tab': '/%09/attacker.example',
      'a new line': '/\n/attacker.example',
      'an encoded new line': '/%0d%0aSet-Cookie:%20a=b',
      'a header': '/\r\nSet-Cookie: a=b',
      'a null character': '/\u0000/attacker.example',
      'a space first': ' //attacker.example',
      'dot segments': '/..//attacker.example',
      'a dot segment': '/.//attacker.example',
      'encoded dot segments': '/%2e%2e//attacker.example',
      'a name with an at sign': '@attacker.example',
      'a long path': `/${'a'.repeat(10_000)}`,
      'a wide slash': '/\uff0fattacker.example',
    }
    for (const [name, path] of Object.entries(REFUSED))
      test(`is refused with ${name}`, async () => {
        const page = await new UserAgent().request(`${origin()}${loginPath(provider, path)}`, { headers: JSON_ANSWER })
        assert.equal(page.status, 422, page.text)
        assert.equal((JSON.parse(page.text) as { code: string }).code, 'request_validation_failed')
      })

    for (const [path, location] of [
      [undefined, '/'],
      ['/', '/'],
      ['/a/b?c=d&e=%2F%2Fattacker.example#f', '/a/b?c=d&e=%2F%2Fattacker.example#f'],
      ['/@attacker.example', '/@attacker.example'],
      ['/:80@attacker.example/', '/:80@attacker.example/'],
      ['/.attacker.example', '/.attacker.example'],
    ] as const)
      test(`stays on the origin: ${path ?? 'none'}`, async () => {
        const agent = new UserAgent()
        const page = await signIn(agent, origin(), provider, person, path)
        signedIn(agent, page)
        assert.equal(page.headers.get('location'), `${origin()}${location}`)
      })

    test('in the callback has no effect', async () => {
      const agent = new UserAgent()
      const callback = await begun(agent, person)
      callback.searchParams.set('redirect_path', '//attacker.example')
      const page = await requestCallback(agent, provider, callback)
      assert.ok(page.status >= 400 || page.redirect?.href === `${origin()}/`, page.headers.get('location') ?? '')
    })
  })

  test('a login of an unknown provider is 404, and says nothing of those that exist', async () => {
    for (const id of ['0'.repeat(24), 'x', '../callback', `${provider.id}0`]) {
      const page = await new UserAgent().request(`${origin()}/api/v1/sso/oidc/${encodeURIComponent(id)}/login`, { headers: JSON_ANSWER })
      assert.equal(page.status, 404, page.text)
    }
  })

  test('a begun login stores no state, nonce, verifier or cookie as text', async () => {
    const agent = new UserAgent()
    const { state, authorizationUrl } = await beginSignIn(agent, origin(), provider)
    const secrets = [state, authorizationUrl.searchParams.get('nonce') ?? '', authorizationUrl.searchParams.get('code_challenge') ?? '']
    for (const name of agent.cookieNames(origin())) secrets.push(agent.cookie(origin(), name) ?? '')
    assert.equal(secrets.length, 4)
    let text = ''
    for await (const record of app.service.storage.dump()) text += JSON.stringify(record)
    for (const secret of secrets) assert.ok(!text.includes(secret))
    for (const secret of secrets) assert.ok(!app.log.join('').includes(secret))
  })
})

for (const store of ALL_STORES) {
  describe(`one login on several instances, ${store.name}`, { skip: store.skip }, () => {
    test('ends at another one, and once, whatever callbacks arrive at the same moment', async () => {
      const openid = await startCertifiedProvider()
      try {
        await withInstances(store, { env: PRIVATE_TARGETS }, async ({ app, apps, admin }) => {
          const provider = await linkProvider(admin, openid)
          const person = await openid.addAccount('person@example.test')
          const at = (callback: URL, index: number): URL => new URL(callback.pathname + callback.search, apps[index % apps.length].client.origin)
          const elsewhere = new UserAgent()
          signedIn(elsewhere, await requestCallback(elsewhere, provider, at(await signInAtProvider(elsewhere, app.client.origin, provider, person), 1)))
          const agent = new UserAgent()
          const callback = await signInAtProvider(agent, app.client.origin, provider, person)
          const browsers = Array.from({ length: 8 }, () => agent.clone())
          const pages = await Promise.all(browsers.map((browser, index) => requestCallback(browser, provider, at(callback, index))))
          assert.deepEqual(pages.map(({ status }) => status).sort(), [302, 400, 400, 400, 400, 400, 400, 400], pages.map(({ text }) => text).join('\n'))
          assert.equal(openid.front.callsTo('/token').length, 2, 'each code was sent once')
        })
      } finally {
        await openid.close()
      }
    })
  })
}
