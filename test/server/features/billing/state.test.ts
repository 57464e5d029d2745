/** The states of a subscription: the table of moves, and that the order in which events arrive changes nothing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { GatewayEvent, GatewaySubscription } from '../../../../server/features/billing/gateways/gateway.js'
import { type Facts, recordEvent, recordState } from '../../../../server/features/billing/facts.js'
import { appliesAt, currentOf, MOVES, replacedBy, stateOf } from '../../../../server/features/billing/state.js'
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '../../../../server/core/tenancy/subscriptions.js'

const DAY = 24 * 60 * 60 * 1000
const START = Date.UTC(2026, 0, 1)
const at = (day: number): Date => new Date(START + day * DAY)

function subscription(id: string, status: SubscriptionStatus, fields: Partial<GatewaySubscription> = {}): GatewaySubscription {
  return {
    id,
    customerId: 'cus_1',
    organizationId: 'organization',
    planId: 'team',
    status,
    interval: 'month',
    seats: 5,
    trialEndsAt: null,
    currentPeriodStart: at(0),
    currentPeriodEnd: at(31),
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    createdAt: at(0),
    ...fields,
  }
}

function event(kind: GatewayEvent['kind'], time: Date, fields: Partial<GatewayEvent> = {}): GatewayEvent {
  return {
    id: `evt_${kind}_${time.getTime()}_${fields.subscriptionId ?? 'sub_1'}`,
    type: kind,
    kind,
    createdAt: time,
    subscriptionId: 'sub_1',
    customerId: 'cus_1',
    organizationId: 'organization',
    planId: null,
    interval: null,
    seats: null,
    period: null,
    isPaid: kind === 'invoice_paid',
    subscription: null,
    isOrderCertain: true,
    ...fields,
  }
}

const changed = (time: Date, status: SubscriptionStatus, fields: Partial<GatewaySubscription> = {}): GatewayEvent =>
  event('subscription_changed', time, { subscriptionId: fields.id ?? 'sub_1', subscription: subscription(fields.id ?? 'sub_1', status, fields) })
const after = (...events: readonly GatewayEvent[]): Facts => events.reduce<Facts | null>(recordEvent, null)!
const statusAfter = (...events: readonly GatewayEvent[]): SubscriptionStatus => stateOf(after(...events)).status

describe('a subscription', () => {
  test('is moved by payments as the table says, and by nothing that is older', () => {
    const expected: Readonly<Record<SubscriptionStatus, readonly [SubscriptionStatus, SubscriptionStatus]>> = {
      trialing: ['active', 'past_due'],
      active: ['active', 'past_due'],
      past_due: ['active', 'past_due'],
      unpaid: ['active', 'unpaid'],
      incomplete: ['active', 'incomplete'],
      incomplete_expired: ['active', 'incomplete_expired'],
      canceled: ['active', 'canceled'],
    }
    for (const status of SUBSCRIPTION_STATUSES) {
      const [paid, failed] = expected[status]
      assert.equal(statusAfter(changed(at(2), status), event('invoice_paid', at(3))), paid, `${status} paid`)
      assert.equal(statusAfter(changed(at(2), status), event('invoice_failed', at(3))), failed, `${status} failed`)
      assert.equal(statusAfter(changed(at(2), status), event('invoice_paid', at(1))), status, `${status} paid before`)
      assert.equal(statusAfter(changed(at(2), status), event('invoice_failed', at(1))), status, `${status} failed before`)
      assert.deepEqual([MOVES[status].paid ?? status, MOVES[status].failed ?? status], [paid, failed])
      for (const next of SUBSCRIPTION_STATUSES) {
        assert.equal(statusAfter(changed(at(2), status), changed(at(3), next)), next, `${status} to ${next}`)
        assert.equal(statusAfter(changed(at(2), status), changed(at(1), next)), status, `an older ${next}`)
        assert.equal(statusAfter(changed(at(2), status), changed(at(2), next)), next, `${next} of the same second, which arrived later`)
      }
    }
  })

  test('begins with a checkout: incomplete until the payment, whichever of both arrives first', () => {
    const open = event('checkout_completed', at(1), { planId: 'team', interval: 'year', seats: 3 })
    const paid = event('invoice_paid', at(1), { period: { start: at(1), end: at(366) } })
    assert.equal(statusAfter(open), 'incomplete')
    for (const facts of [after(open, paid), after(paid, open)]) {
      const { status, planId, interval, seats, currentPeriodEnd } = stateOf(facts)
      assert.deepEqual([status, planId, interval, seats, currentPeriodEnd], ['active', 'team', 'year', 3, at(366)])
    }
    assert.equal(statusAfter({ ...open, isPaid: true }), 'active')
    assert.equal(statusAfter(event('invoice_failed', at(1)), open), 'incomplete')
    assert.equal(statusAfter(open, event('invoice_failed', at(2))), 'incomplete')
  })

  test('is in its trial after the payment of nothing with which gateways begin one', () => {
    const facts = after(changed(at(0), 'trialing', { trialEndsAt: at(14) }), event('invoice_paid', at(1)))
    assert.equal(stateOf(facts).status, 'trialing')
    assert.equal(stateOf(recordEvent(facts, event('invoice_paid', at(14)))).status, 'active')
  })

  test('keeps what an event does not say', () => {
    const { planId, seats, currentPeriodEnd } = stateOf(
      after(
        changed(at(1), 'active', { planId: null, currentPeriodStart: null, currentPeriodEnd: null }),
        changed(at(2), 'past_due', { planId: null, currentPeriodStart: null, currentPeriodEnd: null, seats: null, interval: null, createdAt: null }),
        event('checkout_completed', at(0), { planId: 'team', period: { start: at(0), end: at(31) }, seats: 9 }),
      ),
    )
    assert.deepEqual([planId, seats, currentPeriodEnd], ['team', 5, at(31)])
  })

  test('that was fetched is newer than every event before, even of a gateway whose clock is ahead', () => {
    const facts = recordState(after(changed(at(9), 'active')), subscription('sub_1', 'canceled'), at(5))
    assert.equal(stateOf(facts).status, 'canceled')
    assert.equal(stateOf(recordEvent(facts, changed(at(8), 'active'))).status, 'canceled')
  })
})

describe('the plan of a subscription', () => {
  const endOf = (...events: readonly GatewayEvent[]): Date | null => stateOf(after(...events)).endsAt

  test('applies while it is active, until its announced end', () => {
    const active = changed(at(0), 'active')
    assert.equal(endOf(active), null)
    assert.deepEqual(endOf(active, changed(at(1), 'active', { cancelAt: at(31) })), at(31))
    for (const day of [31, 32]) assert.equal(endOf(active, changed(at(1), 'active', { cancelAt: at(31) }), event('invoice_paid', at(day))), null)
    assert.deepEqual(endOf(active, changed(at(1), 'active', { cancelAt: at(31) }), event('invoice_paid', at(30))), at(31))
    assert.ok(appliesAt(stateOf(after(changed(at(1), 'active', { cancelAt: at(31) }))), at(31).getTime() - 1))
    assert.ok(!appliesAt(stateOf(after(changed(at(1), 'active', { cancelAt: at(31) }))), at(31).getTime()))
  })

  test('applies in a trial and a day longer, while the gateway charges', () => {
    assert.deepEqual(endOf(changed(at(0), 'trialing', { trialEndsAt: at(14) })), at(15))
  })

  test('applies for two weeks after the first failed payment, however often it is retried, and again after a payment', () => {
    const events = [changed(at(0), 'active'), event('invoice_failed', at(31)), changed(at(31), 'past_due'), event('invoice_failed', at(34)), event('invoice_failed', at(37))]
    assert.deepEqual(endOf(...events), at(45))
    assert.deepEqual(endOf(...events.toReversed()), at(45))
    assert.equal(endOf(...events, event('invoice_paid', at(38))), null)
    assert.deepEqual(endOf(...events, event('invoice_paid', at(38)), event('invoice_failed', at(62))), at(76))
  })

  test('applies after a cancellation until the end of the period that was paid, and not at all if it was not paid', () => {
    assert.deepEqual(endOf(changed(at(0), 'active'), changed(at(3), 'canceled')), at(31))
    assert.equal(endOf(changed(at(0), 'active'), event('invoice_failed', at(31)), changed(at(45), 'canceled', { currentPeriodEnd: at(62) })), null)
    const canceled = stateOf(after(changed(at(3), 'canceled')))
    assert.deepEqual([appliesAt(canceled, at(31).getTime() - 1), appliesAt(canceled, at(31).getTime())], [true, false])
    assert.equal(endOf(changed(at(3), 'canceled', { currentPeriodStart: null, currentPeriodEnd: null })), null)
    for (const status of ['unpaid', 'incomplete', 'incomplete_expired'] as const) assert.ok(!appliesAt(stateOf(after(changed(at(0), status))), at(1).getTime()), status)
  })
})

describe('of several subscriptions', () => {
  const candidate = (id: string, ...events: readonly GatewayEvent[]) => ({ id, state: stateOf(after(...events)) })
  const now = at(20).getTime()

  test('the newest in force decides, and the older ones are replaced', () => {
    const old = candidate('old', changed(at(0), 'active', { id: 'old', createdAt: at(0) }))
    const fresh = candidate('fresh', changed(at(5), 'active', { id: 'fresh', createdAt: at(5) }))
    assert.equal(currentOf([old, fresh], now)?.id, 'fresh')
    assert.equal(currentOf([fresh, old], now)?.id, 'fresh')
    assert.deepEqual(replacedBy(fresh, [old, fresh]), [old])
    assert.deepEqual(replacedBy(old, [old, fresh]), [])
  })

  test('one that goes on decides before a newer one that was canceled, whose period goes on', () => {
    const old = candidate('old', changed(at(0), 'active', { id: 'old', createdAt: at(0) }))
    const canceled = candidate('fresh', changed(at(5), 'canceled', { id: 'fresh', createdAt: at(5) }))
    assert.equal(currentOf([old, canceled], now)?.id, 'old')
    assert.deepEqual(replacedBy(old, [old, canceled]), [])
  })

  test('an unpaid one is replaced too, because it may be charged later; of the same second, the one with the greater id decides', () => {
    const unpaid = candidate('a', changed(at(0), 'unpaid', { id: 'a', createdAt: at(5) }))
    const twin = candidate('b', changed(at(0), 'active', { id: 'b', createdAt: at(5) }))
    const fresh = candidate('c', changed(at(5), 'active', { id: 'c', createdAt: at(5) }))
    assert.equal(currentOf([twin, fresh, unpaid], now)?.id, 'c')
    assert.deepEqual(replacedBy(fresh, [unpaid, twin, fresh]), [unpaid, twin])
    assert.deepEqual(replacedBy(unpaid, [unpaid, twin, fresh]), [])
  })

  test('a checkout that stands for one decides only while none is named, and is not canceled', () => {
    const checkout = candidate('cs', changed(at(1), 'active', { id: 'cs', createdAt: new Date(0) }))
    assert.equal(currentOf([checkout], now)?.id, 'cs')
    for (const status of SUBSCRIPTION_STATUSES) assert.equal(currentOf([checkout, candidate('sub', changed(at(1), status, { id: 'sub' }))], now)?.id, 'sub', status)
    assert.deepEqual(replacedBy(candidate('sub', changed(at(1), 'active', { id: 'sub' })), [checkout]), [])
  })

  test('one that is not paid yet replaces nothing', () => {
    const old = candidate('old', changed(at(0), 'active', { id: 'old', createdAt: at(0) }))
    const open = candidate('open', event('checkout_completed', at(5), { subscriptionId: 'open' }))
    assert.equal(currentOf([old, open], now)?.id, 'old')
    const canceled = candidate('old', changed(at(0), 'canceled', { id: 'old', createdAt: at(0) }))
    assert.equal(currentOf([canceled, open], now)?.id, 'old', 'the paid period goes on')
    assert.equal(currentOf([canceled, open], at(40).getTime())?.id, 'open')
  })
})

test('10,000 random orders, with repetitions and a lost beginning, end in the state of the true order', () => {
  const random = generator(20261123)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]
  for (let round = 0; round < 10_000; round++) {
    const history = randomHistory(random, pick)
    const now = START + Math.floor(random() * 120) * DAY
    const expected = outcome(history, now)
    assert.deepEqual(outcome(shuffled([...history, ...history.filter(() => random() < 0.3)], random), now), expected, `round ${round}`)
    // A complete state that is paid says everything that is needed of what was before.
    const complete = history.findLastIndex(({ subscription: sent }) => sent?.status === 'active')
    const ids = new Set(history.map(({ subscriptionId }) => subscriptionId))
    if (ids.size === 1 && complete > 0) assert.deepEqual(outcome(shuffled(history.slice(complete), random), now), expected, `round ${round}, without its beginning`)
    assert.equal(expected.status, naiveStatus(history, expected.id), `round ${round}, by a state machine that sees the true order`)
  }
})

/** What a service has in the end: facts of each subscription, of which one decides. Every event counts once. */
function outcome(events: readonly GatewayEvent[], now: number) {
  const facts = new Map<string, Facts>()
  const seen = new Set<string>()
  for (const one of events) {
    if (seen.has(one.id)) continue
    seen.add(one.id)
    facts.set(one.subscriptionId!, recordEvent(facts.get(one.subscriptionId!) ?? null, one))
  }
  const current = currentOf(
    [...facts].map(([id, known]) => ({ id, state: stateOf(known) })),
    now,
  )!
  return { id: current.id, ...current.state }
}

/** Applies the events one by one, in their true order. */
function naiveStatus(events: readonly GatewayEvent[], id: string): SubscriptionStatus {
  let status: SubscriptionStatus | null = null
  let trialEndsAt: Date | null = null
  // The end of a trial may be announced after the payment.
  for (const { subscriptionId, subscription: sent } of events) if (subscriptionId === id && sent !== null) ({ trialEndsAt } = sent)
  for (const { subscriptionId, kind, isPaid, subscription: sent, createdAt } of events) {
    if (subscriptionId !== id) continue
    if (sent !== null) ({ status } = sent)
    else if (isPaid) status = trialEndsAt !== null && trialEndsAt > createdAt ? 'trialing' : 'active'
    else if (kind === 'invoice_failed') status = status === 'active' || status === 'trialing' ? 'past_due' : (status ?? 'incomplete')
    else status ??= 'incomplete'
  }
  return status!
}

function randomHistory(random: () => number, pick: <T>(values: readonly T[]) => T): GatewayEvent[] {
  const events: GatewayEvent[] = []
  let minute = 0
  const subscriptions = random() < 0.4 ? ['sub_1', 'sub_2'] : ['sub_1']
  for (const [index, id] of subscriptions.entries()) {
    const createdAt = new Date(START + index * 40 * DAY)
    const length = 1 + Math.floor(random() * 12)
    for (let i = 0; i < length; i++) {
      const time = new Date(createdAt.getTime() + ++minute * 60_000 + Math.floor(random() * 3) * DAY * i)
      const fields = {
        id,
        createdAt,
        planId: pick(['team', 'team', 'free']),
        seats: 1 + Math.floor(random() * 9),
        trialEndsAt: pick([null, null, new Date(createdAt.getTime() + 14 * DAY)]),
        currentPeriodStart: time,
        currentPeriodEnd: new Date(time.getTime() + 30 * DAY),
        cancelAt: pick([null, null, new Date(time.getTime() + 30 * DAY)]),
      }
      const kind = pick(['subscription_changed', 'subscription_changed', 'invoice_paid', 'invoice_failed', 'checkout_completed'] as const)
      if (kind === 'subscription_changed') events.push({ ...changed(time, pick(SUBSCRIPTION_STATUSES), fields), id: `evt_${id}_${i}` })
      else events.push(event(kind, time, { id: `evt_${id}_${i}`, subscriptionId: id, isPaid: kind === 'invoice_paid', planId: kind === 'checkout_completed' ? 'team' : null }))
    }
  }
  return events.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).filter((one, i, all) => i === 0 || one.createdAt > all[i - 1].createdAt)
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const mixed = [...values]
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[other]] = [mixed[other], mixed[i]]
  }
  return mixed
}

/** Numbers from 0 to 1 that are the same in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
