/** Objects in the form of Stripe's API reference: those of its current version, and of versions before 2025, which had periods and the subscription elsewhere. */
import { signatureOf } from '../../../server/features/billing/gateways/signature.js'

export const ORGANIZATION = '0b7a2f3e-5c1d-4a8e-9f60-3d2c1b0a9e8f'
export const [START, END, CREATED] = [1_763_900_000, 1_766_492_000, 1_763_900_005]

export function subscription(changes: object = {}): Record<string, unknown> {
  return {
    id: 'sub_1MowQVLkdIwHu7ixeRlqHVzs',
    object: 'subscription',
    application: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: START,
    billing_mode: { type: 'classic' },
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    created: START,
    currency: 'usd',
    customer: 'cus_Na6dX7aXxi11N4',
    default_payment_method: null,
    discounts: [],
    ended_at: null,
    items: {
      object: 'list',
      data: [
        {
          id: 'si_Na6dzxczY5fwHx',
          object: 'subscription_item',
          created: START,
          current_period_end: END,
          current_period_start: START,
          metadata: {},
          price: {
            id: 'price_team_month',
            object: 'price',
            active: true,
            billing_scheme: 'per_unit',
            currency: 'usd',
            product: 'prod_Na6dGcTsmU0I4R',
            recurring: { interval: 'month', interval_count: 1, meter: null, trial_period_days: null, usage_type: 'licensed' },
            type: 'recurring',
            unit_amount: 4900,
          },
          quantity: 3,
          subscription: 'sub_1MowQVLkdIwHu7ixeRlqHVzs',
        },
      ],
      has_more: false,
      total_count: 1,
    },
    latest_invoice: 'in_1MowQWLkdIwHu7ixuzkSPfKd',
    livemode: false,
    metadata: { organization_id: ORGANIZATION, plan_id: 'team' },
    pause_collection: null,
    status: 'active',
    trial_end: null,
    trial_start: null,
    ...changes,
  }
}

/** As before 2025-03-31: the period is the subscription's. */
export function formerSubscription(): Record<string, unknown> {
  const { items, ...rest } = subscription() as { items: { data: Record<string, unknown>[] } }
  const { current_period_start, current_period_end, ...item } = items.data[0]
  return { ...rest, current_period_start, current_period_end, items: { ...items, data: [item] } }
}

export function checkoutSession(changes: object = {}): Record<string, unknown> {
  return {
    id: 'cs_test_a11YYufWQzNY63zpQ6QSNRQhkUpVph4WRmzW0zWJO2znZKdVujZ0N0S22u',
    object: 'checkout.session',
    amount_total: 14_700,
    client_reference_id: ORGANIZATION,
    created: START,
    currency: 'usd',
    customer: 'cus_Na6dX7aXxi11N4',
    customer_details: { email: 'ana@example.com', name: 'Ana' },
    invoice: 'in_1MowQWLkdIwHu7ixuzkSPfKd',
    livemode: false,
    metadata: { organization_id: ORGANIZATION, plan_id: 'team' },
    mode: 'subscription',
    payment_status: 'paid',
    status: 'complete',
    subscription: 'sub_1MowQVLkdIwHu7ixeRlqHVzs',
    success_url: 'https://example.com/success',
    url: null,
    ...changes,
  }
}

/** An invoice after a change: a line for what is given back of the former period, and one for the new one. */
export function invoice(changes: object = {}): Record<string, unknown> {
  const line = (quantity: number, start: number, end: number): object => ({
    id: 'il_1MtHbELkdIwHu7ixl4OzzPMv',
    object: 'line_item',
    amount: 14_700,
    period: { start, end },
    pricing: { price_details: { price: 'price_team_month', product: 'prod_Na6dGcTsmU0I4R' }, type: 'price_details', unit_amount_decimal: '4900' },
    quantity,
  })
  return {
    id: 'in_1MtHbELkdIwHu7ixl4OzzPMv',
    object: 'invoice',
    amount_due: 14_700,
    billing_reason: 'subscription_cycle',
    customer: 'cus_Na6dX7aXxi11N4',
    customer_email: 'ana@example.com',
    lines: { object: 'list', data: [line(2, START - 2_592_000, START), line(3, START, END)], has_more: false },
    parent: {
      quote_details: null,
      subscription_details: { metadata: { organization_id: ORGANIZATION, plan_id: 'team' }, subscription: 'sub_1MowQVLkdIwHu7ixeRlqHVzs' },
      type: 'subscription_details',
    },
    status: 'paid',
    ...changes,
  }
}

/** As before 2025-03-31: the subscription and the price are fields of their own. */
export function formerInvoice(): Record<string, unknown> {
  const line = { period: { start: START, end: END }, price: { id: 'price_team_month', recurring: { interval: 'month' } }, quantity: 3 }
  return invoice({
    parent: undefined,
    subscription: 'sub_1MowQVLkdIwHu7ixeRlqHVzs',
    subscription_details: { metadata: { organization_id: ORGANIZATION, plan_id: 'team' } },
    lines: { data: [line] },
  })
}

export function event(type: string, object: object, changes: object = {}): Record<string, unknown> {
  return {
    id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
    object: 'event',
    api_version: '2026-10-28.endive',
    created: CREATED,
    data: { object, ...(type.endsWith('.updated') ? { previous_attributes: { status: 'incomplete' } } : {}) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    ...changes,
  }
}

export interface SignedEvent {
  readonly body: Buffer
  readonly header: string
}

/** @param now milliseconds since the epoch */
export function signed(content: object, secret: string, now: number): SignedEvent {
  // Stripe's bodies are indented.
  const body = Buffer.from(JSON.stringify(content, null, 2))
  return { body, header: signatureOf(body, secret, now) }
}
