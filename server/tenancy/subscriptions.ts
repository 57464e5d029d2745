/**
 * The plan of an organization. Invariants:
 *  1. without billing every organization is on `self_hosted`, without a query
 *  2. with billing an organization is on the plan that a platform admin set, else on that of its subscription while that is in force, else on `free`; a new
 *     organization has no stored subscription
 *  3. a change takes effect on this instance at once, on other instances within a second (`organization-cache.ts`)
 */
import type { Config } from '../config.js'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import { OrganizationCache } from './organization-cache.js'
import { PLAN_GRANTS, planInForce } from './plan-grants.js'
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
  forget(scope: Scope): void {
    this.#plans.forget(scope)
  }
}

async function read(scope: Scope, clock: () => number): Promise<Plan> {
  const own = { _id: scope.organizationId }
  const [grant, subscription] = await Promise.all([scope.collection(PLAN_GRANTS).findOne(own), scope.collection(PLAN_SUBSCRIPTIONS).findOne(own)])
  return planInForce(grant, subscription, clock())
}
