/** The mock of a payment gateway: what its portal does with a subscription, and how its events reach the webhook. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { ApiError } from '../../../../../server/core/errors.js'
import type { GatewayEvent } from '../../../../../server/features/billing/gateways/gateway.js'
import { MOCK_EVENTS_JOB, mockEventsJob } from '../../../../../server/features/billing/gateways/mock/deliver.js'
import { MockBilling } from '../../../../../server/features/billing/gateways/mock/gateway.js'
import { endOf } from '../../../../../server/features/billing/gateways/mock/objects.js'
import { MOCK_SUBSCRIPTIONS } from '../../../../../server/features/billing/gateways/mock/store.js'
import { signatureOf } from '../../../../../server/features/billing/gateways/signature.js'
import { JOB_FAILURES } from '../../../../../server/core/jobs/failures.js'
import { type ClaimedJob, JOBS, JobQueue } from '../../../../../server/core/jobs/queue.js'
import type { Storage } from '../../../../../server/core/storage/contract.js'
import { openTestStorage } from '../../../../support/storage.js'
import { READER } from '../../../../support/reader.js'

const SECRET = 'whsec_of_the_mock'
const KEY = Buffer.alloc(32, 7)
const START = Date.UTC(2026, 0, 31, 12)
const DAY = 24 * 60 * 60 * 1000
const REQUEST = {
  organizationName: 'Example SOC',
  email: 'ana@example.com',
  customerId: null,
  planId: 'team',
  interval: 'month',
  seats: 3,
  successUrl: 'https://soc.example/billing?checkout=success',
  cancelUrl: 'https://soc.example/billing?checkout=canceled',
} as const
const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? assert.fail(url)

describe('the mock of a payment gateway', () => {
  let now = START
  let storage: Storage
  let closeStorage: () => Promise<void>
  let billing: MockBilling
  /** What the webhook has received since it was emptied. */
  const received: { body: Buffer; signature: string }[] = []
  /** Numbers of deliveries that the webhook refuses, counted from the next one. */
  let refusing: readonly number[] = []
  const clock = (): number => now

  before(async () => {
    ;({ storage, close: closeStorage } = await openTestStorage([MOCK_SUBSCRIPTIONS, JOBS, JOB_FAILURES]))
    billing = new MockBilling({ storage, jobs: new JobQueue(storage, clock), address: { own: 'http://127.0.0.1:8080' }, reader: READER, key: KEY, webhookSecret: SECRET, clock })
  })
  after(() => closeStorage())

  /** Sends the events that wait, and returns those that the webhook has received since the last time, as the service reads them. */
  async function deliver(subject: string): Promise<GatewayEvent[]> {
    received.length = 0
    const job = mockEventsJob({ storage, webhookSecret: SECRET, clock }, async (body, signature) => {
      received.push({ body, signature })
      if (refusing.includes(received.length)) throw new ApiError('billing_unavailable')
    })
    assert.equal(job.kind, MOCK_EVENTS_JOB)
    await job.run({ subject } as ClaimedJob, null as never, new AbortController().signal)
    for (const { body, signature } of received) billing.verifyEvent(body, signature, now)
    return Promise.all(received.map(async ({ body }) => (await billing.readEvent(body)) ?? assert.fail(body.toString())))
  }
  const pay = async (organizationId: string, more: object = {}): Promise<string> => {
    const { url } = await billing.checkout({ ...REQUEST, organizationId, ...more })
    const found = (await billing.openCheckout(tokenOf(url))) ?? assert.fail(url)
    await billing.pay(found.checkout)
    return found.checkout.sessionId.replace(/^cs_/, 'sub_')
  }
  const act = async (organizationId: string, action: Parameters<MockBilling['act']>[1], change: Parameters<MockBilling['act']>[2] = null): Promise<void> => {
    const { url } = await billing.portal({ organizationId, customerId: 'cus_x', returnUrl: 'https://soc.example/billing' })
    await billing.act((await billing.openPortal(tokenOf(url)))!.portal, action, change)
  }
  const told = (events: readonly GatewayEvent[]): unknown => events.map(({ type, subscription }) => [type, ...(subscription === null ? [] : [subscription.status])])
  const refuses = (work: Promise<unknown>): Promise<void> => assert.rejects(work, (error) => error instanceof ApiError && error.reason === 'edit_conflict')

  test('a paid checkout sends signed events in order, once, and the subscription can be fetched', async () => {
    const id = await pay('org-1')
    const events = await deliver(id)
    assert.deepEqual(told(events), [['customer.subscription.created', 'incomplete'], ['invoice.paid'], ['customer.subscription.updated', 'active'], ['checkout.session.completed']])
    for (const event of events) assert.deepEqual([event.organizationId, event.planId, event.subscriptionId, event.isOrderCertain], ['org-1', 'team', id, true])
    const state = await billing.subscription(id)
    assert.deepEqual([state?.status, state?.seats, state?.currentPeriodEnd], ['active', 3, new Date(Date.UTC(2026, 1, 28, 12))])
    assert.deepEqual(state, events[2].subscription)
    // The page was submitted twice.
    assert.equal(await pay('org-1'), id)
    assert.deepEqual(await deliver(id), [])
    assert.equal(await billing.subscription('sub_other'), null)
  })

  test('a trial is free until its end', async () => {
    const id = await pay('org-2', { trialDays: 14 })
    const events = await deliver(id)
    assert.deepEqual(told(events), [['customer.subscription.created', 'trialing'], ['checkout.session.completed']])
    assert.deepEqual(
      [events[0].subscription?.trialEndsAt, events[0].subscription?.currentPeriodEnd, events[1].isPaid],
      [new Date(START + 14 * DAY), new Date(START + 14 * DAY), true],
    )
    now += DAY
    await act('org-2', 'next_period')
    assert.deepEqual(told(await deliver(id)), [['invoice.paid'], ['customer.subscription.updated', 'active']])
  })

  test('the portal changes plan and seats, cancels, resumes, and lets time pass', async () => {
    const id = await pay('org-3')
    await deliver(id)
    await act('org-3', 'change', { planId: 'team', interval: 'month', seats: 9 })
    const [changed] = await deliver(id)
    assert.deepEqual([changed.type, changed.seats, changed.subscription?.currentPeriodEnd?.getTime()], ['customer.subscription.updated', 9, endOf(now / 1000, 'month') * 1000])
    await act('org-3', 'change', { planId: 'team', interval: 'year', seats: 9 })
    const [invoice, yearly] = await deliver(id)
    assert.deepEqual(
      [invoice.type, invoice.interval, yearly.interval, yearly.period],
      ['invoice.paid', 'year', 'year', { start: new Date(now), end: new Date(endOf(now / 1000, 'year') * 1000) }],
    )
    await act('org-3', 'fail_payment')
    assert.deepEqual(told(await deliver(id)), [['invoice.payment_failed'], ['customer.subscription.updated', 'past_due']])
    await act('org-3', 'retry_payment')
    assert.deepEqual(told(await deliver(id)), [['invoice.paid'], ['customer.subscription.updated', 'active']])
    await refuses(act('org-3', 'retry_payment'))
    await refuses(act('org-3', 'resume'))
    await act('org-3', 'cancel_at_period_end')
    const [canceling] = await deliver(id)
    assert.deepEqual([canceling.subscription?.status, canceling.subscription?.cancelAt], ['active', canceling.period?.end])
    await act('org-3', 'resume')
    assert.equal((await deliver(id))[0].subscription?.cancelAt, null)
    await act('org-3', 'cancel_at_period_end')
    now += DAY
    await act('org-3', 'next_period')
    const [, ended] = await deliver(id)
    assert.deepEqual(
      [ended.type, ended.subscription?.status, ended.subscription?.endedAt, ended.period?.end],
      ['customer.subscription.deleted', 'canceled', new Date(now), new Date(now)],
    )
    for (const action of ['next_period', 'cancel_now', 'cancel_at_period_end', 'fail_payment'] as const) await refuses(act('org-3', action))
    await refuses(act('org-3', 'change', { planId: 'team', interval: 'month', seats: 1 }))
    await refuses(act('org-without', 'cancel_now'))
  })

  test('a subscription is canceled by the service; one that has ended stays as it is', async () => {
    const id = await pay('org-4')
    await deliver(id)
    assert.equal((await billing.cancel(id))?.status, 'canceled')
    assert.deepEqual(told(await deliver(id)), [['customer.subscription.deleted', 'canceled']])
    assert.equal((await billing.cancel(id))?.status, 'canceled')
    assert.deepEqual(await deliver(id), [])
    assert.equal(await billing.cancel('sub_other'), null)
  })

  test('an event that the webhook refuses holds back those behind it, and is sent again', async () => {
    const id = await pay('org-5')
    for (const number of [1, 2]) {
      refusing = [number]
      await assert.rejects(deliver(id), (error) => error instanceof ApiError && error.reason === 'billing_unavailable')
      assert.equal(received.length, number)
    }
    refusing = []
    assert.deepEqual(
      (await deliver(id)).map(({ type }) => type),
      ['invoice.paid', 'customer.subscription.updated', 'checkout.session.completed'],
    )
  })

  test('events that nobody accepts are limited', async () => {
    await pay('org-6')
    const work = async (): Promise<void> => {
      for (let action = 0; action < 100; action++) await act('org-6', action % 2 === 0 ? 'cancel_at_period_end' : 'resume')
    }
    await assert.rejects(work(), (error) => error instanceof ApiError && error.reason === 'billing_unavailable')
  })

  test('links are for one purpose, expire, and can not be made by somebody else', async () => {
    const { url } = await billing.checkout({ ...REQUEST, organizationId: 'org-7' })
    const { url: portal } = await billing.portal({ organizationId: 'org-7', customerId: 'cus_x', returnUrl: 'https://soc.example/' })
    const [checkoutToken, portalToken] = [tokenOf(url), tokenOf(portal)]
    assert.equal(await billing.openCheckout(portalToken), null)
    assert.equal(await billing.openPortal(checkoutToken), null)
    const other = new MockBilling({
      storage,
      jobs: new JobQueue(storage, clock),
      address: { own: 'http://x' },
      reader: READER,
      key: Buffer.alloc(32, 8),
      webhookSecret: SECRET,
      clock,
    })
    const forged = tokenOf((await other.checkout({ ...REQUEST, organizationId: 'org-7' })).url)
    const [head, payload, signature] = checkoutToken.split('.')
    const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`
    for (const token of ['', 'x', forged, unsigned, `${head}.${payload}.`, `${head}.${payload}x.${signature}`, checkoutToken.slice(0, -2), 'x'.repeat(20_000)])
      assert.equal(await billing.openCheckout(token), null, token)
    assert.equal((await billing.openCheckout(checkoutToken))?.isPaid, false)
    now += DAY
    assert.equal(await billing.openCheckout(checkoutToken), null)
    assert.equal(await billing.openPortal(portalToken), null)
  })

  test('a second click gets the same checkout, another purchase another one', async () => {
    const session = async (more: object = {}): Promise<string> => (await billing.checkout({ ...REQUEST, organizationId: 'org-8', ...more })).sessionId
    const first = await session()
    assert.equal(await session(), first)
    assert.notEqual(await session({ seats: 4 }), first)
    now += 60_000
    assert.notEqual(await session(), first)
  })

  test('signed events of subscriptions that are not stored here are read; others are refused', async () => {
    const body = Buffer.from(
      JSON.stringify({
        id: 'evt_1',
        type: 'customer.subscription.updated',
        created: 1,
        data: { object: { id: 'sub_by_hand', status: 'active', metadata: { organization_id: 'org-9', plan_id: 'team' } } },
      }),
    )
    billing.verifyEvent(body, signatureOf(body, SECRET, now), now)
    const event = await billing.readEvent(body)
    assert.deepEqual([event?.organizationId, event?.planId, event?.subscription?.status, event?.subscription?.seats], ['org-9', 'team', 'active', null])
    assert.throws(() => billing.verifyEvent(body, signatureOf(body, 'whsec_other', now), now), { name: 'ApiError' })
  })
})
