/** Reads events in Stripe's form, whose signature was verified before. Events of other kinds, and of objects that are no subscriptions, are null. */
import Type, { type Static, type TSchema } from 'typebox'
import { ApiError } from '../../../core/errors.js'
import { isValid } from '../../../core/egress/answers.js'
import type { GatewayEvent, GatewayEventKind, GatewaySubscription } from './gateway.js'
import { dateOf, idOf, METADATA, planOf, readSubscription, StripeCheckout, StripeInvoice, StripeSubscription } from './objects.js'
import type { AnswerReader } from '../../../core/egress/reader.js'
import type { Prices } from './prices.js'

const StripeEvent = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  type: Type.String({ minLength: 1, maxLength: 100 }),
  created: Type.Integer({ minimum: 0, maximum: 8.64e12 }),
  data: Type.Object({ object: Type.Object({}) }),
})

/** The events that an operator subscribes the endpoint to (`server/BILLING.md`). */
export const EVENT_TYPES: Readonly<Record<string, GatewayEventKind>> = {
  'checkout.session.completed': 'checkout_completed',
  'checkout.session.async_payment_succeeded': 'checkout_completed',
  'customer.subscription.created': 'subscription_changed',
  'customer.subscription.updated': 'subscription_changed',
  'customer.subscription.deleted': 'subscription_changed',
  'customer.subscription.paused': 'subscription_changed',
  'customer.subscription.resumed': 'subscription_changed',
  'invoice.paid': 'invoice_paid',
  'invoice.payment_succeeded': 'invoice_paid',
  'invoice.payment_failed': 'invoice_failed',
}
const DELETED = 'customer.subscription.deleted'

/** What is read of an event's object, by kind. */
const OBJECTS = {
  checkout_completed: objectOf(StripeCheckout),
  subscription_changed: objectOf(StripeSubscription),
  invoice_paid: objectOf(StripeInvoice),
  invoice_failed: objectOf(StripeInvoice),
} as const satisfies Readonly<Record<GatewayEventKind, TSchema>>

function objectOf<T extends TSchema>(object: T) {
  return Type.Object({ data: Type.Object({ object }) })
}

export interface EventReading {
  readonly reader: Pick<AnswerReader, 'json'>
  readonly prices: Prices
  readonly isOrderCertain: boolean
}

/** @param body whose signature was verified @throws ApiError billing_event_malformed */
export async function readEvent(body: Buffer, reading: EventReading): Promise<GatewayEvent | null> {
  const event = await parsed(StripeEvent, body, reading)
  if (!Object.hasOwn(EVENT_TYPES, event.type)) return null
  const kind = EVENT_TYPES[event.type]
  const { isOrderCertain } = reading
  const { data } = await parsed(OBJECTS[kind], body, reading)
  const details = READERS[kind](data.object, reading, event.type)
  return details === null ? null : { id: event.id, type: event.type, kind, createdAt: new Date(event.created * 1000), isOrderCertain, ...details }
}

type Details = Omit<GatewayEvent, 'id' | 'type' | 'kind' | 'createdAt' | 'isOrderCertain'>

const READERS: Readonly<Record<GatewayEventKind, (object: unknown, reading: EventReading, type: string) => Details | null>> = {
  checkout_completed(object, { prices, isOrderCertain }, type) {
    if (!isValid(StripeCheckout, object)) throw malformed()
    // A payment for something else than a subscription.
    if (object.mode !== undefined && object.mode !== null && object.mode !== 'subscription') return null
    const planId = planOf(null, object.metadata, prices)
    const isPaid = type !== 'checkout.session.completed' || object.payment_status !== 'unpaid'
    const named = idOf(object.subscription)
    const standIn = named === null && isOrderCertain && planId !== null ? standInOf(object.id, planId, isPaid) : null
    return {
      subscriptionId: named ?? standIn?.id ?? null,
      customerId: idOf(object.customer),
      organizationId: object.client_reference_id ?? object.metadata?.[METADATA.organization] ?? null,
      planId,
      interval: null,
      seats: null,
      period: null,
      isPaid,
      subscription: standIn,
    }
  },
  subscription_changed(object, { prices }, type) {
    const subscription = type === DELETED ? readSubscription(object, prices, 'canceled') : readSubscription(object, prices)
    if (subscription === null) throw malformed()
    const { id, customerId, organizationId, planId, interval, seats, currentPeriodStart: start, currentPeriodEnd: end } = subscription
    return {
      subscriptionId: id,
      customerId: customerId === '' ? null : customerId,
      organizationId,
      planId,
      interval,
      seats,
      period: start === null || end === null ? null : { start, end },
      isPaid: false,
      subscription,
    }
  },
  invoice_paid: (object, { prices }) => readInvoice(object, prices, true),
  invoice_failed: (object, { prices }) => readInvoice(object, prices, false),
}

/**
 * A checkout that was written by hand may name no subscription. Its events apply as they are sent, so the session stands for one, which is older than every
 * subscription, and counts only while no other is known.
 */
function standInOf(id: string, planId: string, isPaid: boolean): GatewaySubscription {
  const unknown = { interval: null, seats: null, trialEndsAt: null, currentPeriodStart: null, currentPeriodEnd: null, cancelAt: null, canceledAt: null, endedAt: null }
  return { id, customerId: '', organizationId: null, planId, status: isPaid ? 'active' : 'incomplete', ...unknown, createdAt: new Date(0) }
}

function readInvoice(object: unknown, prices: Prices, isPaid: boolean): Details {
  if (!isValid(StripeInvoice, object)) throw malformed()
  const details = object.parent?.subscription_details ?? object.subscription_details
  const metadata = details?.metadata ?? object.metadata
  // An invoice after a change has lines of the former period too: the line of the new one ends last.
  const line = object.lines?.data.reduce((latest, each) => ((each.period?.end ?? 0) > (latest.period?.end ?? 0) ? each : latest), object.lines.data[0])
  const price = line?.price?.id ?? idOf(line?.pricing?.price_details?.price)
  const [start, end] = [dateOf(line?.period?.start), dateOf(line?.period?.end)]
  return {
    subscriptionId: idOf(details?.subscription) ?? idOf(object.subscription),
    customerId: idOf(object.customer),
    organizationId: metadata?.[METADATA.organization] ?? null,
    planId: planOf(price, metadata, prices),
    interval: price === null ? null : (prices.planOf(price)?.interval ?? null),
    seats: line?.quantity ?? null,
    period: start === null || end === null ? null : { start, end },
    isPaid,
    subscription: null,
  }
}

async function parsed<T extends TSchema>(schema: T, body: Buffer, { reader }: Pick<EventReading, 'reader'>): Promise<Static<T>> {
  const read = await reader.json(schema, body)
  if (read.kind !== 'valid') throw malformed()
  return read.value
}

function malformed(): ApiError {
  return new ApiError('billing_event_malformed')
}
