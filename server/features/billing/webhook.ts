/**
 * Receives the events of the payment gateway. Invariants:
 *  1. nothing is done before the signature is the gateway's, and nothing is parsed before the delivery is counted
 *  2. an event has an effect once, on one instance: its id is stored in the commit of its effect. Ids are kept longer than a gateway resends
 *  3. an event of an unknown object is accepted, because the gateway would resend it for days. A failure is no acceptance: it is sent again
 */
import { createHash } from 'node:crypto'
import type { Identities } from '../../core/auth/identities.js'
import type { Throttles } from '../../core/auth/throttles.js'
import { ApiError } from '../../core/errors.js'
import type { BillingGateway, GatewayEvent } from './gateways/gateway.js'
import type { Log } from '../../core/observability/log.js'
import type { Collection, Storage } from '../../core/storage/contract.js'
import { DuplicateKeyError } from '../../core/storage/errors.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { AuditContext } from '../../core/audit/service.js'
import { BILLING_EVENTS, type BillingEventDocument, GATEWAY_SUBSCRIPTIONS } from './store.js'
import type { SubscriptionUpdates } from './updates.js'

export const RECEIPTS = ['applied', 'duplicate', 'ignored'] as const
export type BillingReceipt = (typeof RECEIPTS)[number]

export interface WebhookParts {
  readonly storage: Pick<Storage, 'open'>
  readonly identities: Identities
  readonly throttles: Pick<Throttles, 'billingEvent'>
  readonly gateway: BillingGateway
  readonly updates: Pick<SubscriptionUpdates, 'applyEvent'>
  readonly log: Pick<Log, 'warn'>
}

/** A delivery of the gateway; without a request where the mock delivers. */
export interface BillingDelivery {
  readonly body: Uint8Array
  readonly signature: string | undefined
  readonly requestId: string | null
  readonly address: string | null
}

export class BillingWebhook {
  readonly #parts: WebhookParts
  readonly #events: Collection<BillingEventDocument>

  constructor(parts: WebhookParts) {
    this.#parts = parts
    this.#events = parts.storage.open(BILLING_EVENTS)
  }

  /** @param provider of the path @throws ApiError resource_missing, billing_gateway_disabled, billing_signature_invalid, rate_limited, billing_event_malformed, billing_unavailable, edit_conflict */
  async receive(provider: string, { body, signature, requestId, address }: BillingDelivery): Promise<BillingReceipt> {
    const { gateway, identities, throttles, updates, log } = this.#parts
    if (gateway.provider === 'disabled') throw new ApiError('billing_gateway_disabled')
    if (provider !== gateway.provider) throw new ApiError('resource_missing')
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    gateway.verifyEvent(bytes, signature, identities.clock())
    await throttles.billingEvent(provider)
    const event = await gateway.readEvent(bytes)
    if (event === null || event.subscriptionId === null) {
      // Stripe documents a subscription for every finished checkout of one. Somebody has paid: an operator has to look.
      if (event?.kind === 'checkout_completed') log.warn({ code: 'checkout_without_subscription', provider, type: event.type }, 'a finished checkout names no subscription')
      return 'ignored'
    }
    const id = eventId(provider, event)
    if ((await this.#events.findOne({ _id: id })) !== null) return 'duplicate'
    const scope = await this.#scopeOf(event)
    if (scope === null) return 'ignored'
    const marking = this.#events.inserting({ _id: id, type: event.type, received_at: new Date(identities.clock()) })
    const context: AuditContext = { actor: { kind: 'system', name: 'billing' }, requestId, address }
    try {
      const isApplied = await updates.applyEvent(scope, { ...event, subscriptionId: event.subscriptionId }, marking, { action: 'subscription.updated', context })
      return isApplied ? 'applied' : 'ignored'
    } catch (error) {
      // Another instance was first.
      if (error instanceof DuplicateKeyError && error.collection === BILLING_EVENTS.name) return 'duplicate'
      throw error
    }
  }

  /** The organization of an event. A known subscription never moves to another organization, also if the event names one. */
  async #scopeOf({ subscriptionId, organizationId, subscription }: GatewayEvent): Promise<Scope | null> {
    const { tenancy, organizations } = this.#parts.identities
    const known = subscriptionId === null ? null : await tenancy.locate(GATEWAY_SUBSCRIPTIONS, '_id', subscriptionId)
    if (known !== null) return known.scope
    const named = organizationId ?? subscription?.organizationId ?? null
    return named === null || (await organizations.byId(named)) === null ? null : tenancy.of(named)
  }
}

/** Gateways choose their ids, so that they are hashed. */
function eventId(provider: string, { id }: GatewayEvent): string {
  return createHash('sha256').update(`${provider}\n${id}`).digest('hex')
}
