/** Plans, subscriptions and reconciliations as callers see them. */
import type { Static } from 'typebox'
import type { Locale } from '../../core/i18n/locale.js'
import type { Plan } from '../../core/tenancy/plans.js'
import type { PlanSubscriptionDocument } from '../../core/tenancy/subscriptions.js'
import type { BillingPlanRecord, OrganizationSubscriptionRecord, ReconciliationRecord } from './schema.js'
import type { ReconciliationDocument } from './store.js'

export function presentPlan({ description, features, limits, metadata, created_at, updated_at, ...plan }: Plan, locale: Locale): Static<typeof BillingPlanRecord> {
  return {
    ...plan,
    description: description[locale],
    features: { ...features },
    limits: { ...limits },
    metadata: { ...metadata },
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

export function presentSubscription({
  _id,
  trial_ends_at,
  current_period_start,
  current_period_end,
  cancel_at,
  canceled_at,
  ends_at,
  created_at,
  updated_at,
  gateway_customer_id: _customer,
  revision: _revision,
  ...subscription
}: PlanSubscriptionDocument): Static<typeof OrganizationSubscriptionRecord> {
  return {
    id: _id,
    ...subscription,
    trial_ends_at: shown(trial_ends_at),
    current_period_start: shown(current_period_start),
    current_period_end: shown(current_period_end),
    cancel_at: shown(cancel_at),
    canceled_at: shown(canceled_at),
    ends_at: shown(ends_at ?? null),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

/** @param found null: no comparison was made yet */
export function presentReconciliation(found: ReconciliationDocument | null): Static<typeof ReconciliationRecord> {
  if (found === null) return { status: 'never', started_at: null, finished_at: null, checked: 0, mended: 0, unknown: 0 }
  const { status, started_at, finished_at, checked, mended, unknown } = found
  return { status, started_at: started_at.toISOString(), finished_at: shown(finished_at), checked, mended, unknown }
}

function shown(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
