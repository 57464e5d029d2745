/** Refusals of routes that browsers are sent to: a page where `Accept` prefers one, and cookies with both forms. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Type from 'typebox'
import { ApiError } from '../../../../../server/core/errors.js'
import { refusalPage } from '../../../../../server/core/http/pages/refusal-page.js'
import { defineRoute, PUBLIC } from '../../../../../server/core/http/route.js'
import { startHttp, type TestService } from '../support/service.js'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const HOSTILE = '"><script>alert(1)</script>'

let fault: unknown
let service: TestService
const common = { tag: 'Test', summary: 'Test', description: 'Test.', access: PUBLIC, responses: { 200: { description: 'Fine.', schema: Type.Any() } } } as const
const routes = [
  defineRoute({
    ...common,
    id: 'opened',
    method: 'GET',
    path: '/opened',
    query: Type.Object({ number: Type.Optional(Type.Integer()) }),
    refusalPage,
    handle: async (request) => {
      request.setCookie({ name: 'login', value: null })
      if (fault !== undefined) throw fault
      return { body: { prefersPage: request.prefersPage }, cookies: [{ name: 'session', value: 'a.b.c' }] }
    },
  }),
  defineRoute({ ...common, id: 'called', method: 'GET', path: '/called', handle: () => Promise.reject(fault) }),
]

before(async () => {
  service = await startHttp({ routes })
})
after(() => service.close())

const open = (accept: string | undefined, path = '/opened', locale = 'en-US') =>
  service.call('GET', path, { headers: { ...(accept === undefined ? {} : { Accept: accept }), 'x-locale': locale } })

test('a browser gets a page, a program the error shape', async () => {
  fault = new ApiError('target_refused', { details: { login_url: 'https://content.example/api/v1/login' } })
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9']) {
    const { status, body, headers } = await open(accept)
    assert.deepEqual([status, body.code, body.debug_id], [400, 'bad_request', headers['x-request-id']])
  }
  const { status, headers, text } = await open(BROWSER)
  assert.equal(status, 400)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  assert.equal(headers['content-language'], 'en-US')
  assert.equal(headers.vary, 'Accept')
  assert.ok(text.includes(String(headers['x-request-id'])))
  assert.ok(text.includes('<a href="https://content.example/api/v1/login">Sign in</a>'))
  assert.match((await open(BROWSER, '/opened', 'pt-BR')).text, /<html lang="pt-BR">[\s\S]*A requisição falhou/)
  const called = await open(BROWSER, '/called')
  assert.equal(called.body.code, 'bad_request')
})

test('the page escapes everything, and shows which parameter is wrong', async () => {
  fault = new ApiError('target_refused', { details: { login_url: `https://content.example/${HOSTILE}`, error_description: HOSTILE } })
  const { text } = await open(BROWSER)
  assert.ok(!text.includes('<script'))
  const wrong = await open(BROWSER, `/opened?number=${encodeURIComponent(HOSTILE)}`)
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /<code>query\/number<\/code>/)
  assert.ok(!wrong.text.includes('<script'))
})

test('cookies are set with a refusal too', async () => {
  const cleared = /^login=; Path=\/; Max-Age=0; .*HttpOnly; SameSite=Lax$/
  fault = new ApiError('target_refused')
  for (const accept of ['*/*', BROWSER]) {
    const [cookie, ...rest] = (await open(accept)).headers['set-cookie'] ?? []
    assert.match(cookie, cleared)
    assert.deepEqual(rest, [])
  }
  fault = undefined
  const { headers, body } = await open(BROWSER)
  assert.deepEqual(body, { prefersPage: true })
  assert.match(headers['set-cookie']?.[0] ?? '', cleared)
  assert.match(headers['set-cookie']?.[1] ?? '', /^session=a\.b\.c;/)
})
