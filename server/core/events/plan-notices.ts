/** Notices to the admins of an organization about its subscription. They have no data about the payer's bank, card and invoices, which only the gateway has. */
import type { Notice } from './notices.js'
import { PLANS, planById } from '../tenancy/plans.js'
import type { PlanSubscriptionDocument } from '../tenancy/subscriptions.js'

/** How long before its end the end of a trial is announced: the same time as at Stripe. */
const TRIAL_NOTICE_MS = 3 * 24 * 60 * 60 * 1000

/** The notice of a plan that has ended. @param organizationId of the page that the notice links to */
export function planEnded(organizationId: string, former: string, plan: string): Notice {
  return { kind: 'billing.plan_ended', params: { former: nameOf(former), plan: nameOf(plan) }, ...toAdmins(organizationId) }
}

/** The notice of a failed payment that has begun a grace; null: none has begun. */
export function paymentFailed(before: PlanSubscriptionDocument | null, { _id, plan_id, status, ends_at = null }: PlanSubscriptionDocument): Notice | null {
  if (status !== 'past_due' || before?.status === 'past_due' || ends_at === null) return null
  return { kind: 'billing.payment_failed', params: { plan: nameOf(plan_id), until: dayOf(ends_at) }, ...toAdmins(_id) }
}

/** When the end of a trial is announced; null: there is no trial, or nothing will be charged. */
export function trialNoticeAt({ status, trial_ends_at, cancel_at }: PlanSubscriptionDocument): Date | null {
  return status === 'trialing' && trial_ends_at !== null && cancel_at === null ? new Date(trial_ends_at.getTime() - TRIAL_NOTICE_MS) : null
}

/** @param trialEndsAt of a subscription in its trial */
export function trialEnding({ _id, plan_id }: PlanSubscriptionDocument, trialEndsAt: Date): Notice {
  return { kind: 'billing.trial_ending', params: { plan: nameOf(plan_id), until: dayOf(trialEndsAt) }, ...toAdmins(_id) }
}

function toAdmins(organizationId: string) {
  return { recipients: { role: 'org_admin' }, link: `/platform/organizations/${organizationId}/billing` } as const
}

function nameOf(planId: string): string {
  return (planById(planId) ?? PLANS.free).name
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
