/**
 * The plan of an organization. Invariants:
 *  1. without billing every organization is on `self_hosted`, without a query
 *  2. with billing an organization is on the plan that a platform admin set, else on that of its subscription while that is in force, else on `free`; a new
 *     organization has no stored subscription
 *  3. members are also limited by the seats that were bought, on plans that are sold by seat
 *  4. the clock ends a subscription (`ends_at`), not a job
 *  5. a change takes effect on this instance at once, on other instances within a second (`organization-cache.ts`)
 */
import type { Config } from '../config.js'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import { OrganizationCache } from './organization-cache.js'
import { isGranted, PLAN_GRANTS, type PlanGrantDocument, planInForce } from './plan-grants.js'
import { type Plan, PLANS } from './plans.js'
import type { Scope } from './scope.js'

export const SUBSCRIPTION_STATUSES = ['trialing', 'active', 'past_due', 'canceled', 'incomplete', 'incomplete_expired', 'unpaid'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** An organization's subscription (OrganizationSubscriptionRecord). Its id is the organization's, so two can't be created at once. */
export interface PlanSubscriptionDocument extends TenantDocument {
  readonly plan_id: string
  readonly status: SubscriptionStatus
  readonly billing_interval: 'month' | 'year'
  readonly seat_count: number
  readonly gateway_provider: string
  readonly gateway_subscription_id: string | null
  /** The customer at the gateway; missing or null: the organization has begun no checkout. */
  readonly gateway_customer_id?: string | null
  /** Until when the plan applies unless the gateway says more; null or missing: while the status is in force. */
  readonly ends_at?: Date | null
  readonly trial_ends_at: Date | null
  readonly current_period_start: Date | null
  readonly current_period_end: Date | null
  readonly cancel_at: Date | null
  readonly canceled_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const PLAN_SUBSCRIPTIONS = tenantCollection<PlanSubscriptionDocument>('plan_subscriptions', [])

export class Subscriptions {
  readonly #isBilled: boolean
  readonly #plans: OrganizationCache<Plan>

  /** @param clock milliseconds since the epoch */
  constructor(gateway: Config['billingGateway'], clock: () => number = Date.now) {
    this.#isBilled = gateway !== 'disabled'
    this.#plans = new OrganizationCache((scope) => read(scope, clock))
  }

  /** The plan of the organization, synchronously when cached, because every request needs it. */
  planOf(scope: Scope): Plan | Promise<Plan> {
    return this.#isBilled ? this.#plans.get(scope) : PLANS.self_hosted
  }

  /** Called after this instance has changed a subscription. */
  forget(organizationId: string): void {
    this.#plans.forget(organizationId)
  }
}

async function read(scope: Scope, clock: () => number): Promise<Plan> {
  const own = { _id: scope.organizationId }
  const [grant, subscription] = await Promise.all([scope.collection(PLAN_GRANTS).findOne(own), scope.collection(PLAN_SUBSCRIPTIONS).findOne(own)])
  return withSeats(planInForce(grant, subscription, clock()), grant, subscription, clock())
}

/** The plan with its limit of members as bought. A plan that a platform admin set has the limit of the plan. */
export function withSeats(plan: Plan, grant: Pick<PlanGrantDocument, 'expires_at'> | null, subscription: Pick<PlanSubscriptionDocument, 'seat_count'> | null, now: number): Plan {
  if (subscription === null || !isSoldBySeat(plan) || (grant !== null && isGranted(grant, now))) return plan
  const members = Math.min(plan.limits.members ?? Number.POSITIVE_INFINITY, subscription.seat_count)
  return { ...plan, limits: { ...plan.limits, members } }
}

/** Whether seats of the plan are bought. */
export function isSoldBySeat({ monthly_price_cents, contact_sales }: Pick<Plan, 'monthly_price_cents' | 'contact_sales'>): boolean {
  return monthly_price_cents > 0 || contact_sales
}
