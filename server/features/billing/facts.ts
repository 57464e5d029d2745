/**
 * What the gateway has said about one subscription. Events arrive in any order, twice and late, so each statement is kept with its time, and the newest one of
 * each kind counts. Invariants:
 *  1. the same events give the same facts in any order of their arrival. Events of the same time count in the order of their arrival
 *  2. a statement that an event does not make leaves the older one: an invoice says nothing of seats
 *  3. a state that was fetched from the gateway is newer than every event received before
 */
import type { BillingInterval, GatewayEvent, GatewaySubscription } from './gateways/gateway.js'
import type { SubscriptionStatus } from '../../core/tenancy/subscriptions.js'

/** The time of a statement. `order` decides between statements of the same time: the gateway's clock has whole seconds. */
export interface Stamp {
  readonly at: Date
  readonly order: number
}

interface Statement<T> extends Stamp {
  readonly value: T
}

export interface Period {
  readonly start: Date | null
  readonly end: Date | null
}

export interface Schedule {
  readonly trialEndsAt: Date | null
  readonly cancelAt: Date | null
  readonly canceledAt: Date | null
}

export interface Facts {
  /** Number of statements until now. */
  readonly order: number
  /** When the subscription was created. Until the gateway has said so, the time of the oldest event. */
  readonly createdAt: Date
  readonly isCreationKnown: boolean
  readonly customerId: string | null
  /** The newest status that an event or the gateway has named. */
  readonly status: Statement<SubscriptionStatus> | null
  /** The newest payment, or status that needs none to be due. */
  readonly paid: Stamp | null
  /** Failed payments after the newest payment, oldest first. */
  readonly failures: readonly Stamp[]
  readonly planId: Statement<string> | null
  readonly interval: Statement<BillingInterval> | null
  readonly seats: Statement<number> | null
  readonly period: Statement<Period> | null
  readonly schedule: Statement<Schedule> | null
}

/** Failed payments that are kept. A gateway retries an invoice about ten times. The oldest decide when the grace ends, the newest which status follows. */
const FAILURES_LIMIT = 32

/** Adds what an event says. */
export function recordEvent(before: Facts | null, event: GatewayEvent): Facts {
  const facts = before ?? emptyFacts(event.createdAt)
  const stamp: Stamp = { at: event.createdAt, order: facts.order + 1 }
  const known = withCreation({ ...facts, order: stamp.order, customerId: event.customerId ?? facts.customerId }, event.createdAt, false)
  if (event.subscription !== null) return withState(known, event.subscription, stamp)
  const { planId, interval, seats, period } = event
  const told: Facts = {
    ...known,
    planId: newer(known.planId, planId, stamp),
    interval: newer(known.interval, interval, stamp),
    seats: newer(known.seats, seats, stamp),
    // The period of an unpaid invoice has begun as well; how long the organization may use it is `state.ts`.
    period: newer(known.period, period, stamp),
  }
  if (event.kind === 'invoice_failed') return withFailure(told, stamp)
  if (event.isPaid) return withPayment(told, stamp)
  // A checkout that is finished and unpaid begins a subscription, and says nothing of one that has begun.
  return event.kind === 'checkout_completed' && told.status === null ? { ...told, status: { value: 'incomplete', ...beginning(stamp) } } : told
}

/** Replaces the facts by the state that was fetched from the gateway. @param now of this instance */
export function recordState(before: Facts | null, subscription: GatewaySubscription, now: Date): Facts {
  const facts = before ?? emptyFacts(now)
  const at = new Date(Math.max(now.getTime(), ...stampsOf(facts).map((stamp) => stamp.at.getTime())))
  const stamp = { at, order: facts.order + 1 }
  return withState({ ...facts, order: stamp.order }, subscription, stamp)
}

function withState(facts: Facts, subscription: GatewaySubscription, stamp: Stamp): Facts {
  const { status, planId, interval, seats, currentPeriodStart: start, currentPeriodEnd: end, trialEndsAt, cancelAt, canceledAt } = subscription
  const stated: Facts = {
    ...facts,
    customerId: subscription.customerId === '' ? facts.customerId : subscription.customerId,
    status: newer(facts.status, status, stamp),
    planId: newer(facts.planId, planId, stamp),
    interval: newer(facts.interval, interval, stamp),
    seats: newer(facts.seats, seats, stamp),
    period: newer(facts.period, start === null && end === null ? null : { start, end }, stamp),
    schedule: newer(facts.schedule, { trialEndsAt, cancelAt, canceledAt }, stamp),
  }
  const told = subscription.createdAt === null ? stated : withCreation(stated, subscription.createdAt, true)
  if (status === 'active' || status === 'trialing') return withPayment(told, stamp)
  return status === 'past_due' || status === 'unpaid' ? withFailure(told, stamp) : told
}

function withPayment(facts: Facts, stamp: Stamp): Facts {
  const paid = facts.paid === null || isAfter(stamp, facts.paid) ? stamp : facts.paid
  return { ...facts, paid, failures: facts.failures.filter((failure) => isAfter(failure, paid)) }
}

function withFailure(facts: Facts, stamp: Stamp): Facts {
  if (facts.paid !== null && !isAfter(stamp, facts.paid)) return facts
  const failures = [...facts.failures, stamp].sort((a, b) => (isAfter(a, b) ? 1 : -1))
  return { ...facts, failures: failures.length <= FAILURES_LIMIT ? failures : [...failures.slice(0, FAILURES_LIMIT - 1), failures[failures.length - 1]] }
}

function withCreation(facts: Facts, createdAt: Date, isKnown: boolean): Facts {
  if (facts.isCreationKnown) return facts
  if (isKnown) return { ...facts, createdAt, isCreationKnown: true }
  return createdAt < facts.createdAt ? { ...facts, createdAt } : facts
}

/** The older statement stays if the newer one says nothing. */
function newer<T>(before: Statement<T> | null, value: T | null, stamp: Stamp): Statement<T> | null {
  if (value === null) return before
  return before === null || isAfter(stamp, before) ? { value, at: stamp.at, order: stamp.order } : before
}

export function isAfter(a: Stamp, b: Stamp): boolean {
  return a.at.getTime() === b.at.getTime() ? a.order > b.order : a.at > b.at
}

/** Every other statement is after this one, so that any status replaces it, whenever it arrives. */
function beginning({ order }: Stamp): Stamp {
  return { at: new Date(0), order }
}

function stampsOf({ status, paid, failures, planId, interval, seats, period, schedule }: Facts): readonly Stamp[] {
  return [status, paid, ...failures, planId, interval, seats, period, schedule].filter((stamp) => stamp !== null)
}

function emptyFacts(createdAt: Date): Facts {
  return {
    order: 0,
    createdAt,
    isCreationKnown: false,
    customerId: null,
    status: null,
    paid: null,
    failures: [],
    planId: null,
    interval: null,
    seats: null,
    period: null,
    schedule: null,
  }
}
