/** Stored webhooks and their deliveries. Webhooks are the subscriptions of the outbox with all fields; deliveries are kept for 30 days. */
import type { OutboundFailure } from '../../core/egress/client.js'
import type { EventName } from '../../core/events/catalogue.js'
import { SUBSCRIPTIONS } from '../../core/events/outbox.js'
import { type TenantCollection, type TenantDocument, tenantCollection } from '../../core/storage/contract.js'

/** Why the service stopped sending to a webhook. */
export const DISABLED_REASONS = ['gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export interface WebhookDocument extends TenantDocument {
  readonly url: string
  readonly description: string
  readonly events: readonly EventName[]
  readonly is_active: boolean
  /** Null: the webhook is active, or a caller disabled it. */
  readonly disabled_reason: DisabledReason | null
  readonly disabled_at: Date | null
  /** Since when all attempts have failed; null: the last one succeeded. */
  readonly failing_since: Date | null
  /** Sealed. */
  readonly secret: string
  /** Sealed. Deliveries are signed with both secrets until this one expires. */
  readonly previous_secret: string | null
  readonly previous_secret_expires_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const WEBHOOKS: TenantCollection<WebhookDocument> = SUBSCRIPTIONS as TenantCollection<TenantDocument> as TenantCollection<WebhookDocument>

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Why a delivery ended without success. */
export const DELIVERY_REASONS = ['attempts_exhausted', 'gone', 'too_many_waiting', 'webhook_inactive'] as const
export type DeliveryReason = (typeof DELIVERY_REASONS)[number]

/** Why an attempt failed: no answer, an answer other than 2xx, or an unreadable secret. */
export type AttemptError = OutboundFailure | 'status_refused' | 'redirect_refused' | 'secret_unreadable'

export interface DeliveryAttempt {
  readonly at: Date
  readonly duration_ms: number
  /** Null: there was no answer. */
  readonly status_code: number | null
  /** Null: it was delivered. */
  readonly error: AttemptError | null
}

/** What a delivery is for. */
export type DeliveryTarget = 'webhook' | 'integration'

/** The delivery of an event to one receiver. */
export interface DeliveryDocument extends TenantDocument {
  /** Missing: a webhook. */
  readonly target?: DeliveryTarget
  /** The receiver: a webhook, or what `target` says. */
  readonly webhook_id: string
  /** The `webhook-id` of every attempt. */
  readonly event_id: string
  readonly event: EventName
  /** Body of the request, the same for every attempt. */
  readonly body: string
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** The latest attempts, the oldest first. */
  readonly attempts: readonly DeliveryAttempt[]
  readonly attempt_count: number
  /** Failed attempts since the delivery was created or redelivered. */
  readonly failures: number
  readonly next_attempt_at: Date | null
  readonly delivered_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

const HISTORY_SECONDS = 30 * 24 * 60 * 60

export const DELIVERIES = tenantCollection<DeliveryDocument>('webhook_deliveries', [
  { keys: { webhook_id: 1, created_at: -1, _id: -1 } },
  { keys: { webhook_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { webhook_id: 1, event: 1, created_at: -1, _id: -1 } },
  { keys: { webhook_id: 1, status: 1, event: 1, created_at: -1, _id: -1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: HISTORY_SECONDS },
])
