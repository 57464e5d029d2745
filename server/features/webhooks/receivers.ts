/**
 * What events are delivered to. Webhooks are one kind of receiver; another resource adds its kind, which has the same deliveries, jobs, retries and pace.
 */
import type { EventName } from '../../core/events/catalogue.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AttemptParts, attemptDelivery, saysGone, type SentAttempt } from './attempt.js'
import type { ReceiverHealth } from './health.js'
import { type DeliveryAttempt, type DeliveryDocument, type DeliveryTarget, WEBHOOKS, type WebhookDocument } from './store.js'

/** One receiver, as it was when it was read. */
export interface Receiver {
  readonly isActive: boolean
  /** Makes one attempt. Failures of the receiver are results. @throws OutboundError `aborted` */
  attempt(delivery: Pick<DeliveryDocument, 'event_id' | 'body'>, signal: AbortSignal): Promise<SentAttempt>
  /** Whether the attempt shows that the receiver wants no more events. */
  isGone(attempt: DeliveryAttempt): boolean
  /** Record the result of an attempt. @param isLast the delivery has no attempt left */
  succeeded(): Promise<void>
  failed(isLast: boolean): Promise<void>
  gone(): Promise<void>
}

export interface ReceiverKind {
  readonly target: DeliveryTarget
  /** Returns the ids of the active receivers that select an event. */
  selecting(scope: Scope, event: EventName): Promise<readonly string[]>
  /** Null: it was deleted. */
  find(scope: Scope, id: string): Promise<Receiver | null>
}

/** The webhooks that select an event. */
export const selectWebhooks: Pick<ReceiverKind, 'target' | 'selecting'> = {
  target: 'webhook',
  async selecting(scope, event) {
    const webhooks = await scope.collection(WEBHOOKS).find({ is_active: true, events: { has: event } })
    return webhooks.map(({ _id }) => _id)
  },
}

export interface WebhookReceiverParts extends AttemptParts {
  readonly health: Pick<ReceiverHealth<WebhookDocument>, 'succeeded' | 'failed' | 'gone'>
}

export function webhookReceivers(parts: WebhookReceiverParts): ReceiverKind {
  const { health } = parts
  return {
    ...selectWebhooks,
    async find(scope, id) {
      const webhook = await scope.collection(WEBHOOKS).findOne({ _id: id })
      if (webhook === null) return null
      return {
        isActive: webhook.is_active,
        attempt: (delivery, signal) => attemptDelivery(parts, webhook, delivery, signal),
        isGone: saysGone,
        succeeded: () => health.succeeded(scope, webhook),
        failed: (isLast) => health.failed(scope, webhook, isLast),
        gone: () => health.gone(scope, webhook),
      }
    },
  }
}
