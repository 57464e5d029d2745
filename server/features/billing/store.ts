/** What is stored about subscriptions at the gateway, beside the subscription of the organization (`tenancy/subscriptions.ts`). */
import { platformCollection, type StoredDocument, type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { Facts } from './facts.js'

/**
 * A subscription at the gateway. Its id is the gateway's. An organization has several when it has bought again, and events of each go on arriving. The id is
 * a locator: only events whose signature was verified name it.
 */
export interface GatewaySubscriptionDocument extends TenantDocument {
  readonly provider: string
  readonly facts: Facts
  /** When the subscription was created, for the order in which they are read. */
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const GATEWAY_SUBSCRIPTIONS = tenantCollection<GatewaySubscriptionDocument>('gateway_subscriptions', [{ keys: { created_at: -1, _id: -1 } }], ['_id'])

/** Subscriptions of an organization that are read. One that has bought more often has long ended the older ones. */
export const SUBSCRIPTIONS_READ = 50

/** An event of the gateway that has had its effect. Its id is that of the gateway and of the event. */
export interface BillingEventDocument extends StoredDocument {
  readonly type: string
  readonly received_at: Date
}

/** Stripe resends events for up to 30 days. Later the facts are what makes a repeated event harmless. */
const KEPT_SECONDS = 45 * 24 * 60 * 60

export const BILLING_EVENTS = platformCollection<BillingEventDocument>('gateway_events', [{ keys: { received_at: 1 }, expireAfterSeconds: KEPT_SECONDS }])

/** The comparison of all subscriptions with the gateway, of which there is one. */
export interface ReconciliationDocument extends StoredDocument {
  readonly status: 'running' | 'finished'
  readonly started_at: Date
  readonly finished_at: Date | null
  /** Where the gateway's list continues; null: at its beginning. */
  readonly next: string | null
  readonly checked: number
  readonly mended: number
  readonly unknown: number
  readonly revision: number
}

export const RECONCILIATIONS = platformCollection<ReconciliationDocument>('gateway_reconciliations', [])

/** The id of the only document. */
export const RECONCILIATION = 'latest'
