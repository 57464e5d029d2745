/**
 * What the portal of the gateway `mock` does with a subscription: a table of pure functions. Buttons that let time pass end the current period now, so that a
 * developer does not have to wait for a month.
 */
import type { BillingInterval } from '../gateway.js'
import { endOf, itemOf, MOCK_PRICES } from './objects.js'
import type { MockSubscription } from './store.js'

export const MOCK_ACTIONS = ['change', 'cancel_at_period_end', 'resume', 'cancel_now', 'next_period', 'fail_payment', 'retry_payment'] as const
export type MockAction = (typeof MOCK_ACTIONS)[number]

/** The new plan and seats, for `change`. */
export interface MockChange {
  readonly planId: string
  readonly interval: BillingInterval
  readonly seats: number
}

/** What an action does: the subscription afterwards, and the invoice that it causes. */
export interface MockEffect {
  readonly subscription: MockSubscription
  readonly invoice: 'paid' | 'failed' | null
}

type Act = (subscription: MockSubscription, now: number, change: MockChange | null) => MockEffect | null

const RUNNING: ReadonlySet<MockSubscription['status']> = new Set(['trialing', 'active', 'past_due'])

/** Null: the action does not apply to the subscription in its state. */
const ACTS: Readonly<Record<MockAction, Act>> = {
  change(subscription, now, change) {
    if (!isRunning(subscription) || change === null || MOCK_PRICES.priceOf(change.planId, change.interval) === null) return null
    const [{ current_period_start: start, current_period_end: end, price }] = subscription.items.data
    // Another interval starts a new period, as at Stripe. The metadata stays, as after a change in Stripe's portal.
    const isOtherInterval = price.recurring.interval !== change.interval && subscription.status !== 'trialing'
    const [from, to] = isOtherInterval ? [now, endOf(now, change.interval)] : [start, end]
    return { subscription: { ...subscription, items: { object: 'list', data: [itemOf(change, change.seats, from, to)] } }, invoice: isOtherInterval ? 'paid' : null }
  },
  cancel_at_period_end(subscription, now) {
    if (!isRunning(subscription) || subscription.cancel_at_period_end) return null
    const [{ current_period_end }] = subscription.items.data
    return { subscription: { ...subscription, cancel_at_period_end: true, cancel_at: current_period_end, canceled_at: now }, invoice: null }
  },
  resume(subscription) {
    if (!isRunning(subscription) || !subscription.cancel_at_period_end) return null
    return { subscription: { ...subscription, cancel_at_period_end: false, cancel_at: null, canceled_at: null }, invoice: null }
  },
  cancel_now: (subscription, now) => (isRunning(subscription) ? { subscription: ended(subscription, now), invoice: null } : null),
  next_period(subscription, now) {
    if (!isRunning(subscription)) return null
    if (subscription.cancel_at_period_end) return { subscription: ended(periodEnded(subscription, now), now), invoice: null }
    return { subscription: { ...renewed(subscription, now), status: 'active' }, invoice: 'paid' }
  },
  fail_payment(subscription, now) {
    if (!isRunning(subscription) || subscription.cancel_at_period_end) return null
    return { subscription: { ...renewed(subscription, now), status: 'past_due' }, invoice: 'failed' }
  },
  retry_payment: (subscription) => (subscription.status === 'past_due' ? { subscription: { ...subscription, status: 'active' }, invoice: 'paid' } : null),
}

/** @param now seconds since the epoch @param change required for `change` */
export function effectOf(action: MockAction, subscription: MockSubscription, now: number, change: MockChange | null): MockEffect | null {
  return ACTS[action](subscription, now, change)
}

export function isRunning({ status }: MockSubscription): boolean {
  return RUNNING.has(status)
}

function renewed(subscription: MockSubscription, now: number): MockSubscription {
  const [item] = subscription.items.data
  const next = { ...item, current_period_start: now, current_period_end: endOf(now, item.price.recurring.interval) }
  return { ...subscription, trial_end: subscription.trial_end === null ? null : Math.min(subscription.trial_end, now), items: { object: 'list', data: [next] } }
}

/** The paid time is over now. */
function periodEnded(subscription: MockSubscription, now: number): MockSubscription {
  const [item] = subscription.items.data
  const start = Math.min(item.current_period_start, now - 1)
  return { ...subscription, cancel_at: now, items: { object: 'list', data: [{ ...item, current_period_start: start, current_period_end: now }] } }
}

function ended(subscription: MockSubscription, now: number): MockSubscription {
  return { ...subscription, status: 'canceled', canceled_at: subscription.canceled_at ?? now, ended_at: now }
}
