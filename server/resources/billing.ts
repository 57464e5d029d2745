/** Mounts billing: the routes, jobs and collections of plans and subscriptions. `index.ts` mounts the other resources beside it. */
import type { Route } from '../http/route.js'
import type { JobKind } from '../jobs/runner.js'
import type { CollectionDefinition } from '../storage/contract.js'
import { cancelJob, endJob, trialNoticeJob } from './billing/jobs.js'
import { RECONCILE, Reconciliation } from './billing/reconcile.js'
import { billingRoutes } from './billing/routes.js'
import { BillingService } from './billing/service.js'
import { BILLING_EVENTS, GATEWAY_SUBSCRIPTIONS, RECONCILIATIONS } from './billing/store.js'
import { SubscriptionUpdates } from './billing/updates.js'
import { BillingWebhook } from './billing/webhook.js'
import { scheduleDaily } from '../jobs/daily.js'
import { AUDIT_RETENTION, retentionJob } from './audit/retention.js'
import type { ResourceParts } from './parts.js'
import { deleteRemains } from './projects/clear.js'

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
