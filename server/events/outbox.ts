/**
 * The outbox: events on their way to whoever subscribed. Invariants:
 *  1. an event is stored in the commit of the change that caused it, so there is never one without the other; so is the job that dispatches it
 *  2. an event that nobody subscribed to is not stored: a logtest causes one, and they come by thousands a second
 *  3. what is stored here waits: it goes in the commit that makes its deliveries
 */
import type { JobQueue } from '../jobs/queue.js'
import { newId } from '../storage/id.js'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import { OrganizationCache } from '../tenancy/organization-cache.js'
import type { Scope } from '../tenancy/scope.js'
import type { DomainEvent, EventName } from './catalogue.js'

/** Kind of the job that makes deliveries of an event; its subject is the stored event. */
export const EVENT_DISPATCH = 'event.dispatch'

/** Who wants to hear of which events: of webhooks, the part that is needed here. */
export interface SubscriptionDocument extends TenantDocument {
  readonly events: readonly string[]
  readonly is_active: boolean
}

/** An event that waits for its deliveries to be made. */
export interface OutboxDocument extends TenantDocument {
  readonly name: EventName
  readonly payload: unknown
  readonly created_at: Date
}

export const SUBSCRIPTIONS = tenantCollection<SubscriptionDocument>('webhooks', [{ keys: { is_active: 1 } }, { keys: { created_at: -1, _id: -1 } }])
export const OUTBOX = tenantCollection<OutboxDocument>('outbox', [{ keys: { created_at: 1 } }])

export class Outbox {
  readonly #jobs: Pick<JobQueue, 'enqueuing'>
  /** Names of the events that somebody of the organization wants to hear of. */
  readonly #subscribed: OrganizationCache<ReadonlySet<string>>
  readonly #clock: () => number

  /** @param clock milliseconds since the epoch */
  constructor(jobs: Pick<JobQueue, 'enqueuing'>, clock: () => number = Date.now) {
    this.#jobs = jobs
    this.#clock = clock
    this.#subscribed = new OrganizationCache(read, clock)
  }

  /** The writes that store events, and have them dispatched, for the commit of the change that caused them; none when nobody listens. */
  async emitting(scope: Scope, ...events: readonly DomainEvent[]): Promise<Write[]> {
    const subscribed = await this.#subscribed.get(scope)
    return events.filter(({ name }) => subscribed.has(name)).flatMap((event) => this.#storing(scope, event))
  }

  /** Stores an event that no stored change caused. Undefined: nobody listens, and there is nothing to wait for. */
  emit(scope: Scope, event: DomainEvent): Promise<void> | undefined {
    return this.#subscribed.known(scope)?.has(event.name) === false ? undefined : this.#emit(scope, event)
  }

  async #emit(scope: Scope, event: DomainEvent): Promise<void> {
    const writes = await this.emitting(scope, event)
    if (writes.length > 0) await scope.commit(writes)
  }

  /** Subscriptions of the organization have changed here. */
  forget(scope: Scope): void {
    this.#subscribed.forget(scope)
  }

  #storing(scope: Scope, { name, payload }: DomainEvent): Write[] {
    const event = { _id: newId(), name, payload, created_at: new Date(this.#clock()) }
    return [scope.collection(OUTBOX).inserting(event), this.#jobs.enqueuing(scope, { kind: EVENT_DISPATCH, subject: event._id })]
  }
}

async function read(scope: Scope): Promise<ReadonlySet<string>> {
  const active = await scope.collection(SUBSCRIPTIONS).find({ is_active: true })
  return new Set(active.flatMap(({ events }) => events))
}
