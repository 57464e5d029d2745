/** Reads events in the form of Stripe's documentation, of its current and former API versions. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError } from '../../../../../server/core/errors.js'
import { readEvent } from '../../../../../server/features/billing/gateways/events.js'
import { Prices } from '../../../../../server/features/billing/gateways/prices.js'
import { checkoutSession, CREATED, END, event, formerInvoice, formerSubscription, invoice, ORGANIZATION, START, subscription } from '../../../../support/stripe/objects.js'
import { READER } from '../../../../support/reader.js'

const PRICES = new Prices([
  { planId: 'team', interval: 'month', price: 'price_team_month' },
  { planId: 'enterprise', interval: 'year', price: 'price_enterprise_year' },
])
const read = (content: object): ReturnType<typeof readEvent> => readEvent(Buffer.from(JSON.stringify(content)), { reader: READER, prices: PRICES, isOrderCertain: false })
const date = (seconds: number): Date => new Date(seconds * 1000)

const STATE = {
  id: 'sub_1MowQVLkdIwHu7ixeRlqHVzs',
  customerId: 'cus_Na6dX7aXxi11N4',
  organizationId: ORGANIZATION,
  planId: 'team',
  status: 'active',
  interval: 'month',
  seats: 3,
  trialEndsAt: null,
  currentPeriodStart: date(START),
  currentPeriodEnd: date(END),
  cancelAt: null,
  canceledAt: null,
  endedAt: null,
  createdAt: date(START),
}
const COMMON = {
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  createdAt: date(CREATED),
  isOrderCertain: false,
  subscriptionId: STATE.id,
  customerId: STATE.customerId,
  organizationId: ORGANIZATION,
  planId: 'team',
}

test('a change of a subscription has its whole state, in both forms of the API', async () => {
  for (const object of [subscription(), formerSubscription(), subscription({ customer: { id: STATE.customerId, object: 'customer' } })]) {
    const type = 'customer.subscription.updated'
    const period = { start: date(START), end: date(END) }
    assert.deepEqual(await read(event(type, object)), { ...COMMON, type, kind: 'subscription_changed', interval: 'month', seats: 3, period, isPaid: false, subscription: STATE })
  }
})

test('every status of Stripe is read; an ended subscription is canceled', async () => {
  for (const status of ['trialing', 'active', 'past_due', 'canceled', 'incomplete', 'incomplete_expired', 'unpaid'])
    assert.equal((await read(event('customer.subscription.updated', subscription({ status }))))?.subscription?.status, status)
  assert.equal((await read(event('customer.subscription.paused', subscription({ status: 'paused' }))))?.subscription?.status, 'unpaid')
  const ended = (await read(event('customer.subscription.deleted', subscription({ status: 'active', canceled_at: START, ended_at: END }))))?.subscription
  assert.deepEqual([ended?.status, ended?.canceledAt, ended?.endedAt], ['canceled', date(START), date(END)])
})

test('a cancellation at the end of the period has its time', async () => {
  const cancelAt = async (changes: object): Promise<Date | null | undefined> => (await read(event('customer.subscription.updated', subscription(changes))))?.subscription?.cancelAt
  assert.deepEqual(await cancelAt({ cancel_at_period_end: true }), date(END))
  assert.deepEqual(await cancelAt({ cancel_at_period_end: false, cancel_at: START + 60 }), date(START + 60))
})

test('the price decides on the plan, else the metadata; an item that is not a plan is passed over', async () => {
  const priced = (id: string): object => ({ price: { id, recurring: { interval: 'year' } }, quantity: 7, current_period_start: START, current_period_end: END })
  const state = async (...ids: string[]): Promise<unknown> => {
    const found = (await read(event('customer.subscription.updated', subscription({ items: { data: ids.map(priced) } }))))?.subscription
    return [found?.planId, found?.interval, found?.seats]
  }
  assert.deepEqual(await state('price_enterprise_year'), ['enterprise', 'year', 7])
  assert.deepEqual(await state('price_of_something'), ['team', 'year', 7])
  assert.deepEqual(await state('price_of_something', 'price_enterprise_year'), ['enterprise', 'year', 7])
  assert.equal((await read(event('customer.subscription.updated', subscription({ metadata: {}, items: { data: [priced('price_x')] } }))))?.subscription?.planId, null)
})

test('a finished checkout names the organization and the subscription, and whether it is paid', async () => {
  const type = 'checkout.session.completed'
  const details = { interval: null, seats: null, period: null, subscription: null }
  assert.deepEqual(await read(event(type, checkoutSession())), { ...COMMON, ...details, type, kind: 'checkout_completed', isPaid: true })
  assert.equal((await read(event(type, checkoutSession({ payment_status: 'unpaid' }))))?.isPaid, false)
  assert.equal((await read(event(type, checkoutSession({ payment_status: 'no_payment_required' }))))?.isPaid, true)
  assert.equal((await read(event('checkout.session.async_payment_succeeded', checkoutSession({ payment_status: 'unpaid' }))))?.isPaid, true)
  assert.equal((await read(event(type, checkoutSession({ client_reference_id: null }))))?.organizationId, ORGANIZATION)
  assert.equal(await read(event(type, checkoutSession({ mode: 'payment', subscription: null }))), null)
})

test('an invoice names the subscription and the period that was paid for, in both forms of the API', async () => {
  for (const [type, kind] of [
    ['invoice.paid', 'invoice_paid'],
    ['invoice.payment_succeeded', 'invoice_paid'],
    ['invoice.payment_failed', 'invoice_failed'],
  ])
    for (const object of [invoice(), formerInvoice()]) {
      const details = { interval: 'month', seats: 3, period: { start: date(START), end: date(END) }, subscription: null }
      assert.deepEqual(await read(event(type, object)), { ...COMMON, ...details, type, kind, isPaid: kind === 'invoice_paid' })
    }
  const single = await read(event('invoice.paid', invoice({ parent: null, lines: { data: [] } })))
  assert.deepEqual([single?.subscriptionId, single?.organizationId, single?.period], [null, null, null])
})

test('a checkout without a subscription names none; with the mock the session stands for one that every other replaces', async () => {
  const type = 'checkout.session.completed'
  const alone = (changes: object = {}): object => event(type, checkoutSession({ subscription: null, ...changes }))
  assert.equal((await read(alone()))?.subscriptionId, null)
  const byHand = (content: object): ReturnType<typeof readEvent> => readEvent(Buffer.from(JSON.stringify(content)), { reader: READER, prices: PRICES, isOrderCertain: true })
  const session = (checkoutSession() as { id: string }).id
  const paid = await byHand(alone())
  assert.deepEqual([paid?.subscriptionId, paid?.organizationId, paid?.planId], [session, ORGANIZATION, 'team'])
  assert.deepEqual([paid?.subscription?.id, paid?.subscription?.status, paid?.subscription?.seats, paid?.subscription?.createdAt], [session, 'active', null, new Date(0)])
  assert.equal((await byHand(alone({ payment_status: 'unpaid' })))?.subscription?.status, 'incomplete')
  assert.equal((await byHand(alone({ metadata: {} })))?.subscriptionId, null)
  assert.equal((await byHand(event(type, checkoutSession())))?.subscriptionId, STATE.id)
  for (const mode of ['payment', 'setup']) assert.equal(await byHand(alone({ mode })), null)
})

test('what the object of a subscription does not say is unknown', async () => {
  const stated = async (changes: object) => (await read(event('customer.subscription.updated', { id: STATE.id, status: 'past_due', ...changes })))?.subscription
  const bare = await stated({})
  assert.deepEqual([bare?.seats, bare?.interval, bare?.planId, bare?.currentPeriodEnd, bare?.createdAt], [null, null, null, null, null])
  const priced = await stated({ items: { data: [{ price: { id: 'price_enterprise_year' } }] }, created: START })
  assert.deepEqual([priced?.seats, priced?.interval, priced?.planId, priced?.createdAt], [null, 'year', 'enterprise', date(START)])
  assert.equal((await stated({ items: { data: [{ quantity: 0 }] } }))?.seats, 1)
})

test('events of other kinds mean nothing', async () => {
  for (const type of ['customer.created', 'charge.succeeded', 'invoice.created', 'toString', '__proto__']) assert.equal(await read(event(type, { id: 'x' })), null)
})

test('a signed body that is no event, or has an object in no known form, is refused', async () => {
  const changed = 'customer.subscription.updated'
  const bodies: unknown[] = [
    null,
    [],
    'text',
    {},
    event(changed, subscription(), { id: '' }),
    event(changed, subscription(), { created: 'now' }),
    event(changed, subscription(), { created: 1e15 }),
    event(changed, subscription(), { data: { object: 'sub_1' } }),
    event(changed, subscription({ status: 'asleep' })),
    event(changed, subscription({ status: 'toString' })),
    event(changed, subscription({ id: 5 })),
    event(changed, subscription({ trial_end: 9e15 })),
    event(changed, subscription({ items: { data: [{ quantity: 'many' }] } })),
    event(changed, subscription({ items: { data: Array.from({ length: 101 }, () => ({})) } })),
    event('invoice.paid', invoice({ lines: 'none' })),
    event('checkout.session.completed', checkoutSession({ metadata: { plan_id: { $ne: null } } })),
  ]
  const refuses = (body: Buffer): Promise<void> =>
    assert.rejects(
      readEvent(body, { reader: READER, prices: PRICES, isOrderCertain: true }),
      (error) => error instanceof ApiError && error.reason === 'billing_event_malformed' && error.cause === undefined,
      body.toString().slice(0, 300),
    )
  for (const body of bodies) await refuses(Buffer.from(JSON.stringify(body)))
  await refuses(Buffer.from('{"id": "evt_1", "secret'))
  await refuses(Buffer.from([0xff, 0xfe]))
})
