/**
 * What the service needs of a payment gateway. One file beside this one implements it for each provider. Invariants:
 *  1. a call fails only with an `ApiError`: 402 `payment_required` if the gateway has no settings, fails, or has no answer within its time limit
 *  2. an event is read only after its signature was verified over the bytes that were received
 *  3. no error, log or answer has a secret, or an address with a token
 */
import type { SubscriptionStatus } from '../../../core/tenancy/subscriptions.js'

export const BILLING_PROVIDERS = ['disabled', 'mock', 'stripe'] as const
export type BillingProvider = (typeof BILLING_PROVIDERS)[number]

/** `unconfigured`: the provider is chosen, but a setting that every call needs is missing. */
export type GatewayStatus = 'ready' | 'disabled' | 'unconfigured'

export type BillingInterval = 'month' | 'year'

export interface CheckoutRequest {
  readonly organizationId: string
  readonly organizationName: string
  /** Who receives the invoices: used when the customer is created. */
  readonly email: string
  /** The organization's customer at the gateway, from an earlier checkout; null: a customer is created or, if the organization has one, found. */
  readonly customerId: string | null
  /** Id of a plan that is public and has a price. */
  readonly planId: string
  readonly interval: BillingInterval
  readonly seats: number
  /** Where the browser goes after the payment, and after a checkout that was left. Absolute. */
  readonly successUrl: string
  readonly cancelUrl: string
  /** Days before the first payment; absent: none. */
  readonly trialDays?: number
}

export interface CheckoutSession {
  /** The page on which the payer pays. */
  readonly url: string
  readonly sessionId: string
  /** The customer that was used. Keep it for the next checkout and for the portal. */
  readonly customerId: string
}

export interface PortalRequest {
  readonly organizationId: string
  readonly customerId: string
  /** Absolute. */
  readonly returnUrl: string
}

/** A subscription as the gateway has it, or had it when it sent an event. */
export interface GatewaySubscription {
  readonly id: string
  readonly customerId: string
  /** Null: the subscription was not created by a checkout of this service. */
  readonly organizationId: string | null
  /** By the price if it is one of the settings, else by the metadata; null: neither names a plan of this service. */
  readonly planId: string | null
  readonly status: SubscriptionStatus
  /** This, the seats and the time of creation: null if the object does not say it. */
  readonly interval: BillingInterval | null
  readonly seats: number | null
  readonly trialEndsAt: Date | null
  readonly currentPeriodStart: Date | null
  readonly currentPeriodEnd: Date | null
  /** When it will end, also where that is the end of the period. */
  readonly cancelAt: Date | null
  readonly canceledAt: Date | null
  /** When it ended; null: it has not. */
  readonly endedAt: Date | null
  readonly createdAt: Date | null
}

/** What an event reports. Events of other kinds mean nothing to this service. */
export const GATEWAY_EVENT_KINDS = [
  /** The payer has finished a checkout; the subscription may still be unpaid (see `isPaid`). */
  'checkout_completed',
  /** The subscription was created or has changed, its end included: `subscription` is its state. */
  'subscription_changed',
  'invoice_paid',
  'invoice_failed',
] as const
export type GatewayEventKind = (typeof GATEWAY_EVENT_KINDS)[number]

export interface GatewayEvent {
  readonly id: string
  /** The gateway's own name: `customer.subscription.updated`. */
  readonly type: string
  readonly kind: GatewayEventKind
  /** The gateway's clock, in whole seconds: several events may have the same time. */
  readonly createdAt: Date
  /** Null: the event is not about a subscription (an invoice of another kind, a payment for something else). */
  readonly subscriptionId: string | null
  readonly customerId: string | null
  /** What the event itself says about the organization, the plan and the purchase; null: nothing. */
  readonly organizationId: string | null
  readonly planId: string | null
  readonly interval: BillingInterval | null
  readonly seats: number | null
  /** The paid or billed period; null: the event has none. */
  readonly period: { readonly start: Date; readonly end: Date } | null
  /** Whether a finished checkout needs no further payment: paid, or a trial. Other kinds: whether the kind is `invoice_paid`. */
  readonly isPaid: boolean
  /** The subscription as of the event. Null unless the kind is `subscription_changed`, or a checkout that names no subscription stands for one. */
  readonly subscription: GatewaySubscription | null
  /** Whether events may be applied as sent. False: the gateway sends events in any order, so the state has to be fetched (`subscription`). */
  readonly isOrderCertain: boolean
}

export interface SubscriptionPage {
  readonly subscriptions: readonly GatewaySubscription[]
  /** For the next call; null: this was the last page. */
  readonly next: string | null
}

export interface BillingGateway {
  readonly provider: BillingProvider
  /** The key is null unless the provider is `stripe` and has one. */
  status(): { readonly status: GatewayStatus; readonly publishableKey: string | null }
  /** A repeated call with the same request within a short time returns the same session. @throws ApiError */
  checkout(request: CheckoutRequest): Promise<CheckoutSession>
  /** @throws ApiError */
  portal(request: PortalRequest): Promise<{ readonly url: string }>
  /**
   * Verifies the signature over the raw body. @param signature the header `Gateway-Signature` or `Stripe-Signature` @param now milliseconds since the epoch
   * @throws ApiError 400 if the signature is not the gateway's or too old
   */
  verifyEvent(body: Buffer, signature: string | undefined, now: number): void
  /** Reads an event whose signature was verified. @returns null: an event that means nothing to this service @throws ApiError 400 if it is malformed */
  readEvent(body: Buffer): Promise<GatewayEvent | null>
  /** The subscription as the gateway has it now, also after its end. Null: the gateway does not know it, which says nothing of its state. @throws ApiError */
  subscription(id: string): Promise<GatewaySubscription | null>
  /** Every subscription, ended ones included, in any order. @param next of the page before; null: the first page @throws ApiError */
  subscriptions(next: string | null): Promise<SubscriptionPage>
  /** Ends the subscription now. One that has ended or is unknown is no error: null if unknown. @throws ApiError */
  cancel(id: string): Promise<GatewaySubscription | null>
}
