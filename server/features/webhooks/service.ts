/** Webhooks of an organization: create, list, get, update, rotate, delete. Secrets are stored encrypted and shown once. */
import type { Identities } from '../../core/auth/identities.js'
import { seal } from '../../core/auth/sealing.js'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError, required } from '../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../core/etag.js'
import type { Outbox } from '../../core/events/outbox.js'
import { type EgressGuard, TargetRefusedError } from '../../core/egress/egress-guard.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { JobQueue } from '../../core/jobs/queue.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../core/tenancy/page.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import { refuseStale, retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { sealedFor } from './attempt.js'
import { WEBHOOK_CLEAR } from './clear.js'
import { auditedUrl, resourceOf } from './present.js'
import type { WebhookCreateRequest, WebhookListQuery, WebhookUpdateRequest } from './schema.js'
import { newSigningSecret } from './sign.js'
import { WEBHOOKS, type WebhookDocument } from './store.js'

export { type AttemptParts, attemptRequest, type SentAttempt } from './attempt.js'
export { WEBHOOK_CLEAR } from './clear.js'
export { WEBHOOK_DELIVER } from './deliver.js'
export type { HealthKind, ReceiverHealth } from './health.js'
export type { Receiver, ReceiverKind } from './receivers.js'
export type { DeliveryAttempt } from './store.js'

/** Maximum webhooks of an organization: each event is stored once for each of them. */
export const WEBHOOKS_LIMIT = 50
/** How long the previous secret remains valid after a rotation, so that receivers can be updated. */
const PREVIOUS_SECRET_MS = 24 * 60 * 60 * 1000
/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 5
const AUDITED = ['url', 'events', 'description', 'is_active'] as const

export interface WebhooksParts {
  readonly identities: Pick<Identities, 'secrets' | 'clock'>
  readonly guard: Pick<EgressGuard, 'check'>
  readonly outbox: Pick<Outbox, 'forget'>
  readonly quotas: Pick<Quotas, 'creating'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
}

/** A webhook with its secret in plain text. */
export interface RevealedWebhook {
  readonly webhook: WebhookDocument
  readonly secret: string
}

export class WebhooksService {
  readonly #parts: WebhooksParts

  constructor(parts: WebhooksParts) {
    this.#parts = parts
  }

  async list(scope: Scope, query: WebhookListQuery): Promise<Page<WebhookDocument>> {
    const webhooks = scope.collection(WEBHOOKS)
    return findPage(webhooks, {}, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, webhookId: string): Promise<WebhookDocument> {
    return required(await scope.collection(WEBHOOKS).findOne({ _id: webhookId }))
  }

  /** @throws ApiError webhook_limit, target_refused, request_validation_failed, plan_quota_exceeded */
  async create(scope: Scope, { url, events, description = '' }: WebhookCreateRequest, actor: Actor): Promise<RevealedWebhook> {
    const { secrets, clock } = this.#parts.identities
    const webhooks = scope.collection(WEBHOOKS)
    await this.#checkTarget(url, actor)
    const now = new Date(clock())
    const secret = newSigningSecret()
    const _id = newId()
    const webhook: WebhookDocument = {
      _id,
      organization_id: scope.organizationId,
      url,
      description,
      events,
      is_active: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      secret: seal(secrets.webhookSecret, secret, sealedFor(_id)),
      previous_secret: null,
      previous_secret_expires_at: null,
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    const entry = { action: 'webhook.created', resource: resourceOf(webhook), diff: diffOf(null, audited(webhook), AUDITED) } as const
    const writes = [webhooks.inserting(webhook), auditing(scope, auditContext(actor), entry, now)]
    await this.#parts.quotas.creating(scope, 'webhooks', { count: () => webhooks.count({}), requireRoom, writes: async () => writes })
    await this.#parts.outbox.forget(scope)
    return { webhook, secret }
  }

  /** Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, target_refused, request_validation_failed, edit_conflict */
  async update(scope: Scope, webhookId: string, request: WebhookUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<WebhookDocument> {
    if (request.url !== undefined) await this.#checkTarget(request.url, actor)
    return retryStale(ATTEMPTS, async () => {
      const webhook = await this.get(scope, webhookId)
      requireMatch(etagOf(webhook), ifMatch)
      const now = new Date(this.#parts.identities.clock())
      const changed: WebhookDocument = { ...webhook, ...request }
      const diff = diffOf(audited(webhook), audited(changed), AUDITED)
      if (Object.keys(diff).length === 0) return webhook
      // The failures of the old URL, or from before a person enabled the webhook, no longer count.
      const isFresh = changed.url !== webhook.url || (changed.is_active && !webhook.is_active)
      const change = { ...request, ...(isFresh ? { failing_since: null } : {}), ...(changed.is_active ? { disabled_reason: null, disabled_at: null } : {}), updated_at: now }
      const [updated] = await scope.commit([
        scope.collection(WEBHOOKS).updating({ _id: webhookId, revision: webhook.revision }, { set: change, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'webhook.updated', resource: resourceOf(changed), diff }, now),
      ])
      await this.#parts.outbox.forget(scope)
      return updated as WebhookDocument
    })
  }

  /** Replaces the secret. The previous one remains valid for a day; older ones become invalid. @throws ApiError resource_missing, edit_conflict */
  async rotateSecret(scope: Scope, webhookId: string, actor: Actor): Promise<RevealedWebhook> {
    const { secrets, clock } = this.#parts.identities
    const webhook = await this.get(scope, webhookId)
    const now = new Date(clock())
    const secret = newSigningSecret()
    const change = {
      secret: seal(secrets.webhookSecret, secret, sealedFor(webhookId)),
      previous_secret: webhook.secret,
      previous_secret_expires_at: new Date(now.getTime() + PREVIOUS_SECRET_MS),
      updated_at: now,
    }
    try {
      const [updated] = await scope.commit([
        scope.collection(WEBHOOKS).updating({ _id: webhookId, secret: webhook.secret }, { set: change, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'webhook.secret_rotated', resource: resourceOf(webhook) }, now),
      ])
      return { webhook: updated as WebhookDocument, secret }
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      // A concurrent request rotated or deleted it, so the new secret is invalid and must not be returned.
      await this.get(scope, webhookId)
      throw new ApiError('edit_conflict')
    }
  }

  /** Deletes the webhook; a job deletes its deliveries. @throws ApiError resource_missing */
  async delete(scope: Scope, webhookId: string, actor: Actor): Promise<void> {
    const webhook = await this.get(scope, webhookId)
    const now = new Date(this.#parts.identities.clock())
    const entry = { action: 'webhook.deleted', resource: resourceOf(webhook), diff: diffOf(audited(webhook), null, AUDITED) } as const
    await refuseStale('resource_missing', () =>
      scope.commit([
        scope.collection(WEBHOOKS).deleting({ _id: webhookId }),
        auditing(scope, auditContext(actor), entry, now),
        this.#parts.jobs.enqueuing(scope, { kind: WEBHOOK_CLEAR, subject: webhookId }),
      ]),
    )
    await this.#parts.outbox.forget(scope)
  }

  /** @throws ApiError target_refused, request_validation_failed */
  async #checkTarget(text: string, { locale }: Pick<Actor, 'locale'>): Promise<void> {
    const url = new URL(text)
    if (url.username !== '' || url.password !== '') throw invalidRequest([issue('/url', 'invalid', { type: 'string', format: { words: 'url_without_credentials' } })], locale)
    try {
      await this.#parts.guard.check(url)
    } catch (error) {
      if (error instanceof TargetRefusedError) throw new ApiError('target_refused')
      throw error
    }
  }
}

/** Returns the fields of a webhook that audit entries contain. */
function audited(webhook: WebhookDocument): Pick<WebhookDocument, (typeof AUDITED)[number]> {
  return { ...webhook, url: auditedUrl(webhook.url) }
}

/** @throws ApiError webhook_limit */
function requireRoom(there: number): void {
  if (there >= WEBHOOKS_LIMIT) throw new ApiError('webhook_limit', { params: { limit: WEBHOOKS_LIMIT } })
}
