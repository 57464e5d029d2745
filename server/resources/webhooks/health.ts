/**
 * Records since when the receiver of a webhook fails, and disables webhooks: when the receiver answers 410, or has accepted nothing for five days and a
 * delivery has no attempt left, much like Svix and Stripe. The change is audited, and the admins of the organization receive a notification and a mail.
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

/** Maximum admins who receive a mail. All admins receive the notification. */
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

  /** Records a success. @param webhook as it was when the attempt began */
  async succeeded(scope: Scope, { _id, failing_since }: WebhookDocument): Promise<void> {
    if (failing_since === null) return
    await scope.collection(WEBHOOKS).update({ _id, failing_since: { not: null } }, { set: { failing_since: null }, increment: { revision: 1 } })
  }

  /** Disables a webhook whose receiver answered 410. @param webhook as it was when the attempt began */
  async gone(scope: Scope, webhook: WebhookDocument): Promise<void> {
    await this.#disable(scope, webhook, 'gone', new Date(this.#parts.clock()))
  }

  /** Records a failure. @param webhook as it was when the attempt began. @param isLast the delivery has no attempt left */
  async failed(scope: Scope, webhook: WebhookDocument, isLast: boolean): Promise<void> {
    const now = new Date(this.#parts.clock())
    if (isLast && isGivenUp(webhook.failing_since, now)) await this.#disable(scope, webhook, 'failing', now)
    else if (webhook.failing_since === null)
      await scope.collection(WEBHOOKS).update({ _id: webhook._id, url: webhook.url, failing_since: null }, { set: { failing_since: now }, increment: { revision: 1 } })
  }

  /** Disables the webhook, unless it was changed or disabled since the attempt began. */
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
          // The path of a URL may contain a token; the host does not.
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
    await this.#mailAdmins(scope, webhook, reason)
  }

  async #mailAdmins({ organizationId }: Scope, webhook: WebhookDocument, reason: DisabledReason): Promise<void> {
    const { identities, mail } = this.#parts
    const admins = await identities.memberships.admins(organizationId)
    for (const { user_id } of admins.slice(0, MAILS_LIMIT)) mail.post('webhook_disabled', () => this.#composeMail(organizationId, user_id, webhook, reason))
  }

  async #composeMail(organizationId: string, userId: string, { _id, url, description }: WebhookDocument, reason: DisabledReason): Promise<Mail | null> {
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
