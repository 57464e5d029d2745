/**
 * The states of a subscription (CONTRACT.md#states-of-a-subscription). A status that the gateway names replaces any older one. Payments that are
 * newer than that status move it by `MOVES`. Everything here is a pure function of the facts.
 */
import type { BillingInterval } from './gateways/gateway.js'
import { isInForce } from '../../core/tenancy/plan-grants.js'
import type { SubscriptionStatus } from '../../core/tenancy/subscriptions.js'
import { type Facts, isAfter } from './facts.js'

/** Null: the move is refused, and the status stays. */
type Move = SubscriptionStatus | null

/** Where a payment and a failed payment lead. `none`: the gateway has named no status yet. */
export const MOVES: Readonly<Record<SubscriptionStatus | 'none', { readonly paid: Move; readonly failed: Move }>> = {
  none: { paid: 'active', failed: 'incomplete' },
  /** Gateways begin a trial with a payment of zero, after which the trial continues; see `statusOf`. */
  trialing: { paid: 'active', failed: 'past_due' },
  active: { paid: 'active', failed: 'past_due' },
  past_due: { paid: 'active', failed: null },
  unpaid: { paid: 'active', failed: null },
  /** The first payment failed: the plan has never begun. */
  incomplete: { paid: 'active', failed: null },
  incomplete_expired: { paid: 'active', failed: null },
  /** The invoices of an ended subscription may go on failing. */
  canceled: { paid: 'active', failed: null },
}

/** How long the plan applies after the first failed payment. Gateways retry for up to two weeks. */
const GRACE_MS = 14 * 24 * 60 * 60 * 1000
/** How long a trial that has ended applies while the gateway charges: its events may be late. */
const TRIAL_SLACK_MS = 24 * 60 * 60 * 1000

export interface SubscriptionState {
  readonly status: SubscriptionStatus
  /** Null: nothing has named a plan of this service. */
  readonly planId: string | null
  readonly interval: BillingInterval
  readonly seats: number
  readonly trialEndsAt: Date | null
  readonly currentPeriodStart: Date | null
  readonly currentPeriodEnd: Date | null
  readonly cancelAt: Date | null
  readonly canceledAt: Date | null
  readonly createdAt: Date
  /** Until when the plan applies if the gateway says nothing more. Null: while the status is in force. */
  readonly endsAt: Date | null
}

export function stateOf(facts: Facts): SubscriptionState {
  const status = statusOf(facts)
  const { trialEndsAt = null, cancelAt = null, canceledAt = null } = facts.schedule?.value ?? {}
  // A payment after the end has revived it.
  const isRevived = status !== 'canceled' && (facts.status?.value === 'canceled' || (cancelAt !== null && facts.paid !== null && cancelAt <= facts.paid.at))
  const state = {
    status,
    planId: facts.planId?.value ?? null,
    interval: facts.interval?.value ?? ('month' as const),
    seats: facts.seats?.value ?? 1,
    trialEndsAt,
    currentPeriodStart: facts.period?.value.start ?? null,
    currentPeriodEnd: facts.period?.value.end ?? null,
    cancelAt: isRevived ? null : cancelAt,
    canceledAt: isRevived ? null : canceledAt,
    createdAt: facts.createdAt,
  }
  return { ...state, endsAt: endOf(state, facts) }
}

function statusOf({ status: base, paid, failures, schedule }: Facts): SubscriptionStatus {
  const failed = failures.at(-1) ?? null
  let status: SubscriptionStatus | 'none' = base?.value ?? 'none'
  if (paid !== null && (base === null || isAfter(paid, base))) {
    const trialEndsAt = schedule?.value.trialEndsAt ?? null
    status = trialEndsAt !== null && trialEndsAt > paid.at ? 'trialing' : (MOVES[status].paid ?? status)
  }
  // Kept failures are newer than the payment.
  if (failed !== null && (base === null || isAfter(failed, base))) status = MOVES[status].failed ?? status
  return status === 'none' ? 'incomplete' : status
}

function endOf({ status, trialEndsAt, currentPeriodEnd, cancelAt }: Omit<SubscriptionState, 'endsAt'>, { failures }: Facts): Date | null {
  switch (status) {
    case 'active':
      return cancelAt
    case 'trialing':
      return earliest(cancelAt, trialEndsAt === null ? null : after(trialEndsAt, TRIAL_SLACK_MS))
    case 'past_due':
      return earliest(cancelAt, failures.length === 0 ? null : after(failures[0].at, GRACE_MS))
    case 'canceled':
      // What was paid for is kept until its end.
      return failures.length === 0 ? currentPeriodEnd : null
    default:
      return null
  }
}

/** A subscription of an organization at the gateway. */
export interface Candidate {
  readonly id: string
  readonly state: SubscriptionState
}

/**
 * The subscription that decides the plan of an organization which has had several: the newest one in force, else the newest. A subscription that replaces
 * another one is newer, so that late events of the replaced one change nothing. A checkout stands for a subscription only while none is named: nothing ends it.
 * @param now milliseconds since the epoch
 */
export function currentOf<C extends Candidate>(candidates: readonly C[], now: number): C | null {
  const rank = ({ state }: C): number => (appliesAt(state, now) ? (state.status === 'canceled' ? 1 : 2) : 0)
  const named = candidates.filter(({ state }) => !isStandIn(state))
  const sorted = [...(named.length > 0 ? named : candidates)].sort(
    (a, b) => rank(b) - rank(a) || b.state.createdAt.getTime() - a.state.createdAt.getTime() || (a.id < b.id ? 1 : -1),
  )
  return sorted[0] ?? null
}

/** Whether a checkout stands for the subscription (`gateways/events.ts`). */
function isStandIn({ createdAt }: SubscriptionState): boolean {
  return createdAt.getTime() === 0
}

/** Statuses of a subscription that continues. */
const RENEWED: ReadonlySet<SubscriptionStatus> = new Set(['trialing', 'active', 'past_due'])
/** Statuses in which the gateway continues charging. */
const CHARGED: ReadonlySet<SubscriptionStatus> = new Set(['trialing', 'active', 'past_due', 'unpaid'])

/** Those that the current one replaces and that the gateway continues charging: the organization would pay twice. */
export function replacedBy<C extends Candidate>(current: C, candidates: readonly C[]): readonly C[] {
  if (!RENEWED.has(current.state.status)) return []
  return candidates.filter(({ id, state }) => id !== current.id && CHARGED.has(state.status) && !isStandIn(state) && state.createdAt <= current.state.createdAt)
}

/** Whether the plan of the subscription applies. @param now milliseconds since the epoch */
export function appliesAt({ status, endsAt }: Pick<SubscriptionState, 'status' | 'endsAt'>, now: number): boolean {
  return isInForce({ status, ends_at: endsAt }, now)
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms)
}

function earliest(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
