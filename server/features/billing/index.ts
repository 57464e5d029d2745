/** Plans and subscriptions: the payment gateway, its events, and the daily jobs about them. */
import { AUDIT_RETENTION, retentionJob } from '../../core/audit/retention.js'
import { answerReader } from '../../core/egress/reader.js'
import { scheduleDaily } from '../../core/jobs/daily.js'
import type { Context, OpenWing, Wing } from '../../core/wing.js'
import { deleteRemains } from '../../content/projects/clear.js'
import type { BillingGateway } from './gateways/gateway.js'
import { type OpenBilling, openBilling } from './gateways/index.js'
import { MOCK_SUBSCRIPTIONS } from './gateways/mock/store.js'
import { cancelJob, endJob, trialNoticeJob } from './jobs.js'
import { mockBillingPages } from './mock-billing/page.js'
import { RECONCILE, Reconciliation } from './reconcile.js'
import { billingRoutes } from './routes.js'
import { BillingService } from './service.js'
import { BILLING_EVENTS, GATEWAY_SUBSCRIPTIONS, RECONCILIATIONS } from './store.js'
import { SubscriptionUpdates } from './updates.js'
import { BillingWebhook } from './webhook.js'

declare module '../../core/wing.js' {
  interface Provided {
    readonly billing?: BillingGateway
  }
}

export const billing: Wing = {
  collections: [MOCK_SUBSCRIPTIONS, GATEWAY_SUBSCRIPTIONS, BILLING_EVENTS, RECONCILIATIONS],
  async open(context): Promise<OpenWing> {
    const { config, storage, identities, throttles, quotas, overLimit, jobs, notices, address, log, clock } = context
    const { gateway, mock } = await gatewayOf(context)
    const shared = { storage, identities, quotas, jobs, notices, address, overLimit, gateway }
    const updates = new SubscriptionUpdates(shared)
    const reconciliation = new Reconciliation({ ...shared, updates })
    const webhook = new BillingWebhook({ ...shared, throttles, updates, log })
    const service = new BillingService({ ...shared, successPath: config.billingSuccessPath, trialDays: config.billingTrialDays })
    const scheduling = schedule(context).catch((error: unknown) => log.warn({ err: error }, 'the daily jobs of billing could not be stored; the next start will retry'))
    return {
      routes: billingRoutes(service, webhook, reconciliation),
      pages: mock === null ? [] : mockBillingPages(mock.billing, clock),
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
  },
}

async function gatewayOf({ config, http, pool, limits, storage, jobs, address, identities, provided, log, clock }: Context): Promise<OpenBilling> {
  if (provided.billing !== undefined) return { gateway: provided.billing, mock: null }
  return openBilling({ config, http, reader: answerReader(pool, limits, null), storage, jobs, address, mockKey: identities.secrets.billingMock, log, clock })
}

async function schedule({ config, storage, jobs, identities }: Context): Promise<void> {
  // Without billing every organization has the plan that keeps everything.
  if (config.billingGateway === 'disabled') return
  const now = new Date(identities.clock())
  for (const kind of [RECONCILE, AUDIT_RETENTION]) await scheduleDaily(storage, jobs, kind, now)
}
