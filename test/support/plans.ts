/** Subscriptions for organizations under test, as billing will store them. */
import type { Storage } from '../../server/core/storage/contract.js'
import { planById } from '../../server/core/tenancy/plans.js'
import type { Unbound } from '../../server/core/tenancy/scope.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS, type PlanSubscriptionDocument, type SubscriptionStatus } from '../../server/core/tenancy/subscriptions.js'

/** With it organizations are billed, and begin on the plan `free`. */
export const BILLED = { NATIVE_SERVICE_BILLING_GATEWAY: 'mock' }

export function subscriptionOf({ organizationId }: { readonly organizationId: string }, plan: string, status: SubscriptionStatus = 'active'): Unbound<PlanSubscriptionDocument> {
  const now = new Date()
  return {
    _id: organizationId,
    plan_id: plan,
    status,
    billing_interval: 'month',
    seat_count: planById(plan)?.maximum_seats ?? 1,
    gateway_provider: 'mock',
    gateway_subscription_id: null,
    trial_ends_at: null,
    current_period_start: now,
    current_period_end: null,
    cancel_at: null,
    canceled_at: null,
    created_at: now,
    updated_at: now,
    revision: 1,
  }
}

/** Puts an organization without a subscription on a plan; instances see it within a second. */
export async function subscribe(storage: Storage, organizationId: string, plan: string): Promise<void> {
  const scope = new Tenancy(storage).of(organizationId)
  await scope.collection(PLAN_SUBSCRIPTIONS).insert(subscriptionOf(scope, plan))
}
