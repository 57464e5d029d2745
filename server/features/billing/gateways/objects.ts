/**
 * Stripe's objects as far as this service reads them. Stripe has moved fields between its API versions, and an event has the version of its endpoint, so each
 * field is read where any version since 2022 has it. Invariant: an object is checked before it is used, and only the fields named here are read.
 */
import Type, { type Static } from 'typebox'
import type { SubscriptionStatus } from '../../../core/tenancy/subscriptions.js'
import { isValid } from '../../../core/egress/answers.js'
import type { BillingInterval, GatewaySubscription } from './gateway.js'
import type { Prices } from './prices.js'

/** The names of this service's metadata at the gateway. */
export const METADATA = { organization: 'organization_id', plan: 'plan_id' } as const

/** Ids of Stripe have at most 255 characters. */
const Id = Type.String({ minLength: 1, maxLength: 255 })
/** A related object: its id, or the object itself where it was expanded. */
const Reference = Type.Union([Id, Type.Object({ id: Id }), Type.Null()])
/** Seconds since the epoch, up to the last date that a `Date` can hold. */
const Time = Type.Union([Type.Integer({ minimum: 0, maximum: 8.64e12 }), Type.Null()])
const Metadata = Type.Union([Type.Record(Type.String(), Type.String({ maxLength: 500 })), Type.Null()])
const Seats = Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000 }), Type.Null()])
const Price = Type.Object({ id: Id, recurring: Type.Optional(Type.Union([Type.Object({ interval: Type.String() }), Type.Null()])) })
const Period = Type.Object({ start: Time, end: Time })
/** Items of a subscription, and lines of an invoice in one event; Stripe's own limit of an expanded list is 100. */
const LIST_LIMIT = 100

const Item = Type.Object({
  quantity: Type.Optional(Seats),
  price: Type.Optional(Type.Union([Price, Type.Null()])),
  current_period_start: Type.Optional(Time),
  current_period_end: Type.Optional(Time),
})

export const StripeSubscription = Type.Object({
  id: Id,
  customer: Type.Optional(Reference),
  status: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
  items: Type.Optional(Type.Object({ data: Type.Array(Item, { maxItems: LIST_LIMIT }) })),
  trial_end: Type.Optional(Time),
  current_period_start: Type.Optional(Time),
  current_period_end: Type.Optional(Time),
  cancel_at: Type.Optional(Time),
  cancel_at_period_end: Type.Optional(Type.Boolean()),
  canceled_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
  created: Type.Optional(Time),
})
/** A text, a number, a flag or null. Its type is not checked. */
const Loose = Type.Optional(Type.Unknown())
const LooseItem = Type.Object({
  quantity: Loose,
  price: Type.Optional(Type.Union([Type.Object({ id: Loose, recurring: Type.Optional(Type.Union([Type.Object({ interval: Loose }), Type.Null()])) }), Type.Null()])),
  current_period_start: Loose,
  current_period_end: Loose,
})
/** A page of subscriptions of an account, on which other things may be sold: one that this service can't read does not make the page malformed. */
export const StripeSubscriptions = Type.Object({
  object: Loose,
  has_more: Type.Boolean(),
  data: Type.Array(
    Type.Object({
      ...Object.fromEntries(Object.keys(StripeSubscription.properties).map((field) => [field, Loose])),
      id: Id,
      customer: Type.Optional(Type.Union([Type.String(), Type.Object({ id: Loose }), Type.Null()])),
      metadata: Type.Optional(Type.Union([Type.Object({ [METADATA.organization]: Loose, [METADATA.plan]: Loose }), Type.Null()])),
      items: Type.Optional(Type.Object({ data: Type.Array(LooseItem) })),
    }),
  ),
})
export type StripeSubscription = Static<typeof StripeSubscription>

export const StripeCheckout = Type.Object({
  id: Id,
  mode: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  customer: Type.Optional(Reference),
  subscription: Type.Optional(Reference),
  client_reference_id: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  metadata: Type.Optional(Metadata),
  payment_status: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})

const SubscriptionDetails = Type.Optional(Type.Union([Type.Object({ subscription: Type.Optional(Reference), metadata: Type.Optional(Metadata) }), Type.Null()]))
export const StripeInvoice = Type.Object({
  id: Type.Optional(Id),
  customer: Type.Optional(Reference),
  subscription: Type.Optional(Reference),
  subscription_details: SubscriptionDetails,
  parent: Type.Optional(Type.Union([Type.Object({ subscription_details: SubscriptionDetails }), Type.Null()])),
  metadata: Type.Optional(Metadata),
  lines: Type.Optional(
    Type.Object({
      data: Type.Array(
        Type.Object({
          period: Type.Optional(Type.Union([Period, Type.Null()])),
          quantity: Type.Optional(Seats),
          price: Type.Optional(Type.Union([Price, Type.Null()])),
          pricing: Type.Optional(
            Type.Union([Type.Object({ price_details: Type.Optional(Type.Union([Type.Object({ price: Type.Optional(Reference) }), Type.Null()])) }), Type.Null()]),
          ),
        }),
        { maxItems: LIST_LIMIT },
      ),
    }),
  ),
})

/** Stripe's statuses. A paused subscription has ended its trial without a payment method: like an unpaid one, it gives nothing. */
const STATUSES: Readonly<Record<string, SubscriptionStatus>> = {
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  canceled: 'canceled',
  incomplete: 'incomplete',
  incomplete_expired: 'incomplete_expired',
  unpaid: 'unpaid',
  paused: 'unpaid',
}

export type StripeMetadata = Static<typeof Metadata> | undefined

/** Null: the value is not an object of that kind, or a status or time is unknown. @param status in place of the object's own */
export function readSubscription(value: unknown, prices: Prices, status?: SubscriptionStatus): GatewaySubscription | null {
  if (!isValid(StripeSubscription, value)) return null
  const items = value.items?.data ?? []
  // An item that was added by hand in Stripe's dashboard must not hide that of the plan.
  const item = items.find(({ price }) => price !== undefined && price !== null && prices.planOf(price.id) !== null) ?? items[0]
  const known = value.status !== undefined && Object.hasOwn(STATUSES, value.status) ? STATUSES[value.status] : null
  if (status === undefined && known === null) return null
  const periodEnd = dateOf(item?.current_period_end) ?? dateOf(value.current_period_end)
  return {
    id: value.id,
    customerId: idOf(value.customer) ?? '',
    organizationId: value.metadata?.[METADATA.organization] ?? null,
    planId: planOf(item?.price?.id ?? null, value.metadata, prices),
    status: status ?? known!,
    interval: intervalOf(item?.price?.recurring?.interval) ?? prices.planOf(item?.price?.id ?? '')?.interval ?? null,
    seats: item?.quantity === undefined || item.quantity === null ? null : Math.max(1, item.quantity),
    trialEndsAt: dateOf(value.trial_end),
    currentPeriodStart: dateOf(item?.current_period_start) ?? dateOf(value.current_period_start),
    currentPeriodEnd: periodEnd,
    cancelAt: dateOf(value.cancel_at) ?? (value.cancel_at_period_end === true ? periodEnd : null),
    canceledAt: dateOf(value.canceled_at),
    endedAt: dateOf(value.ended_at),
    createdAt: dateOf(value.created),
  }
}

/** The plan of a price, else that of the metadata: a change in the portal changes the price and leaves the metadata. */
export function planOf(price: string | null, metadata: StripeMetadata, prices: Prices): string | null {
  return (price === null ? null : (prices.planOf(price)?.planId ?? null)) ?? metadata?.[METADATA.plan] ?? null
}

export function idOf(reference: Static<typeof Reference> | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}

export function dateOf(seconds: Static<typeof Time> | undefined): Date | null {
  return seconds === null || seconds === undefined ? null : new Date(seconds * 1000)
}

function intervalOf(interval: string | undefined): BillingInterval | null {
  return interval === 'month' || interval === 'year' ? interval : null
}
