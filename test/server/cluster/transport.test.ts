/** Who can connect to the address for other instances, and what one of them can do with it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { after, before, describe, test } from 'node:test'
import type { HostAndPort } from '../../../server/core/config.js'
import { PeerCalls } from '../../../server/cluster/peer-calls.js'
import { addressOf, connectToAddress, nameAt, socketFile } from '../../../server/cluster/transport.js'
import { freePort } from '../../support/child-servers.js'
import { SELF_SIGNED } from '../../support/self-signed.js'

const KEY = Buffer.alloc(32, 1)
const OTHER_KEY = Buffer.alloc(32, 2)

function peersAt(address: HostAndPort, key: Buffer, refused: unknown[] = [], errors: unknown[] = []): PeerCalls {
  return new PeerCalls({ number: 1, processes: 1, folder: null, network: { address, key }, onError: (error) => errors.push(error), onRefused: (error) => refused.push(error) })
}

/** Resolves when the other side has ended the connection, with all that it has sent. */
async function receivedBy(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  // Not `once` of Node, which rejects at an error.
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

test('the name of a process is its address, of IPv6 as well', () => {
  for (const address of [
    { host: '10.0.0.7', port: 8081 },
    { host: 'fd00::7', port: 8081 },
    { host: 'api1', port: 1 },
  ])
    assert.deepEqual(addressOf(nameAt(address, 3)), { ...address, port: address.port + 2 })
})

describe('the address for other instances', () => {
  const refused: unknown[] = []
  const errors: unknown[] = []
  let calls: PeerCalls
  let address: HostAndPort

  before(async () => {
    const port = await freePort()
    address = { host: '127.0.0.1', port }
    calls = peersAt(address, KEY, refused, errors)
    calls.answer<string>('echo', async (text) => text)
    calls.answerStream('count', async function* (_, values) {
      let count = 0
      for await (const _value of values) yield ++count
    })
    await calls.listen()
  })
  after(() => calls.close(0))

  test('answers who has the key', async () => {
    const port = await freePort()
    const asking = peersAt({ host: '127.0.0.1', port }, KEY)
    const large = 'x'.repeat(3_000_000)
    assert.equal(await asking.ask(calls.self, 'echo', large), large)
    async function* values(): AsyncGenerator<unknown> {
      yield* ['a', 'b', 'c']
    }
    const counted: unknown[] = []
    for await (const count of asking.stream(calls.self, 'count', null, values())) counted.push(count)
    assert.deepEqual(counted, [1, 2, 3])
    await asking.close()
  })

  test('ends streams of a process that is gone, on both sides', async () => {
    const asking = peersAt({ host: '127.0.0.1', port: await freePort() }, KEY)
    async function* values(): AsyncGenerator<unknown> {
      yield 'a'
      await new Promise(() => {})
    }
    for (const forget of [() => asking.forget(calls.self), () => calls.forget(asking.self)]) {
      const counts = asking.stream(calls.self, 'count', null, values())
      assert.deepEqual(await counts.next(), { done: false, value: 1 })
      forget()
      await assert.rejects(counts.next())
    }
    await asking.close()
  })

  test('a process that does not read is not asked when many bytes wait for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'peers-'))
    const stalled = createServer((socket) => void socket.pause()).listen(socketFile(folder, 2))
    await once(stalled, 'listening')
    const asking = new PeerCalls({ number: 1, processes: 2, folder, onError: () => {} })
    for (let tries = 0; tries < 8; tries++) {
      const controller = new AbortController()
      const asked = asking.ask('2', 'echo', Buffer.alloc(8 * 1024 * 1024), controller.signal)
      controller.abort()
      await assert.rejects(asked, { name: 'AbortError' })
    }
    await assert.rejects(asking.ask('2', 'echo', 'x'), /does not read/)
    await asking.close()
    stalled.close()
    await rm(folder, { recursive: true })
  })

  test('is asked again when a connection ends before its handshake', async () => {
    let tried = 0
    const proxy = createServer((socket) => {
      if (++tried === 1) return void socket.destroy()
      const through = connect(address)
      socket.on('error', () => {}).pipe(through)
      through.on('error', () => {}).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const asking = peersAt({ host: '127.0.0.1', port: await freePort() }, KEY)
    assert.equal(await asking.ask(nameAt({ host: '127.0.0.1', port: (proxy.address() as AddressInfo).port }, 1), 'echo', 'again'), 'again')
    assert.equal(tried, 2)
    await asking.close()
    proxy.close()
  })

  test('refuses another key, no key, no TLS, and older TLS; what it answers says nothing of the service', async () => {
    const port = await freePort()
    const stranger = peersAt({ host: '127.0.0.1', port }, OTHER_KEY)
    await assert.rejects(stranger.ask(calls.self, 'echo', 'secret'))
    await stranger.close()
    for (const options of [{ rejectUnauthorized: false }, { rejectUnauthorized: false, maxVersion: 'TLSv1.2' as const }])
      assert.equal(await receivedBy(connectTls({ ...address, ...options })), '')
    for (const text of ['GET / HTTP/1.1\r\n\r\n', '\0\0\0\0', '']) {
      const socket = connect(address)
      socket.end(text)
      assert.doesNotMatch(await receivedBy(socket), /detection|node|express/i)
    }
    assert.ok(refused.length >= 5)
    assert.deepEqual(errors, [])
  })

  test('ends a connection that does not shake hands', async () => {
    const socket = connect(address)
    await once(socket, 'connect')
    assert.equal(await receivedBy(socket), '')
  })

  test('ends a connection with a length that no value has', async () => {
    const socket = connectToAddress(address, KEY)
    socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
    assert.equal(await receivedBy(socket), '')
  })

  test('who listens there without the key is not told the question', async () => {
    const heard: Buffer[] = []
    const impostors = [
      createServer((socket) => void socket.on('data', (chunk: Buffer) => heard.push(chunk)).on('error', () => {})),
      createTlsServer({ ...SELF_SIGNED, minVersion: 'TLSv1.3' }, (socket) => void socket.on('data', (chunk: Buffer) => heard.push(chunk)).on('error', () => {})),
    ]
    const port = await freePort()
    const asking = peersAt({ host: '127.0.0.1', port }, KEY)
    for (const impostor of impostors) {
      impostor.listen(0, '127.0.0.1')
      await once(impostor, 'listening')
      const name = nameAt({ host: '127.0.0.1', port: (impostor.address() as AddressInfo).port }, 1)
      await assert.rejects(asking.ask(name, 'echo', 'the event of a customer'))
      impostor.close()
    }
    assert.doesNotMatch(Buffer.concat(heard).toString('latin1'), /customer/)
    await asking.close()
  })
})
