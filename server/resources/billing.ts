/** Mounts billing: the routes, jobs and collections of plans and subscriptions. `index.ts` mounts the other resources beside it. */
import type { Route } from '../core/http/route.js'
import type { JobKind } from '../core/jobs/runner.js'
import type { CollectionDefinition } from '../core/storage/contract.js'
import { cancelJob, endJob, trialNoticeJob } from '../features/billing/jobs.js'
import { RECONCILE, Reconciliation } from '../features/billing/reconcile.js'
import { billingRoutes } from '../features/billing/routes.js'
import { BillingService } from '../features/billing/service.js'
import { BILLING_EVENTS, GATEWAY_SUBSCRIPTIONS, RECONCILIATIONS } from '../features/billing/store.js'
import { SubscriptionUpdates } from '../features/billing/updates.js'
import { BillingWebhook } from '../features/billing/webhook.js'
import { scheduleDaily } from '../core/jobs/daily.js'
import { AUDIT_RETENTION, retentionJob } from '../core/audit/retention.js'
import type { ResourceParts } from './parts.js'
import { deleteRemains } from '../content/projects/clear.js'

export const BILLING_COLLECTIONS: readonly CollectionDefinition[] = [GATEWAY_SUBSCRIPTIONS, BILLING_EVENTS, RECONCILIATIONS]

export interface BillingResources {
  readonly routes: readonly Route[]
  readonly jobs: readonly JobKind[]
  close(): Promise<void>
}

export function createBillingResources(parts: ResourceParts): BillingResources {
  const { config, storage, identities, quotas, jobs, notices, address, log } = parts
  const shared = { storage, identities, quotas, jobs, notices, address, overLimit: parts.overLimit, gateway: parts.billing.gateway }
  const updates = new SubscriptionUpdates(shared)
  const reconciliation = new Reconciliation({ ...shared, updates })
  const webhook = new BillingWebhook({ ...shared, throttles: parts.throttles, updates, log })
  const { mock } = parts.billing
  const billing = new BillingService({ ...shared, successPath: config.billingSuccessPath, trialDays: config.billingTrialDays })
  const scheduling = schedule().catch((error: unknown) => log.warn({ err: error }, 'the daily jobs of billing could not be stored; the next start will retry'))
  return {
    routes: billingRoutes(billing, webhook, reconciliation),
    jobs: [
      endJob(updates),
      cancelJob(shared),
      trialNoticeJob(shared),
      reconciliation.job(),
      retentionJob({ ...shared, deleteRemains }),
      ...(mock === null ? [] : [mock.jobOf((body, signature) => webhook.receive('mock', { body, signature, requestId: null, address: null }))]),
    ],
    close: () => scheduling,
  }

  async function schedule(): Promise<void> {
    // Without billing every organization has the plan that keeps everything.
    if (config.billingGateway === 'disabled') return
    const now = new Date(identities.clock())
    for (const kind of [RECONCILE, AUDIT_RETENTION]) await scheduleDaily(storage, jobs, kind, now)
  }
}
