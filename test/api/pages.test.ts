/** The service's own pages, over HTTP: their actions, refusals, and what they reveal. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test, { after, before, describe } from 'node:test'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { FORM_BYTES } from '../../server/core/http/pages/form-pages.js'
import { type Actor, addMember, anonymous, bootstrap, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { errorsOf, headingOf, type PageAnswer, PageClient, valuesOf } from '../support/forms.js'
import { writePage } from '../support/playground-page.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { ALL_STORES, PROXIED, refused, SIGNUP, waitFor, withApp } from './steps.js'

const NEW_PASSWORD = 'an entirely new passphrase'
const FOUNDER = { organization_name: 'Example SOC', display_name: 'Ana', email: 'ana@example.test', password: PASSWORD, password_repeat: PASSWORD }

const pagesOf = ({ client }: TestApp): PageClient => new PageClient(client.origin)
/** Path and query of the link in the nth mail to someone. */
const linkTo = async ({ mail }: TestApp, to: string, nth = 1): Promise<string> => {
  const { text } = await waitFor(() => mail.sent.filter((sent) => sent.to === to)[nth - 1])
  const link = new URL(/^http\S+$/m.exec(text)?.[0] ?? assert.fail(text))
  return `${link.pathname}${link.search}`
}
const tokenOf = (link: string): string => /[A-Za-z0-9_-]{43}/.exec(link)?.[0] ?? assert.fail(link)

/** Checks what holds for every page: language, headers, policy, no resources, labels. */
function checkPage(answer: PageAnswer, status: number, language = 'en-US'): void {
  const { text, headers } = answer
  assert.equal(answer.status, status, text)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(headers.get('content-language'), language)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('set-cookie'), null)
  assert.match(text, new RegExp(`^<!doctype html>\n<html lang="${language}">`))
  assert.doesNotMatch(text, /<script|javascript:|\son\w+=|<(?:img|link|iframe|object|embed|base)\b|@import|url\(/i)
  const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
  const policy = headers.get('content-security-policy') ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  assert.deepEqual(policy.split('; ').sort(), ["base-uri 'none'", "default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", `style-src 'sha256-${hash}'`])
  // Every input has its label, every label its input, and the page one heading.
  const ids = [...text.matchAll(/<input id="(\w+)"/g)].map(([, id]) => id)
  assert.deepEqual(
    [...text.matchAll(/<label for="(\w+)">[^<]+<\/label>/g)].map(([, id]) => id),
    ids,
  )
  headingOf(answer)
}

describe(`the first page, ${DEFAULT_STORE.name}`, () => {
  const playground = writePage()
  after(() => playground.remove())

  test('leads browsers on, before and after there is an administrator', () =>
    withApp({ playgroundFolder: playground.folder, env: { NATIVE_SERVICE_DOCS_EXPOSURE: 'public', NATIVE_SERVICE_DEFAULT_LOCALE: 'en-US' } }, async (app) => {
      const pages = pagesOf(app)
      const linksOf = ({ text }: PageAnswer): string[] => [...text.slice(text.indexOf('<main>')).matchAll(/href="([^"]+)"/g)].map(([, link]) => link)
      const empty = await pages.get('/')
      checkPage(empty, 200)
      assert.equal(empty.headers.get('vary'), 'Accept')
      assert.deepEqual(linksOf(empty), ['playground/', 'api/v1/docs', 'setup?lang=en-US', 'readyz'])
      await bootstrap(app.client)
      const used = await pages.get('/?lang=pt-BR')
      checkPage(used, 200, 'pt-BR')
      assert.deepEqual(linksOf(used), ['playground/', 'api/v1/docs', 'reset-password?lang=pt-BR', 'readyz'])
      // The way to a key, for someone who has none.
      for (const step of ['/auth/login', '/platform/organizations/{organization_id}/api-keys'])
        assert.ok(used.text.includes(`<code>POST ${app.client.origin}/api/v1${step}</code>`), step)
      assert.match(used.text, /X-API-Key: SUA-CHAVE/)
      // Threads may still be starting, which `/readyz` says.
      for (const link of [...linksOf(empty), ...linksOf(used)]) assert.equal((await fetch(new URL(link, `${app.client.origin}/`))).status === 404, link.startsWith('setup'), link)
      assert.ok(linksOf(await pages.get('/setup')).includes('./?lang=en-US'))
    }))

  test('is not for programs, other methods and other paths, which get what an unknown path answers', () =>
    withApp({}, async (app) => {
      const answerOf = async (path: string, init: RequestInit) => {
        const answer = await fetch(`${app.client.origin}${path}`, init)
        const { debug_id, ...rest } = (await answer.json()) as { debug_id: string }
        return [answer.status, answer.headers.get('content-type'), rest]
      }
      const unknown = await answerOf('/nothing', {})
      assert.equal(unknown[0], 404)
      for (const Accept of ['application/json', '*/*', 'application/json, text/html', 'text/html;q=0.5, */*'])
        assert.deepEqual(await answerOf('/', { headers: { Accept } }), unknown, Accept)
      for (const method of ['POST', 'DELETE']) assert.deepEqual(await answerOf('/', { method, headers: { Accept: 'text/html' } }), unknown, method)
      const page = await fetch(`${app.client.origin}/`, { method: 'HEAD', headers: { Accept: 'text/html' } })
      assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    }))
})

describe(`the first administrator, ${DEFAULT_STORE.name}`, () => {
  test('is created on a page, once', () =>
    withApp({}, async (app) => {
      const pages = pagesOf(app)
      const shown = await pages.get('/setup')
      checkPage(shown, 200)
      assert.equal(headingOf(shown), 'First administrator')
      const done = await pages.post('/setup', { ...FOUNDER, organization_name: ' Example <b>SOC</b> ', email: 'Ａna@example.test' })
      checkPage(done, 200)
      assert.ok(done.text.includes('<bdi>Ana@example.test</bdi> administers the organization <bdi>Example &lt;b&gt;SOC&lt;/b&gt;</bdi>'), done.text)
      const admin = await login(app.client, FOUNDER.email)
      for (const step of ['/auth/login', `/auth/organizations/${admin.organizationId}/invitations`, `/platform/organizations/${admin.organizationId}/api-keys`])
        assert.ok(done.text.includes(`<code>POST ${app.client.origin}/api/v1${step}</code>`), step)
      // The first call of the page works with the key that it shows once, and which can do nothing else.
      const [key] = /svk_\w+/.exec(done.text) ?? assert.fail(done.text)
      const [call] = /<pre><code>curl .*?<\/code>/s.exec(done.text) ?? assert.fail(done.text)
      assert.ok(call.includes(`curl -s ${app.client.origin}/api/v1/analysis/logtest-native`) && call.includes(key), call)
      const body = JSON.parse((/-d &#39;(.*?)&#39;/.exec(call)?.[1] ?? assert.fail(call)).replaceAll('&quot;', '"')) as object
      const program = anonymous(app.client).as({ key })
      assert.equal((await program.post<{ rule: { id: string } }>('/analysis/logtest-native', body)).body.rule.id, '5710')
      refused(await program.get('/platform/projects'), 403, 'forbidden')
      assert.doesNotMatch(done.text, /hreflang/, 'no link leads away from the key')
      const [listed] = (await admin.client.get<{ name: string; scopes: string[]; expires_at: string }[]>(`/platform/organizations/${admin.organizationId}/api-keys`)).body
      assert.deepEqual([listed.name, listed.scopes, Math.round((Date.parse(listed.expires_at) - Date.now()) / 86_400_000)], ['setup', ['analysis:run'], 30])
      const entries = (await admin.client.get<{ action: string; actor_id: string; diff: object }[]>('/platform/audit?action=api_key.created')).body
      assert.deepEqual([entries.length, entries[0].actor_id], [1, admin.userId])
      assert.ok(!app.log.join('').includes(key.slice(-20)))
      const me = await admin.client.get<{ user: { is_platform_admin: boolean; display_name: string } }>('/auth/me')
      assert.deepEqual([me.body.user.is_platform_admin, me.body.user.display_name], [true, 'Ana'])
      for (const answer of [await pages.get('/setup'), await pages.post('/setup', { ...FOUNDER, email: 'late@example.test' })]) {
        checkPage(answer, answer.status)
        assert.equal(headingOf(answer), 'There is an administrator already')
        assert.doesNotMatch(answer.text, /<form/)
      }
      assert.deepEqual([(await pages.get('/setup')).status, (await pages.post('/setup', FOUNDER)).status], [404, 409])
    }))

  test('must satisfy the rules of the API, with an error beside each field, and has to type only passwords again', () =>
    withApp({}, async (app) => {
      const pages = pagesOf(app)
      const wrong = { organization_name: ' ', display_name: '', email: 'an"a<x>', password: 'short', password_repeat: 'other' }
      const english = await pages.post('/setup', wrong)
      checkPage(english, 422)
      assert.deepEqual(errorsOf(english), {
        organization_name: 'Name of the organization: does not have the expected form.',
        display_name: 'Your name: is required.',
        email: 'E-mail address: is not a valid email.',
        password: 'Password: must have at least 10 character(s).',
        password_repeat: 'Password again: must be the same as above.',
      })
      assert.deepEqual(valuesOf(english), { organization_name: ' ', display_name: '', email: 'an&quot;a&lt;x&gt;' })
      assert.ok(!english.text.includes('short') && !english.text.includes('other'))
      assert.match(english.text, /<title>Error: First administrator<\/title>/)
      // The first invalid input has the focus, and each refers to its error.
      assert.match(english.text, /<input id="organization_name"[^>]* aria-describedby="organization_name-error" aria-invalid="true" autofocus>/)
      assert.equal(english.text.match(/ autofocus/g)?.length, 1)
      assert.match(english.text, /<input id="password"[^>]* aria-describedby="password-hint password-error" aria-invalid="true">/)
      const portuguese = await pages.post('/setup', wrong, { language: 'pt-PT,pt;q=0.9,en;q=0.1' })
      checkPage(portuguese, 422, 'pt-BR')
      assert.equal(errorsOf(portuguese).display_name, 'Seu nome: é obrigatório.')
      assert.deepEqual(errorsOf(await pages.post('/setup', { ...FOUNDER, password_repeat: '' })), { password_repeat: 'Password again: is required.' })
      assert.deepEqual(errorsOf(await pages.post('/setup', { ...FOUNDER, email: 'an\u200ba@example.test' })), { email: 'E-mail address: is not a valid email.' })
      assert.equal((await app.client.get<{ bootstrap_available: boolean }>('/auth/bootstrap-status')).body.bootstrap_available, true)
      assert.equal((await pages.post('/setup', { ...FOUNDER, unknown: 'field' })).status, 200)
    }))

  test('can have the longest names and password that the API accepts', () =>
    withApp({}, async (app) => {
      const most = (characters: number): string => '\u{1f511}'.repeat(characters)
      const email = `${'用'.repeat(64)}@${`${'用'.repeat(62)}.`.repeat(3)}`
      const longest = { organization_name: most(120), display_name: most(120), email: email.slice(0, -1), password: most(1024), password_repeat: most(1024) }
      assert.ok(new URLSearchParams(longest).toString().length > FORM_BYTES * 0.9)
      const done = await pagesOf(app).post('/setup', longest)
      assert.equal(done.status, 200, done.text)
    }))

  test('is announced at the first start, and not after it', async () => {
    const fresh = await DEFAULT_STORE.fresh()
    const store = { ...DEFAULT_STORE, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
    const announced = ({ log }: TestApp): unknown => log.map((line) => JSON.parse(line) as { pages?: string[] }).find(({ pages }) => pages !== undefined)?.pages
    try {
      await withApp({ store }, async (app) => {
        assert.deepEqual(announced(app), [`${app.client.origin}/setup`])
        assert.equal((await fetch(`${app.client.origin}/setup`)).status, 200)
      })
      await withApp({ store, env: { NATIVE_SERVICE_PUBLIC_BASE_URL: 'https://soc.example/x' } }, async (app) => {
        assert.deepEqual(announced(app), ['https://soc.example/x/setup', `${app.client.origin}/setup`])
        await bootstrap(app.client)
      })
      await withApp({ store }, async (app) => assert.equal(announced(app), undefined))
    } finally {
      await fresh.remove()
    }
  })
})

for (const store of ALL_STORES) {
  test(`exactly one of concurrent creations of the first administrator succeeds, ${store.name}`, { skip: store.skip }, () =>
    withApp({ store }, async (app) => {
      const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => pagesOf(app).post('/setup', { ...FOUNDER, email: `ana${at}@example.test` })))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
    }),
  )
}

describe(`pages behind the links of mails, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let pages: PageClient
  let admin: Actor
  const ask = (email: string) => anonymous(app.client).post('/auth/password-reset/request', { email })
  const invite = async (email: string, role = 'engineer'): Promise<string> => {
    const sent = app.mail.sent.filter(({ to }) => to === email).length
    await admin.client.post(`/auth/organizations/${admin.organizationId}/invitations`, { email, role })
    return linkTo(app, email, sent + 1)
  }

  before(async () => {
    app = await startTestApp({ env: { ...PROXIED, ...SIGNUP } })
    pages = pagesOf(app)
    admin = await bootstrap(app.client)
  })
  after(() => app.close())

  test('a new password is set with the link of the mail, once', async () => {
    const user = await addMember(admin, 'engineer', 'forgetful@example.test')
    await ask(user.email)
    const link = await linkTo(app, user.email)
    assert.match(link, /^\/reset-password\?token=[\w-]{43}$/)
    const shown = await pages.get(link)
    checkPage(shown, 200)
    assert.ok(shown.text.includes('For the account <bdi>forgetful@example.test</bdi>.'))
    assert.deepEqual(valuesOf(shown), { token: tokenOf(link), account: user.email })
    assert.match(shown.text, /<input id="account" type="text" autocomplete="username"[^>]* readonly>/)
    assert.equal(shown.text.match(/autocomplete="new-password" name="(?:new_password|password_repeat)" required/g)?.length, 2)
    // The link to the other language keeps the token, also in the answer to a form.
    assert.ok(shown.text.includes(`<a href="?token=${tokenOf(link)}&amp;lang=pt-BR" lang="pt-BR"`))
    const fields = { token: tokenOf(link), new_password: NEW_PASSWORD, password_repeat: NEW_PASSWORD }
    const wrong = await pages.post('/reset-password?lang=pt-BR', { ...fields, password_repeat: `${NEW_PASSWORD}!` })
    checkPage(wrong, 422, 'pt-BR')
    assert.deepEqual(errorsOf(wrong), { password_repeat: 'Senha outra vez: deve ser igual à de cima.' })
    assert.ok(wrong.text.includes(`<a href="?token=${tokenOf(link)}&amp;lang=en-US" lang="en-US"`))
    assert.deepEqual(errorsOf(await pages.post('/reset-password', { ...fields, new_password: 'short', password_repeat: 'short' })), {
      new_password: 'New password: must have at least 10 character(s).',
    })
    const done = await pages.post('/reset-password', fields)
    checkPage(done, 200)
    assert.equal(headingOf(done), 'The new password is set')
    assert.ok(done.text.includes(`<code>POST ${app.client.origin}/api/v1/auth/login</code>`))
    assert.ok(!done.text.includes(tokenOf(link)))
    refused(await user.client.get('/auth/me'), 401, 'unauthorized')
    assert.equal((await login(app.client, user.email, NEW_PASSWORD)).userId, user.userId)
    for (const answer of [
      await pages.get(link),
      await pages.post('/reset-password', fields),
      await pages.get('/reset-password?token='),
      await pages.get('/reset-password?token=x'),
    ]) {
      checkPage(answer, 400)
      assert.equal(headingOf(answer), 'This link does not work')
      assert.ok(answer.text.includes('<a href="?lang=en-US">Request a new link</a>'))
      assert.doesNotMatch(answer.text, /<form/)
    }
  })

  test('a new link is requested on the same page, which does not reveal accounts', async () => {
    const user = await addMember(admin, 'engineer', 'asks@example.test')
    const shown = await pages.get('/reset-password')
    checkPage(shown, 200)
    assert.equal(headingOf(shown), 'Forgotten password')
    assert.deepEqual(errorsOf(await pages.post('/reset-password', { email: 'nobody' })), { email: 'E-mail address: is not a valid email.' })
    assert.deepEqual(errorsOf(await pages.post('/reset-password', {})), { email: 'E-mail address: is required.' })
    const [known, unknown] = [await pages.post('/reset-password', { email: user.email }), await pages.post('/reset-password', { email: 'nobody@example.test' })]
    checkPage(known, 200)
    assert.equal(known.text.replaceAll(user.email, '…'), unknown.text.replaceAll('nobody@example.test', '…'))
    assert.equal((await pages.get(await linkTo(app, user.email))).status, 200)
    assert.ok(!app.mail.sent.some(({ to }) => to === 'nobody@example.test'))
    // In the language of the page.
    await pages.post('/reset-password?lang=pt-BR', { email: user.email })
    await linkTo(app, user.email, 2)
    assert.deepEqual(
      app.mail.sent.filter(({ to }) => to === user.email).map(({ subject }) => subject),
      ['Set a new password', 'Defina uma nova senha'],
    )
  })

  test('an invitation creates an account', async () => {
    const link = await invite('new@example.test', 'reviewer')
    assert.match(link, /^\/invitations\/[\w-]{43}$/)
    const shown = await pages.get(link)
    checkPage(shown, 200)
    assert.equal(headingOf(shown), 'Invitation to First Organization')
    assert.ok(shown.text.includes('with the role <code>reviewer</code>'))
    assert.deepEqual(valuesOf(shown), { account: 'new@example.test', display_name: '' })
    const right = { display_name: 'New "One"', password: PASSWORD, password_repeat: PASSWORD }
    const wrong = await pages.post(link, { ...right, display_name: '', password: 'short' })
    checkPage(wrong, 422)
    assert.deepEqual(Object.keys(errorsOf(wrong)), ['display_name', 'password', 'password_repeat'])
    const again = await pages.post(link, { ...right, password_repeat: '' })
    assert.deepEqual(valuesOf(again), { account: 'new@example.test', display_name: 'New &quot;One&quot;' })
    const done = await pages.post(link, right)
    checkPage(done, 200)
    assert.equal(headingOf(done), 'You are a member of First Organization')
    const member = await login(app.client, 'new@example.test')
    assert.equal(member.organizationId, admin.organizationId)
    for (const answer of [await pages.get(link), await pages.post(link, right)]) {
      checkPage(answer, 409)
      assert.equal(headingOf(answer), 'This invitation was accepted already')
    }
    const missing = await pages.get('/invitations/unknown', { language: 'pt-BR' })
    checkPage(missing, 404, 'pt-BR')
    assert.equal(headingOf(missing), 'Este convite não existe')
    assert.equal((await pages.post('/invitations/unknown', right)).status, 404)
  })

  test('an invitation of an existing user requires the password, and is throttled like a login', async () => {
    const user = await register(app.client, 'known')
    const link = await invite(user.email)
    const shown = await pages.get(link)
    checkPage(shown, 200)
    assert.ok(shown.text.includes('There is an account with the address <bdi>known@example.test</bdi>.'))
    assert.match(shown.text, /<input id="password" type="password" autocomplete="current-password" name="password" required>/)
    assert.doesNotMatch(shown.text, /password_repeat|display_name/)
    assert.ok(shown.text.includes('<a href="../reset-password?lang=en-US">Forgotten password?</a>'))
    const here = { headers: { 'X-Forwarded-For': '203.0.113.9' } }
    for (let at = 0; at < THROTTLES.login.limit; at++) {
      const wrong = await pages.post(link, { password: 'not their password' }, here)
      checkPage(wrong, 401)
      assert.deepEqual(errorsOf(wrong), { password: 'The password is wrong.' })
    }
    const throttled = await pages.post(link, { password: PASSWORD }, here)
    checkPage(throttled, 429)
    assert.deepEqual(errorsOf(throttled), {})
    assert.match(throttled.text, /<div class="failure" role="alert"><p>Too many attempts to log in\. Try again in 15 min\.<\/p><\/div>/)
    assert.ok(Number(throttled.headers.get('retry-after')) > 800)
    const done = await pages.post(link, { password: PASSWORD })
    checkPage(done, 200)
    assert.equal((await user.client.get<{ organizations: unknown[] }>('/auth/me')).body.organizations.length, 2)
  })

  test('errors that are not about the form are shown as well', async () => {
    const owner = await register(app.client, 'suspended')
    const invited = await owner.client.post<{ token: string }>(`/auth/organizations/${owner.organizationId}/invitations`, { email: 'late@example.test', role: 'engineer' })
    await admin.client.patch(`/platform/admin/organizations/${owner.organizationId}`, { is_active: false })
    const suspended = await pages.get(`/invitations/${invited.body.token}`)
    checkPage(suspended, 403)
    assert.ok(suspended.text.includes('<p>The organization is suspended.</p>'))
    assert.ok(suspended.text.includes(suspended.headers.get('x-request-id') ?? '-'))
  })

  test('a form is accepted only from a page of this service', async () => {
    const link = await invite('careful@example.test')
    const right = { display_name: 'Careful', password: PASSWORD, password_repeat: PASSWORD }
    for (const headers of [{ Origin: '' }, { Origin: 'null' }, { Origin: 'https://elsewhere.example' }, { Origin: '', Referer: 'https://elsewhere.example/page' }]) {
      const answer = await pages.post(link, right, { headers })
      checkPage(answer, 403)
      assert.ok(answer.text.includes('The form was not sent by a page of this service'))
    }
    const { origin } = app.client
    assert.equal((await pages.post(link, right, { headers: { Origin: '', Referer: `${origin}/` } })).status, 200)
  })

  test('only short bodies of the form type are accepted', async () => {
    const link = await invite('short@example.test')
    const right = new URLSearchParams({ display_name: 'Short', password: PASSWORD, password_repeat: PASSWORD }).toString()
    const long = await pages.post(link, `${right}&x=${'x'.repeat(FORM_BYTES)}`)
    checkPage(long, 413)
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) checkPage(await pages.post(link, right, { headers: { 'Content-Type': type } }), 415)
    // The first of two fields with one name is used.
    assert.equal((await pages.post(link, `${right}&display_name=Second`)).status, 200)
    const members = await admin.client.get<{ email: string; display_name: string }[]>(`/auth/organizations/${admin.organizationId}/members?limit=200`)
    assert.equal(members.body.find(({ email }) => email === 'short@example.test')?.display_name, 'Short')
  })

  test('a page accepts GET, HEAD and POST only', async () => {
    const path = `${app.client.origin}/reset-password`
    const head = await fetch(path, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    const options = await fetch(path, { method: 'OPTIONS' })
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS, POST'])
    for (const method of ['PUT', 'DELETE', 'PATCH']) assert.equal((await fetch(path, { method })).status, 405)
    for (const missing of ['/setup/', '/Setup', '/invitations', '/invitations/', '/invitations/x/y', '/invitations/%zz'])
      assert.notEqual((await fetch(`${app.client.origin}${missing}`)).status, 200, missing)
  })

  test('the log has neither tokens nor input', async () => {
    const link = await invite('secret@example.test')
    await ask(admin.email)
    const reset = await linkTo(app, admin.email)
    const password = 'a passphrase that nobody logs'
    await pages.get(link)
    await pages.get(reset)
    await pages.post(link, { display_name: 'Secret', password, password_repeat: password })
    await pages.post('/reset-password', { token: tokenOf(reset), new_password: password, password_repeat: 'x' })
    const log = app.log.join('')
    for (const secret of [tokenOf(link), tokenOf(reset), password, 'secret@example.test']) assert.ok(!log.includes(secret), secret)
    const routes = new Set(app.log.map((line) => (JSON.parse(line) as { route?: string }).route))
    for (const route of ['/invitations/{token}', '/reset-password']) assert.ok(routes.has(route))
  })

  test('a failure is shown with its debug id, and logged', async () => {
    const link = await invite('unlucky@example.test')
    const { storage } = app.service
    const { commit } = storage
    storage.commit = () => Promise.reject(new Error('the disk is away'))
    try {
      const answer = await pages.post(link, { display_name: 'Unlucky', password: PASSWORD, password_repeat: PASSWORD })
      checkPage(answer, 500)
      const id = answer.headers.get('x-request-id') ?? '-'
      assert.ok(answer.text.includes(id) && !answer.text.includes('disk'))
      assert.equal(app.log.filter((line) => line.includes(id) && line.includes('request failed')).length, 1)
    } finally {
      storage.commit = commit
    }
  })
})

describe('mails', () => {
  const linksOf = async (env: Readonly<Record<string, string>>): Promise<string[]> => {
    let links: string[] = []
    await withApp({ env }, async (app) => {
      const admin = await bootstrap(app.client)
      await admin.client.post(`/auth/organizations/${admin.organizationId}/invitations`, { email: 'guest@example.test', role: 'engineer' })
      await app.client.post('/auth/password-reset/request', { email: admin.email })
      const sent = await waitFor(() => (app.mail.sent.length === 2 ? app.mail.sent : undefined))
      links = sent.map(({ text }) => (/^http\S+$/m.exec(text)?.[0] ?? '').replace(/[\w-]{43}$/, '…').replace(app.client.origin, 'here')).sort()
    })
    return links
  }

  test('have links to the configured public address', async () => {
    assert.deepEqual(await linksOf({ NATIVE_SERVICE_PUBLIC_BASE_URL: 'https://soc.example/app/', NATIVE_SERVICE_API_PUBLIC_BASE_URL: 'https://api.soc.example/api/v1' }), [
      'https://soc.example/app/invitations/…',
      'https://soc.example/app/reset-password?token=…',
    ])
  })

  test('otherwise have links to the pages of this service, at the address of the API, or where it listens', async () => {
    assert.deepEqual(await linksOf({ NATIVE_SERVICE_API_PUBLIC_BASE_URL: 'https://api.soc.example/x/api/v1' }), [
      'https://api.soc.example/x/invitations/…',
      'https://api.soc.example/x/reset-password?token=…',
    ])
    assert.deepEqual(await linksOf({}), ['here/invitations/…', 'here/reset-password?token=…'])
  })
})

test('behind a proxy forms are accepted from the configured address', () =>
  withApp({ env: { NATIVE_SERVICE_API_PUBLIC_BASE_URL: 'https://soc.example/x/api/v1', NATIVE_SERVICE_DOCS_EXPOSURE: 'public' } }, async (app) => {
    const done = await pagesOf(app).post('/setup', FOUNDER, { headers: { Origin: 'https://soc.example' } })
    checkPage(done, 200)
    assert.ok(done.text.includes('<code>POST https://soc.example/x/api/v1/auth/login</code>'))
    assert.ok(done.text.includes('<a href="https://soc.example/x/api/v1/docs">Description of the interface</a>'))
  }))
