/** The cost of a connection, whatever its client sends. Counts what Node's parser emits, never time. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import net from 'node:net'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import Type from 'typebox'
import { ITERATION_BYTES } from '../../../../../server/core/http/connection/work-budget.js'
import { defineRoute, PUBLIC, permission, type Route } from '../../../../../server/core/http/route.js'
import { startHttp, type TestService } from '../support/service.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.', access: PUBLIC } as const
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const JSON_BODY = { as: 'json', schema: Type.Object({}) } as const
const ROUTES: readonly Route[] = [
  defineRoute({ ...common, id: 'none', method: 'GET', path: '/none', responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({ ...common, id: 'json', method: 'POST', path: '/json', body: JSON_BODY, responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({ ...common, id: 'keyed', method: 'POST', path: '/keyed', access: permission('analysis:run'), body: JSON_BODY, responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({
    ...common,
    id: 'bytes',
    method: 'POST',
    path: '/bytes',
    body: { as: 'bytes', schema: Type.Any(), mediaType: 'application/json' },
    responses: Any,
    handle: async ({ body }) => ({ body: { bytes: body.byteLength } }),
  }),
  defineRoute({
    ...common,
    id: 'stream',
    method: 'POST',
    path: '/stream',
    body: { as: 'stream', schema: Type.Any(), mediaType: 'application/x-ndjson' },
    responses: Any,
    handle: async ({ body }) => {
      let bytes = 0
      for await (const chunk of body) bytes += (chunk as Buffer).byteLength
      return { body: { bytes } }
    },
  }),
]

/** A service that counts requests and the chunks that its parser emits. */
async function counting(run: (service: TestService, count: { requests: number; chunks: number }) => Promise<void>): Promise<void> {
  const service = await startHttp({ routes: ROUTES })
  const count = { requests: 0, chunks: 0 }
  service.server.prependListener('request', (req: IncomingMessage) => {
    count.requests++
    const push = req.push
    req.push = (chunk: unknown) => {
      if (chunk !== null) count.chunks++
      return push.call(req, chunk)
    }
  })
  try {
    await run(service, count)
  } finally {
    await service.close()
  }
}

/** Sends all parts, and resolves with the statuses of the responses when the service has closed the connection. */
function statusesOf(service: TestService, ...parts: readonly string[]): Promise<string[]> {
  return service.socket(...parts).then((text) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status))
}

const chunked = (method: string, path: string, type = 'application/json', more = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${more}Transfer-Encoding: chunked\r\n\r\n`
const END = '0\r\n\r\n'
/** Number of one-byte chunks in a slice of 4 KB. */
const SLICE_CHUNKS = 4096 / 6

for (const [what, head, status] of [
  ['a probe', chunked('GET', '/livez'), '200'],
  ['a route without a body', chunked('GET', '/api/v1/none'), '200'],
  ['a path that is nothing', chunked('POST', '/nope'), '404'],
  ['a wrong method', chunked('POST', '/api/v1/none'), '405'],
  ['a caller without a credential', chunked('POST', '/api/v1/keyed'), '401'],
  ['another media type', chunked('POST', '/api/v1/json', 'text/plain'), '415'],
] as const) {
  test(`at most one slice is parsed of a body that ${what} does not read`, () =>
    counting(async (service, count) => {
      assert.deepEqual(await statusesOf(service, head, '1\r\n \r\n'.repeat(50_000) + END), [status])
      assert.ok(count.chunks <= SLICE_CHUNKS, `${count.chunks} chunks`)
    }))
}

for (const [path, type] of [
  ['/json', 'application/json'],
  ['/bytes', 'application/json'],
  ['/stream', 'application/x-ndjson'],
]) {
  const head = chunked('POST', `/api/v1${path}`, type)
  for (const [what, chunk, most] of [
    ['one byte', '1\r\n \r\n', 1024 + 2 * SLICE_CHUNKS],
    ['two bytes', '2\r\n  \r\n', 1100 + 2 * SLICE_CHUNKS],
    ['thirty bytes', `1e\r\n${' '.repeat(30)}\r\n`, 20_000],
    ['one byte with an extension', `1;${'e'.repeat(4000)}\r\n \r\n`, 200],
  ] as const) {
    test(`a body for ${path} in chunks of ${what} is refused when they are too many`, () =>
      counting(async (service, count) => {
        const [status] = await statusesOf(service, head, chunk.repeat(Math.ceil(900_000 / chunk.length)))
        // JSON bodies are limited to 64 KB here.
        assert.equal(status, what === 'thirty bytes' && path === '/json' ? '413' : '400')
        assert.ok(count.chunks <= most, `${count.chunks} chunks`)
      }))
  }

  test(`a body for ${path} may begin with chunks of any size and end with trailers`, () =>
    counting(async (service) => {
      const sent = `${head}${' '
        .repeat(1000)
        .split('')
        .map((byte) => `1\r\n${byte}\r\n`)
        .join('')}2\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n`
      assert.deepEqual(await statusesOf(service, sent, 'GET /api/v1/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), ['200', '200'])
    }))
}

test('a large body with one log line per chunk is accepted', () =>
  counting(async (service) => {
    const line = `${JSON.stringify({ event: 'Jan  5 10:11:12 web1 su: a b' })}\n`
    const chunk = `${line.length.toString(16)}\r\n${line}\r\n`
    const text = await service.socket(chunked('POST', '/api/v1/stream', 'application/x-ndjson', 'Connection: close\r\n') + chunk.repeat(60_000) + END)
    assert.match(text, new RegExp(`"bytes":${line.length * 60_000}\\b`))
  }))

test('bytes behind an unanswered request are parsed in slices, one response at a time', () =>
  counting(async (service, count) => {
    const request = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
    const total = 4_000
    const atOnce: number[] = []
    service.server.prependListener('request', () => atOnce.push(service.application.inFlight.count))
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write(request.repeat(total - 1) + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')))
    let text = ''
    for await (const chunk of socket) text += (chunk as Buffer).toString('latin1')
    assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, total)
    assert.equal(count.requests, total)
    assert.ok(Math.max(...atOnce) <= 1, `${Math.max(...atOnce)} at once`)
  }))

test('fifty connections whose bytes arrive together are parsed over many iterations, and let a single request pass', () =>
  counting(async (service, count) => {
    const sockets: net.Socket[] = []
    service.server.on('connection', (socket: net.Socket) => void sockets.push(socket))
    const clients = Array.from({ length: 51 }, () => net.connect(service.port, '127.0.0.1').resume())
    while (sockets.length < clients.length) await sleep(10)
    const request = (name: string) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`
    const [victim, ...attackers] = sockets
    let victimAt = -1
    service.server.prependListener('request', ({ url }: IncomingMessage) => {
      if (url === '/victim') victimAt = count.requests
    })
    // As the system delivers them: all in one iteration.
    for (const socket of attackers) socket.emit('data', Buffer.from(request('livez').repeat(1900)))
    victim.emit('data', Buffer.from(request('victim')))
    const most = (ITERATION_BYTES + 4096) / request('livez').length
    assert.ok(count.requests <= most, `${count.requests} requests of one iteration`)
    const before = count.requests
    while (victimAt < 0) await immediate()
    assert.ok(victimAt - before <= most / 2, `${victimAt - before} requests before it`)
    for (const client of clients) client.destroy()
  }))

test('a client that pipelines and never reads costs no more than the buffers between both sides hold', () =>
  counting(async (service, count) => {
    const request = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write(request.repeat(400_000)))
    socket.pause()
    let before = -1
    // Stops when the responses fill the buffers between both sides.
    while (count.requests !== before) {
      before = count.requests
      await sleep(200)
    }
    assert.ok(count.requests < 200_000, `${count.requests} requests`)
    assert.ok(service.application.inFlight.count <= 1)
    socket.destroy()
  }))

test('pipelined bodies are read one after the other', () =>
  counting(async (service) => {
    const body = JSON.stringify({ text: 'x'.repeat(9000) })
    const one = (close: string): string => `POST /api/v1/bytes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${close}\r\n${body}`
    const text = await service.socket(one('').repeat(50) + one('Connection: close\r\n'))
    assert.equal(text.match(new RegExp(`"bytes":${body.length}\\b`, 'g'))?.length, 51)
  }))

test('a small unread body does not close the connection', () =>
  counting(async (service) => {
    const sent = `POST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n${'x'.repeat(30_000)}GET /api/v1/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    assert.deepEqual(await statusesOf(service, sent), ['404', '200'])
  }))
