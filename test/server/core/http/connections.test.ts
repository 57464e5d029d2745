/** Connections: malformed bytes, slow callers, callers that disconnect, streams, and an instance that stops. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import Type from 'typebox'
import { defineRoute, PUBLIC, permission, type Route } from '../../../../server/core/http/route.js'
import { close, createHttpServer } from '../../../../server/core/http/server.js'
import { ADMIN_TOKEN, fakeAuthenticate, KEY, startHttp, type TestService, type TestServiceOptions } from './support/service.js'
import { testLimits } from '../../../support/limits.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.', access: PUBLIC } as const
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const Stream = { 200: { description: 'Events.', schema: Type.String(), mediaType: 'text/event-stream' } }

const echo = defineRoute({ ...common, id: 'echo', method: 'GET', path: '/echo', responses: Any, handle: async () => ({ body: {} }) })

/** A route that answers on command. */
function slowRoute(more: { readonly timeoutMs?: number } = {}) {
  let arrived = (): void => {}
  let finish = (): void => {}
  const begun = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  /** The reasons of its aborts. */
  const reasons: string[] = []
  let runs = 0
  const route = defineRoute({
    ...common,
    ...more,
    id: 'slow',
    method: 'GET',
    path: '/slow',
    responses: Any,
    handle: async ({ signal }) => {
      runs++
      signal.addEventListener('abort', () => reasons.push(String(signal.reason)))
      arrived()
      await finished
      return { body: { done: true } }
    },
  })
  return { route, begun, finish, reasons, runs: () => runs }
}

async function using(options: Partial<TestServiceOptions> & { routes: readonly Route[] }, run: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startHttp(options)
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

function bodyOf(text: string): { code: string; debug_id: string } {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
}

test('malformed bytes are answered in the format of all refusals', () =>
  using({ routes: [echo] }, async (service) => {
    for (const [bytes, status, code] of [
      ['nonsense\r\n\r\n', 400, 'bad_request'],
      ['GET / HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n', 400, 'bad_request'],
      ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400, 'bad_request'],
      ['GET /api/v1/echo HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
      [`GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'request_header_fields_too_large'],
      ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'bad_request'],
    ] as const) {
      const text = await service.socket(Buffer.from(bytes, 'latin1'))
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), bytes.slice(0, 60))
      for (const header of ['X-Request-Id', 'X-Trace-Id', 'X-Content-Type-Options: nosniff', 'X-Frame-Options: DENY', 'Referrer-Policy: no-referrer', 'Cache-Control: no-store'])
        assert.ok(text.includes(header), header)
      const body = bodyOf(text)
      assert.equal(body.code, code)
      assert.ok(text.includes(`X-Request-Id: ${body.debug_id}`))
    }
  }))

test('a malformed chunk ends the request with 400', () =>
  using(
    {
      routes: [
        defineRoute({ ...common, id: 'post', method: 'POST', path: '/post', body: { as: 'json', schema: Type.Object({}) }, responses: Any, handle: async () => ({ body: {} }) }),
      ],
    },
    async (service) => {
      const text = await service.socket('POST /api/v1/post HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n', 'zz\r\n')
      assert.match(text, /^HTTP\/1\.1 400 /)
    },
  ))

test('incomplete headers are 408', () =>
  using({ routes: [echo], server: { headersTimeoutMs: 100, requestTimeoutMs: 200, checkIntervalMs: 20 } }, async (service) => {
    const text = await service.socket('GET /api/v1/echo HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    assert.match(text, /^HTTP\/1\.1 408 /)
    assert.equal(bodyOf(text).code, 'request_timeout')
  }))

test('two requests on one connection are answered in order', () =>
  using({ routes: [echo] }, async (service) => {
    const text = await service.socket('GET /api/v1/echo HTTP/1.1\r\nHost: a\r\n\r\nGET /api/v1/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['200', '404'],
    )
  }))

test('a handler that takes too long is answered 503, its signal is aborted, and its late response is dropped', async () => {
  const { route, finish, reasons } = slowRoute({ timeoutMs: 50 })
  await using({ routes: [route, echo] }, async (service) => {
    const { status, body, headers } = await service.call('GET', '/slow')
    assert.equal(status, 503)
    assert.equal(body.code, 'service_unavailable')
    assert.ok(headers['retry-after'])
    assert.deepEqual(reasons, ['timeout'])
    finish()
    await tick()
    assert.equal((await service.call('GET', '/echo')).status, 200)
    assert.equal(
      service.log.some(({ level }) => level === 'error'),
      false,
    )
  })
})

test('a caller that disconnects aborts the signal, which is not logged as an error', async () => {
  let arrived = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    arrived = resolve
  })
  let left = (_: string): void => {}
  const gone = new Promise<string>((resolve) => {
    left = resolve
  })
  const wait = defineRoute({
    ...common,
    id: 'wait',
    method: 'GET',
    path: '/wait',
    responses: Any,
    handle: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          left(String(signal.reason))
          reject(new Error('aborted'))
        })
        arrived()
      }),
  })
  await using({ routes: [wait] }, async (service) => {
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write('GET /api/v1/wait HTTP/1.1\r\nHost: a\r\n\r\n'))
    await waiting
    socket.destroy()
    assert.equal(await gone, 'caller_gone')
    await tick()
    const [line] = service.log
    assert.equal(line.status, 499)
    assert.equal(line.refusal, 'caller_gone')
    assert.equal(service.log.length, 1)
  })
})

test('a signal that is first read after the caller has disconnected is aborted already', async () => {
  let go = (): void => {}
  let arrived = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const aborted = new Promise<boolean>((done) => {
    const late = defineRoute({
      ...common,
      id: 'late',
      method: 'GET',
      path: '/late',
      responses: Any,
      handle: async (request) => {
        await new Promise<void>((resolve) => {
          go = resolve
          arrived()
        })
        done(request.signal.aborted)
        return { body: {} }
      },
    })
    void using({ routes: [late] }, async (service) => {
      const socket = net.connect(service.port, '127.0.0.1', () => socket.write('GET /api/v1/late HTTP/1.1\r\nHost: a\r\n\r\n'))
      const [peer] = (await once(service.server, 'connection')) as [net.Socket]
      await waiting
      socket.destroy()
      await once(peer, 'close')
      go()
      await tick()
    })
  })
  assert.equal(await aborted, true)
})

test('a stream is sent while it is produced, and its headers at once', async () => {
  const source = new Readable({ read() {} })
  const events = defineRoute({
    ...common,
    id: 'events',
    method: 'GET',
    path: '/events',
    timeoutMs: null,
    responses: Stream,
    handle: async () => ({ body: source, headers: { 'Cache-Control': 'no-cache' } }),
  })
  await using({ routes: [events] }, async (service) => {
    const response = await new Promise<http.IncomingMessage>((resolve) => http.get(`${service.url}/api/v1/events`, resolve))
    assert.equal(response.headers['content-type'], 'text/event-stream')
    assert.equal(response.headers['cache-control'], 'no-cache')
    source.push('data: 1\n\n')
    const [first] = await once(response, 'data')
    assert.equal(String(first), 'data: 1\n\n')
    source.push(null)
    response.resume()
    await once(response, 'end')
  })
})

test('a stream waits for a caller that does not read', async () => {
  let produced = 0
  const big = Buffer.alloc(64 * 1024, 'a')
  const events = defineRoute({
    ...common,
    id: 'events',
    method: 'GET',
    path: '/events',
    timeoutMs: null,
    responses: Stream,
    handle: async () => ({
      body: new Readable({
        read() {
          produced++
          this.push(produced > 2000 ? null : big)
        },
      }),
    }),
  })
  await using({ routes: [events] }, async (service) => {
    const response = await new Promise<http.IncomingMessage>((resolve) => http.get(`${service.url}/api/v1/events`, resolve))
    let before = -1
    // When the buffers of both systems are full, the stream produces nothing more.
    while (before !== produced) {
      before = produced
      for (let turn = 0; turn < 200; turn++) await tick()
    }
    assert.ok(produced < 1000, `${produced} chunks were produced without a reader`)
    response.resume()
    await once(response, 'end')
    assert.equal(produced, 2001)
  })
})

test('a stream that fails cuts the connection, and its error is logged', async () => {
  const events = defineRoute({
    ...common,
    id: 'events',
    method: 'GET',
    path: '/events',
    responses: Stream,
    handle: async () => ({
      body: Readable.from(
        (async function* () {
          yield 'a'
          throw new Error('broken')
        })(),
      ),
    }),
  })
  await using({ routes: [events] }, async (service) => {
    const text = await service.socket('GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.doesNotMatch(text, /0\r\n\r\n$/)
    assert.equal(service.log.filter(({ msg }) => msg === 'request failed').length, 1)
  })
})

test('a caller that disconnects from a stream ends it', async () => {
  const source = new Readable({ read() {} })
  const events = defineRoute({ ...common, id: 'events', method: 'GET', path: '/events', timeoutMs: null, responses: Stream, handle: async () => ({ body: source }) })
  await using({ routes: [events] }, async (service) => {
    const response = await new Promise<http.IncomingMessage>((resolve) => http.get(`${service.url}/api/v1/events`, resolve))
    response.destroy()
    await new Promise<void>((resolve) => source.on('error', () => {}).once('close', resolve))
    await tick()
    assert.equal(
      service.log.some(({ level }) => level === 'error'),
      false,
    )
  })
})

test('a stopping instance answers running requests, ends streams, and accepts no new connection', async () => {
  const { route, begun, finish } = slowRoute()
  const events = defineRoute({
    ...common,
    id: 'events',
    method: 'GET',
    path: '/events',
    timeoutMs: null,
    endless: true,
    responses: Stream,
    handle: async ({ signal }) => {
      const body = new Readable({ read() {} })
      signal.addEventListener('abort', () => body.push(null))
      return { body }
    },
  })
  const service = await startHttp({ routes: [route, events] })
  const stream = await new Promise<http.IncomingMessage>((resolve) => http.get(`${service.url}/api/v1/events`, resolve))
  const running = service.call('GET', '/slow')
  await begun
  const closing = close(service.server, service.application, 60_000)
  stream.resume()
  await once(stream, 'end')
  await assert.rejects(service.socket('').then(() => service.call('GET', '/slow', { headers: { connection: 'close' } })))
  finish()
  const answer = await running
  assert.deepEqual(answer.body, { done: true })
  assert.equal(answer.headers.connection, 'close')
  await closing
  await service.close()
})

test('a request that does not end in time is cut', async () => {
  const { route, begun } = slowRoute()
  const service = await startHttp({ routes: [route], times: { handlerTimeoutMs: 60_000 } })
  const cut = assert.rejects(service.call('GET', '/slow'))
  await begun
  await close(service.server, service.application, 20)
  await cut
  await service.close()
})

test('malformed bytes close the connection after the request before them is answered', async () => {
  const { route, begun, finish, runs } = slowRoute()
  void begun.then(() => sleep(50)).then(finish)
  await using({ routes: [route] }, async (service) => {
    const text = await service.socket('GET /api/v1/slow HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n')
    assert.match(text, /^HTTP\/1\.1 200 .*\r\n(?:.*\r\n)*Connection: close\r\n/)
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1)
    assert.equal(runs(), 1)
  })
})

test('CONNECT is refused with an error', () =>
  using({ routes: [echo] }, async (service) => {
    const text = await service.socket('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n')
    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.equal(bodyOf(text).code, 'bad_request')
  }))

test('a caller that was refused before its 100 Continue cannot send a second request', () =>
  using({ routes: [echo] }, async (service) => {
    const text = await service.socket(
      'POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nExpect: 100-continue\r\n\r\n',
      `GET /api/v1/echo HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(40)}`,
    )
    assert.match(text, /^HTTP\/1\.1 405 .*\r\n(?:.*\r\n)*Connection: close\r\n/)
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1)
  }))

test('HEAD of a stream returns its type and ends it', async () => {
  const body = new Readable({ read() {} })
  const events = defineRoute({ ...common, id: 'events', method: 'GET', path: '/events', timeoutMs: null, responses: Stream, handle: async () => ({ body }) })
  await using({ routes: [events] }, async (service) => {
    const { status, headers } = await service.call('HEAD', '/events')
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/event-stream')
    assert.equal(headers['content-length'], undefined)
    assert.equal(body.destroyed, true)
  })
})

test('requests behind an unanswered one are not dispatched, and end with their connection', async () => {
  const { route, begun, finish, reasons, runs } = slowRoute()
  await using({ routes: [route, echo] }, async (service) => {
    const request = (path: string): string => `GET /api/v1/${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write(request('slow').repeat(100) + request('echo').repeat(100)))
    await begun
    assert.equal(service.application.inFlight.count, 1)
    socket.destroy()
    await until(() => reasons.length > 0)
    assert.deepEqual(reasons, ['caller_gone'])
    finish()
    await until(() => service.application.inFlight.count === 0)
    assert.equal(runs(), 1)
  })
})

test('queued streams are sent in order', async () => {
  let produced = 0
  const events = defineRoute({
    ...common,
    id: 'events',
    method: 'GET',
    path: '/events',
    responses: Stream,
    handle: async () => {
      const name = produced++
      return { body: Readable.from([`${name}a`, `${name}b`]) }
    },
  })
  await using({ routes: [events] }, async (service) => {
    const text = await service.socket('GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2), 'GET /api/v1/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.deepEqual(text.match(/\b\d[ab]\b/g), ['0a', '0b', '1a', '1b', '2a', '2b'])
  })
})

test('the connection of a caller that does not read its response is closed', async () => {
  const big = defineRoute({
    ...common,
    id: 'big',
    method: 'GET',
    path: '/big',
    responses: Any,
    handle: async () => {
      await sleep(20)
      return { body: 'x'.repeat(20_000_000) }
    },
  })
  await using({ routes: [big], server: { silenceMs: 100 } }, async (service) => {
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write('GET /api/v1/big HTTP/1.1\r\nHost: a\r\n\r\n'))
    socket.pause()
    const [peer] = (await once(service.server, 'connection')) as [net.Socket]
    await once(peer, 'close')
    socket.destroy()
  })
})

test('a connection may be idle for as long as its handler may take', async () => {
  const { route, begun, finish } = slowRoute()
  await using({ routes: [route] }, async (service) => {
    const connected = once(service.server, 'connection') as Promise<[net.Socket]>
    const answered = service.socket('GET /api/v1/slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const [peer] = await connected
    await begun
    peer.setTimeout(1)
    await once(peer, 'timeout')
    peer.setTimeout(0)
    finish()
    assert.match(await answered, /^HTTP\/1\.1 200 .*\{"done":true\}$/s)
  })
})

test('a stream that is requested while the instance stops is refused', async () => {
  const { route, begun, finish } = slowRoute()
  const events = defineRoute({
    ...common,
    id: 'events',
    method: 'GET',
    path: '/events',
    timeoutMs: null,
    endless: true,
    responses: Stream,
    handle: async () => ({ body: new Readable({ read() {} }) }),
  })
  const service = await startHttp({ routes: [route, events] })
  let text = ''
  const socket = net.connect(service.port, '127.0.0.1', () => socket.write('GET /api/v1/slow HTTP/1.1\r\nHost: a\r\n\r\n'))
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  await begun
  const accepted = once(service.server, 'connection')
  const other = net.connect(service.port, '127.0.0.1')
  other.resume()
  await accepted
  const closing = close(service.server, service.application, 60_000)
  other.write('GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => service.log.some(({ refusal }) => refusal === 'shutting_down'))
  finish()
  await Promise.all([closing, once(socket, 'close')])
  assert.match(text, /^HTTP\/1\.1 200 /)
  await service.close()
})

test('an organization with unread responses gets no further ones until it reads them, and others get theirs', async () => {
  const big = defineRoute({
    ...common,
    access: permission('analysis:run'),
    id: 'big',
    method: 'GET',
    path: '/big',
    responses: Any,
    handle: async () => ({ body: 'x'.repeat(20_000_000) }),
  })
  await using({ routes: [big], limits: testLimits({ answer_bytes: { organization: 30_000_000, instance: 50_000_000 } }) }, async (service) => {
    const own = { 'X-API-Key': KEY }
    const other = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'X-Org-Id': 'org-2' }
    const ask = (headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> =>
      new Promise((resolve) => http.get(`${service.url}/api/v1/big`, { agent: false, headers }, resolve))
    const statusOf = async (headers: http.OutgoingHttpHeaders): Promise<number> => {
      const response = await ask(headers)
      response.resume()
      await once(response, 'end')
      return response.statusCode as number
    }
    const unread = [await ask(own), await ask(own)]
    const refused = await service.call('GET', '/big', { headers: own })
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [503, 'service_unavailable', '1'])
    assert.equal(await statusOf(other), 200)
    unread.push(await ask(other))
    assert.equal(await statusOf(other), 503, 'all together are too much')
    unread[0].resume()
    await once(unread[0], 'end')
    unread[2].destroy()
    await until(() => service.application.inFlight.count === 1)
    assert.equal(await statusOf(own), 200)
    unread[1].destroy()
    await until(() => service.application.inFlight.count === 0)
    const together = await Promise.all(Array.from({ length: 6 }, () => ask(own)))
    assert.deepEqual(together.map(({ statusCode }) => statusCode).sort(), [200, 200, 503, 503, 503, 503], 'that each found room does not mean that there is room for all')
    for (const response of together) response.destroy()
    await until(() => service.application.inFlight.count === 0)
  })
})

test('a response that is written but not yet read is not cut by a stop', async () => {
  const LENGTH = 20_000_000
  const big = defineRoute({ ...common, id: 'big', method: 'GET', path: '/big', responses: Any, handle: async () => ({ body: 'x'.repeat(LENGTH) }) })
  const service = await startHttp({ routes: [big] })
  const response = await new Promise<http.IncomingMessage>((resolve) => http.get(`${service.url}/api/v1/big`, resolve))
  await until(() => service.log.length === 1)
  const closing = close(service.server, service.application, 60_000)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).byteLength
  assert.equal(bytes, LENGTH + 2)
  await closing
  await service.close()
})

test('callers that disconnect at any moment leave no resources behind', async () => {
  const Body = Type.Object({ a: Type.Optional(Type.String()) })
  const routes = [
    echo,
    defineRoute({ ...common, id: 'big', method: 'GET', path: '/big', responses: Any, handle: async () => ({ body: 'x'.repeat(3_000_000) }) }),
    defineRoute({
      ...common,
      id: 'post',
      method: 'POST',
      path: '/post',
      access: permission('analysis:run'),
      idempotencyKey: true,
      body: { as: 'json', schema: Body },
      responses: Any,
      handle: async ({ body, signal }) => {
        await sleep(5, undefined, { signal })
        return { body }
      },
    }),
    defineRoute({
      ...common,
      id: 'lines',
      method: 'POST',
      path: '/lines',
      access: permission('analysis:run'),
      body: { as: 'stream', schema: Body, mediaType: 'application/x-ndjson' },
      responses: Stream,
      handle: async ({ body }) => ({ body: Readable.from(body) }),
    }),
    defineRoute({
      ...common,
      id: 'events',
      method: 'GET',
      path: '/events',
      timeoutMs: null,
      responses: Stream,
      handle: async ({ signal }) => {
        const body = new Readable({ read() {} })
        const timer = setInterval(() => body.push('data: 1\n\n'), 2)
        signal.addEventListener('abort', () => body.push(null))
        body.once('close', () => clearInterval(timer))
        return { body }
      },
    }),
  ]
  const head = (line: string, ...more: readonly string[]): string => `${line} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${KEY}\r\n${more.map((header) => `${header}\r\n`).join('')}\r\n`
  const json = JSON.stringify({ a: 'x'.repeat(200_000) })
  const scripts = [
    head('GET /api/v1/echo'),
    head('GET /api/v1/big').repeat(3),
    head('GET /api/v1/events') + head('GET /api/v1/events') + head('GET /api/v1/echo'),
    head('POST /api/v1/post', 'Content-Type: application/json', `Content-Length: ${json.length}`, 'Idempotency-Key: k') + json,
    head('POST /api/v1/post', 'Content-Type: application/json', `Content-Length: ${json.length}`, 'Expect: 100-continue') + json,
    `${head('POST /api/v1/lines', 'Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked')}${`4000\r\n${'y'.repeat(0x4000)}\r\n`.repeat(20)}0\r\n\r\n`,
    head('POST /api/v1/nothing', 'Content-Length: 300000') + 'z'.repeat(300_000),
    'nonsense\r\n\r\n',
  ]
  const warnings: string[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', onWarning)
  const slowly: typeof fakeAuthenticate = async (...asked) => {
    await sleep(2)
    return fakeAuthenticate(...asked)
  }
  await using({ routes, authenticate: slowly }, async (service) => {
    const visit = (script: string, turn: number): Promise<void> =>
      new Promise((resolve) => {
        // Sends all or a part, and disconnects at various times.
        const bytes = turn % 3 === 0 ? script : script.slice(0, 1 + ((turn * 7919) % script.length))
        const socket = net.connect(service.port, '127.0.0.1', () => {
          socket.write(bytes)
          setTimeout(() => (turn % 4 === 0 ? socket.resetAndDestroy() : turn % 4 === 1 ? socket.end() : socket.destroy()), (turn * 31) % 23)
          setTimeout(() => socket.destroy(), 60)
        })
        socket.on('error', () => {})
        if (turn % 5 !== 0) socket.resume()
        socket.once('close', () => resolve())
      })
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 48 }, (_, index) => visit(scripts[index % scripts.length], round * 48 + index)))
    await until(() => service.application.inFlight.count === 0)
    assert.match((await service.metrics.read()).text, /^http_requests_in_flight 0$/m)
    assert.deepEqual(
      service.log.filter(({ level }) => level !== 'info'),
      [],
    )
    assert.equal((await service.call('GET', '/echo')).status, 200)
  })
  process.off('warning', onWarning)
  assert.deepEqual(warnings, [])
})

/** Waits for a condition; a minute at most. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 6000 && !holds(); turn++) await sleep(10)
  assert.ok(holds(), 'the condition was never met')
}

test('a caller that resets its connection does not disturb the end of a server that a supervisor sends connections', async () => {
  const service = await startHttp({ routes: [echo] })
  const server = createHttpServer(service.application)
  const supervisor = net.createServer((socket) => server.emit('connection', socket)).listen(0, '127.0.0.1')
  await once(supervisor, 'listening')
  const caller = net.connect((supervisor.address() as net.AddressInfo).port, '127.0.0.1')
  await once(supervisor, 'connection')
  caller.write('GET /echo HTTP/1.1\r\nHost: x\r\n')
  const closing = close(server, service.application)
  caller.resetAndDestroy()
  await closing
  supervisor.close()
  await service.close()
})
