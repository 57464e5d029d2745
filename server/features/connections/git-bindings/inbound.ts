/**
 * Receives webhooks of forges. Invariants:
 *  1. nothing is done before the signature is that of the binding; an unknown binding is answered like a wrong signature. Then the delivery is counted, and then parsed
 *  2. a delivery has an effect once: its id and body are stored in the commit of the job that it causes (`received.ts`)
 *  3. the answer comes before the work, which jobs do
 *  4. a delivery to the binding of an archived project has no effect
 *  5. what waits and what is stored for a binding is limited, also for a sender who knows the secret
 */
import { createHmac } from 'node:crypto'
import type { Organizations } from '../../../core/auth/organizations.js'
import { UnsealError } from '../../../core/auth/sealing.js'
import type { Secrets } from '../../../core/auth/secrets.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import { ApiError } from '../../../core/errors.js'
import type { GitEvent, GitWebhooks, WebhookRequest } from '../gateways/git/gateway.js'
import type { GitProvider } from '../gateways/providers.js'
import type { AnswerReader } from '../../../core/egress/reader.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { Write } from '../../../core/storage/contract.js'
import { isArchived } from '../../../content/shared/load.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import type { Scope, Tenancy } from '../../../core/tenancy/scope.js'
import type { IntegrationsService } from '../integrations/service.js'
import { ReceivedDelivery } from './received.js'
import { GIT_BINDINGS, type GitBindingDocument } from './store.js'
import { GIT_PUSH } from './sync.js'
import { openWebhookSecret } from './webhook-secret.js'

/** A pull or merge request was opened, changed or ended. */
export type ReviewEvent = Extract<GitEvent, { readonly kind: 'review' | 'review_closed' }>

/** Handles events of reviews. It may be called again with the same event. @returns whether there was anything to do */
export type OnReviewEvent = (scope: Scope, binding: GitBindingDocument, event: ReviewEvent) => Promise<boolean>

export const RECEIPTS = ['accepted', 'ignored', 'duplicate'] as const
export type Receipt = (typeof RECEIPTS)[number]

export interface InboundParts {
  readonly tenancy: Pick<Tenancy, 'locate'>
  readonly organizations: Pick<Organizations, 'byId'>
  readonly throttles: Pick<Throttles, 'gitDelivery'>
  readonly secrets: Secrets
  readonly integrations: Pick<IntegrationsService, 'get'>
  readonly webhooksOf: (provider: GitProvider) => GitWebhooks | null
  readonly readerOf: (scope: Scope) => AnswerReader
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'isWaiting'>
  readonly onReviewEvent: OnReviewEvent
  readonly clock: () => number
}

export class InboundWebhooks {
  readonly #parts: InboundParts

  constructor(parts: InboundParts) {
    this.#parts = parts
  }

  /** @throws ApiError webhook_refused, body_unparseable, rate_limited, overloaded, edit_conflict */
  async receive(bindingId: string, request: WebhookRequest): Promise<Receipt> {
    const { scope, binding, webhooks } = await this.#authenticate(bindingId, request)
    await this.#parts.throttles.gitDelivery(binding._id)
    const event = await webhooks.parse(request, this.#parts.readerOf(scope))
    if (event === null) throw new ApiError('body_unparseable')
    if (event.kind === 'ignored' || event.repository.toLowerCase() !== binding.repository.toLowerCase()) return 'ignored'
    if (event.kind === 'push' && !isNew(event, binding)) return 'ignored'
    if (await isArchived(scope, binding.project_id)) return 'ignored'
    const delivery = new ReceivedDelivery(scope, binding, event, webhooks.deliveryId(request), request.body)
    if (await delivery.isKnown()) return 'duplicate'
    if (event.kind === 'push') return this.#store(scope, delivery, await this.#importing(scope, binding))
    return (await this.#parts.onReviewEvent(scope, binding, event)) ? this.#store(scope, delivery, []) : 'ignored'
  }

  /** A job that waits will read the head, and with it this push. One that failed keeps its pause, so that a flood does not disturb a forge that asked for it. */
  async #importing(scope: Scope, { _id }: GitBindingDocument): Promise<readonly Write[]> {
    const { jobs } = this.#parts
    return (await jobs.isWaiting(scope, GIT_PUSH, _id)) ? [] : [jobs.enqueuing(scope, { kind: GIT_PUSH, subject: _id })]
  }

  async #store(scope: Scope, delivery: ReceivedDelivery, writes: readonly Write[]): Promise<Receipt> {
    try {
      await scope.commit([...delivery.inserting(new Date(this.#parts.clock())), ...writes])
      return 'accepted'
    } catch (error) {
      if (error instanceof DuplicateKeyError) return 'duplicate'
      throw error
    }
  }

  /** @throws ApiError webhook_refused */
  async #authenticate(bindingId: string, request: WebhookRequest) {
    const { tenancy, organizations, integrations, secrets, webhooksOf } = this.#parts
    const located = await tenancy.locate(GIT_BINDINGS, 'hook_id', bindingId)
    const organization = located === null ? null : await organizations.byId(located.scope.organizationId)
    if (located === null || located.document.integration_id === null || organization?.is_active !== true) {
      // A signature over a long body takes time, which must not reveal whether the binding exists.
      createHmac('sha256', bindingId).update(request.body).digest()
      throw new ApiError('webhook_refused')
    }
    const { scope, document: binding } = located
    try {
      const { provider } = await integrations.get(scope, located.document.integration_id)
      const webhooks = webhooksOf(provider as GitProvider)
      if (webhooks?.isAuthentic(request, openWebhookSecret(secrets, binding)) === true) return { scope, binding, webhooks }
    } catch (error) {
      // The integration was deleted meanwhile, or the secret was sealed with a lost key.
      if (!(error instanceof UnsealError) && !(error instanceof ApiError && error.reason === 'resource_missing')) throw error
    }
    throw new ApiError('webhook_refused')
  }
}

/** Whether a push is to be imported. The head is known if it was imported, or if the service has committed it. */
function isNew({ branch, headSha }: Extract<GitEvent, { kind: 'push' }>, binding: GitBindingDocument): boolean {
  return branch === binding.branch && binding.sync_on_webhook && headSha !== binding.synced_commit_sha
}
