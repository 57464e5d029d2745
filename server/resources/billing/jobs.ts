/** The jobs of billing: the end of a plan, and the cancellation of a subscription that was replaced. */
import type { Identities } from '../../auth/identities.js'
import type { BillingGateway } from '../../gateways/billing/gateway.js'
import type { JobKind } from '../../jobs/runner.js'
import { type AuditContext, auditing } from '../audit/service.js'
import { GATEWAY_SUBSCRIPTIONS } from './store.js'
import { SUBSCRIPTION_CANCEL, SUBSCRIPTION_END, type SubscriptionUpdates } from './updates.js'

/** Longer than a call to the gateway with its retries. */
const LEASE_MS = 60_000

/** What the service does by itself. */
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
