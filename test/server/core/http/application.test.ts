/** What applies to all requests: routing, ids and headers, the format of refusals, and access. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { BlockList, connect } from 'node:net'
import { after, before, test } from 'node:test'
import Type from 'typebox'
import { ApiError } from '../../../../server/core/errors.js'
import { CREDENTIAL, defineRoute, PLATFORM_ADMIN, PUBLIC, permission, SESSION, USER } from '../../../../server/core/http/route.js'
import { DocumentTooLargeError, DuplicateKeyError, StorageFullError, StorageUnavailableError } from '../../../../server/core/storage/errors.js'
import { healthRoutes } from '../../../../server/core/http/health-routes.js'
import { ADMIN_TOKEN, type Answer, KEY, LONELY_TOKEN, READER_TOKEN, startHttp, TOKEN, type TestService, WEAK_KEY } from './support/service.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.' }
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }

let fault: unknown = null
const routes = [
  ...healthRoutes,
  defineRoute({ ...common, id: 'fail', method: 'GET', path: '/fail', access: PUBLIC, responses: Any, handle: () => Promise.reject(fault) }),
  defineRoute({ ...common, id: 'throw', method: 'GET', path: '/throw', access: PUBLIC, responses: Any, handle: () => assert.fail('at once') }),
  defineRoute({
    ...common,
    id: 'wrong',
    method: 'GET',
    path: '/wrong',
    access: PUBLIC,
    responses: { 200: { description: 'A text.', schema: Type.String() } },
    handle: async () => ({ body: 7 as unknown as string }),
  }),
  defineRoute({
    ...common,
    id: 'header',
    method: 'GET',
    path: '/header',
    access: PUBLIC,
    responses: Any,
    handle: async () => ({ body: {}, headers: { 'X-Evil': 'a\r\nSet-Cookie: b=c' } }),
  }),
  defineRoute({
    ...common,
    id: 'cache',
    method: 'GET',
    path: '/cache',
    access: PUBLIC,
    responses: Any,
    handle: async () => ({ body: {}, headers: { 'cache-control': 'no-cache' } }),
  }),
  defineRoute({
    ...common,
    id: 'cookie',
    method: 'GET',
    path: '/cookie',
    access: PUBLIC,
    responses: Any,
    handle: async () => ({
      body: {},
      cookies: [
        { name: 'service_session', value: 'a.b.c', maxAgeSeconds: 60 },
        { name: 'old', value: null },
      ],
    }),
  }),
  defineRoute({ ...common, id: 'locale', method: 'GET', path: '/locale', access: USER, responses: Any, handle: async ({ locale }) => ({ body: { locale } }) }),
  defineRoute({
    ...common,
    id: 'who',
    method: 'GET',
    path: '/who',
    access: CREDENTIAL,
    responses: Any,
    handle: async ({ principal, scope }) => ({ body: { kind: principal.kind, scope } }),
  }),
  defineRoute({
    ...common,
    id: 'user',
    method: 'GET',
    path: '/user',
    access: USER,
    responses: Any,
    handle: async ({ principal, scope }) => ({ body: { id: principal.userId, scope } }),
  }),
  defineRoute({
    ...common,
    id: 'session',
    method: 'GET',
    path: '/session',
    access: SESSION,
    responses: Any,
    handle: async ({ scope }) => ({ body: { organization: scope.organizationId } }),
  }),
  defineRoute({ ...common, id: 'admin', method: 'GET', path: '/admin', access: PLATFORM_ADMIN, responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({
    ...common,
    id: 'view',
    method: 'GET',
    path: '/organizations/{organization_id}/things/{thing_id}',
    access: permission('audit:view'),
    responses: Any,
    handle: async ({ params, scope }) => ({ body: { params, organization: scope.organizationId } }),
  }),
  defineRoute({ ...common, id: 'things.run', method: 'POST', path: '/things/run', access: PUBLIC, responses: Any, handle: async () => ({ body: { ran: true } }) }),
  defineRoute({ ...common, id: 'things.get', method: 'GET', path: '/things/{thing_id}', access: PUBLIC, responses: Any, handle: async ({ params }) => ({ body: params }) }),
  defineRoute({
    ...common,
    id: 'things.delete',
    method: 'DELETE',
    path: '/things/{thing_id}',
    access: PUBLIC,
    responses: { 204: { description: 'Gone.', schema: null } },
    handle: async () => ({ status: 204 }),
  }),
  defineRoute({
    ...common,
    id: 'runs.get',
    method: 'GET',
    path: '/runs/{external_run_id}',
    access: PUBLIC,
    params: Type.Object({ external_run_id: Type.String({ pattern: '^[\\w/ ]{1,20}$' }) }),
    responses: Any,
    handle: async ({ params }) => ({ body: params }),
  }),
  defineRoute({
    ...common,
    id: 'moved',
    method: 'GET',
    path: '/moved',
    access: PUBLIC,
    responses: { 302: { description: 'Elsewhere.', schema: null } },
    handle: async () => ({ status: 302, headers: { Location: 'https://example.com/' } }),
  }),
]

let service: TestService
before(async () => {
  service = await startHttp({ routes })
})
after(() => service.close())

const ALWAYS = { 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' }

function assertRefusal({ status, body, headers }: Answer, expectedStatus: number, code: string): void {
  assert.equal(status, expectedStatus)
  assert.deepEqual(Object.keys(body), ['code', 'message', 'hint', 'details', 'debug_id'])
  assert.equal(body.code, code)
  assert.equal(body.debug_id, headers['x-request-id'])
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
}

test('all responses have the headers of the contract, including refusals and probes', async () => {
  fault = new Error('x')
  for (const path of ['/things/a', '/missing', '/fail', '/moved', '/who', '//livez', '//nothing']) {
    const { headers } = await service.call('GET', path)
    for (const [name, value] of Object.entries(ALWAYS)) assert.equal(headers[name], value, `${path} ${name}`)
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
    assert.match(String(headers['x-trace-id']), /^[0-9a-f]{32}$/)
    assert.equal(headers['access-control-allow-origin'], undefined)
    assert.equal(headers['x-powered-by'], undefined)
  }
})

test('a well-formed request id of the caller is returned', async () => {
  assert.equal((await service.call('GET', '/missing', { headers: { 'x-request-id': 'build-7/a.b:c' } })).body.debug_id, 'build-7/a.b:c')
  for (const bad of ['', 'a b', 'ü', '<script>', 'a'.repeat(129), '-x', 'a"b', '{"a":1}']) {
    const { headers } = await service.call('GET', '/missing', { headers: { 'x-request-id': Buffer.from(bad).toString('latin1') } })
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, bad)
  }
})

test('the trace id of a traceparent is used, and a malformed one is ignored', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  assert.equal((await service.call('GET', '/missing', { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } })).headers['x-trace-id'], trace)
  assert.equal((await service.call('GET', '/missing', { headers: { traceparent: `01-${trace}-00f067aa0ba902b7-01-more` } })).headers['x-trace-id'], trace)
  for (const bad of [
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${trace}-00f067aa0ba902b7-01-more`,
    'x',
  ]) {
    assert.notEqual((await service.call('GET', '/missing', { headers: { traceparent: bad } })).headers['x-trace-id'], trace, bad)
  }
})

test('an unknown path is 404, a wrong method is 405 with Allow, and malformed percent encoding is 400', async () => {
  assertRefusal(await service.call('GET', '/missing'), 404, 'not_found')
  assertRefusal(await service.call('GET', '//'), 404, 'not_found')
  assertRefusal(await service.call('GET', '/things/a/'), 404, 'not_found')
  assertRefusal(await service.call('GET', '/Things/a'), 404, 'not_found')
  const wrong = await service.call('PUT', '/things/a')
  assertRefusal(wrong, 405, 'method_not_allowed')
  assert.equal(wrong.headers.allow, 'DELETE, GET, HEAD, OPTIONS')
  assertRefusal(await service.call('POST', '//livez'), 405, 'method_not_allowed')
  assertRefusal(await service.call('GET', '/things/%zz'), 400, 'bad_request')
  assertRefusal(await service.call('GET', '/nothing/%c3%28'), 400, 'bad_request')
})

test('HEAD returns the headers of GET without a body, and OPTIONS lists the methods without CORS headers', async () => {
  const get = await service.call('GET', '/things/a')
  const head = await service.call('HEAD', '/things/a')
  assert.equal(head.status, 200)
  assert.equal(head.text, '')
  assert.equal(head.headers['content-length'], get.headers['content-length'])
  const options = await service.call('OPTIONS', '/things/a', { headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' } })
  assert.equal(options.status, 204)
  assert.equal(options.headers.allow, 'DELETE, GET, HEAD, OPTIONS')
  assert.deepEqual(
    Object.keys(options.headers).filter((name) => name.startsWith('access-control')),
    [],
  )
  assertRefusal(await service.call('OPTIONS', '/missing'), 404, 'not_found')
})

test('a literal segment has precedence over a parameter, and a malformed id is 404', async () => {
  assert.deepEqual((await service.call('POST', '/things/run')).body, { ran: true })
  assert.deepEqual((await service.call('GET', '/things/a%2Db')).body, { thing_id: 'a-b' })
  for (const bad of ['a%2Fb', 'a%00', '%20', '..%2f', 'a'.repeat(129), '%F0%9F%98%80', '$ne']) assertRefusal(await service.call('GET', `/things/${bad}`), 404, 'not_found')
  assert.deepEqual((await service.call('GET', '/runs/a%2Fb%20c')).body, { external_run_id: 'a/b c' })
  assertRefusal(await service.call('GET', '/runs/%24'), 404, 'not_found')
})

test('the language of a refusal is that of x-locale, else of the user, else of Accept-Language, else Portuguese', async () => {
  const message = async (headers: Record<string, string>): Promise<string> => (await service.call('GET', '/missing', { headers: { 'x-locale': '', ...headers } })).body.message
  assert.match(await message({}), /^Não há nada/)
  assert.match(await message({ 'accept-language': 'de, en-GB;q=0.5, pt;q=0.1' }), /^There is nothing/)
  assert.match(await message({ 'x-locale': 'pt-BR', 'accept-language': 'en' }), /^Não há nada/)
  const locale = async (headers: Record<string, string>): Promise<string> =>
    (await service.call('GET', '/locale', { headers: { 'x-locale': '', authorization: `Bearer ${TOKEN}`, ...headers } })).body.locale
  assert.equal(await locale({ 'accept-language': 'pt' }), 'en-US')
  assert.equal(await locale({ 'x-locale': 'pt-BR' }), 'pt-BR')
})

test('a refusal of a handler is answered with its code, details and headers', async () => {
  fault = new ApiError('plan_quota_exceeded', { params: { metric: 'analysis_runs', limit: 5 }, details: { metric: 'analysis_runs' }, headers: { 'X-Hint': 'h' } })
  const answer = await service.call('GET', '/fail')
  assertRefusal(answer, 403, 'plan_quota_exceeded')
  assert.equal(answer.body.message, "The plan's limit of analysis_runs is reached: 5.")
  assert.deepEqual(answer.body.details, { metric: 'analysis_runs' })
  assert.equal(answer.headers['x-hint'], 'h')
})

test('refusals of the store have their own codes', async () => {
  fault = new StorageUnavailableError()
  const gone = await service.call('GET', '/fail')
  assertRefusal(gone, 503, 'service_unavailable')
  assert.match(String(gone.headers['retry-after']), /^\d+$/)
  fault = new StorageFullError()
  assertRefusal(await service.call('GET', '/fail'), 507, 'insufficient_storage')
  fault = new DocumentTooLargeError('things')
  assertRefusal(await service.call('GET', '/fail'), 413, 'payload_too_large')
  fault = new DuplicateKeyError('things', ['name'])
  assertRefusal(await service.call('GET', '/fail'), 409, 'conflict')
})

test('an internal error reveals only its debug_id to the caller, and the log has its stack without quoted values', async () => {
  fault = Object.assign(new Error('no such thing: "svk_secret of a body" in svk_abc123 for bob@example.com', { cause: new TypeError("'inner secret'") }), { code: 'E_ODD' })
  const answer = await service.call('GET', '/fail')
  assertRefusal(answer, 500, 'internal_error')
  assert.deepEqual(answer.body.details, {})
  assert.doesNotMatch(answer.text, /odd|secret|svk|\.js/i)
  const entry = service.log.find((line) => line.msg === 'request failed' && line.request_id === answer.body.debug_id) as { err: { frames: string[]; code: string } }
  assert.equal(entry.err.code, 'E_ODD')
  assert.match(entry.err.frames[0], /application\.test/)
  assert.doesNotMatch(JSON.stringify(entry), /secret|svk_abc|bob@/)
  assertRefusal(await service.call('GET', '/throw'), 500, 'internal_error')
  fault = 'not an error'
  assertRefusal(await service.call('GET', '/fail'), 500, 'internal_error')
  fault = undefined
  assertRefusal(await service.call('GET', '/fail'), 500, 'internal_error')
})

test('a header value with a line break is an internal error, and the header is not sent', async () => {
  const answer = await service.call('GET', '/header')
  assertRefusal(answer, 500, 'internal_error')
  assert.equal(answer.headers['set-cookie'], undefined)
  assert.equal(answer.headers['x-evil'], undefined)
})

test('a response that does not match the declaration of its route is a 500 in tests', async () => {
  assertRefusal(await service.call('GET', '/wrong'), 500, 'internal_error')
})

test('Cache-Control of a handler replaces the common one', async () => {
  assert.equal((await service.call('GET', '/cache')).headers['cache-control'], 'no-cache')
})

test('cookies cannot be read by scripts or sent by forms of other sites', async () => {
  assert.deepEqual((await service.call('GET', '/cookie')).headers['set-cookie'], [
    'service_session=a.b.c; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
    'old=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
  ])
})

test('a redirect has no body', async () => {
  const answer = await service.call('GET', '/moved')
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.location, 'https://example.com/')
  assert.equal(answer.text, '')
})

test('a route requires a credential, refuses a wrong one, and accepts each kind', async () => {
  const missing = await service.call('GET', '/who')
  assertRefusal(missing, 401, 'unauthorized')
  assert.match(String(missing.headers['www-authenticate']), /^Bearer/)
  const sent: Record<string, string>[] = [
    { 'x-api-key': KEY },
    { authorization: `Bearer ${KEY}` },
    { authorization: `bearer ${TOKEN}` },
    { cookie: `a=b; service_session=${TOKEN}` },
  ]
  for (const headers of sent) assert.equal((await service.call('GET', '/who', { headers })).status, 200, JSON.stringify(headers))
  const bad: Record<string, string>[] = [
    { 'x-api-key': 'svk_bad' },
    { 'x-api-key': '' },
    { 'x-api-key': 'a b' },
    { 'x-api-key': `svk_${'a'.repeat(5000)}` },
    { authorization: 'Basic YTpi' },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${TOKEN} ${TOKEN}` },
    { authorization: `Bearer ${'a'.repeat(5000)}` },
    { cookie: 'service_session=wrong' },
    { cookie: 'service_session="x y"' },
  ]
  for (const headers of bad) assertRefusal(await service.call('GET', '/who', { headers }), 401, 'unauthorized')
})

test('of several credentials the first of key, Authorization and cookie is used, even if it is wrong', async () => {
  const kind = async (headers: Record<string, string>): Promise<unknown> => (await service.call('GET', '/who', { headers })).body.kind
  assert.equal(await kind({ 'x-api-key': KEY, authorization: `Bearer ${TOKEN}`, cookie: `service_session=${TOKEN}` }), 'api_key')
  assert.equal(await kind({ authorization: `Bearer ${TOKEN}`, cookie: 'service_session=wrong' }), 'user')
  assertRefusal(await service.call('GET', '/who', { headers: { 'x-api-key': 'svk_bad', authorization: `Bearer ${TOKEN}` } }), 401, 'unauthorized')
})

test('GET /health accepts any credential', async () => {
  for (const headers of [{ 'x-api-key': WEAK_KEY }, { authorization: `Bearer ${LONELY_TOKEN}` }])
    assert.deepEqual((await service.call('GET', '/health', { headers })).body, { status: 'ok' })
  assertRefusal(await service.call('GET', '/health'), 401, 'unauthorized')
  assertRefusal(await service.call('GET', '/health', { headers: { 'x-api-key': 'svk_expired' } }), 401, 'unauthorized')
})

test('a route that needs a session answers 401 to a key', async () => {
  for (const path of ['/user', '/session', '/admin']) {
    const answer = await service.call('GET', path, { headers: { 'x-api-key': KEY } })
    assertRefusal(answer, 401, 'unauthorized')
    assert.match(answer.body.message, /user session/)
  }
})

test('the access of a route is enforced', async () => {
  const as = (token: string, path: string, headers = {}): Promise<Answer> => service.call('GET', path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  assert.deepEqual((await as(LONELY_TOKEN, '/user')).body, { id: 'lonely', scope: null })
  assertRefusal(await as(LONELY_TOKEN, '/session'), 403, 'forbidden')
  assertRefusal(await as(LONELY_TOKEN, '/organizations/org-1/things/a'), 403, 'forbidden')
  assert.deepEqual((await as(TOKEN, '/session')).body, { organization: 'org-1' })
  assertRefusal(await as(TOKEN, '/admin'), 403, 'forbidden')
  assert.equal((await as(ADMIN_TOKEN, '/admin')).status, 200)
  assert.deepEqual((await as(ADMIN_TOKEN, '/session', { 'x-org-id': 'org-2' })).body, { organization: 'org-2' })
  const readOnly = await as(READER_TOKEN, '/organizations/org-1/things/a')
  assertRefusal(readOnly, 403, 'forbidden')
  assert.match(readOnly.body.message, /audit:view/)
  assertRefusal(await service.call('GET', '/organizations/org-1/things/a', { headers: { 'x-api-key': WEAK_KEY } }), 403, 'forbidden')
  assert.deepEqual((await service.call('GET', '/organizations/org-1/things/a', { headers: { 'x-api-key': KEY } })).body, {
    params: { organization_id: 'org-1', thing_id: 'a' },
    organization: 'org-1',
  })
})

test('an organization of others is 404 in the path and 403 in the header', async () => {
  const headers = { 'x-api-key': KEY }
  assertRefusal(await service.call('GET', '/organizations/org-2/things/a', { headers }), 404, 'not_found')
  assertRefusal(await service.call('GET', '/who', { headers: { ...headers, 'x-org-id': 'org-2' } }), 403, 'forbidden')
  assertRefusal(await service.call('GET', '/who', { headers: { ...headers, 'x-org-id': '' } }), 403, 'forbidden')
  assertRefusal(await service.call('GET', '/who', { headers: { ...headers, 'x-org-id': 'a'.repeat(129) } }), 403, 'forbidden')
  assert.equal((await service.call('GET', '/who', { headers: { ...headers, 'x-org-id': 'org-1' } })).status, 200)
})

test('the access log has one line per request, without values of the path or the headers', async () => {
  const before = service.lines.length
  await service.call('GET', '/things/secret-invitation-token?q=1', { headers: { 'x-api-key': 'svk_hidden', 'user-agent': 'agent\n{"level":"fatal"}'.replace('\n', '') } })
  await service.call('GET', '/organizations/org-1/things/a', { headers: { 'x-api-key': KEY } })
  const lines = service.lines.slice(before)
  assert.equal(lines.length, 2)
  assert.doesNotMatch(lines.join(''), /secret-invitation|svk_|agent/)
  const [first, second] = lines.map((line) => JSON.parse(line))
  assert.equal(first.route, '/api/v1/things/{thing_id}')
  assert.equal(first.refusal, 'request_validation_failed')
  assert.equal(second.subject, 'key:good')
  assert.equal(second.organization, 'org-1')
  assert.equal(second.status, 200)
})

test('a line of the access log has the address that trusted proxies report, also if the caller has disconnected', async () => {
  const forwarded = { 'x-api-key': KEY, 'x-forwarded-for': '198.51.100.1, 203.0.113.7' }
  const proxies = new BlockList()
  proxies.addAddress('127.0.0.1')
  let tellWaiting!: () => void
  const isWaiting = new Promise<void>((resolve) => {
    tellWaiting = resolve
  })
  const waits = defineRoute({
    ...common,
    id: 'waits',
    method: 'GET',
    path: '/waits',
    access: PUBLIC,
    responses: Any,
    async handle({ signal }) {
      tellWaiting()
      await once(signal, 'abort')
      throw signal.reason
    },
  })
  const behind = await startHttp({ routes: [...routes, waits], config: { trustedProxies: proxies } })
  try {
    await service.call('GET', '/who', { headers: forwarded })
    assert.equal(service.log.at(-1)?.address, '127.0.0.1', 'other proxies are not trusted')
    await behind.call('GET', '/who', { headers: forwarded })
    assert.equal(behind.log.at(-1)?.address, '203.0.113.7')
    // The caller does not wait for the response: the address of a closed connection is unknown.
    const socket = connect(behind.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write('GET /api/v1/waits HTTP/1.1\r\nHost: x\r\n\r\n')
    await isWaiting
    socket.destroy()
    while (behind.log.at(-1)?.route !== '/api/v1/waits') await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([behind.log.at(-1)?.address, behind.log.at(-1)?.status], ['127.0.0.1', 499])
  } finally {
    await behind.close()
  }
})

test('two routes with the same path or id are refused at the start', async () => {
  const route = routes[1]
  await assert.rejects(startHttp({ routes: [route, route] }), /the id fail/)
  await assert.rejects(startHttp({ routes: [route, { ...route, id: 'other' }] }), /is a route already/)
})
