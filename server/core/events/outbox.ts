/**
 * The outbox stores domain events until they are dispatched to webhooks and other receivers. Invariants:
 *  1. an event and the job that dispatches it are stored in the commit of the change that caused them, so none exists without the others
 *  2. an event without a subscriber is not stored, because each logtest causes one, thousands in a second
 *  3. an event is deleted in the commit that creates its deliveries
 */
import type { JobQueue } from '../jobs/queue.js'
import { type Forget, Forgetting } from '../tenancy/forgetting.js'
import { newId } from '../storage/id.js'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import { OrganizationCache } from '../tenancy/organization-cache.js'
import type { Scope } from '../tenancy/scope.js'
import type { DomainEvent, EventName } from './catalogue.js'

/** Kind of the job that creates the deliveries of an event. Its subject is the stored event. */
export const EVENT_DISPATCH = 'event.dispatch'

/** The fields of a webhook that the outbox needs. */
export interface SubscriptionDocument extends TenantDocument {
  readonly events: readonly string[]
  readonly is_active: boolean
}

/** An event that is not dispatched yet. */
export interface OutboxDocument extends TenantDocument {
  readonly name: EventName
  readonly payload: unknown
  readonly created_at: Date
}

export const SUBSCRIPTIONS = tenantCollection<SubscriptionDocument>('webhooks', [{ keys: { is_active: 1 } }, { keys: { created_at: -1, _id: -1 } }])
export const OUTBOX = tenantCollection<OutboxDocument>('outbox', [{ keys: { created_at: 1 } }])

/** Returns the names of the events that active receivers of a kind select. */
export type SelectedEvents = (scope: Scope) => Promise<readonly string[]>

export class Outbox {
  readonly #jobs: Pick<JobQueue, 'enqueuing'>
  /** Names of the events that active receivers of the organization select. */
  readonly #subscribed: OrganizationCache<ReadonlySet<string>>
  readonly #clock: () => number
  readonly #forget: Forget<string>

  /** @param clock milliseconds since the epoch @param others what receivers other than webhooks select @param forgetting default: there are no other processes */
  constructor(jobs: Pick<JobQueue, 'enqueuing'>, clock: () => number = Date.now, others: readonly SelectedEvents[] = [], forgetting = new Forgetting()) {
    this.#jobs = jobs
    this.#clock = clock
    const sources = [selectedByWebhooks, ...others]
    this.#subscribed = new OrganizationCache<ReadonlySet<string>>(async (scope) => new Set((await Promise.all(sources.map((read) => read(scope)))).flat()), clock)
    this.#forget = forgetting.topic<string>('receivers', (organizationId) => this.#subscribed.forget(organizationId))
  }

  /** Returns the writes that store events and the jobs that dispatch them, for the commit of their cause; empty if there is no subscriber. */
  async emitting(scope: Scope, ...events: readonly DomainEvent[]): Promise<Write[]> {
    const subscribed = await this.#subscribed.get(scope)
    return events.filter(({ name }) => subscribed.has(name)).flatMap((event) => this.#storing(scope, event))
  }

  /** Stores an event that no stored change caused. Undefined: there is no subscriber and nothing to wait for. */
  emit(scope: Scope, event: DomainEvent): Promise<void> | undefined {
    return this.#subscribed.known(scope)?.has(event.name) === false ? undefined : this.#emit(scope, event)
  }

  async #emit(scope: Scope, event: DomainEvent): Promise<void> {
    const writes = await this.emitting(scope, event)
    if (writes.length > 0) await scope.commit(writes)
  }

  /** Call it after this instance changed receivers of the organization. Never rejects. */
  forget({ organizationId }: Scope): Promise<void> {
    return this.#forget(organizationId)
  }

  #storing(scope: Scope, { name, payload }: DomainEvent): Write[] {
    const event = { _id: newId(), name, payload, created_at: new Date(this.#clock()) }
    return [scope.collection(OUTBOX).inserting(event), this.#jobs.enqueuing(scope, { kind: EVENT_DISPATCH, subject: event._id })]
  }
}

async function selectedByWebhooks(scope: Scope): Promise<readonly string[]> {
  const active = await scope.collection(SUBSCRIPTIONS).find({ is_active: true })
  return active.flatMap(({ events }) => events)
}
