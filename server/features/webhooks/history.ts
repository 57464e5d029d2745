/** Deliveries of a webhook for its owner: list, get, redeliver, test. */
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError, required } from '../../core/errors.js'
import type { JobQueue } from '../../core/jobs/queue.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../core/tenancy/page.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { auditContext, auditing } from '../../core/audit/service.js'
import { type AttemptParts, attemptDelivery, saysGone } from './attempt.js'
import { WEBHOOK_DELIVER, withAttempt } from './deliver.js'
import { bodyOf, newDelivery } from './dispatch.js'
import type { ReceiverHealth } from './health.js'
import { resourceOf } from './present.js'
import type { DeliveryListQuery } from './schema.js'
import type { WebhooksService } from './service.js'
import { DELIVERIES, type DeliveryDocument, type WebhookDocument } from './store.js'

const TEST_MESSAGE = 'This is a test. If you can read it, and its signature is right, the webhook works.'

export interface DeliveryHistoryParts extends AttemptParts {
  readonly webhooks: Pick<WebhooksService, 'get'>
  readonly jobs: JobQueue
  readonly health: Pick<ReceiverHealth<WebhookDocument>, 'succeeded' | 'gone'>
}

export class DeliveryHistory {
  readonly #parts: DeliveryHistoryParts

  constructor(parts: DeliveryHistoryParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing */
  async list(scope: Scope, webhookId: string, query: DeliveryListQuery): Promise<Page<DeliveryDocument>> {
    await this.#parts.webhooks.get(scope, webhookId)
    const { status, event } = query
    const filter = { webhook_id: webhookId, ...(status === undefined ? {} : { status }), ...(event === undefined ? {} : { event }) }
    const deliveries = scope.collection(DELIVERIES)
    return findPage(deliveries, filter, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, webhookId: string, deliveryId: string): Promise<DeliveryDocument> {
    await this.#parts.webhooks.get(scope, webhookId)
    return required(await scope.collection(DELIVERIES).findOne({ _id: deliveryId, webhook_id: webhookId }))
  }

  /** Sends a delivery again, with all retries. A pending delivery is tried at once instead. @throws ApiError resource_missing, webhook_inactive */
  async redeliver(scope: Scope, webhookId: string, deliveryId: string, actor: Actor): Promise<DeliveryDocument> {
    const { webhooks, jobs, clock } = this.#parts
    const webhook = await webhooks.get(scope, webhookId)
    if (!webhook.is_active) throw new ApiError('webhook_inactive')
    const { status } = await this.get(scope, webhookId, deliveryId)
    const now = new Date(clock())
    const again =
      status === 'pending'
        ? { change: { next_attempt_at: now }, job: jobs.rescheduling(scope, WEBHOOK_DELIVER, deliveryId, now) }
        : {
            change: { status: 'pending', reason: null, failures: 0, delivered_at: null, next_attempt_at: now, updated_at: now } as const,
            job: jobs.enqueuing(scope, { kind: WEBHOOK_DELIVER, subject: deliveryId }),
          }
    try {
      const [updated] = await scope.commit([
        scope.collection(DELIVERIES).updating({ _id: deliveryId, status }, { set: again.change }),
        again.job,
        auditing(scope, auditContext(actor), { action: 'webhook.redelivered', resource: resourceOf(webhook) }, now),
      ])
      return updated as DeliveryDocument
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      // It was sent or started again meanwhile, as the caller requested.
      return this.get(scope, webhookId, deliveryId)
    }
  }

  /** Sends a `webhook.test` once, also if the webhook is disabled, and returns the result. @throws ApiError resource_missing */
  async test(scope: Scope, webhookId: string, actor: Actor): Promise<Omit<DeliveryDocument, 'organization_id'>> {
    const { webhooks, health, clock } = this.#parts
    const webhook = await webhooks.get(scope, webhookId)
    const created_at = new Date(clock())
    const body = bodyOf({ name: 'webhook.test', created_at, payload: { webhook_id: webhookId, message: TEST_MESSAGE } })
    const created = newDelivery({ webhook_id: webhookId }, newId(), 'webhook.test', body, created_at)
    const attempt = await attemptDelivery(this.#parts, webhook, created)
    const ended = new Date(clock())
    const isGone = saysGone(attempt)
    const outcome =
      attempt.error === null
        ? ({ status: 'delivered', delivered_at: ended } as const)
        : ({ status: 'failed', reason: isGone ? 'gone' : 'attempts_exhausted', failures: 1 } as const)
    const delivery = { ...created, ...withAttempt(created, attempt), ...outcome, next_attempt_at: null, updated_at: ended }
    await scope.commit([scope.collection(DELIVERIES).inserting(delivery), auditing(scope, auditContext(actor), { action: 'webhook.tested', resource: resourceOf(webhook) }, ended)])
    if (attempt.error === null) await health.succeeded(scope, webhook)
    else if (isGone) await health.gone(scope, webhook)
    return delivery
  }
}
