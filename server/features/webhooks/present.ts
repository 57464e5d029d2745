/** Webhooks and deliveries as the API and the audit trail show them. */
import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import type { AuditResource } from '../../core/audit/service.js'
import type { WebhookDeliveryDetail, WebhookDeliveryRecord, WebhookRecord } from './schema.js'
import type { DeliveryDocument, WebhookDocument } from './store.js'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

export function presentWebhook(webhook: WebhookDocument): Static<typeof WebhookRecord> {
  return {
    id: webhook._id,
    organization_id: webhook.organization_id,
    url: webhook.url,
    description: webhook.description,
    events: [...webhook.events],
    is_active: webhook.is_active,
    disabled_reason: webhook.disabled_reason,
    disabled_at: iso(webhook.disabled_at),
    failing_since: iso(webhook.failing_since),
    previous_secret_expires_at: iso(webhook.previous_secret_expires_at),
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  }
}

export function presentDelivery(delivery: Omit<DeliveryDocument, 'organization_id'>): Static<typeof WebhookDeliveryRecord> {
  return {
    id: delivery._id,
    webhook_id: delivery.webhook_id,
    event_id: delivery.event_id,
    event: delivery.event,
    status: delivery.status,
    reason: delivery.reason,
    attempts: delivery.attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
    attempt_count: delivery.attempt_count,
    next_attempt_at: iso(delivery.next_attempt_at),
    delivered_at: iso(delivery.delivered_at),
    created_at: delivery.created_at.toISOString(),
    updated_at: delivery.updated_at.toISOString(),
  }
}

export function presentDeliveryDetail(delivery: Omit<DeliveryDocument, 'organization_id'>): Static<typeof WebhookDeliveryDetail> {
  return { ...presentDelivery(delivery), payload: JSON.parse(delivery.body) as Static<typeof WebhookDeliveryDetail>['payload'] }
}

/** Returns the host of a webhook's URL, which is not secret. The rest is for users who may manage webhooks. */
export function hostOf(url: string): string {
  return new URL(url).host
}

/** Returns a URL for the audit trail. Path and query may contain a token, so they are replaced by a hash. */
export function auditedUrl(url: string): string {
  return `${new URL(url).origin}/… (${createHash('sha256').update(url).digest('hex').slice(0, 8)})`
}

export function resourceOf({ _id, url }: Pick<WebhookDocument, '_id' | 'url'>): AuditResource {
  return { type: 'webhook', id: _id, name: hostOf(url) }
}
