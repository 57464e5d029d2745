/**
 * The gateway `mock`, for development: its checkout and portal are pages of this service (`billing/mock-billing/`), and it sends signed events in Stripe's form
 * to the webhook of this service, in the process. Invariants:
 *  1. an event is stored in the commit of the change that it reports, and is sent until the webhook accepts it, in order for each subscription
 *  2. a checkout is paid once, however often its page is submitted
 *  3. events apply as they are sent (`isOrderCertain`): signed events of subscriptions that are not stored here are accepted too, and a comparison finds nothing to
 *     mend, because what is stored here is not the truth
 */
import { createHash, randomUUID } from 'node:crypto'
import { ApiError } from '../../../../core/errors.js'
import { INSTANCE_JOBS, type JobQueue } from '../../../../core/jobs/queue.js'
import type { PublicAddress } from '../../../../core/public-address.js'
import type { Collection, Storage } from '../../../../core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../../../../core/storage/errors.js'
import type { AnswerReader } from '../../../../core/egress/reader.js'
import { readEvent } from '../events.js'
import type { BillingGateway, CheckoutRequest, CheckoutSession, GatewayEvent, GatewaySubscription, PortalRequest, SubscriptionPage } from '../gateway.js'
import { readSubscription } from '../objects.js'
import { checkSignature } from '../signature.js'
import { effectOf, isRunning, type MockAction, type MockChange } from './actions.js'
import { MOCK_EVENTS_JOB } from './deliver.js'
import { MockLinks, type MockCheckout, type MockPortal } from './links.js'
import { completedSession, customerOf, eventOf, invoiceOf, MOCK_PRICES, newSubscription } from './objects.js'
import { MOCK_SUBSCRIPTIONS, type MockSubscription, type MockSubscriptionDocument } from './store.js'

/** How long the same request gets the same checkout, as with Stripe. */
const SAME_CHECKOUT_MS = 60 * 1000
/** Events of a subscription that wait for the webhook; more mean that it accepts none. */
const PENDING_LIMIT = 60
/** More than a subscription has events in one action, each of which is a write when it was sent. */
const CHANGE_ATTEMPTS = 10

export interface MockBillingParts {
  readonly storage: Pick<Storage, 'open' | 'commit'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  readonly address: Pick<PublicAddress, 'own'>
  readonly reader: Pick<AnswerReader, 'json'>
  /** Signs links. */
  readonly key: Buffer
  /** Signs events. */
  readonly webhookSecret: string
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export class MockBilling implements BillingGateway {
  readonly provider = 'mock'
  readonly #parts: MockBillingParts
  readonly #links: MockLinks
  readonly #documents: Collection<MockSubscriptionDocument>

  constructor(parts: MockBillingParts) {
    this.#parts = parts
    this.#links = new MockLinks(parts.key, parts.clock)
    this.#documents = parts.storage.open(MOCK_SUBSCRIPTIONS)
  }

  status(): ReturnType<BillingGateway['status']> {
    return { status: 'ready', publishableKey: null }
  }

  async checkout({ email: _, ...request }: CheckoutRequest): Promise<CheckoutSession> {
    const { organizationId, planId, interval, trialDays = 0, organizationName, seats, successUrl, cancelUrl } = request
    if (MOCK_PRICES.priceOf(planId, interval) === null) throw new ApiError('billing_unconfigured')
    const period = Math.floor(this.#parts.clock() / SAME_CHECKOUT_MS)
    const sessionId = `cs_mock_${createHash('sha256')
      .update(JSON.stringify([request, period]))
      .update(this.#parts.key)
      .digest('hex')
      .slice(0, 32)}`
    const customerId = request.customerId ?? customerOf(organizationId)
    const checkout = { sessionId, organizationId, organizationName, customerId, planId, interval, seats, successUrl, cancelUrl, trialDays }
    return { url: this.#links.toCheckout(this.#parts.address.own, checkout), sessionId, customerId }
  }

  async portal({ organizationId, customerId, returnUrl }: PortalRequest): Promise<{ readonly url: string }> {
    return { url: this.#links.toPortal(this.#parts.address.own, { organizationId, customerId, returnUrl }) }
  }

  verifyEvent(body: Buffer, signature: string | undefined, now: number): void {
    checkSignature(body, signature, this.#parts.webhookSecret, now)
  }

  readEvent(body: Buffer): Promise<GatewayEvent | null> {
    return readEvent(body, { reader: this.#parts.reader, prices: MOCK_PRICES, isOrderCertain: true })
  }

  async subscription(id: string): Promise<GatewaySubscription | null> {
    const found = await this.#documents.findOne({ _id: id })
    return found === null ? null : readSubscription(found.subscription, MOCK_PRICES)
  }

  async subscriptions(): Promise<SubscriptionPage> {
    return { subscriptions: [], next: null }
  }

  async cancel(id: string): Promise<GatewaySubscription | null> {
    await this.#attempt(async () => {
      const found = await this.#documents.findOne({ _id: id })
      if (found !== null && isRunning(found.subscription)) await this.#change(found, 'cancel_now', null)
    })
    return this.subscription(id)
  }

  /** The checkout of a link, and whether it was paid. Null: the link is wrong or has expired. */
  async openCheckout(token: string): Promise<{ readonly checkout: MockCheckout; readonly isPaid: boolean } | null> {
    const checkout = this.#links.checkout(token)
    if (checkout === null) return null
    const { id } = newSubscription(checkout, this.#seconds())
    return { checkout, isPaid: (await this.#documents.findOne({ _id: id })) !== null }
  }

  /** Pays a checkout. A second payment does nothing. */
  async pay(checkout: MockCheckout): Promise<void> {
    const now = this.#seconds()
    const created = newSubscription(checkout, now)
    const subscription: MockSubscription = created.status === 'incomplete' ? { ...created, status: 'active' } : created
    // The order in which Stripe usually sends them.
    const changed =
      created === subscription ? [] : [['invoice.paid', invoiceOf(invoiceId(), subscription, true)] as const, ['customer.subscription.updated', subscription] as const]
    const events = [['customer.subscription.created', created] as const, ...changed, ['checkout.session.completed', completedSession(checkout, subscription)] as const]
    const document = {
      _id: subscription.id,
      organization_id: checkout.organizationId,
      subscription,
      pending: events.map(([type, object]) => eventOf(eventId(), type, object, now)),
      created_at: new Date(now * 1000),
      revision: 1,
    }
    try {
      await this.#parts.storage.commit([this.#documents.inserting(document), this.#sending(subscription.id)])
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error
    }
  }

  /** The portal of a link, with the newest subscription of the organization. Null: the link is wrong or has expired. */
  async openPortal(token: string): Promise<{ readonly portal: MockPortal; readonly subscription: MockSubscription | null } | null> {
    const portal = this.#links.portal(token)
    if (portal === null) return null
    return { portal, subscription: (await this.#newest(portal))?.subscription ?? null }
  }

  /** Does what a button of the portal says. @throws ApiError edit_conflict if the subscription's state does not allow it; StaleWriteError after a concurrent change */
  async act(portal: MockPortal, action: MockAction, change: MockChange | null): Promise<void> {
    await this.#attempt(async () => {
      const found = await this.#newest(portal)
      if (found === null) throw new ApiError('edit_conflict')
      await this.#change(found, action, change)
    })
  }

  /** Repeats a change that reads first: an event that was sent meanwhile has changed the document, too. */
  async #attempt(change: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await change()
      } catch (error) {
        if (!(error instanceof StaleWriteError) || attempt === CHANGE_ATTEMPTS) throw error
      }
    }
  }

  async #change({ _id, revision, subscription: former, pending }: MockSubscriptionDocument, action: MockAction, change: MockChange | null): Promise<void> {
    const now = this.#seconds()
    const effect = effectOf(action, former, now, change)
    if (effect === null) throw new ApiError('edit_conflict')
    const { subscription, invoice } = effect
    const invoices =
      invoice === null ? [] : [eventOf(eventId(), invoice === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', invoiceOf(invoiceId(), subscription, invoice === 'paid'), now)]
    const type = subscription.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated'
    const waiting = [...pending, ...invoices, eventOf(eventId(), type, subscription, now)]
    if (waiting.length > PENDING_LIMIT) throw new ApiError('billing_unavailable', { details: { failure: 'events_waiting' } })
    const update = this.#documents.updating({ _id, revision }, { set: { subscription, pending: waiting }, increment: { revision: 1 } })
    await this.#parts.storage.commit([update, this.#sending(_id)])
  }

  async #newest({ organizationId }: MockPortal): Promise<MockSubscriptionDocument | null> {
    const [found] = await this.#documents.find({ organization_id: organizationId }, { sort: { created_at: -1, _id: 1 }, limit: 1 })
    return found ?? null
  }

  #sending(id: string): ReturnType<JobQueue['enqueuing']> {
    return this.#parts.jobs.enqueuing(INSTANCE_JOBS, { kind: MOCK_EVENTS_JOB, subject: id })
  }

  #seconds(): number {
    return Math.floor(this.#parts.clock() / 1000)
  }
}

function eventId(): string {
  return `evt_mock_${randomUUID().replaceAll('-', '')}`
}

function invoiceId(): string {
  return `in_mock_${randomUUID().replaceAll('-', '')}`
}
