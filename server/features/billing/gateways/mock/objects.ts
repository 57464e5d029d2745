/** Builds Stripe's objects for the gateway `mock`: subscriptions, checkout sessions, invoices, and the events about them. */
import { PLAN_CODES, PLANS } from '../../../../core/tenancy/plans.js'
import type { BillingInterval } from '../gateway.js'
import { type PricedPlan, Prices } from '../prices.js'
import { STRIPE_API_VERSION } from '../version.js'
import type { MockCheckout } from './links.js'
import type { MockItem, MockSubscription } from './store.js'

const INTERVALS: readonly BillingInterval[] = ['month', 'year']
const DAY_SECONDS = 24 * 60 * 60

/** What can be bought: the plans with a public price. */
export const MOCK_PLANS: readonly PricedPlan[] = PLAN_CODES.map((code) => PLANS[code])
  .filter(({ is_public, monthly_price_cents }) => is_public && monthly_price_cents > 0)
  .flatMap(({ id: planId }) => INTERVALS.map((interval) => ({ planId, interval })))

export const MOCK_PRICES = new Prices(MOCK_PLANS.map((plan) => ({ ...plan, price: priceId(plan) })))

function priceId({ planId, interval }: PricedPlan): string {
  return `price_mock_${planId}_${interval}`
}

export function customerOf(organizationId: string): string {
  return `cus_mock_${organizationId.replaceAll('-', '')}`
}

/** A new subscription, incomplete until its first payment. @param now seconds since the epoch */
export function newSubscription(checkout: MockCheckout, now: number): MockSubscription {
  const { sessionId, customerId, organizationId, planId, interval, seats, trialDays } = checkout
  const trialEnd = trialDays === 0 ? null : now + trialDays * DAY_SECONDS
  return {
    // One for each session, so that a session can't be paid twice.
    id: sessionId.replace(/^cs_/, 'sub_'),
    object: 'subscription',
    customer: customerId,
    status: trialEnd === null ? 'incomplete' : 'trialing',
    metadata: { organization_id: organizationId, plan_id: planId },
    items: { object: 'list', data: [itemOf({ planId, interval }, seats, now, trialEnd ?? endOf(now, interval))] },
    trial_end: trialEnd,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    created: now,
  }
}

export function itemOf(plan: PricedPlan, quantity: number, start: number, end: number): MockItem {
  return {
    object: 'subscription_item',
    quantity,
    price: { id: priceId(plan), object: 'price', recurring: { interval: plan.interval } },
    current_period_start: start,
    current_period_end: end,
  }
}

/** The end of a period: the same day of the next month or year, or its last day. */
export function endOf(start: number, interval: BillingInterval): number {
  const date = new Date(start * 1000)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + (interval === 'month' ? 1 : 12))
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return Math.floor(date.getTime() / 1000)
}

export function completedSession({ sessionId, customerId, organizationId, planId, trialDays }: MockCheckout, subscription: MockSubscription): object {
  return {
    id: sessionId,
    object: 'checkout.session',
    mode: 'subscription',
    status: 'complete',
    payment_status: trialDays === 0 ? 'paid' : 'no_payment_required',
    customer: customerId,
    subscription: subscription.id,
    client_reference_id: organizationId,
    metadata: { organization_id: organizationId, plan_id: planId },
  }
}

/** @param id of the invoice */
export function invoiceOf(id: string, { id: subscription, customer, metadata, items }: MockSubscription, isPaid: boolean): object {
  const [{ price, quantity, current_period_start: start, current_period_end: end }] = items.data
  return {
    id,
    object: 'invoice',
    status: isPaid ? 'paid' : 'open',
    customer,
    parent: { type: 'subscription_details', subscription_details: { subscription, metadata } },
    lines: {
      object: 'list',
      has_more: false,
      data: [{ object: 'line_item', quantity, period: { start, end }, pricing: { type: 'price_details', price_details: { price: price.id } } }],
    },
  }
}

/** The body of an event. @param created seconds since the epoch */
export function eventOf(id: string, type: string, object: object, created: number): string {
  return JSON.stringify({ id, object: 'event', api_version: STRIPE_API_VERSION, created, type, livemode: false, pending_webhooks: 1, data: { object } })
}
