/** The origin of a request: pages of other sites, and trusted and untrusted proxies. */
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { after, before, test } from 'node:test'
import Type from 'typebox'
import { addressKey } from '../../../../../server/core/http/connection/forwarded.js'
import { defineRoute, PUBLIC, SESSION } from '../../../../../server/core/http/route.js'
import { KEY, startHttp, TOKEN, type TestService } from '../support/service.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.' }
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const routes = [
  defineRoute({ ...common, id: 'change', method: 'POST', path: '/change', access: SESSION, responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({ ...common, id: 'read', method: 'GET', path: '/read', access: SESSION, responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({
    ...common,
    id: 'where',
    method: 'GET',
    path: '/where',
    access: PUBLIC,
    responses: Any,
    handle: async ({ address, isSecure }) => ({ body: { address, isSecure } }),
  }),
]

let direct: TestService
let proxied: TestService
before(async () => {
  const proxies = new BlockList()
  proxies.addAddress('127.0.0.1')
  proxies.addSubnet('10.0.0.0', 8)
  proxies.addSubnet('fd00::', 8, 'ipv6')
  direct = await startHttp({ routes, config: { publicBaseUrl: 'https://content.example/app' } })
  proxied = await startHttp({ routes, config: { trustedProxies: proxies } })
})
after(() => Promise.all([direct.close(), proxied.close()]))

const cookie = `service_session=${TOKEN}`
const status = async (service: TestService, headers: Record<string, string>, method = 'POST', path = '/change'): Promise<number> =>
  (await service.call(method, path, { headers })).status

test('a state-changing request with a cookie needs an origin of this host or of PUBLIC_BASE_URL', async () => {
  const own = `127.0.0.1:${direct.port}`
  for (const headers of [
    { origin: `http://${own}` },
    { referer: `http://${own}/some/page?q` },
    { origin: 'https://content.example' },
    { referer: 'https://content.example/app/x' },
  ]) {
    assert.equal(await status(direct, { cookie, ...headers } as Record<string, string>), 200, JSON.stringify(headers))
  }
  for (const headers of [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1' },
    { origin: `http://${own}.evil.example` },
    { origin: 'https://evil.example', referer: `http://${own}/` },
    { origin: 'http://content.example' },
    { referer: 'https://evil.example/content.example' },
    { referer: 'about:blank' },
    { origin: `file://${own}` },
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
  ]) {
    const answer = await direct.call('POST', '/change', { headers: { cookie, ...headers } as Record<string, string> })
    assert.equal(answer.status, 403, JSON.stringify(headers))
    assert.equal(answer.body.code, 'forbidden')
  }
})

test('reading requests, and requests with a token or key, need no origin', async () => {
  assert.equal(await status(direct, { cookie }, 'GET', '/read'), 200)
  assert.equal(await status(direct, { authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example', cookie }), 200)
  assert.equal(await status(direct, { 'x-api-key': KEY, origin: 'https://evil.example' }), 401)
})

test('behind a trusted proxy, host and TLS are those that the proxy reports', async () => {
  const forwarded = { 'x-forwarded-host': 'content.example', 'x-forwarded-proto': 'https' }
  assert.equal(await status(proxied, { cookie, ...forwarded, origin: 'https://content.example' }), 200)
  assert.equal(await status(proxied, { cookie, ...forwarded, origin: 'http://content.example' }), 403)
  assert.equal(await status(proxied, { cookie, ...forwarded, origin: `http://127.0.0.1:${proxied.port}` }), 403)
})

test('addresses are read from the right, as long as the proxies are trusted', async () => {
  const where = async (service: TestService, headers: Record<string, string>): Promise<unknown> => (await service.call('GET', '/where', { headers })).body
  assert.deepEqual(await where(direct, { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }), { address: '127.0.0.1', isSecure: false })
  for (const [header, address] of [
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['203.0.113.7:4711, 10.1.2.3:80', '203.0.113.7'],
    ['[2001:db8::1]:4711, fd00::5', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, nonsense', '127.0.0.1'],
    ['nonsense, 10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.3'],
    ['', '127.0.0.1'],
  ]) {
    assert.equal(((await where(proxied, { 'x-forwarded-for': header })) as { address: string }).address, address, header)
  }
  assert.deepEqual(await where(proxied, { 'x-forwarded-proto': 'http, https' }), { address: '127.0.0.1', isSecure: true })
})

test('IPv6 callers are counted by their /64', () => {
  assert.equal(addressKey('203.0.113.7'), '203.0.113.7')
  assert.equal(addressKey('2001:db8:0:1:2:3:4:5'), '2001:db8:0:1::/64')
  assert.equal(addressKey('2001:0db8::5'), '2001:db8:0:0::/64')
  assert.equal(addressKey('2001:db8::'), '2001:db8:0:0::/64')
  assert.equal(addressKey('::1'), '0:0:0:0::/64')
})
