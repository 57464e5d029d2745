/** Sign-in through both providers in Chromium, and the page of a person whose login fails. The service and the certified provider are two sites. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SESSION_COOKIE } from '../../server/core/auth/cookies.js'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { Browser, CHROMIUM_SKIP, type Tab } from '../support/chromium.js'
import { forgeForTests } from '../support/git/forge.js'
import { type CertifiedProvider, startCertifiedProvider } from '../support/openid/certified.js'
import { forgeAsProvider } from '../support/openid/forge.js'
import { callbackOf, type LinkedProvider, linkProvider, loginPath, PRIVATE_TARGETS, signInAtProvider } from '../support/openid/sign-in.js'
import { UserAgent } from '../support/openid/user-agent.js'
import { startReceiver } from '../support/receiver.js'

/** A page of the service, where the login returns to. */
const RETURN_PATH = '/reset-password'

describe('sign-in in a browser', { skip: CHROMIUM_SKIP }, () => {
  const { skip: noForge, forge } = forgeForTests()
  let browser: Browser
  let app: TestApp
  let admin: Actor
  let openid: CertifiedProvider
  let provider: LinkedProvider

  before(async () => {
    browser = await Browser.start()
    openid = await startCertifiedProvider()
    app = await startTestApp({ env: PRIVATE_TARGETS })
    admin = await bootstrap(app.client)
    provider = await linkProvider(admin, openid)
  })
  after(async () => {
    await app?.close()
    await openid?.close()
    await browser?.close()
  })

  const textOf = (tab: Tab): Promise<string> => tab.evaluate<string>('document.body.innerText')
  const titleOf = async (tab: Tab): Promise<string> => (await tab.accessibilityTree())[0]
  /** Begins a login, which leads to the provider. */
  const begin = async (tab: Tab, at: LinkedProvider): Promise<void> => {
    await tab.goto(`${app.client.origin}${loginPath(at, RETURN_PATH)}`)
    assert.equal(new URL(await tab.url()).origin, at.openid.issuer)
  }
  /** Asserts that the browser is back with a session, whose cookie no script can read. */
  const isSignedIn = async (tab: Tab, email: string): Promise<void> => {
    assert.equal(await tab.url(), `${app.client.origin}${RETURN_PATH}`)
    assert.ok(!(await tab.evaluate<string>('document.cookie')).includes('service_'))
    await tab.goto(`${app.client.origin}/api/v1/auth/me`)
    assert.equal((JSON.parse(await textOf(tab)) as { user: { email: string } }).user.email, email)
  }

  test('at the certified provider', async () => {
    const account = await openid.addAccount('browser@example.test')
    const tab = await browser.open()
    await begin(tab, provider)
    await tab.type('input[name=login]', account.subject)
    await tab.type('input[name=password]', 'any')
    await tab.follow('button[type=submit]')
    await tab.follow('button[type=submit]')
    await isSignedIn(tab, account.email)
    // The provider learns no path of the service, and the service sends its cookies nowhere else.
    for (const { url, headers } of tab.requests) {
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      if (new URL(url).origin === openid.issuer) assert.ok(!(sent.cookie ?? '').includes(SESSION_COOKIE))
      assert.ok(sent.referer === undefined || new URL(sent.referer).search === '', sent.referer)
    }
  })

  test('at the forge', { skip: noForge }, async () => {
    const gitea = forgeAsProvider(await forge())
    const linked = await linkProvider(admin, gitea, { name: 'forge' })
    const account = await gitea.addAccount(`browser-${Date.now()}@example.test`)
    const tab = await browser.open()
    await begin(tab, linked)
    await tab.type('#user_name', gitea.loginOf(account))
    await tab.type('#password', gitea.password)
    await tab.follow('form[action="/user/login"] button')
    await tab.follow('#authorize-app')
    await isSignedIn(tab, account.email)
  })

  for (const { language, title, text } of [
    { language: 'en-US', title: 'The request failed', text: /sign in again|begin again|start again/i },
    { language: 'pt-BR', title: 'A requisição falhou', text: /entre de novo|entrar de novo|comece de novo|novamente/i },
  ])
    test(`a person who followed somebody else's link gets a page, in ${language}`, async () => {
      const stranger = new UserAgent()
      const callback = await signInAtProvider(stranger, app.client.origin, provider, await openid.addAccount(`stranger-${language}@example.test`))
      const tab = await browser.open({ languages: language })
      await tab.goto(callback.href)
      assert.equal(await titleOf(tab), `RootWebArea | ${title}`)
      assert.match(await textOf(tab), text)
      for (const width of [320, 1280]) {
        await tab.resize(width, 800)
        assert.ok((await tab.contentWidth()) <= width)
      }
      assert.deepEqual(
        tab.complaints.filter((complaint) => !complaint.startsWith('Failed to load resource')),
        [],
      )
      await tab.goto(`${app.client.origin}/api/v1/auth/me`)
      assert.equal((JSON.parse(await textOf(tab)) as { code: string }).code, 'unauthorized')
    })

  test('a link on another site leads to a page first, and from there to the provider', async () => {
    const elsewhere = await startReceiver()
    try {
      elsewhere.answers(
        (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<a href="${app.client.origin}${loginPath(provider, RETURN_PATH)}">x</a>`),
      )
      const tab = await browser.open()
      await tab.goto(elsewhere.origin.replace('127.0.0.1', 'localhost'))
      await tab.follow('a')
      assert.equal(new URL(await tab.url()).origin, app.client.origin)
      assert.match(await textOf(tab), /another site/)
      await tab.follow('main a')
      assert.equal(new URL(await tab.url()).origin, openid.issuer)
    } finally {
      await elsewhere.close()
    }
  })

  test('a person who gives up at the provider gets a page, and can begin again', async () => {
    const account = await openid.addAccount('gave-up@example.test')
    const tab = await browser.open()
    await begin(tab, provider)
    await tab.follow('a[href*="/abort"]')
    assert.equal(new URL(await tab.url()).origin + new URL(await tab.url()).pathname, callbackOf(app.client.origin, '').split('?')[0])
    assert.equal(await titleOf(tab), 'RootWebArea | The request failed')
    await begin(tab, provider)
    await tab.type('input[name=login]', account.subject)
    await tab.type('input[name=password]', 'any')
    await tab.follow('button[type=submit]')
    await tab.follow('button[type=submit]')
    await isSignedIn(tab, account.email)
  })
})
