/** The guarded client as `fetch`, over real sockets. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { after, before, beforeEach, describe, test } from 'node:test'
import { SMALL_JSON_BYTES } from '#requests'
import { HttpClient, OutboundError } from '../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../server/core/egress/egress-guard.js'
import { ERROR_BYTES, guardedFetch, guardedStreamingFetch } from '../../../../server/core/egress/fetch.js'
import { type Receiver, startReceiver } from '../../../support/receiver.js'

const LIMITS = { timeoutMs: 5000, bodyLimit: 1000 } as const
const open = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
const guarded = new HttpClient(new EgressGuard({ allowPrivateTargets: false }))
const request = guardedFetch(open, LIMITS)

describe('the guarded fetch', () => {
  let receiver: Receiver

  before(async () => {
    receiver = await startReceiver()
  })
  beforeEach(() => receiver.answers(200))
  after(async () => {
    open.close()
    guarded.close()
    await receiver.close()
  })

  test('sends method, headers and body, and returns status, headers and body', async () => {
    receiver.answers((_, response) => void response.writeHead(201, { 'X-A': 'b', 'Set-Cookie': ['c=1', 'd=2'] }).end('{"made":true}'))
    const answer = await request(`${receiver.origin}/p?q=1`, { method: 'PATCH', headers: { Authorization: 'token t', 'Content-Type': 'application/json' }, body: '{"a":"ü"}' })
    assert.deepEqual([answer.status, answer.ok, answer.headers.get('x-a'), answer.headers.getSetCookie()], [201, true, 'b', ['c=1', 'd=2']])
    assert.deepEqual(await answer.json(), { made: true })
    const { method, path, headers, body } = receiver.received.at(-1)!
    assert.deepEqual([method, path, headers.authorization, headers['content-length'], body], ['PATCH', '/p?q=1', 'token t', '10', '{"a":"ü"}'])
  })

  test('sends bytes as they are', async () => {
    await request(receiver.origin, { method: 'POST', body: new Uint8Array([0x61, 0x62]) })
    assert.equal(receiver.received.at(-1)!.body, 'ab')
  })

  test('returns answers without a body', async () => {
    for (const status of [204, 304]) {
      receiver.answers(status)
      const answer = await request(receiver.origin)
      assert.deepEqual([answer.status, await answer.text()], [status, ''])
    }
  })

  test('closes the connection of a streamed answer that nobody reads', async () => {
    // Far beyond the time of the test: nothing but the cancellation ends the exchange.
    const streaming = guardedStreamingFetch(open, { timeoutMs: 600_000, bodyLimit: 1000 })
    const closed = new Promise((resolve) => receiver.answers((_, response) => void response.on('close', resolve).writeHead(200).write('part')))
    await (await streaming(receiver.origin)).body?.cancel()
    await closed
  })

  test('does not follow a redirect', async () => {
    receiver.answers((_, response) => void response.writeHead(302, { Location: `${receiver.origin}/other` }).end())
    const count = receiver.received.length
    const answer = await request(receiver.origin)
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, `${receiver.origin}/other`])
    assert.equal(receiver.received.length, count + 1)
  })

  test('refuses a longer body than its limit', async () => {
    receiver.answers((_, response) => void response.end('x'.repeat(1001)))
    await assert.rejects(request(receiver.origin), (error) => error instanceof OutboundError && error.failure === 'answer_too_large')
  })

  test('gives a library neither a large body as text or JSON, nor more than the beginning of an error', async () => {
    const longer = { timeoutMs: 5000, bodyLimit: 10 * SMALL_JSON_BYTES } as const
    const isRefused = (error: unknown): boolean => error instanceof OutboundError && error.failure === 'answer_too_large'
    receiver.answers((_, response) => void response.end(`"${'x'.repeat(SMALL_JSON_BYTES)}"`))
    for (const large of [
      await guardedFetch(open, longer)(receiver.origin),
      (await guardedFetch(open, longer)(receiver.origin)).clone(),
      await guardedStreamingFetch(open, longer)(receiver.origin),
    ]) {
      await assert.rejects(large.json(), isRefused)
      await assert.rejects(large.text(), isRefused)
      assert.equal((await large.arrayBuffer()).byteLength, SMALL_JSON_BYTES + 2)
    }
    let kept = 0
    const empty = await guardedFetch(open, longer, ({ length }) => (kept = length))(receiver.origin)
    assert.deepEqual([await empty.text(), kept], ['', SMALL_JSON_BYTES + 2])
    receiver.answers((_, response) => void response.writeHead(500).end('x'.repeat(SMALL_JSON_BYTES)))
    for (const failed of [guardedFetch(open, longer, () => assert.fail('an error is not kept')), guardedStreamingFetch(open, longer)])
      assert.equal((await (await failed(receiver.origin)).text()).length, ERROR_BYTES)
  })

  test('refuses a private target', async () => {
    const count = receiver.received.length
    await assert.rejects(guardedFetch(guarded, LIMITS)(receiver.origin), (error) => error instanceof OutboundError && error.failure === 'target_refused')
    assert.equal(receiver.received.length, count)
  })

  test('ends when its signal is aborted', async () => {
    const ending = new AbortController()
    receiver.answers(() => ending.abort())
    await assert.rejects(request(receiver.origin, { signal: ending.signal }), (error) => error instanceof OutboundError && error.failure === 'aborted')
  })

  test('leaves no listener on a signal that many calls share', async () => {
    const shared = new AbortController()
    for (let call = 0; call < 3; call++) await request(receiver.origin, { signal: shared.signal })
    assert.deepEqual(getEventListeners(shared.signal, 'abort'), [])
  })

  test('ends after its time', async () => {
    receiver.answers(() => undefined)
    await assert.rejects(guardedFetch(open, { ...LIMITS, timeoutMs: 50 })(receiver.origin), (error) => error instanceof OutboundError && error.failure === 'timeout')
  })
})
