/** Requests to servers that are slow, endless, wrong or hostile, over real sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import { inspect } from 'node:util'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Connections, HttpClient, OutboundError, type OutboundFailure, type OutboundRequest } from '../../../../server/core/egress/client.js'
import { EgressGuard, TargetRefusedError } from '../../../../server/core/egress/egress-guard.js'
import { type Receiver, startReceiver } from '../../../support/receiver.js'
import { SELF_SIGNED } from '../../../support/self-signed.js'

const open = new EgressGuard({ allowPrivateTargets: true })
const client = new HttpClient(open)
const request = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  url: new URL(url),
  body: '{"a":1}',
  timeoutMs: 5000,
  bodyLimit: 1000,
  beyondLimit: 'refuse',
  ...more,
})
const fails = (work: Promise<unknown>, failure: OutboundFailure) =>
  assert.rejects(work, (error) => error instanceof OutboundError && error.failure === failure && error.message === failure)

describe('the client for servers of others', () => {
  let receiver: Receiver
  const servers: Server[] = []
  /** A server that says what it wants, byte for byte. */
  const raw = async (text: string, ends = true): Promise<string> => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(text)
        if (ends) socket.end()
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  before(async () => {
    receiver = await startReceiver()
  })
  beforeEach(() => receiver.answers(200))
  after(async () => {
    client.close()
    await receiver.close()
    for (const server of servers) server.close()
  })

  test('sends what it is told, and gives the answer', async () => {
    receiver.answers((_, response) => void response.writeHead(201, { 'X-A': 'b' }).end('made'))
    const { status, headers, body } = await client.send(request(`${receiver.origin}/p?q=1`, { headers: { 'Content-Type': 'application/json' } }))
    assert.deepEqual([status, headers['x-a'], body.toString()], [201, 'b', 'made'])
    const { method, path, headers: sent, body: content } = receiver.received.at(-1)!
    assert.deepEqual(
      [method, path, content, sent['content-length'], sent['content-type'], sent['transfer-encoding']],
      ['POST', '/p?q=1', '{"a":1}', '7', 'application/json', undefined],
    )
    assert.equal(sent.host, new URL(receiver.origin).host)
  })

  test('sends no credentials of an address', async () => {
    await client.send(request(receiver.origin.replace('http://', 'http://user:password@')))
    assert.equal(receiver.received.at(-1)?.headers.authorization, undefined)
  })

  test('follows no redirect', async () => {
    const before = receiver.received.length
    receiver.answers((_, response) => void response.writeHead(307, { Location: `${receiver.origin}/elsewhere` }).end())
    assert.equal((await client.send(request(receiver.origin))).status, 307)
    assert.equal(receiver.received.length, before + 1)
  })

  test('uses no proxy of the environment', async () => {
    const proxies = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']
    for (const name of proxies) process.env[name] = 'http://127.0.0.1:1'
    try {
      assert.equal((await client.send(request(receiver.origin))).status, 200)
    } finally {
      for (const name of proxies) delete process.env[name]
    }
  })

  test('refuses a name that leads elsewhere than when it was checked', async () => {
    const { port } = new URL(receiver.origin)
    const url = `http://rebinding.example:${port}/`
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['8.8.8.8', '::1']]
    const guard = new EgressGuard({ allowPrivateTargets: false, resolve: async () => answers.shift()! })
    const rebinding = new HttpClient(guard)
    const before = receiver.received.length
    await guard.check(new URL(url))
    await fails(rebinding.send(request(url)), 'target_refused')
    await fails(rebinding.send(request(url)), 'target_refused')
    assert.equal(receiver.received.length, before)
    rebinding.close()
  })

  test('connects to the very addresses that were checked: a name is asked for once', async () => {
    const { port } = new URL(receiver.origin)
    let asked = 0
    const named = new HttpClient(new EgressGuard({ allowPrivateTargets: true, resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : []) }))
    assert.equal((await named.send(request(`http://no-such-name.invalid:${port}/`))).status, 200)
    assert.equal(receiver.received.at(-1)?.headers.host, `no-such-name.invalid:${port}`)
    assert.equal(asked, 1)
    named.close()
  })

  test("refuses targets that are no one else's", async () => {
    const guarded = new HttpClient(new EgressGuard({ allowPrivateTargets: false }))
    const { port } = new URL(receiver.origin)
    const before = receiver.received.length
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0', '0x7f.1']) await fails(guarded.send(request(`http://${host}:${port}/`)), 'target_refused')
    assert.equal(receiver.received.length, before)
    guarded.close()
  })

  test('gives up a server that does not answer in time, or a name that does not resolve in time', async () => {
    receiver.answers(() => undefined)
    await fails(client.send(request(receiver.origin, { timeoutMs: 100 })), 'timeout')
    const slow = new HttpClient(new EgressGuard({ allowPrivateTargets: true, resolve: () => new Promise(() => undefined) }))
    await fails(slow.send(request('http://slow.example/', { timeoutMs: 100 })), 'timeout')
    slow.close()
  })

  test('gives up a body that comes drop by drop', async () => {
    receiver.answers((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    })
    await fails(client.send(request(receiver.origin, { timeoutMs: 300 })), 'timeout')
  })

  test('ends when it is told to, before and while it waits', async () => {
    const told = new AbortController()
    receiver.answers(() => told.abort())
    await fails(client.send(request(receiver.origin, { signal: told.signal })), 'aborted')
    await fails(client.send(request(receiver.origin, { signal: AbortSignal.abort() })), 'aborted')
  })

  test('refuses a body beyond the limit, and takes one at it', async () => {
    receiver.answers((_, response) => void response.end('x'.repeat(1000)))
    assert.equal((await client.send(request(receiver.origin))).body.length, 1000)
    receiver.answers((_, response) => void response.end('x'.repeat(1001)))
    await fails(client.send(request(receiver.origin)), 'answer_too_large')
  })

  test('cuts a huge body where it may, and neither reads nor waits for the rest', async () => {
    let written = 0
    receiver.answers((_, response) => {
      response.writeHead(200)
      const more = (): void => {
        while (!response.destroyed) {
          written += 64 * 1024
          if (!response.write(Buffer.alloc(64 * 1024, 'x'))) return void response.once('drain', more)
        }
      }
      more()
    })
    const { status, body } = await client.send(request(receiver.origin, { beyondLimit: 'cut' }))
    assert.deepEqual([status, body.length], [200, 1000])
    assert.ok(written < 64 * 1024 * 1024)
    receiver.answers((_, response) => void response.writeHead(204).flushHeaders())
    assert.equal((await client.send(request(receiver.origin, { beyondLimit: 'cut' }))).status, 204)
    receiver.answers((_, response) => {
      response.writeHead(200, { 'Content-Length': 10 })
      response.write('12345')
    })
    assert.equal((await client.send(request(receiver.origin, { beyondLimit: 'cut' }))).body.toString(), '12345')
  })

  test('says what kind of failure it was', async () => {
    const gone = await startReceiver()
    await gone.close()
    await fails(client.send(request(gone.origin)), 'connection_refused')
    // Systems ask for a name again after five seconds, when their question or its answer was lost.
    await fails(client.send(request('http://nothing.invalid/', { timeoutMs: 60_000 })), 'name_not_found')
    await fails(client.send(request(await raw('SSH-2.0-OpenSSH\r\n'))), 'answer_malformed')
    await fails(client.send(request(await raw(''))), 'connection_closed')
    await fails(client.send(request(await raw('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf'))), 'connection_closed')
    await fails(client.send(request(await raw(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`))), 'answer_malformed')
    await fails(client.send(request(await raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', false))), 'answer_malformed')
    await fails(client.send(request(await raw('HTTP/1.1 100 Continue\r\n\r\n', false), { timeoutMs: 200 })), 'timeout')
  })

  describe('with connections that are kept', () => {
    const SERVED = Buffer.from('served')
    /** A server with the ends of its connections. */
    const counting = async () => {
      const sockets = new Map<Socket, Promise<unknown>>()
      const server = createServer(({ url }, response) => void (url === '/endless' ? response.write(SERVED) : response.end(SERVED)))
      server.keepAliveTimeout = 60_000
      server.on('connection', (socket: Socket) => sockets.set(socket, once(socket, 'close')))
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return { port: (server.address() as AddressInfo).port, sockets }
    }
    const get = (url: string, connections?: Connections, more: Partial<OutboundRequest> = {}) =>
      request(url, { method: 'GET', body: '', ...(connections === undefined ? {} : { connections }), ...more })
    const named = (...answers: readonly (readonly string[])[]) => {
      let asked = 0
      const guard = new EgressGuard({ allowPrivateTargets: true, resolve: async () => answers[asked++] ?? answers.at(-1)! })
      return { http: new HttpClient(guard), asked: () => asked }
    }

    test('uses one again for the same gateway, and asks the guard every time', async () => {
      const { port, sockets } = await counting()
      const { http, asked } = named(['127.0.0.1'])
      const connections = new Connections()
      const warned: Error[] = []
      const warn = (warning: Error): unknown => warned.push(warning)
      process.on('warning', warn)
      for (let sent = 0; sent < 20; sent++) assert.deepEqual((await http.send(get(`http://a.example:${port}/`, connections))).body, SERVED)
      await new Promise(setImmediate)
      process.off('warning', warn)
      assert.deepEqual([sockets.size, asked(), warned], [1, 20, []])
      http.close()
      await Promise.all(sockets.values())
    })

    test('uses none of another gateway, for another name, for a change, or of its own accord', async () => {
      const { port, sockets } = await counting()
      const { http } = named(['127.0.0.1'])
      const connections = new Connections()
      await http.send(get(`http://a.example:${port}/`, connections))
      await http.send(get(`http://a.example:${port}/`, new Connections()))
      await http.send(get(`http://b.example:${port}/`, connections))
      await http.send(get(`http://a.example:${port}/`, connections, { method: 'POST', body: '{}' }))
      await http.send(get(`http://a.example:${port}/`))
      assert.equal(sockets.size, 5)
      http.close()
      await Promise.all(sockets.values())
    })

    test('uses none whose name has other addresses since, and none that the guard refuses since', async () => {
      const { port, sockets } = await counting()
      const connections = new Connections()
      const moved = named(['127.0.0.1'], ['127.0.0.1', '::1'])
      for (let sent = 0; sent < 2; sent++) await moved.http.send(get(`http://a.example:${port}/`, connections))
      assert.equal(sockets.size, 2)
      let isRefused = false
      class Refusing extends EgressGuard {
        override addressesOf(url: URL) {
          if (isRefused) throw new TargetRefusedError()
          return super.addressesOf(url)
        }
      }
      const refusing = new HttpClient(new Refusing({ allowPrivateTargets: true }))
      await refusing.send(get(`http://127.0.0.1:${port}/`, connections))
      isRefused = true
      await fails(refusing.send(get(`http://127.0.0.1:${port}/`, connections)), 'target_refused')
      moved.http.close()
      refusing.close()
      await Promise.all(sockets.values())
    })

    test('closes one that is unused, and one whose response was not read to its end', async () => {
      const { port, sockets } = await counting()
      const connections = new Connections()
      const url = `http://127.0.0.1:${port}/`
      await fails(client.send(get(`${url}endless`, connections, { bodyLimit: 1 })), 'answer_too_large')
      await client.send(get(url, connections))
      assert.equal(sockets.size, 2)
      await Promise.all(sockets.values())
    })

    test('sends a request once more if the server closed the connection, and only then', async () => {
      const connections = new Connections()
      let accepted = 0
      let sent = 0
      const server = createTcpServer((socket) => {
        accepted += 1
        let answered = 0
        socket.on('error', () => undefined)
        // Each connection answers once, and is reset by the second request.
        socket.on('data', () => {
          sent += 1
          if (answered++ > 0) socket.resetAndDestroy()
          else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserved')
        })
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      for (let request = 0; request < 2; request++) assert.deepEqual((await client.send(get(url, connections))).body, SERVED)
      assert.deepEqual([accepted, sent], [2, 3])
      await fails(client.send(get(await raw(''), new Connections())), 'connection_closed')
    })
  })

  test('has no name of a target, and no byte of an answer, in its errors', async () => {
    const secret = 'the-address-is-the-secret'
    const echo = await raw(`${secret}\r\n`)
    for (const url of [`http://${secret}.invalid/`, `${echo}${secret}`]) {
      await assert.rejects(client.send(request(url, { timeoutMs: 60_000 })), (error) => {
        assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes(secret))
        assert.ok(
          !inspect(error, { depth: 10 }).includes(
            Buffer.from(secret)
              .toString('hex')
              .replace(/..(?!$)/g, '$& '),
          ),
        )
        return error instanceof OutboundError
      })
    }
  })

  test('verifies certificates, whatever the environment says', async () => {
    const server = createTlsServer(SELF_SIGNED, (_, response) => void response.end('secret'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await fails(client.send(request(`https://127.0.0.1:${port}/`)), 'tls_failed')
      await fails(client.send(request(`https://localhost:${port}/`)), 'tls_failed')
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      server.close()
    }
    await fails(client.send(request(receiver.origin.replace('http:', 'https:'))), 'tls_failed')
  })
})
