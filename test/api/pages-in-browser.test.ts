/** The service's own pages in Chromium without scripts, at 320 and 1280 pixels, with the mouse and with the keyboard alone. */
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { login, PASSWORD } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { Browser, CHROMIUM_SKIP, type Tab } from '../support/chromium.js'
import { waitFor } from './steps.js'

const NARROW = 320
const WIDE = 1280
const NEW_PASSWORD = 'an entirely new passphrase'

describe('pages in a browser', { skip: CHROMIUM_SKIP }, () => {
  let browser: Browser
  let app: TestApp

  before(async () => {
    browser = await Browser.start()
    // Browsers send `Sec-Fetch-Site` to loopback and TLS only: one test uses an address of the network.
    app = await startTestApp({ env: { NATIVE_SERVICE_HOST: '0.0.0.0', NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' } })
  })
  after(async () => {
    await app?.close()
    await browser?.close()
  })

  const port = (): string => new URL(app.client.origin).port
  const here = (path: string): string => `http://127.0.0.1:${port()}${path}`
  const titleOf = async (tab: Tab): Promise<string> => (await tab.accessibilityTree())[0]
  const linkTo = async (to: string, nth = 1): Promise<string> => {
    const { text } = await waitFor(() => app.mail.sent.filter((sent) => sent.to === to)[nth - 1])
    const link = new URL(/^http\S+$/m.exec(text)?.[0] ?? assert.fail(text))
    assert.equal(link.hostname, 'localhost', 'all interfaces are no address')
    return here(`${link.pathname}${link.search}`)
  }
  /** Checks that the page needs no horizontal scrolling, and that the browser blocked nothing. */
  const fits = async (tab: Tab): Promise<void> => {
    for (const width of [NARROW, WIDE]) {
      await tab.resize(width, 800)
      assert.ok((await tab.contentWidth()) <= width, `${width}`)
    }
    // The console tells of answers other than 200 as well.
    assert.deepEqual(
      tab.complaints.filter((text) => !text.startsWith('Failed to load resource')),
      [],
    )
  }
  /** Checks that the page loaded nothing from elsewhere, and sent no path as the referrer. */
  const leaksNothing = (tab: Tab): void => {
    assert.ok(tab.requests.some(({ headers }) => 'Origin' in headers || 'origin' in headers))
    for (const { url, headers } of tab.requests) {
      assert.equal(new URL(url).port, port())
      const referer = Object.entries(headers).find(([name]) => name.toLowerCase() === 'referer')?.[1]
      assert.ok(referer === undefined || new URL(referer).pathname + new URL(referer).search === '/', referer)
    }
  }

  test('the first administrator is created with the keyboard alone', async () => {
    const tab = await browser.open({ width: NARROW })
    await tab.goto(here('/'))
    const first = await tab.accessibilityTree()
    assert.ok(first.includes('heading | detection-content') && first.includes('link | Create the first administrator'), first.join('\n'))
    await fits(tab)
    await tab.follow('a[href^=setup]')
    assert.deepEqual(await tab.accessibilityTree(), [
      'RootWebArea | First administrator',
      'navigation | Language',
      'main',
      'link | Português',
      'heading | First administrator',
      'textbox | Name of the organization | required',
      'textbox | Your name | required',
      'textbox | E-mail address | required',
      'textbox | Password | At least 10 characters. | required',
      'textbox | Password again | required',
      'button | Create administrator',
    ])
    await fits(tab)
    // The first stop is the language link, then the inputs in visual order.
    await tab.press('Tab')
    for (const text of ['Example SOC', '', 'ana@example.test', 'short', 'short']) {
      await tab.press('Tab')
      if (text !== '') await tab.typeOn(text)
    }
    await tab.enter()
    assert.equal(await titleOf(tab), 'RootWebArea | Error: First administrator')
    // A browser moves the focus when it first draws the page, which may be after loading.
    const again = await waitFor(async () => {
      const tree = await tab.accessibilityTree()
      return tree.some((line) => line.startsWith('*')) ? tree : undefined
    })
    assert.ok(again.includes('*textbox | Your name | Your name: is required. | required | invalid'), again.join('\n'))
    assert.ok(again.includes('textbox | Password | At least 10 characters. Password: must have at least 10 character(s). | required | invalid'), again.join('\n'))
    assert.ok(again.includes('link | Password: must have at least 10 character(s).'))
    await fits(tab)
    // The first invalid input has the focus, and valid values are kept.
    await tab.typeOn('Ana')
    await tab.press('Tab')
    await tab.press('Tab')
    await tab.typeOn(PASSWORD)
    await tab.press('Tab')
    await tab.typeOn(PASSWORD)
    await tab.enter()
    assert.equal(await titleOf(tab), 'RootWebArea | The administrator was created')
    await fits(tab)
    leaksNothing(tab)
    assert.equal((await login(app.client, 'ana@example.test')).email, 'ana@example.test')
    await tab.goto(here('/setup'))
    assert.equal(await titleOf(tab), 'RootWebArea | There is an administrator already')
    await tab.follow('main a')
    assert.ok((await tab.accessibilityTree()).includes('heading | A first call'))
    await fits(tab)
  })

  test('an invitation is accepted, in the other language, with the address for the password manager', async () => {
    const admin = await login(app.client, 'ana@example.test')
    await admin.client.post(`/auth/organizations/${admin.organizationId}/invitations`, { email: 'rui@example.test', role: 'reviewer' })
    const tab = await browser.open({ languages: 'en-US,en;q=0.9' })
    await tab.goto(await linkTo('rui@example.test'))
    assert.equal(await titleOf(tab), 'RootWebArea | Invitation to Example SOC')
    await tab.follow('nav a')
    assert.deepEqual((await tab.accessibilityTree()).slice(4), [
      'heading | Convite para Example SOC',
      'textbox | Endereço de e-mail | readonly',
      'textbox | Seu nome | required',
      'textbox | Senha | Pelo menos 10 caracteres. | required',
      'textbox | Senha outra vez | required',
      'button | Aceitar convite',
    ])
    await fits(tab)
    await tab.type('#display_name', 'Rui')
    await tab.type('#password', PASSWORD)
    await tab.type('#password_repeat', PASSWORD)
    await tab.follow('button')
    assert.equal(await titleOf(tab), 'RootWebArea | Você é membro de Example SOC')
    await fits(tab)
    leaksNothing(tab)
    assert.equal((await login(app.client, 'rui@example.test')).organizationId, admin.organizationId)
  })

  test('a forgotten password is reset, also from a page of the network', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)?.address
    const origin = `http://${address ?? '127.0.0.1'}:${port()}`
    const tab = await browser.open({ width: NARROW })
    await tab.goto(`${origin}/reset-password`)
    await tab.type('#email', 'ana@example.test')
    await tab.follow('button')
    assert.equal(await titleOf(tab), 'RootWebArea | Check your mailbox')
    const link = await linkTo('ana@example.test')
    await tab.goto(link.replace(here(''), origin))
    assert.equal(await titleOf(tab), 'RootWebArea | Set a new password')
    await tab.type('#new_password', NEW_PASSWORD)
    await tab.type('#password_repeat', `${NEW_PASSWORD}!`)
    await tab.follow('button')
    assert.equal(await titleOf(tab), 'RootWebArea | Error: Set a new password')
    assert.equal(await tab.url(), `${origin}/reset-password?lang=en-US`)
    // The address has no token any more; the link to the other language has it.
    await tab.follow('nav a')
    assert.equal(await titleOf(tab), 'RootWebArea | Definir uma nova senha')
    await tab.type('#new_password', NEW_PASSWORD)
    await tab.type('#password_repeat', NEW_PASSWORD)
    await tab.follow('button')
    assert.equal(await titleOf(tab), 'RootWebArea | A nova senha foi definida')
    leaksNothing(tab)
    await login(app.client, 'ana@example.test', NEW_PASSWORD)
    await tab.goto(link)
    assert.equal(await titleOf(tab), 'RootWebArea | This link does not work')
    await tab.follow('main a')
    assert.equal(await titleOf(tab), 'RootWebArea | Forgotten password')
    await fits(tab)
  })

  test('no other site can frame a page, or submit its form', async () => {
    const { createServer } = await import('node:http')
    const elsewhere = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(
        `<iframe src="${here('/reset-password')}"></iframe><form method="post" action="${here('/reset-password')}"><input name="email" value="ana@example.test"><button>x</button></form>`,
      )
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    try {
      const { port: other } = elsewhere.address() as { port: number }
      const tab = await browser.open()
      const mails = app.mail.sent.length
      await tab.goto(`http://127.0.0.1:${other}/`)
      assert.ok(
        tab.complaints.some((text) => text.includes('frame-ancestors') || text.includes('X-Frame-Options')),
        tab.complaints.join('\n'),
      )
      await tab.follow('button')
      assert.equal(await titleOf(tab), 'RootWebArea | The request failed')
      assert.equal(app.mail.sent.length, mails)
    } finally {
      elsewhere.close()
      elsewhere.closeAllConnections()
    }
  })
})
