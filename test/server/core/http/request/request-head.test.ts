/** Request heads that a proxy in front of the service could interpret differently. */
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { after, before, test } from 'node:test'
import Type from 'typebox'
import { defineRoute, PUBLIC } from '../../../../../server/core/http/route.js'
import { startHttp, type TestService } from '../support/service.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.', access: PUBLIC } as const
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const routes = [
  defineRoute({
    ...common,
    id: 'where',
    method: 'GET',
    path: '/where',
    responses: Any,
    handle: async (request) => ({ body: { address: request.address, host: request.header('host') } }),
  }),
]

let service: TestService
before(async () => {
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  service = await startHttp({ routes, config: { trustedProxies } })
})
after(() => service.close())

/** Status and body of `GET target` with these header lines. */
async function get(target: string, ...lines: readonly string[]): Promise<{ status: number; body: { address: string; host: string; code: string; debug_id: string } }> {
  const text = await service.socket(Buffer.from(`GET ${target} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`, 'latin1'))
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) }
}

test('a request has exactly one valid Host', async () => {
  assert.equal((await get('/api/v1/where', 'Host: a.example:8080')).status, 200)
  assert.equal((await get('/api/v1/where', 'Host: [::1]:8080')).status, 200)
  assert.equal((await get('/api/v1/where', 'Host:')).status, 200)
  for (const lines of [[], ['Host: a', 'Host: b'], ['Host: a', 'hOsT: a'], ['Host: a/b'], ['Host: user@a'], ['Host: a, b c'], ['Host: a\\b'], ['Host: \xe4']]) {
    const { status, body } = await get('/api/v1/where', ...lines)
    assert.equal(status, 400, JSON.stringify(lines))
    assert.equal(body.code, 'bad_request')
  }
})

test('an absolute target is read as its path, and its host is used', async () => {
  for (const target of ['http://b.example/api/v1/where', 'HTTPS://b.example/api/v1/where']) {
    const { status, body } = await get(target, 'Host: a.example')
    assert.equal(status, 200, target)
    assert.equal(body.host, 'b.example')
  }
  for (const target of [
    'http://b.example',
    'http://b.example?a',
    '*',
    '//b.example/api/v1/where',
    '/api/v1/../v1/where',
    '/api/v1/./where',
    '/api//v1/where',
    '/api/v1/where/',
    '/api%2fv1/where',
    '/api/v1\\where',
  ])
    assert.equal((await get(target, 'Host: a')).status, 404, target)
})

test('a malformed target is 400 and not an internal error', async () => {
  for (const target of [
    'http://[',
    'http://[::1',
    'http://',
    'http:///api/v1/where',
    'http://u@b/api/v1/where',
    'ftp://b/api/v1/where',
    '/api/v1/where#a',
    '/api\\v1/where#',
    'http://b/api\\v1\\where#',
  ])
    assert.equal((await get(target, 'Host: a')).status, 400, target)
  assert.deepEqual(
    service.log.filter(({ level }) => level === 'error'),
    [],
  )
})

test('no header is dropped because of the number of headers before it', async () => {
  const many = Array.from({ length: 500 }, (_, index) => `X-${index}: a`)
  const { body } = await get('/api/v1/where', 'Host: a', ...many, 'X-Forwarded-For: 203.0.113.7')
  assert.equal(body.address, '203.0.113.7')
})
