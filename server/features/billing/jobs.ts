/** The jobs of billing: the end of a plan, the notice before the end of a trial, and the cancellation of a subscription that was replaced. */
import type { Identities } from '../../core/auth/identities.js'
import type { BillingGateway } from './gateways/gateway.js'
import type { Notices } from '../../core/events/notices.js'
import { dueBy, type JobQueue } from '../../core/jobs/queue.js'
import type { JobKind } from '../../core/jobs/runner.js'
import { PLAN_SUBSCRIPTIONS } from '../../core/tenancy/subscriptions.js'
import { type AuditContext, auditing } from '../../core/audit/service.js'
import { GATEWAY_SUBSCRIPTIONS } from './store.js'
import { trialEnding, trialNoticeAt } from '../../core/events/plan-notices.js'
import { SUBSCRIPTION_CANCEL, SUBSCRIPTION_END, type SubscriptionUpdates, TRIAL_NOTICE } from './updates.js'

/** Longer than a call to the gateway with its retries. */
const LEASE_MS = 60_000

/** The actor of changes that the service makes by itself. */
export const BY_SYSTEM: AuditContext = { actor: { kind: 'system', name: 'billing' }, requestId: null, address: null }

/** Lists the organization under the plan in force when the clock has ended its subscription. Limits follow the clock and do not wait for it. */
export function endJob(updates: Pick<SubscriptionUpdates, 'applyClock'>): JobKind {
  return {
    kind: SUBSCRIPTION_END,
    concurrency: 2,
    perOrganization: 1,
    leaseMs: LEASE_MS,
    async run(_job, scope) {
      const again = await updates.applyClock(scope, { action: 'subscription.plan_changed', context: BY_SYSTEM })
      return again === null ? 'done' : { again }
    },
  }
}

/** Tells the admins that a trial ends soon. No notice is sent for a trial that has ended, was canceled or now lasts longer. */
export function trialNoticeJob({
  notices,
  jobs,
  identities,
}: {
  readonly notices: Pick<Notices, 'notifying'>
  readonly jobs: Pick<JobQueue, 'finishing'>
  readonly identities: Identities
}): JobKind {
  return {
    kind: TRIAL_NOTICE,
    concurrency: 2,
    perOrganization: 1,
    leaseMs: LEASE_MS,
    async run(job, scope) {
      const subscription = await scope.collection(PLAN_SUBSCRIPTIONS).findOne({ _id: job.subject })
      const due = subscription === null ? null : trialNoticeAt(subscription)
      const now = new Date(identities.clock())
      const end = subscription?.trial_ends_at ?? null
      if (subscription === null || due === null || end === null || end <= now) return 'done'
      if (due > now) return { again: dueBy(due, now) }
      await scope.commit([...notices.notifying(scope, trialEnding(subscription, end)), jobs.finishing(job)])
      return 'settled'
    },
  }
}

/** Ends a replaced subscription at the gateway, which would charge the organization twice. */
export function cancelJob({ gateway, identities }: { readonly gateway: BillingGateway; readonly identities: Identities }): JobKind {
  return {
    kind: SUBSCRIPTION_CANCEL,
    concurrency: 2,
    perOrganization: 1,
    leaseMs: LEASE_MS,
    async run({ subject }, scope) {
      // The event of its end changes the facts.
      const found = await scope.collection(GATEWAY_SUBSCRIPTIONS).findOne({ _id: subject })
      if (found === null || found.provider !== gateway.provider) return 'done'
      await gateway.cancel(subject)
      const entry = { action: 'subscription.replaced', resource: { type: 'subscription', id: subject, name: found.facts.planId?.value ?? 'free' } } as const
      await scope.commit([auditing(scope, BY_SYSTEM, entry, new Date(identities.clock()))])
      return 'done'
    },
  }
}
