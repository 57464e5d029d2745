/**
 * Plans that platform admins set by hand. Invariants:
 *  1. while a grant is in force, it wins over the subscription; a grant without an end is in force until it is removed
 *  2. the clock ends a grant, not a job: no job has to run for `planInForce` to be right. The job of `platform-organizations` only tidies up
 *  3. `OrganizationDocument.plan_id` is a copy for lists: each commit that changes a grant or a subscription writes `listedPlan` of the plan then in force
 */
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import { type Plan, type PlanCode, PLANS, planById } from './plans.js'
import type { PlanSubscriptionDocument, SubscriptionStatus } from './subscriptions.js'

/** Its id is the organization's, so two can't be created at once. */
export interface PlanGrantDocument extends TenantDocument {
  readonly plan_id: string
  /** Null: it has no end. */
  readonly expires_at: Date | null
  /** The platform admin who set it: id and e-mail at that time. */
  readonly set_by: string
  readonly set_by_name: string
  readonly set_at: Date
  readonly revision: number
}

export const PLAN_GRANTS = tenantCollection<PlanGrantDocument>('plan_grants', [])

/** Statuses in which the plan applies, until `ends_at`. After a failed payment (`past_due`) the gateway retries, and the plan applies for a grace. */
const IN_FORCE: ReadonlySet<SubscriptionStatus> = new Set(['trialing', 'active', 'past_due'])

/** Whether the grant has not ended. @param now milliseconds since the epoch */
export function isGranted({ expires_at }: Pick<PlanGrantDocument, 'expires_at'>, now: number): boolean {
  return expires_at === null || expires_at.getTime() > now
}

/** Whether the plan of a subscription applies. A canceled one applies until the end of the period that was paid. @param now milliseconds since the epoch */
export function isInForce({ status, ends_at = null }: Pick<PlanSubscriptionDocument, 'status' | 'ends_at'>, now: number): boolean {
  if (status === 'canceled') return ends_at !== null && ends_at.getTime() > now
  return IN_FORCE.has(status) && (ends_at === null || ends_at.getTime() > now)
}

/** The plan of an organization with billing. @param now milliseconds since the epoch */
export function planInForce(
  grant: Pick<PlanGrantDocument, 'plan_id' | 'expires_at'> | null,
  subscription: Pick<PlanSubscriptionDocument, 'plan_id' | 'status' | 'ends_at'> | null,
  now: number,
): Plan {
  if (grant !== null && isGranted(grant, now)) return planById(grant.plan_id) ?? PLANS.free
  if (subscription === null || !isInForce(subscription, now)) return PLANS.free
  return planById(subscription.plan_id) ?? PLANS.free
}

/** The value of `OrganizationDocument.plan_id`. An organization begins on `free`, without the field. */
export function listedPlan({ code }: Pick<Plan, 'code'>): PlanCode | null {
  return code === 'free' ? null : code
}
