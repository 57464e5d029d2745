/** Bodies and queries: size, format, and errors in them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { defineRoute, PUBLIC, permission } from '../../../../../server/core/http/route.js'
import { ADMIN_TOKEN, fakeAuthenticate, KEY, startHttp, type TestService } from '../support/service.js'
import { testLimits } from '../../../../support/limits.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.', access: PUBLIC } as const
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const MAX = 4096

const Thing = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  note: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
  kind: Type.Optional(Type.Enum(['rules', 'decoders'])),
  count: Type.Optional(Type.Integer({ minimum: 1, default: 7 })),
  parts: Type.Optional(Type.Array(Type.Object({ path: Type.String(), old: Type.Optional(Type.String({ deprecated: true, 'x-replaced-by': 'path' })) }), { maxItems: 3 })),
  fields: Type.Optional(Type.Record(Type.String(), Type.String())),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

const routes = [
  defineRoute({ ...common, id: 'thing', method: 'POST', path: '/thing', body: { as: 'json', schema: Thing }, responses: Any, handle: async ({ body }) => ({ body }) }),
  defineRoute({
    ...common,
    id: 'analysis',
    method: 'POST',
    path: '/analysis',
    body: { as: 'json', schema: Thing },
    invalidBody: 'validation_failed',
    responses: Any,
    handle: async ({ body }) => ({ body }),
  }),
  defineRoute({
    ...common,
    id: 'optional',
    method: 'POST',
    path: '/optional',
    body: { as: 'json', schema: Type.Object({ ids: Type.Optional(Type.Array(Type.String())) }) },
    responses: Any,
    handle: async ({ body }) => ({ body }),
  }),
  defineRoute({ ...common, id: 'none', method: 'POST', path: '/none', responses: Any, handle: async ({ body }) => ({ body: { body: body ?? null } }) }),
  defineRoute({
    ...common,
    id: 'bytes',
    method: 'POST',
    path: '/bytes',
    body: { as: 'bytes', schema: Thing, mediaType: 'application/json' },
    responses: Any,
    handle: async ({ body }) => ({ body: { bytes: body.byteLength } }),
  }),
  defineRoute({
    ...common,
    id: 'stream',
    method: 'POST',
    path: '/stream',
    body: { as: 'stream', schema: Thing, mediaType: 'application/x-ndjson' },
    responses: Any,
    handle: async ({ body }) => {
      let bytes = 0
      for await (const chunk of body) bytes += (chunk as Buffer).byteLength
      return { body: { bytes } }
    },
  }),
  defineRoute({
    ...common,
    id: 'query',
    method: 'GET',
    path: '/query',
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      ratio: Type.Optional(Type.Number()),
      unread: Type.Boolean({ default: false }),
      repository: Type.Optional(Type.String({ maxLength: 10 })),
      free: Type.Optional(Type.String({ minLength: 0 })),
      old: Type.Optional(Type.String({ deprecated: true, 'x-replaced-by': 'free' })),
    }),
    responses: Any,
    handle: async ({ query }) => ({ body: query }),
  }),
]

let service: TestService
before(async () => {
  service = await startHttp({ routes, config: { maxRequestBytes: MAX }, times: { bodyIdleMs: 150, bodyTotalMs: 400 } })
})
after(() => service.close())

const json = { 'content-type': 'application/json' }
const errorsOf = (body: { details: { errors: { path: string; message: string; expected: unknown }[] } }): string[] =>
  body.details.errors.map(({ path, message }) => `${path} ${message}`)

test('a valid body reaches the handler with defaults filled in', async () => {
  assert.deepEqual((await service.call('POST', '/thing', { json: { name: 'ünï', note: null } })).body, { name: 'ünï', note: null, count: 7 })
})

test('a body arrives with its head, after it, in pieces, in chunks, and behind another request', { timeout: 10_000 }, async () => {
  const head = 'POST /api/v1/thing HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const sized = `${head}Content-Length: 12\r\n\r\n`
  const body = (letter: string): string => `{"name":"${letter}"}`
  const ways: readonly (readonly string[])[] = [
    [`${sized}${body('a')}`],
    [sized, body('b')],
    [sized, body('c').slice(0, 5), body('c').slice(5)],
    [`${head}Transfer-Encoding: chunked\r\n\r\nc\r\n${body('d')}\r\n0\r\n\r\n`],
    [`${sized}${body('e')}${sized}${body('f')}`],
  ]
  const socket = net.connect({ port: service.port, host: '127.0.0.1', noDelay: true })
  let received = ''
  let answers = 0
  socket.on('data', (bytes) => {
    received += String(bytes)
  })
  for (const pieces of ways) {
    for (const piece of pieces) {
      socket.write(piece)
      await sleep(20)
    }
    answers += pieces.join('').split('POST ').length - 1
    while (received.split('"name":').length - 1 < answers) await once(socket, 'data')
  }
  socket.destroy()
  assert.deepEqual(
    [...received.matchAll(/"name":"(\w)"/g)].map(([, letter]) => letter),
    ['a', 'b', 'c', 'd', 'e', 'f'],
  )
  assert.equal(received.split('HTTP/1.1 200').length - 1, 6)
})

test('all invalid fields are reported, with the expected values', async () => {
  const { status, body } = await service.call('POST', '/thing', { json: { note: 'long', kind: 'x', count: '1', parts: [{ path: 'a' }, { path: 1 }, {}] } })
  assert.equal(status, 422)
  assert.equal(body.code, 'request_validation_failed')
  assert.deepEqual(errorsOf(body).sort(), [
    '/count must be of the type integer',
    '/kind must be one of the allowed values',
    '/name is required',
    '/note must have at most 3 character(s)',
    '/parts/1/path must be of the type string',
    '/parts/2/path is required',
  ])
  assert.deepEqual(body.details.errors.find(({ path }: { path: string }) => path === '/kind').expected, ['rules', 'decoders'])
  assert.deepEqual(body.details.errors.find(({ path }: { path: string }) => path === '/note').expected, { max_length: 3 })
})

test('a value that matches no alternative is one error', async () => {
  const { body } = await service.call('POST', '/thing', { json: { name: 'a', note: 7 } })
  assert.deepEqual(errorsOf(body), ['/note must be of the type string | null'])
})

test('errors are in the language of the request', async () => {
  const { body } = await service.call('POST', '/thing', { json: {}, headers: { 'x-locale': 'pt-BR' } })
  assert.deepEqual(errorsOf(body), ['/name é obrigatório'])
})

test('an unknown field is refused at any depth and decides the code', async () => {
  const deep = await service.call('POST', '/thing', { json: { name: 'a', parts: [{ path: 'a', 'x/y~z': 1 }], extra: 1 } })
  assert.deepEqual(errorsOf(deep.body).sort(), ['/extra is not a field of this object', '/parts/0/x~1y~0z is not a field of this object'])
  assert.equal((await service.call('POST', '/analysis', { json: { name: '' } })).body.code, 'validation_failed')
  assert.equal((await service.call('POST', '/analysis', { json: { name: '', extra: 1 } })).body.code, 'request_validation_failed')
  assert.equal((await service.call('POST', '/analysis', { json: [] })).body.code, 'validation_failed')
})

test('keys of a map are arbitrary, its values are validated', async () => {
  assert.equal((await service.call('POST', '/thing', { json: { name: 'a', fields: { 'a\nb': 'c', constructor: 'd' } } })).status, 200)
  assert.deepEqual(errorsOf((await service.call('POST', '/thing', { json: { name: 'a', fields: { 'a\nb': 1 } } })).body), ['/fields/a\nb must be of the type string'])
})

test('a body with __proto__, or with the prototype of a constructor, is refused with its path', async () => {
  for (const [raw, path] of [
    ['{"__proto__":{"isAdmin":true},"name":"a"}', '/__proto__'],
    ['{"name":"a","settings":{"x":[{"\\u005f_proto__":1}]}}', '/settings/x/0/__proto__'],
    ['{"name":"a","settings":{"constructor":{"prototype":{"a":1}}}}', '/settings/constructor/prototype'],
  ]) {
    const { status, body } = await service.call('POST', '/thing', { raw, headers: json })
    assert.equal(status, 422, raw)
    assert.equal(body.code, 'request_validation_failed')
    assert.deepEqual(errorsOf(body), [`${path} is not a field of this object`])
  }
  assert.equal(({} as Record<string, unknown>).isAdmin, undefined)
})

test('an unparseable body is 400', async () => {
  for (const raw of ['{', '{"name":"a"', "{'name':1}", '{"name":"a"}x', 'NaN', '\u0000', '[1,]']) {
    const { status, body } = await service.call('POST', '/thing', { raw, headers: json })
    assert.equal(status, 400, raw)
    assert.equal(body.code, 'bad_request')
    assert.doesNotMatch(JSON.stringify(body), /Unexpected|position/)
  }
  assert.equal((await service.call('POST', '/thing', { raw: Buffer.from([0x22, 0xff, 0x22]), headers: json })).status, 400)
  assert.equal((await service.call('POST', '/thing', { raw: '\uFEFF{"name":"a"}', headers: json })).status, 200)
})

test('a body of another media type is 415, whatever its charset and encoding', async () => {
  const status = async (headers: http.OutgoingHttpHeaders): Promise<number> => (await service.call('POST', '/thing', { raw: '{"name":"a"}', headers })).status
  for (const type of ['application/json', 'Application/JSON; Charset=UTF-8', 'application/json;charset="utf-8"', 'application/json; profile=x'])
    assert.equal(await status({ 'content-type': type }), 200, type)
  for (const type of [
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'application/merge-patch+json',
  ]) {
    assert.equal(await status({ 'content-type': type }), 415, type)
  }
  assert.equal(await status({}), 415)
  assert.equal(await status({ ...json, 'content-encoding': 'gzip' }), 415)
})

test('an absent body is an empty object, whose required fields are reported', async () => {
  assert.equal((await service.call('POST', '/optional')).status, 200)
  assert.deepEqual(errorsOf((await service.call('POST', '/thing')).body), ['/name is required'])
})

test('a route without a body accepts none, or an object without fields', async () => {
  assert.equal((await service.call('POST', '/none')).status, 200)
  assert.equal((await service.call('POST', '/none', { json: {} })).status, 200)
  assert.deepEqual(errorsOf((await service.call('POST', '/none', { json: { a: 1 } })).body), ['/a is not a field of this object'])
  assert.equal((await service.call('POST', '/none', { json: [] })).status, 422)
  assert.equal((await service.call('POST', '/none', { raw: 'x', headers: { 'content-type': 'text/plain' } })).status, 415)
})

test('a body above the limit is refused before it is read, and its sender receives the response', async () => {
  const raw = Buffer.alloc(3_000_000, 0x20)
  for (const path of ['/thing', '/bytes', '/stream', '/none', '/nowhere']) {
    const { status, body, headers } = await service.call('POST', path, { raw, headers: json })
    assert.equal(status, 413, path)
    assert.equal(body.code, 'payload_too_large')
    assert.equal(body.details.limit, MAX)
    assert.equal(headers.connection, 'close')
  }
  assert.equal((await service.call('POST', '/bytes', { raw: Buffer.alloc(MAX, 0x20), headers: json })).body.bytes, MAX)
  assert.equal((await service.call('POST', '/bytes', { raw: Buffer.alloc(MAX + 1, 0x20), headers: json })).status, 413)
})

test('a body without a length is counted while it is read', async () => {
  const chunk = `800\r\n${' '.repeat(0x800)}\r\n`
  for (const [path, type] of [
    ['/thing', 'application/json'],
    ['/stream', 'application/x-ndjson'],
  ]) {
    const text = await service.socket(
      `POST /api/v1${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      chunk,
      chunk,
      chunk,
      '0\r\n\r\n',
    )
    assert.match(text, /^HTTP\/1\.1 413 /, path)
    assert.match(text, /payload_too_large/)
  }
})

const LARGE = 100_000

test('an organization with too many bytes in progress is answered 503, and others are served', async () => {
  const held = defineRoute({
    ...common,
    id: 'held',
    method: 'POST',
    path: '/held',
    access: permission('analysis:run'),
    body: { as: 'bytes', schema: Thing, mediaType: 'application/json' },
    responses: Any,
    handle: async ({ body }) => ({ body: { bytes: body.byteLength } }),
  })
  const own = await startHttp({ routes: [held], authenticate: fakeAuthenticate, limits: testLimits({ body_bytes: { organization: 2 * LARGE } }) })
  try {
    const sent = (credential: http.OutgoingHttpHeaders): { readonly request: http.ClientRequest; readonly status: Promise<number> } => {
      const request = http.request(`${own.url}/api/v1/held`, { method: 'POST', headers: { ...credential, 'Content-Type': 'application/json', 'Content-Length': LARGE } })
      const status = new Promise<number>((resolve, reject) =>
        request.once('error', reject).once('response', (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        }),
      )
      request.write('x'.repeat(LARGE - 1))
      return { request, status }
    }
    const key = { 'X-API-Key': KEY }
    const three = [sent(key), sent(key), sent(key)]
    // There is room for two of them; which one is refused is not defined.
    const refused = await Promise.race(three.map(({ status }, index) => status.then((code) => ({ code, index }))))
    assert.equal(refused.code, 503)
    const other = sent({ Authorization: `Bearer ${ADMIN_TOKEN}`, 'X-Org-Id': 'org-2' })
    for (const { request } of [...three, other]) request.end('x')
    assert.equal(await other.status, 200)
    for (const [index, { status }] of three.entries()) assert.equal(await status, index === refused.index ? 503 : 200)
    for (const again of [sent(key), sent(key)]) {
      again.request.end('x')
      assert.equal(await again.status, 200)
    }
  } finally {
    await own.close()
  }
})

test('a client that waits for 100 Continue gets it when the body is read, and 413 when it is refused', async () => {
  // The client closes when it is refused; otherwise the service would wait for the body.
  const refused = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = net.connect(service.port, '127.0.0.1', () =>
      socket.write('POST /api/v1/thing HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n'),
    )
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.endsWith('}')) socket.end()
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(text))
  })
  assert.match(refused, /^HTTP\/1\.1 413 /)
  const taken = await service.socket(
    'POST /api/v1/thing HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n',
    '{"name":"a"}',
  )
  assert.match(taken, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
})

test('a body that stops or is too slow is 408', async () => {
  const head = 'POST /api/v1/thing HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n'
  const stopped = await service.socket(head, '{"name":')
  assert.match(stopped, /^HTTP\/1\.1 408 /)
  assert.match(stopped, /"code":"request_timeout"/)
  const trickled = await new Promise<string>((resolve) => {
    let text = ''
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write(`${head}{"name":"`))
    const timer = setInterval(() => socket.write('a'), 40)
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(text)
    })
  })
  assert.match(trickled, /^HTTP\/1\.1 408 /)
  const streamed = await service.socket('POST /api/v1/stream HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length: 400\r\n\r\n', 'a')
  assert.match(streamed, /^HTTP\/1\.1 408 /)
})

test('the request of a caller that disconnects before its body is read ends at once', async () => {
  let asked = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    asked = resolve
  })
  let letIn = (): void => {}
  const authenticate: typeof fakeAuthenticate = (...asks) =>
    new Promise((resolve) => {
      letIn = () => resolve(fakeAuthenticate(...asks))
      asked()
    })
  const route = defineRoute({ ...routes[0], access: permission('analysis:run'), body: { as: 'json', schema: Thing }, handle: async () => ({ body: {} }) })
  const slow = await startHttp({ routes: [route], authenticate })
  const socket = net.connect(slow.port, '127.0.0.1', () => {
    socket.write(`POST /api/v1/thing HTTP/1.1\r\nHost: a\r\nX-API-Key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"na`)
  })
  const [peer] = (await once(slow.server, 'connection')) as [net.Socket]
  await waiting
  socket.destroy()
  await once(peer, 'close')
  letIn()
  await tick()
  assert.equal(slow.application.inFlight.count, 0)
  assert.equal(slow.log.at(-1)?.status, 499)
  await slow.close()
})

test('the rest of a refused stream is read and dropped, so that its sender receives the response', async () => {
  const connected = once(service.server, 'connection') as Promise<[net.Socket]>
  const piece = Buffer.alloc(64 * 1024, 'a')
  const pieces = 200
  const request = http.request({ port: service.port, method: 'POST', path: '/api/v1/stream', headers: { 'content-type': 'application/x-ndjson' } })
  const answered = new Promise<number>((resolve, reject) => {
    request.on('error', reject)
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  for (let sent = 0; sent < pieces; sent++) request.write(piece)
  // Called when the whole body is sent, which may be before the response is read: buffer sizes differ between systems.
  const taken = new Promise<void>((resolve) => void request.end(() => resolve()))
  const [status] = await Promise.all([answered, taken])
  assert.equal(status, 413)
  const [peer] = await connected
  if (!peer.destroyed) await once(peer, 'close')
  // If the body were not read, only as much as the buffers between both sides hold would arrive.
  assert.ok(peer.bytesRead > pieces * piece.byteLength, `${peer.bytesRead} bytes`)
})

test('an incomplete body affects no other request', async () => {
  await new Promise<void>((resolve) => {
    const socket = net.connect(service.port, '127.0.0.1', () => {
      socket.end('POST /api/v1/thing HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"na')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
  })
  assert.equal((await service.call('POST', '/thing', { json: { name: 'a' } })).status, 200)
  assert.equal(
    service.log.some(({ level }) => level === 'error'),
    false,
  )
})

test('streams and bytes reach their handlers', async () => {
  assert.deepEqual((await service.call('POST', '/stream', { raw: 'a\nb\n', headers: { 'content-type': 'application/x-ndjson' } })).body, { bytes: 4 })
  assert.deepEqual((await service.call('POST', '/bytes', { raw: 'no json at all', headers: json })).body, { bytes: 14 })
  const refusal = async (headers: http.OutgoingHttpHeaders): Promise<unknown> => {
    const { status, body } = await service.call('POST', '/stream', { raw: 'a', headers: { 'x-locale': 'en-US', ...headers } })
    const { message, details } = body as { message: string; details: unknown }
    return [status, message, details]
  }
  const expected = 'application/x-ndjson'
  const wrong = [415, `The body is of the type application/json, and this request takes ${expected}.`, { expected, received: 'application/json' }]
  assert.deepEqual(await refusal(json), wrong)
  assert.deepEqual(await refusal({}), [415, `The body has no type, and this request takes ${expected}.`, { expected, received: null }])
  const zipped = await refusal({ 'content-type': expected, 'content-encoding': 'gzip' })
  assert.deepEqual(zipped, [415, 'The body has the Content-Encoding gzip, which the service does not read.', { expected: 'identity', received: 'gzip' }])
})

test('the depth of an arbitrary value is limited', async () => {
  const deep = (levels: number): string => `{"name":"a","settings":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`
  assert.equal((await service.call('POST', '/thing', { raw: deep(20), headers: json })).status, 200)
  const { status, body } = await service.call('POST', '/thing', { raw: deep(1500), headers: json })
  assert.equal(status, 422)
  assert.match(body.details.errors[0].message, /levels/)
})

test('at most a hundred errors are reported', async () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, 1]))
  const { body } = await service.call('POST', '/thing', { json: fields })
  assert.equal(body.details.errors.length, 100)
  assert.equal(body.code, 'request_validation_failed')
})

test('a Warning names deprecated fields and their replacements', async () => {
  const used = await service.call('POST', '/thing', { json: { name: 'a', parts: [{ path: 'a' }, { path: 'b', old: 'c' }] } })
  assert.equal(used.headers.warning, '299 - "The field parts.*.old is deprecated; use path"')
  assert.equal((await service.call('POST', '/thing', { json: { name: 'a', parts: [{ path: 'a' }] } })).headers.warning, undefined)
  assert.equal((await service.call('GET', '/query?old=x')).headers.warning, '299 - "The field old is deprecated; use free"')
})

test('query parameters are parsed from one spelling, with defaults', async () => {
  assert.deepEqual((await service.call('GET', '/query')).body, { limit: 20, unread: false })
  assert.deepEqual((await service.call('GET', '/query?limit=3&ratio=-1.5&unread=true&repository=a%2Fb+c&free=')).body, {
    limit: 3,
    ratio: -1.5,
    unread: true,
    repository: 'a/b c',
    free: '',
  })
})

test('an empty, malformed, unknown or repeated query parameter is 422', async () => {
  for (const [query, error] of [
    ['limit=', 'query/limit must have at least 1 character(s)'],
    ['limit=0', 'query/limit must be at least 1'],
    ['limit=101', 'query/limit must be at most 100'],
    ['limit=1e1', 'query/limit must be of the type integer'],
    ['limit=%201', 'query/limit must be of the type integer'],
    ['limit=01', 'query/limit must be of the type integer'],
    ['limit=99999999999999999999', 'query/limit must be of the type integer'],
    ['limit', 'query/limit must have at least 1 character(s)'],
    ['unread=1', 'query/unread must be of the type boolean'],
    ['unread=TRUE', 'query/unread must be of the type boolean'],
    ['repository=', 'query/repository must have at least 1 character(s)'],
    ['repository=12345678901', 'query/repository must have at most 10 character(s)'],
    ['limit=1&limit=2', 'query/limit must be given once only'],
    ['other=1', 'query/other is not a field of this object'],
    ['__proto__=1', 'query/__proto__ is not a field of this object'],
    ['repository=%ff', 'query is not valid'],
    ['repository=%zz', 'query is not valid'],
    ['limit[$gt]=1', 'query/limit[$gt] is not a field of this object'],
  ]) {
    const { status, body } = await service.call('GET', `/query?${query}`)
    assert.equal(status, 422, query)
    assert.equal(body.code, 'request_validation_failed')
    assert.deepEqual(errorsOf(body), [error])
  }
})

test('errors of query and body are reported together', async () => {
  const { body } = await service.call('POST', '/thing?x=1', { json: {} })
  assert.deepEqual(errorsOf(body).sort(), ['/name is required', 'query/x is not a field of this object'])
})
