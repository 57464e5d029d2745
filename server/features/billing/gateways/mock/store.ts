/** What the gateway `mock` stores: subscriptions in Stripe's form, each with the events that the webhook has not accepted yet. */
import { platformCollection, type StoredDocument } from '../../../../core/storage/contract.js'

/** A subscription in Stripe's form, with the fields that this service reads (`../objects.ts`). Times are seconds since the epoch. */
export interface MockSubscription {
  readonly id: string
  readonly object: 'subscription'
  readonly customer: string
  readonly status: 'incomplete' | 'trialing' | 'active' | 'past_due' | 'canceled'
  readonly metadata: { readonly organization_id: string; readonly plan_id: string }
  readonly items: { readonly object: 'list'; readonly data: readonly [MockItem] }
  readonly trial_end: number | null
  readonly cancel_at: number | null
  readonly cancel_at_period_end: boolean
  readonly canceled_at: number | null
  readonly ended_at: number | null
  readonly created: number
}

export interface MockItem {
  readonly object: 'subscription_item'
  readonly quantity: number
  readonly price: { readonly id: string; readonly object: 'price'; readonly recurring: { readonly interval: 'month' | 'year' } }
  readonly current_period_start: number
  readonly current_period_end: number
}

export interface MockSubscriptionDocument extends StoredDocument {
  readonly organization_id: string
  readonly subscription: MockSubscription
  /** Bodies of events, in the order in which they are sent. */
  readonly pending: readonly string[]
  readonly created_at: Date
  readonly revision: number
}

export const MOCK_SUBSCRIPTIONS = platformCollection<MockSubscriptionDocument>('mock_subscriptions', [{ keys: { organization_id: 1, created_at: -1 } }])
