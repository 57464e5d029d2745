/**
 * Whether a webhook's receiver is there: since when it fails, and the end of it. Disabled is a webhook whose receiver answers 410, or has taken nothing
 * for five days when another delivery has run out of attempts, much as Svix and Stripe do it. The audit trail and the webhook say so, and the admins of
 * the organization get a notification and a mail.
 */
import type { Identities } from '../../auth/identities.js'
import type { Notices } from '../../events/notices.js'
import type { Outbox } from '../../events/outbox.js'
import { composeWebhookDisabled, mailLocale } from '../../gateways/mail/compose.js'
import type { MailDelivery } from '../../gateways/mail/delivery.js'
import type { Mail } from '../../gateways/mail/gateway.js'
import { StaleWriteError } from '../../storage/errors.js'
import type { Scope } from '../../tenancy/scope.js'
import { auditing, diffOf } from '../audit/service.js'
import { hostOf, resourceOf } from './present.js'
import { isGivenUp } from './retry.js'
import { type DisabledReason, WEBHOOKS, type WebhookDocument } from './store.js'

/** Admins who are told; an organization with more has other ways to hear of it. */
const MAILS_LIMIT = 20

export interface WebhookHealthParts {
  readonly identities: Pick<Identities, 'memberships' | 'organizations' | 'users'>
  readonly outbox: Pick<Outbox, 'forget'>
  readonly notices: Pick<Notices, 'notifying'>
  readonly mail: Pick<MailDelivery, 'post'>
  readonly clock: () => number
}

export class WebhookHealth {
  readonly #parts: WebhookHealthParts

  constructor(parts: WebhookHealthParts) {
    this.#parts = parts
  }

  /** @param webhook as it was when the attempt began */
  async succeeded(scope: Scope, { _id, failing_since }: WebhookDocument): Promise<void> {
    if (failing_since === null) return
    await scope.collection(WEBHOOKS).update({ _id, failing_since: { not: null } }, { set: { failing_since: null }, increment: { revision: 1 } })
  }

  /** The receiver says that it wants nothing more. @param webhook as it was when the attempt began */
  async gone(scope: Scope, webhook: WebhookDocument): Promise<void> {
    await this.#disable(scope, webhook, 'gone', new Date(this.#parts.clock()))
  }

  /** @param webhook as it was when the attempt began. @param isLast the delivery is not tried again */
  async failed(scope: Scope, webhook: WebhookDocument, isLast: boolean): Promise<void> {
    const now = new Date(this.#parts.clock())
    if (isLast && isGivenUp(webhook.failing_since, now)) await this.#disable(scope, webhook, 'failing', now)
    else if (webhook.failing_since === null)
      await scope.collection(WEBHOOKS).update({ _id: webhook._id, url: webhook.url, failing_since: null }, { set: { failing_since: now }, increment: { revision: 1 } })
  }

  /** Nothing, when it was changed or disabled meanwhile: then the attempt says nothing of what it is now. */
  async #disable(scope: Scope, webhook: WebhookDocument, reason: DisabledReason, now: Date): Promise<void> {
    const { _id, url, failing_since } = webhook
    const change = { is_active: false, disabled_reason: reason, disabled_at: now, updated_at: now }
    const known = reason === 'gone' ? { _id, url, is_active: true } : { _id, url, is_active: true, failing_since }
    const diff = diffOf({ is_active: true, disabled_reason: null as string | null }, { is_active: false, disabled_reason: reason }, ['is_active', 'disabled_reason'])
    try {
      await scope.commit([
        scope.collection(WEBHOOKS).updating(known, { set: change, increment: { revision: 1 } }),
        auditing(scope, { actor: { kind: 'system', name: 'webhooks' }, requestId: null, address: null }, { action: 'webhook.disabled', resource: resourceOf(webhook), diff }, now),
        ...this.#parts.notices.notifying(scope, {
          kind: 'webhook.disabled',
          // An address may hold a token; its host does not.
          params: { host: hostOf(url) },
          recipients: { role: 'org_admin' },
          link: `/platform/organizations/${scope.organizationId}/webhooks/${_id}`,
        }),
      ])
    } catch (error) {
      if (error instanceof StaleWriteError) return
      throw error
    }
    this.#parts.outbox.forget(scope)
    await this.#tell(scope, webhook, reason)
  }

  async #tell({ organizationId }: Scope, webhook: WebhookDocument, reason: DisabledReason): Promise<void> {
    const { identities, mail } = this.#parts
    const admins = await identities.memberships.admins(organizationId)
    for (const { user_id } of admins.slice(0, MAILS_LIMIT)) mail.post('webhook_disabled', () => this.#makeMail(organizationId, user_id, webhook, reason))
  }

  async #makeMail(organizationId: string, userId: string, { _id, url, description }: WebhookDocument, reason: DisabledReason): Promise<Mail | null> {
    const { identities } = this.#parts
    const [user, organization] = await Promise.all([identities.users.byId(userId), identities.organizations.byId(organizationId)])
    if (user === null || !user.is_active || organization === null) return null
    return composeWebhookDisabled({
      to: user.email,
      locale: mailLocale(user.locale),
      organization: organization.name,
      host: hostOf(url),
      description,
      reason,
      path: `/api/v1/platform/organizations/${organizationId}/webhooks/${_id}`,
    })
  }
}
