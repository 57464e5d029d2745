/** Deliveries to a real server on this machine: signatures, retries, and the end of deliveries to disabled webhooks. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { after, before, beforeEach, describe } from 'node:test'
import { Value } from 'typebox/value'
import { EVENTS, type EventName } from '../../server/core/events/catalogue.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { DELIVERIES, type DeliveryDocument, WEBHOOKS } from '../../server/features/webhooks/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap, createKey, register } from '../support/actors.js'
import { SEVERAL_POLLS_MS, sharedPool, startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { isSigned, type Received, type Receiver, startReceiver } from '../support/receiver.js'
import { refused, SIGNUP } from './steps.js'
import { insertAll } from '../support/insert-all.js'

interface Webhook {
  readonly id: string
  readonly secret: string
  readonly is_active: boolean
  readonly disabled_reason: string | null
  readonly disabled_at: string | null
  readonly failing_since: string | null
}

interface Delivery {
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event: EventName
  readonly status: string
  readonly reason: string | null
  readonly attempts: readonly { readonly at: string; readonly duration_ms: number; readonly status_code: number | null; readonly error: string | null }[]
  readonly attempt_count: number
  readonly next_attempt_at: string | null
  readonly delivered_at: string | null
  readonly created_at: string
  readonly payload?: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> }
}

// Created here, the pool belongs to the file. If a suite created it, it would be closed with the suite.
sharedPool()

/** A generous limit, because the machine may be busy. */
const PATIENCE_MS = 60_000
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('deliveries', () => {
  let app: TestApp
  let receiver: Receiver
  let admin: Actor
  let now = Date.parse('2100-01-01T00:00:00Z')
  let made: Webhook[] = []

  const webhooksOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/webhooks`
  const pathOf = ({ id }: { id: string }): string => `${webhooksOf(admin)}/${id}`
  const listen = async (events: readonly EventName[], path = '/hook', actor = admin): Promise<Webhook> => {
    const { body, status, text } = await actor.client.post<Webhook>(webhooksOf(actor), { url: receiver.origin + path, events })
    assert.equal(status, 200, text)
    if (actor === admin) made.push(body)
    return body
  }
  const show = async (webhook: { id: string }) => (await admin.client.get<Webhook>(pathOf(webhook))).body
  const deliveries = async (webhook: { id: string }, query = ''): Promise<readonly Delivery[]> => {
    const { body, status, text } = await admin.client.get<Delivery[]>(`${pathOf(webhook)}/deliveries?limit=200&${query}`)
    assert.equal(status, 200, text)
    return body
  }
  const until = async <T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> => {
    const given = Date.now() + PATIENCE_MS
    while (Date.now() < given) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await sleep(10)
    }
    return assert.fail('the condition was not met in time')
  }
  /** Waits until the only delivery of a webhook meets a condition. */
  const delivery = (webhook: { id: string }, holds: (delivery: Delivery) => boolean): Promise<Delivery> =>
    until(async () => {
      const [only, ...more] = await deliveries(webhook)
      assert.equal(more.length, 0)
      return only !== undefined && holds(only) && only
    })
  const cause = (name = 'a key') => createKey(admin, ['analysis:run'], name)
  const at = (path: string): Received[] => receiver.received.filter((one) => one.path === path)
  const scope = () => new Tenancy(app.service.storage).of(admin.organizationId)

  before(async () => {
    receiver = await startReceiver()
    app = await startTestApp({
      env: { ...SIGNUP, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', NATIVE_SERVICE_SESSION_TTL_SECONDS: String(365 * 24 * 3600) },
      clock: () => now,
    })
    admin = await bootstrap(app.client)
  })
  beforeEach(async () => {
    receiver.answers(200)
    for (const webhook of made) await admin.client.delete(pathOf(webhook))
    made = []
  })
  after(async () => {
    await app?.close()
    await receiver?.close()
  })

  test('an event is sent with the signature of the Standard Webhooks specification', async () => {
    const webhook = await listen(['api_key.created'], '/signed?by=us')
    const key = await cause('the key of this test')
    const { id, event_id, attempts, attempt_count, delivered_at, next_attempt_at, reason } = await delivery(webhook, ({ status }) => status === 'delivered')
    const [received, ...more] = at('/signed?by=us')
    assert.equal(more.length, 0)
    assert.ok(isSigned(received, webhook.secret))
    assert.ok(!isSigned({ ...received, body: `${received.body} ` }, webhook.secret))
    assert.ok(!isSigned(received, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'))
    assert.equal(received.method, 'POST')
    assert.equal(received.headers['content-type'], 'application/json')
    assert.equal(received.headers['webhook-id'], event_id)
    assert.equal(received.headers['webhook-timestamp'], String(now / 1000))
    const { type, timestamp, data, ...rest } = JSON.parse(received.body) as NonNullable<Delivery['payload']>
    assert.deepEqual([type, timestamp, rest], ['api_key.created', new Date(now).toISOString(), {}])
    assert.ok(Value.Check(EVENTS['api_key.created'], data))
    assert.deepEqual([data.id, data.name], [key.id, 'the key of this test'])
    assert.deepEqual([attempt_count, attempts[0].status_code, attempts[0].error, delivered_at, next_attempt_at, reason], [1, 200, null, new Date(now).toISOString(), null, null])
    const shown = await admin.client.get<Delivery>(`${pathOf(webhook)}/deliveries/${id}`)
    assert.deepEqual(shown.body.payload, JSON.parse(received.body))
    assert.ok(!(await admin.client.get(`${pathOf(webhook)}/deliveries`)).text.includes('payload'))
  })

  test('an event is sent once to each webhook that selects it, and to no other', async () => {
    const [one, two, deaf] = [await listen(['api_key.created', 'api_key.revoked'], '/one'), await listen(['api_key.created'], '/two'), await listen(['version.published'], '/deaf')]
    const off = await listen(['api_key.created'], '/off')
    await admin.client.patch(pathOf(off), { is_active: false })
    const key = await cause()
    await admin.client.delete(`/platform/organizations/${admin.organizationId}/api-keys/${key.id}`)
    await until(async () => (await deliveries(one, 'status=delivered')).length === 2)
    await until(async () => (await deliveries(two, 'status=delivered')).length === 1)
    assert.deepEqual([(await deliveries(deaf)).length, (await deliveries(off)).length], [0, 0])
    assert.deepEqual([at('/one').length, at('/two').length, at('/deaf').length, at('/off').length], [2, 1, 0, 0])
    const [first] = at('/two')
    assert.ok(isSigned(first, two.secret) && !isSigned(first, one.secret))
    const same = at('/one').find(({ headers }) => headers['webhook-id'] === first.headers['webhook-id'])
    assert.equal(same?.body, first.body, 'all deliveries of an event have the same id and body')
  })

  test('events of another organization are not sent', async () => {
    const webhook = await listen(['api_key.created'], '/mine')
    const other = await register(app.client, 'other')
    await listen(['api_key.created'], '/theirs', other)
    await createKey(other, ['analysis:run'])
    await until(() => at('/theirs').length === 1)
    assert.equal((await deliveries(webhook)).length, 0)
  })

  test('an analysis emits an event although it changes nothing', async () => {
    const webhook = await listen(['validation.completed', 'logtest.completed'], '/analysis')
    assert.equal((await admin.client.post('/analysis/validate', { files: [] })).status, 200)
    assert.equal((await admin.client.post('/analysis/logtest-native', { input: { event: 'hello' } })).status, 200)
    await until(async () => (await deliveries(webhook, 'status=delivered')).length === 2)
    for (const { body } of at('/analysis')) {
      const { type, data } = JSON.parse(body) as { type: EventName; data: unknown }
      assert.ok(Value.Check(EVENTS[type], data), type)
    }
  })

  test('a refused delivery is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, and then fails', async () => {
    const pauses = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR]
    receiver.answers(503)
    const webhook = await listen(['api_key.created'], '/down')
    const began = now
    await cause()
    for (const [index, pause] of pauses.entries()) {
      const { status, next_attempt_at, attempts } = await delivery(webhook, ({ attempt_count }) => attempt_count === index + 1)
      assert.deepEqual([status, next_attempt_at, attempts[index].status_code, attempts[index].error], ['pending', new Date(now + pause).toISOString(), 503, 'status_refused'])
      now += pause - 1
      await sleep(index === 0 ? SEVERAL_POLLS_MS : 0)
      assert.equal(at('/down').length, index + 1, 'too early')
      now += 1
    }
    const failed = await delivery(webhook, ({ status }) => status === 'failed')
    assert.deepEqual([failed.reason, failed.attempt_count, failed.next_attempt_at, failed.delivered_at], ['attempts_exhausted', 8, null, null])
    const received = at('/down')
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(received.map(({ body }) => body)).size, 1)
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size, 8, 'the timestamp is that of the attempt')
    for (const one of received) assert.ok(isSigned(one, webhook.secret))
    const { failing_since, is_active } = await show(webhook)
    assert.deepEqual([failing_since, is_active], [new Date(began).toISOString(), true])
    assert.ok(!JSON.stringify(await deliveries(webhook)).includes('nobody reads'), "the receiver's answer is not kept")
  })

  test('a delivery that a retry delivers ends the failure of the webhook', async () => {
    receiver.answers(500)
    const webhook = await listen(['api_key.created'], '/recovers')
    await cause()
    await delivery(webhook, ({ attempt_count }) => attempt_count === 1)
    assert.ok((await show(webhook)).failing_since)
    const etag = (await admin.client.get(pathOf(webhook))).headers.get('etag')
    receiver.answers(204)
    now += 5 * SECOND
    const { attempts, status } = await delivery(webhook, ({ attempt_count }) => attempt_count === 2)
    assert.deepEqual([status, attempts.map(({ status_code }) => status_code)], ['delivered', [500, 204]])
    assert.equal((await show(webhook)).failing_since, null)
    assert.notEqual((await admin.client.get(pathOf(webhook))).headers.get('etag'), etag)
  })

  test('a redirect is not followed and counts as a failure', async () => {
    receiver.answers((_, response) => void response.writeHead(302, { Location: `${receiver.origin}/inside` }).end())
    const webhook = await listen(['api_key.created'], '/moved')
    await cause()
    const { attempts } = await delivery(webhook, ({ attempt_count }) => attempt_count === 1)
    assert.deepEqual([attempts[0].status_code, attempts[0].error], [302, 'redirect_refused'])
    assert.equal(at('/inside').length, 0)
  })

  test('an unreachable server and a broken connection have different errors', async () => {
    const gone = await startReceiver()
    await gone.close()
    const webhook = await listen(['webhook.test'])
    const outcome = async () => (await admin.client.post<Delivery>(`${pathOf(webhook)}/test`)).body.attempts[0]
    receiver.answers((_, response) => void response.destroy())
    assert.deepEqual([(await outcome()).error, (await outcome()).status_code], ['connection_closed', null])
    await admin.client.patch(pathOf(webhook), { url: gone.origin })
    assert.equal((await outcome()).error, 'connection_refused')
    await admin.client.patch(pathOf(webhook), { url: 'http://nothing.invalid/' })
    assert.equal((await outcome()).error, 'name_not_found')
  })

  test('a huge or endless answer is not read to its end', async () => {
    const webhook = await listen(['webhook.test'])
    for (const chunk of [Buffer.alloc(1024 * 1024, 'x'), Buffer.from('.')]) {
      let isOpen = true
      receiver.answers((_, response) => {
        response.writeHead(200)
        const more = setInterval(() => response.write(chunk), 5)
        response.on('close', () => {
          clearInterval(more)
          isOpen = false
        })
      })
      const { body } = await admin.client.post<Delivery>(`${pathOf(webhook)}/test`)
      assert.equal(body.status, 'delivered')
      await until(() => !isOpen)
    }
  })

  test('a 410 disables the webhook, is audited, and admins receive a notification and a mail', async () => {
    receiver.answers(410)
    const webhook = await listen(['api_key.created'], '/gone?token=t0ken')
    await cause()
    const { status, reason, attempt_count } = await delivery(webhook, (one) => one.status !== 'pending')
    assert.deepEqual([status, reason, attempt_count], ['failed', 'gone', 1])
    const { is_active, disabled_reason, disabled_at } = await show(webhook)
    assert.deepEqual([is_active, disabled_reason, disabled_at], [false, 'gone', new Date(now).toISOString()])
    const audit = await admin.client.get<{ action: string; actor_type: string; diff: unknown }[]>(`/platform/audit?resource_id=${webhook.id}&action=webhook.disabled`)
    assert.deepEqual(
      audit.body.map(({ actor_type, diff }) => [actor_type, diff]),
      [['system', { is_active: { before: true, after: false }, disabled_reason: { before: null, after: 'gone' } }]],
    )
    const mail = await until(() => app.mail.sent.find(({ text }) => text.includes(webhook.id)))
    assert.equal(mail.to, admin.email)
    assert.ok(mail.text.includes(new URL(receiver.origin).host) && !mail.text.includes('t0ken'))
    const told = await until(async () =>
      (await admin.client.get<{ items: { kind: string; body: string; link: string }[] }>('/notifications')).body.items.find(({ link }) => link?.endsWith(webhook.id)),
    )
    assert.equal(told.kind, 'webhook.disabled')
    assert.ok(told.body.includes(new URL(receiver.origin).host) && !JSON.stringify(told).includes('t0ken'))

    await cause()
    await sleep(SEVERAL_POLLS_MS)
    assert.equal((await deliveries(webhook)).length, 1, 'no delivery is created for a disabled webhook')
    receiver.answers(200)
    const again = await admin.client.patch<Webhook>(pathOf(webhook), { is_active: true })
    assert.deepEqual([again.body.is_active, again.body.disabled_reason, again.body.disabled_at], [true, null, null])
    await cause()
    await until(async () => (await deliveries(webhook, 'status=delivered')).length === 1)
  })

  test('a webhook that fails for five days is disabled when a delivery has no attempt left', async () => {
    receiver.answers(500)
    const webhook = await listen(['api_key.created'], '/dead')
    await cause()
    await delivery(webhook, ({ attempt_count }) => attempt_count === 1)
    // Its first delivery failed long ago, and another one has one attempt left.
    await scope()
      .collection(DELIVERIES)
      .updateMany({ webhook_id: webhook.id }, { set: { failures: 7 } })
    now += 5 * DAY - 1
    await delivery(webhook, ({ status }) => status === 'failed')
    assert.equal((await show(webhook)).is_active, true, 'too early')
    now += 1
    const [{ id }] = await deliveries(webhook)
    await admin.client.post(`${pathOf(webhook)}/deliveries/${id}/redeliver`)
    await delivery(webhook, ({ attempt_count }) => attempt_count === 3)
    assert.equal((await show(webhook)).is_active, true, 'there are attempts left')
    await scope()
      .collection(DELIVERIES)
      .updateMany({ webhook_id: webhook.id }, { set: { failures: 7 } })
    now += 5 * SECOND
    await delivery(webhook, ({ status }) => status === 'failed')
    const { is_active, disabled_reason } = await show(webhook)
    assert.deepEqual([is_active, disabled_reason], [false, 'failing'])
    await until(() => app.mail.sent.find(({ text }) => text.includes(webhook.id)))
  })

  test('a pending delivery of a disabled webhook is cancelled when it is due', async () => {
    receiver.answers(500)
    const webhook = await listen(['api_key.created'], '/paused')
    await cause()
    await delivery(webhook, ({ attempt_count }) => attempt_count === 1)
    await admin.client.patch(pathOf(webhook), { is_active: false })
    now += 5 * SECOND
    const { id, reason, next_attempt_at } = await delivery(webhook, ({ status }) => status === 'cancelled')
    assert.deepEqual([reason, next_attempt_at], ['webhook_inactive', null])
    assert.equal(at('/paused').length, 1)
    refused(await admin.client.post(`${pathOf(webhook)}/deliveries/${id}/redeliver`), 409, 'conflict')
    await admin.client.patch(pathOf(webhook), { is_active: true })
    receiver.answers(200)
    assert.equal((await admin.client.post(`${pathOf(webhook)}/deliveries/${id}/redeliver`)).status, 200)
    await delivery(webhook, ({ status }) => status === 'delivered')
  })

  test('a delivery can be redelivered with the same id', async () => {
    const webhook = await listen(['api_key.created'], '/again')
    await cause()
    const first = await delivery(webhook, ({ status }) => status === 'delivered')
    const path = `${pathOf(webhook)}/deliveries/${first.id}`
    const answers = await Promise.all([1, 2, 3].map(() => admin.client.post<Delivery>(`${path}/redeliver`)))
    for (const { status, body } of answers) assert.deepEqual([status, body.id], [200, first.id])
    const second = await delivery(webhook, ({ status, attempt_count }) => status === 'delivered' && attempt_count >= 2)
    assert.equal(second.event_id, first.event_id)
    const [one, two] = at('/again')
    assert.deepEqual([two.body, two.headers['webhook-id']], [one.body, one.headers['webhook-id']])
    assert.ok(isSigned(two, webhook.secret))
  })

  test('redelivering a pending delivery tries it at once', async () => {
    receiver.answers(500)
    const webhook = await listen(['api_key.created'], '/now')
    await cause()
    const waiting = await delivery(webhook, ({ attempt_count }) => attempt_count === 1)
    receiver.answers(200)
    const { body } = await admin.client.post<Delivery>(`${pathOf(webhook)}/deliveries/${waiting.id}/redeliver`)
    assert.deepEqual([body.status, body.next_attempt_at], ['pending', new Date(now).toISOString()])
    await delivery(webhook, ({ status }) => status === 'delivered')
    assert.equal(at('/now').length, 2)
  })

  test('a test is sent at once, answers its result, and is in the history', async () => {
    const webhook = await listen(['version.published'], '/test')
    const good = await admin.client.post<Delivery>(`${pathOf(webhook)}/test`)
    assert.equal(good.status, 200, good.text)
    assert.deepEqual([good.body.status, good.body.event, good.body.attempt_count, good.body.attempts[0].status_code], ['delivered', 'webhook.test', 1, 200])
    const [received] = at('/test')
    assert.ok(isSigned(received, webhook.secret))
    assert.equal(received.headers['webhook-id'], good.body.event_id)
    const { type, data } = JSON.parse(received.body) as { type: string; data: { webhook_id: string } }
    assert.equal(type, 'webhook.test')
    assert.ok(Value.Check(EVENTS['webhook.test'], data))
    assert.equal(data.webhook_id, webhook.id)

    receiver.answers(500)
    now += SECOND
    const bad = await admin.client.post<Delivery>(`${pathOf(webhook)}/test`)
    assert.deepEqual([bad.status, bad.body.status, bad.body.reason, bad.body.attempts[0].error], [200, 'failed', 'attempts_exhausted', 'status_refused'])
    assert.equal((await show(webhook)).failing_since, null, 'a failed test does not count as a failure of the webhook')
    now += HOUR
    await sleep(SEVERAL_POLLS_MS)
    assert.equal(at('/test').length, 2, 'a test is not retried')
    assert.deepEqual(
      (await deliveries(webhook)).map(({ id }) => id),
      [bad.body.id, good.body.id],
    )
    await admin.client.patch(pathOf(webhook), { is_active: false })
    receiver.answers(200)
    assert.equal((await admin.client.post<Delivery>(`${pathOf(webhook)}/test`)).body.status, 'delivered', 'also while it is disabled')
    receiver.answers(410)
    await admin.client.patch(pathOf(webhook), { is_active: true })
    assert.equal((await admin.client.post<Delivery>(`${pathOf(webhook)}/test`)).body.reason, 'gone')
    assert.equal((await show(webhook)).disabled_reason, 'gone')
  })

  test('after a rotation deliveries are signed with both secrets for a day, then with the new one', async () => {
    const webhook = await listen(['webhook.test'], '/rotated')
    const { body: rotated } = await admin.client.post<Webhook>(`${pathOf(webhook)}/rotate-secret`)
    const send = async (): Promise<Received> => {
      await admin.client.post(`${pathOf(webhook)}/test`)
      return at('/rotated').at(-1)!
    }
    now += DAY - 1
    let received = await send()
    assert.deepEqual([isSigned(received, webhook.secret), isSigned(received, rotated.secret)], [true, true])
    assert.equal(String(received.headers['webhook-signature']).split(' ').length, 2)
    now += 1
    received = await send()
    assert.deepEqual([isSigned(received, webhook.secret), isSigned(received, rotated.secret)], [false, true])
    await admin.client.post(`${pathOf(webhook)}/rotate-secret`)
    const { body: last } = await admin.client.post<Webhook>(`${pathOf(webhook)}/rotate-secret`)
    received = await send()
    assert.deepEqual([isSigned(received, rotated.secret), isSigned(received, last.secret)], [false, true], 'the second rotation makes the first secret invalid')
  })

  test('the history has filters and pages', async () => {
    const webhook = await listen(['api_key.created', 'api_key.revoked'], '/history')
    for (let i = 0; i < 3; i++) {
      const { id } = await cause()
      now += SECOND
      await admin.client.delete(`/platform/organizations/${admin.organizationId}/api-keys/${id}`)
    }
    await until(async () => {
      // Beyond four at once, the pace postpones attempts for some milliseconds of this clock.
      now += SECOND
      return (await deliveries(webhook, 'status=delivered')).length === 6
    })
    assert.equal((await deliveries(webhook, 'event=api_key.revoked')).length, 3)
    assert.equal((await deliveries(webhook, 'event=api_key.revoked&status=delivered')).length, 3)
    assert.equal((await deliveries(webhook, 'status=pending')).length, 0)
    const times = (await deliveries(webhook)).map(({ created_at }) => created_at)
    assert.deepEqual(times, [...times].sort().reverse())
    const page: Answer<Delivery[]> = await admin.client.get(`${pathOf(webhook)}/deliveries?limit=4&offset=4`)
    assert.deepEqual([page.body.length, page.headers.get('x-total-count')], [2, '6'])
    for (const wrong of ['status=late', 'event=nothing', 'status=', 'reason=gone'])
      refused(await admin.client.get(`${pathOf(webhook)}/deliveries?${wrong}`), 422, 'request_validation_failed')
    const another = await listen(['webhook.test'])
    refused(await admin.client.get(`${pathOf(another)}/deliveries/${(await deliveries(webhook))[0].id}`), 404, 'not_found')
  })

  test('nothing is sent to a deleted webhook, and its history is deleted', async () => {
    receiver.answers(500)
    const webhook = await listen(['api_key.created'], '/deleted')
    await cause()
    await delivery(webhook, ({ attempt_count }) => attempt_count === 1)
    assert.equal((await admin.client.delete(pathOf(webhook))).status, 204)
    await until(async () => (await scope().collection(DELIVERIES).count({ webhook_id: webhook.id })) === 0)
    now += 5 * SECOND
    await until(async () => (await app.service.storage.open(JOBS).count({ organization_id: admin.organizationId })) === 0)
    assert.equal(at('/deleted').length, 1)
  })

  test('a refused change emits no event', async () => {
    const webhook = await listen(['api_key.revoked'], '/revoked')
    const { id } = await cause()
    const revoke = () => admin.client.delete(`/platform/organizations/${admin.organizationId}/api-keys/${id}`)
    const answers = await Promise.all([revoke(), revoke(), revoke(), revoke(), revoke()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404, 404])
    await delivery(webhook, ({ status }) => status === 'delivered')
    await sleep(SEVERAL_POLLS_MS)
    assert.equal((await deliveries(webhook)).length, 1)
    assert.equal(at('/revoked').length, 1)
  })

  test('an event without a subscriber is not stored', async () => {
    await cause()
    assert.equal(await app.service.storage.open(JOBS).count({ organization_id: admin.organizationId, kind: 'event.dispatch' }), 0)
  })

  test('a delivery beyond the limit of pending ones fails, and the history has the reason', async () => {
    const webhook = await listen(['api_key.created'], '/full')
    const waiting = (index: number): Omit<DeliveryDocument, 'organization_id'> => ({
      _id: `waiting ${index}`,
      webhook_id: webhook.id,
      event_id: 'e',
      event: 'api_key.created',
      body: '{}',
      status: 'pending',
      reason: null,
      attempts: [],
      attempt_count: 0,
      failures: 0,
      next_attempt_at: null,
      delivered_at: null,
      created_at: new Date(now - 1),
      updated_at: new Date(now - 1),
    })
    await insertAll(
      scope(),
      scope().collection(DELIVERIES),
      Array.from({ length: 10_000 }, (_, index) => waiting(index)),
    )
    await cause()
    const [{ reason, attempt_count }] = await until(async () => {
      const failed = await deliveries(webhook, 'status=failed')
      return failed.length > 0 && failed
    })
    assert.deepEqual([reason, attempt_count], ['too_many_waiting', 0])
    assert.equal(at('/full').length, 0)
  })
})

describe('targets that are not public any more', () => {
  let app: TestApp
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    app = await startTestApp({ env: SIGNUP })
  })
  after(async () => {
    await app?.close()
    await receiver?.close()
  })

  test('are refused when an event is sent', async () => {
    const admin = await bootstrap(app.client)
    const path = `/platform/organizations/${admin.organizationId}/webhooks`
    const { body } = await admin.client.post<Webhook>(path, { url: 'https://hooks.example.test/', events: ['webhook.test'] })
    const { port } = new URL(receiver.origin)
    for (const url of [receiver.origin, `http://localhost:${port}/`]) {
      await new Tenancy(app.service.storage).of(admin.organizationId).collection(WEBHOOKS).update({ _id: body.id }, { set: { url } })
      const sent = await admin.client.post<Delivery>(`${path}/${body.id}/test`)
      assert.deepEqual([sent.body.status, sent.body.attempts[0].error, sent.body.attempts[0].status_code], ['failed', 'target_refused', null])
    }
    assert.equal(receiver.received.length, 0)
  })
})
