/**
 * The outbox: events on their way to whoever subscribed. Invariants:
 *  1. an event is stored in the commit of the change that caused it, so there is never one without the other
 *  2. an event that nobody subscribed to is not stored: a logtest causes one, and they come by thousands a second
 */
import { LRUCache } from 'lru-cache'
import { newId } from '../storage/id.js'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import type { Scope } from '../tenancy/scope.js'
import type { DomainEvent, EventName } from './catalogue.js'

/** How long another instance's new subscription may go unseen: below the second that is promised. */
const SUBSCRIPTIONS_TTL_MS = 750
const ORGANIZATIONS_LIMIT = 10_000
/** Who wants to hear of which events. */
export interface SubscriptionDocument extends TenantDocument {
  readonly events: readonly string[]
  readonly is_active: boolean
}

/** An event that waits to be delivered. */
export interface OutboxDocument extends TenantDocument {
  readonly name: EventName
  readonly payload: unknown
  readonly created_at: Date
  /** When it was handed to the deliveries; null: not yet. */
  readonly dispatched_at: Date | null
}

export const SUBSCRIPTIONS = tenantCollection<SubscriptionDocument>('webhooks', [{ keys: { is_active: 1 } }])
export const OUTBOX = tenantCollection<OutboxDocument>('outbox', [{ keys: { created_at: 1 } }])

export class Outbox {
  readonly #subscribed: LRUCache<string, ReadonlySet<string>>
  readonly #clock: () => number

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock
    this.#subscribed = new LRUCache({ max: ORGANIZATIONS_LIMIT, ttl: SUBSCRIPTIONS_TTL_MS, ttlResolution: 0, perf: { now: clock } })
  }

  /** The writes that store events, for the commit of the change that caused them; none when nobody listens. */
  async emitting(scope: Scope, ...events: readonly DomainEvent[]): Promise<Write[]> {
    const subscribed = await this.#subscriptions(scope)
    return events.filter(({ name }) => subscribed.has(name)).map((event) => scope.collection(OUTBOX).inserting(this.#stored(event)))
  }

  /** Stores an event that no stored change caused. */
  async emit(scope: Scope, event: DomainEvent): Promise<void> {
    const subscribed = await this.#subscriptions(scope)
    if (subscribed.has(event.name)) await scope.collection(OUTBOX).insert(this.#stored(event))
  }

  /** Subscriptions of the organization have changed here. */
  forget(scope: Scope): void {
    this.#subscribed.delete(scope.organizationId)
  }

  #stored({ name, payload }: DomainEvent) {
    return { _id: newId(), name, payload, created_at: new Date(this.#clock()), dispatched_at: null }
  }

  async #subscriptions(scope: Scope): Promise<ReadonlySet<string>> {
    const known = this.#subscribed.get(scope.organizationId)
    if (known !== undefined) return known
    const active = await scope.collection(SUBSCRIPTIONS).find({ is_active: true })
    const names = new Set(active.flatMap(({ events }) => events))
    this.#subscribed.set(scope.organizationId, names)
    return names
  }
}
