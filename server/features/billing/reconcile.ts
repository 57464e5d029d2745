/**
 * Compares every subscription with the gateway, once a day and when a platform admin asks for it: events can be lost for good. Invariants:
 *  1. one comparison runs at a time, for all instances: its progress is one document, whose revision every step checks
 *  2. a step takes one page of the gateway's list, so that the work fits a lease and continues after a crash where it was
 */
import type { Identities } from '../../core/auth/identities.js'
import type { UserPrincipal } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError } from '../../core/errors.js'
import type { BillingGateway, GatewaySubscription } from './gateways/gateway.js'
import { DAILY_PAUSE_MS } from '../../core/jobs/daily.js'
import { INSTANCE_JOBS, type JobQueue } from '../../core/jobs/queue.js'
import type { JobKind, JobOutcome } from '../../core/jobs/runner.js'
import type { Collection, Storage } from '../../core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../../core/storage/errors.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { auditing, platformContext } from '../../core/audit/service.js'
import { BY_SYSTEM } from './jobs.js'
import { GATEWAY_SUBSCRIPTIONS, RECONCILIATION, type ReconciliationDocument, RECONCILIATIONS } from './store.js'
import type { SubscriptionUpdates } from './updates.js'

export const RECONCILE = 'billing.reconcile'

/** Time for a page of subscriptions, each of which may need a call to the gateway. */
const LEASE_MS = 10 * 60 * 1000
/** The job may write its progress at the same time. */
const ATTEMPTS = 8

export interface ReconciliationParts {
  readonly storage: Pick<Storage, 'open' | 'commit'>
  readonly identities: Identities
  readonly gateway: BillingGateway
  readonly jobs: Pick<JobQueue, 'scheduling'>
  readonly updates: Pick<SubscriptionUpdates, 'applyState'>
}

export class Reconciliation {
  readonly #parts: ReconciliationParts
  readonly #documents: Collection<ReconciliationDocument>

  constructor(parts: ReconciliationParts) {
    this.#parts = parts
    this.#documents = parts.storage.open(RECONCILIATIONS)
  }

  /** The latest comparison; null: none was made yet. */
  read(): Promise<ReconciliationDocument | null> {
    return this.#documents.findOne({ _id: RECONCILIATION })
  }

  /** Begins a comparison, unless one is running. @throws ApiError billing_gateway_disabled, edit_conflict */
  async start(actor: Actor<UserPrincipal>): Promise<ReconciliationDocument> {
    const { gateway, jobs, storage, identities } = this.#parts
    if (gateway.provider === 'disabled') throw new ApiError('billing_gateway_disabled')
    return retryStale(
      ATTEMPTS,
      async () => {
        const found = await this.read()
        if (found?.status === 'running') return found
        const begun = this.#begun()
        const { _id, revision: _, ...fields } = begun
        const now = begun.started_at
        const entry = { action: 'billing.reconciliation_started', resource: { type: 'billing', id: RECONCILIATION, name: gateway.provider } } as const
        await storage.commit([
          found === null ? this.#documents.inserting(begun) : this.#documents.updating({ _id, revision: found.revision }, { set: fields, increment: { revision: 1 } }),
          await jobs.scheduling(INSTANCE_JOBS, { kind: RECONCILE, subject: RECONCILE, dueAt: now }),
          auditing(identities.tenancy.instance, platformContext(actor), entry, now),
        ])
        return begun
      },
      { isStale: (error) => error instanceof StaleWriteError || (error instanceof DuplicateKeyError && error.collection === RECONCILIATIONS.name) },
    )
  }

  job(): JobKind {
    return { kind: RECONCILE, concurrency: 1, perOrganization: 1, leaseMs: LEASE_MS, run: (_job, _scope, signal) => this.#step(signal) }
  }

  async #step(signal: AbortSignal): Promise<JobOutcome> {
    const { gateway } = this.#parts
    if (gateway.provider === 'disabled') return { again: this.#later() }
    const found = await this.#running()
    const page = await gateway.subscriptions(found.next)
    let { checked, mended, unknown } = found
    for (const subscription of page.subscriptions) {
      signal.throwIfAborted()
      const scope = await this.#scopeOf(subscription)
      if (scope === null) {
        unknown++
        continue
      }
      checked++
      if (await this.#parts.updates.applyState(scope, subscription, { action: 'subscription.reconciled', context: BY_SYSTEM })) mended++
    }
    const { _id, revision, ...rest } = found
    const isLast = page.next === null
    const fields = { ...rest, checked, mended, unknown, next: page.next, status: isLast ? ('finished' as const) : ('running' as const), finished_at: isLast ? this.#now() : null }
    const written = await this.#documents.update({ _id, revision }, { set: fields, increment: { revision: 1 } })
    // Otherwise a platform admin has asked for a comparison meanwhile: it continues from where the document says.
    return { again: written !== null && isLast ? this.#later() : this.#now() }
  }

  /** The comparison that runs; else a new one. */
  async #running(): Promise<ReconciliationDocument> {
    const found = await this.read()
    if (found?.status === 'running') return found
    const begun = this.#begun()
    if (found === null) {
      await this.#documents.insert(begun)
      return begun
    }
    const { _id, revision: _, ...fields } = begun
    const updated = await this.#documents.update({ _id, revision: found.revision }, { set: fields, increment: { revision: 1 } })
    // A platform admin has begun one meanwhile.
    return updated ?? (await this.#running())
  }

  async #scopeOf({ id, organizationId }: GatewaySubscription): Promise<Scope | null> {
    const { tenancy, organizations } = this.#parts.identities
    const known = await tenancy.locate(GATEWAY_SUBSCRIPTIONS, '_id', id)
    if (known !== null) return known.scope
    return organizationId === null || (await organizations.byId(organizationId)) === null ? null : tenancy.of(organizationId)
  }

  #begun(): ReconciliationDocument {
    return { _id: RECONCILIATION, status: 'running', started_at: this.#now(), finished_at: null, next: null, checked: 0, mended: 0, unknown: 0, revision: 1 }
  }

  #now(): Date {
    return new Date(this.#parts.identities.clock())
  }

  #later(): Date {
    return new Date(this.#parts.identities.clock() + DAILY_PAUSE_MS)
  }
}
