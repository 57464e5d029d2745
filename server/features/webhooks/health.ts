/**
 * Records since when a receiver of events fails, and disables it: when it answers that it does not exist any more, or has accepted nothing for five days and a delivery has no
 * attempt left, much like Svix and Stripe. The change is audited, and the admins of the organization receive a notification and a mail.
 */
import type { Identities } from '../../core/auth/identities.js'
import type { Notice, Notices } from '../../core/events/notices.js'
import type { Outbox } from '../../core/events/outbox.js'
import { composeWebhookDisabled, mailLocale } from '../../core/mail/compose.js'
import type { MailDelivery } from '../../core/mail/delivery.js'
import type { Mail } from '../../core/mail/gateway.js'
import type { Locale } from '../../core/i18n/locale.js'
import type { Filter, TenantCollection, TenantDocument } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AuditEntry, type AuditResource, auditing, diffOf } from '../../core/audit/service.js'
import { hostOf, resourceOf } from './present.js'
import { isGivenUp } from './retry.js'
import { type DisabledReason, WEBHOOKS, type WebhookDocument } from './store.js'

/** Maximum admins who receive a mail. All admins receive the notification. */
const MAILS_LIMIT = 20

/** The fields of a receiver that are about its health. */
export interface ReceiverDocument extends TenantDocument {
  readonly is_active: boolean
  readonly disabled_reason: DisabledReason | null
  readonly disabled_at: Date | null
  readonly failing_since: Date | null
  readonly updated_at: Date
  readonly revision: number
}

/** What a mail about a disabled receiver says, besides the receiver. */
export interface DisabledMail {
  readonly to: string
  readonly locale: Locale
  readonly organization: string
  readonly reason: DisabledReason
  /** Path of the receiver in the API. */
  readonly path: string
}

/** A kind of receiver, as its health needs it. */
export interface HealthKind<T extends ReceiverDocument> {
  readonly collection: TenantCollection<T>
  /** Actor of the audit entry. */
  readonly actor: string
  readonly action: AuditEntry['action']
  resource(receiver: T): AuditResource
  /** The condition that it still has the address to which the attempt was made. */
  sameAddress(receiver: T): Filter<T>
  /** Path of the receiver below `/api/v1`, which is the path of its page as well. */
  path(receiver: T): string
  notice(receiver: T): Pick<Notice, 'kind' | 'params'>
  composeMail(receiver: T, mail: DisabledMail): Mail
}

export const WEBHOOK_HEALTH: HealthKind<WebhookDocument> = {
  collection: WEBHOOKS,
  actor: 'webhooks',
  action: 'webhook.disabled',
  resource: resourceOf,
  sameAddress: ({ url }) => ({ url }),
  path: ({ organization_id, _id }) => `/platform/organizations/${organization_id}/webhooks/${_id}`,
  // The path of a URL may contain a token; the host does not.
  notice: ({ url }) => ({ kind: 'webhook.disabled', params: { host: hostOf(url) } }),
  composeMail: ({ url, description }, mail) => composeWebhookDisabled({ ...mail, host: hostOf(url), description }),
}

export interface ReceiverHealthParts {
  /** For admins without a preference. */
  readonly defaultLocale: Locale
  readonly identities: Pick<Identities, 'memberships' | 'organizations' | 'users'>
  readonly outbox: Pick<Outbox, 'forget'>
  readonly notices: Pick<Notices, 'notifying'>
  readonly mail: Pick<MailDelivery, 'post'>
  readonly clock: () => number
}

export class ReceiverHealth<T extends ReceiverDocument> {
  readonly #parts: ReceiverHealthParts
  readonly #kind: HealthKind<T>
  /** The same collection; its documents have the fields of every receiver. */
  readonly #collection: TenantCollection<ReceiverDocument>

  constructor(parts: ReceiverHealthParts, kind: HealthKind<T>) {
    this.#parts = parts
    this.#kind = kind
    this.#collection = kind.collection as TenantCollection<TenantDocument> as TenantCollection<ReceiverDocument>
  }

  /** Records a success. @param receiver as it was when the attempt began */
  async succeeded(scope: Scope, { _id, failing_since }: T): Promise<void> {
    if (failing_since === null) return
    await scope.collection(this.#collection).update({ _id, failing_since: { not: null } }, { set: { failing_since: null }, increment: { revision: 1 } })
  }

  /** Disables a receiver that is gone. @param receiver as it was when the attempt began */
  async gone(scope: Scope, receiver: T): Promise<void> {
    await this.#disable(scope, receiver, 'gone', new Date(this.#parts.clock()))
  }

  /** Records a failure. @param receiver as it was when the attempt began. @param isLast the delivery has no attempt left */
  async failed(scope: Scope, receiver: T, isLast: boolean): Promise<void> {
    const now = new Date(this.#parts.clock())
    if (isLast && isGivenUp(receiver.failing_since, now)) await this.#disable(scope, receiver, 'failing', now)
    else if (receiver.failing_since === null)
      await scope.collection(this.#collection).update({ ...this.#same(receiver), failing_since: null }, { set: { failing_since: now }, increment: { revision: 1 } })
  }

  #same(receiver: T): Filter<ReceiverDocument> {
    return { _id: receiver._id, ...(this.#kind.sameAddress(receiver) as Filter<ReceiverDocument>) }
  }

  /** Disables the receiver, unless it was changed or disabled since the attempt began. */
  async #disable(scope: Scope, receiver: T, reason: DisabledReason, now: Date): Promise<void> {
    const { actor, action, resource, path, notice } = this.#kind
    const change = { is_active: false, disabled_reason: reason, disabled_at: now, updated_at: now }
    const same = { ...this.#same(receiver), is_active: true }
    const known = reason === 'gone' ? same : { ...same, failing_since: receiver.failing_since }
    const diff = diffOf({ is_active: true, disabled_reason: null as string | null }, { is_active: false, disabled_reason: reason }, ['is_active', 'disabled_reason'])
    try {
      await scope.commit([
        scope.collection(this.#collection).updating(known, { set: change, increment: { revision: 1 } }),
        auditing(scope, { actor: { kind: 'system', name: actor }, requestId: null, address: null }, { action, resource: resource(receiver), diff }, now),
        ...this.#parts.notices.notifying(scope, { ...notice(receiver), recipients: { role: 'org_admin' }, link: path(receiver) } as Notice),
      ])
    } catch (error) {
      if (error instanceof StaleWriteError) return
      throw error
    }
    await this.#parts.outbox.forget(scope)
    await this.#mailAdmins(scope, receiver, reason)
  }

  async #mailAdmins({ organizationId }: Scope, receiver: T, reason: DisabledReason): Promise<void> {
    const { identities, mail } = this.#parts
    const admins = await identities.memberships.admins(organizationId)
    for (const { user_id } of admins.slice(0, MAILS_LIMIT)) mail.post(this.#kind.action.replace('.', '_'), () => this.#composeMail(organizationId, user_id, receiver, reason))
  }

  async #composeMail(organizationId: string, userId: string, receiver: T, reason: DisabledReason): Promise<Mail | null> {
    const { identities } = this.#parts
    const [user, organization] = await Promise.all([identities.users.byId(userId), identities.organizations.byId(organizationId)])
    if (user === null || !user.is_active || organization === null) return null
    const { path, composeMail } = this.#kind
    return composeMail(receiver, {
      to: user.email,
      locale: mailLocale(user.locale, this.#parts.defaultLocale),
      organization: organization.name,
      reason,
      path: `/api/v1${path(receiver)}`,
    })
  }
}
