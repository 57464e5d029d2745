/** A payment gateway of the tests: it says what the test has put into it. Its events are JSON of `GatewayEvent`, signed with the word `signed`. */
import { ApiError } from '../../server/core/errors.js'
import type { BillingGateway, BillingProvider, CheckoutRequest, GatewayEvent, GatewaySubscription, PortalRequest } from '../../server/features/billing/gateways/gateway.js'
import type { SubscriptionStatus } from '../../server/core/tenancy/subscriptions.js'
import type { Answer, Client } from './client.js'

const DATE = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

export class FakeBilling implements BillingGateway {
  /** The state of subscriptions at the gateway, by id. */
  readonly objects = new Map<string, GatewaySubscription>()
  readonly checkouts: CheckoutRequest[] = []
  readonly portals: PortalRequest[] = []
  readonly canceled: string[] = []
  /** The number of fetched states. */
  fetched = 0
  isFailing = false
  /** Called before a fetched state is returned. */
  onFetch: () => Promise<void> = async () => {}

  constructor(readonly provider: BillingProvider = 'stripe') {}

  status() {
    return { status: 'ready', publishableKey: this.provider === 'stripe' ? 'pk_test_1' : null } as const
  }

  async checkout(request: CheckoutRequest) {
    this.#requireUp()
    this.checkouts.push(request)
    return { url: `https://pay.example.test/${this.checkouts.length}`, sessionId: `cs_${this.checkouts.length}`, customerId: request.customerId ?? `cus_${request.organizationId}` }
  }

  async portal(request: PortalRequest) {
    this.#requireUp()
    this.portals.push(request)
    return { url: `https://portal.example.test/${request.customerId}` }
  }

  verifyEvent(_: Buffer, signature: string | undefined): void {
    if (signature !== 'signed') throw new ApiError('billing_signature_invalid')
  }

  async readEvent(body: Buffer): Promise<GatewayEvent | null> {
    return JSON.parse(body.toString(), (_, value: unknown) => (typeof value === 'string' && DATE.test(value) ? new Date(value) : value)) as GatewayEvent | null
  }

  async subscription(id: string): Promise<GatewaySubscription | null> {
    this.#requireUp()
    this.fetched++
    const found = this.objects.get(id) ?? null
    await this.onFetch()
    return found
  }

  /** Two on a page. */
  async subscriptions(next: string | null) {
    this.#requireUp()
    const all = [...this.objects.values()]
    const from = Number(next ?? 0)
    return { subscriptions: all.slice(from, from + 2), next: from + 2 < all.length ? String(from + 2) : null }
  }

  async cancel(id: string): Promise<GatewaySubscription | null> {
    this.#requireUp()
    this.canceled.push(id)
    const found = this.objects.get(id)
    if (found === undefined) return null
    const ended = { ...found, status: 'canceled' as const }
    this.objects.set(id, ended)
    return ended
  }

  #requireUp(): void {
    if (this.isFailing) throw new ApiError('billing_unavailable')
  }
}

/** A subscription to `team`, of 20 seats, that began a day ago. */
export function gatewaySubscription(organizationId: string, status: SubscriptionStatus, fields: Partial<GatewaySubscription> = {}): GatewaySubscription {
  const now = Date.now()
  const day = 24 * 60 * 60 * 1000
  return {
    id: `sub_${organizationId}`,
    customerId: `cus_${organizationId}`,
    organizationId,
    planId: 'team',
    status,
    interval: 'month',
    seats: 20,
    trialEndsAt: null,
    currentPeriodStart: new Date(now - day),
    currentPeriodEnd: new Date(now + 29 * day),
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    createdAt: new Date(now - day),
    ...fields,
  }
}

let events = 0

/** An event that reports the state of a subscription. */
export function changeEvent(subscription: GatewaySubscription, fields: Partial<GatewayEvent> = {}): GatewayEvent {
  return {
    ...paymentEvent('invoice_paid', subscription),
    type: 'customer.subscription.updated',
    kind: 'subscription_changed',
    isPaid: false,
    subscription,
    ...fields,
  }
}

export function paymentEvent(kind: 'invoice_paid' | 'invoice_failed', { id, customerId, organizationId }: GatewaySubscription, fields: Partial<GatewayEvent> = {}): GatewayEvent {
  return {
    id: `evt_${++events}`,
    type: kind === 'invoice_paid' ? 'invoice.paid' : 'invoice.payment_failed',
    kind,
    createdAt: new Date(),
    subscriptionId: id,
    customerId,
    organizationId,
    planId: null,
    interval: null,
    seats: null,
    period: null,
    isPaid: kind === 'invoice_paid',
    subscription: null,
    isOrderCertain: true,
    ...fields,
  }
}

/** Delivers an event as the gateway does. */
export function deliver(client: Client, event: GatewayEvent | null, { provider = 'stripe', signature = 'signed' } = {}): Promise<Answer<{ status: string }>> {
  const body = JSON.stringify(event)
  return new (client.constructor as typeof Client)(client.origin).call('POST', `/billing/webhooks/${provider}`, {
    raw: body,
    headers: { 'Content-Type': 'application/json', 'Gateway-Signature': signature },
  })
}
