/**
 * Work after a response: deliveries, notifications, scheduled synchronizations. Invariants:
 *  1. a job is stored in the commit of the change that caused it, so neither exists without the other
 *  2. a job belongs to one organization and runs in its scope
 *  3. one instance at a time has the lease of a job; an instance whose lease has expired can't settle the job
 *  4. a job runs at least once, so its work must be idempotent
 *  5. no job is due later than a day ahead, so a later one was stored by a wrong clock
 */
import { randomUUID } from 'node:crypto'
import type { Backlog } from '../observability/store-status.js'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { newId } from '../storage/id.js'
import type { Scope } from '../tenancy/scope.js'

export interface JobDocument extends StoredDocument {
  readonly organization_id: string
  /** Kind of the job, which selects the handler. */
  readonly kind: string
  /** Identifier of the job's object; the handler reads everything else from there. */
  readonly subject: string
  /** When the job may be claimed. A claim sets it to the end of the lease, so the job is due again if the instance crashes. */
  readonly due_at: Date
  /** Identifier of the claim; null: not claimed. */
  readonly claim: string | null
  /** Number of claims. */
  readonly attempts: number
  /** Number of consecutive claims that did not settle the job, including the current one. Missing in jobs of older versions: none. */
  readonly failures?: number
  readonly created_at: Date
}

export const JOBS = platformCollection<JobDocument>('jobs', [{ keys: { kind: 1, due_at: 1, _id: 1 } }, { keys: { subject: 1 } }])

/** Jobs due later than this come from a wrong clock. It is about twice the longest pause between deliveries. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000

export interface NewJob {
  readonly kind: string
  readonly subject: string
  /** Default: now. */
  readonly dueAt?: Date
}

/** A job with a lease. */
export interface ClaimedJob extends JobDocument {
  readonly claim: string
  readonly failures: number
}

export class JobQueue {
  readonly #jobs: Collection<JobDocument>
  readonly #clock: () => number
  readonly #listeners = new Set<(kind: string) => void>()

  /** @param clock milliseconds since the epoch */
  constructor(storage: Pick<Storage, 'open'>, clock: () => number = Date.now) {
    this.#jobs = storage.open(JOBS)
    this.#clock = clock
  }

  /** Returns the write that stores a job, for the commit of its cause. @throws RangeError when it is due later than in a day, as do the methods below */
  enqueuing({ organizationId }: Pick<Scope, 'organizationId'>, { kind, subject, dueAt }: NewJob): Write {
    const now = new Date(this.#clock())
    for (const listener of this.#listeners) listener(kind)
    const due_at = dueAt === undefined ? now : this.#near(dueAt)
    return this.#jobs.inserting({ _id: newId(), organization_id: organizationId, kind, subject, due_at, claim: null, attempts: 0, failures: 0, created_at: now })
  }

  /** Returns the write that changes the due time of a waiting job, by its subject. */
  rescheduling({ organizationId }: Pick<Scope, 'organizationId'>, kind: string, subject: string, dueAt: Date): Write {
    return this.#jobs.updatingMany({ subject, kind, organization_id: organizationId, claim: null }, { set: { due_at: this.#near(dueAt) } })
  }

  /**
   * Whether a job of this subject waits, due or not. It begins after this call, and so finds everything that is stored or has happened before: a caller whose
   * job says no more than that needs no second one. A job that is running may have read its object already, and does not count.
   */
  async isWaiting({ organizationId }: Pick<Scope, 'organizationId'>, kind: string, subject: string): Promise<boolean> {
    return (await this.#jobs.findOne({ subject, kind, organization_id: organizationId, claim: null })) !== null
  }

  /** Registers a listener that is called with the kind of every job this instance is about to store. */
  onEnqueuing(listener: (kind: string) => void): void {
    this.#listeners.add(listener)
  }

  /** Returns the due jobs, longest due first. @param busy organizations to skip */
  due(kind: string, busy: readonly string[], limit: number): Promise<JobDocument[]> {
    // The upper bound is exclusive: the MongoDB-compatible server of the tests omits documents on an inclusive bound when the index continues behind the field.
    const soon = new Date(this.#clock() + 1)
    return this.#jobs.find({ kind, due_at: { lt: soon }, ...(busy.length === 0 ? {} : { organization_id: { notIn: busy } }) }, { sort: { due_at: 1, _id: 1 }, limit })
  }

  /** Returns the number of due, unclaimed jobs of a kind, and since when the oldest is due. */
  async backlog(kind: string): Promise<Backlog> {
    const due = { kind, due_at: { lt: new Date(this.#clock() + 1) } }
    const [oldest] = await this.#jobs.find(due, { sort: { due_at: 1, _id: 1 }, limit: 1 })
    return oldest === undefined ? { kind, waiting: 0, since: null } : { kind, waiting: await this.#jobs.count(due), since: oldest.due_at }
  }

  /** Claims a job. Null: another instance was first. @param leaseMs duration of the lease */
  async claim({ _id, due_at, attempts }: JobDocument, leaseMs: number): Promise<ClaimedJob | null> {
    const claim = randomUUID()
    const until = new Date(this.#clock() + leaseMs)
    return (await this.#jobs.update({ _id, due_at, attempts }, { set: { claim, due_at: until }, increment: { attempts: 1, failures: 1 } })) as ClaimedJob | null
  }

  /** Returns the write that deletes a job, for the commit of its work. The commit fails when the lease was lost. @throws StaleWriteError, by the commit */
  finishing({ _id, claim }: ClaimedJob): Write {
    return this.#jobs.deleting({ _id, claim })
  }

  /** Returns the write that makes a job due again. The commit fails when the lease was lost. @throws StaleWriteError, by the commit */
  postponing({ _id, claim }: ClaimedJob, dueAt: Date): Write {
    return this.#jobs.updating({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt), failures: 0 } })
  }

  /** As `finishing`, at once. Does nothing when the lease was lost. */
  async finish({ _id, claim }: ClaimedJob): Promise<void> {
    await this.#jobs.delete({ _id, claim })
  }

  /** As `postponing`, at once. Does nothing when the lease was lost. */
  async postpone({ _id, claim }: ClaimedJob, dueAt: Date): Promise<void> {
    await this.#jobs.update({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt), failures: 0 } })
  }

  /** Makes a failed job due again. Does nothing when the lease was lost. */
  async retry({ _id, claim }: ClaimedJob, dueAt: Date): Promise<void> {
    await this.#jobs.update({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt) } })
  }

  /** Releases a job as if it had not been claimed. Does nothing when the lease was lost. */
  async release({ _id, claim }: ClaimedJob): Promise<void> {
    await this.#jobs.update({ _id, claim }, { set: { claim: null, due_at: new Date(this.#clock()) }, increment: { failures: -1 } })
  }

  /** Makes jobs that a wrong clock put too far ahead due after one lease, since one may be running. @returns their number */
  rescheduleMisdated(kind: string, leaseMs: number): Promise<number> {
    const now = this.#clock()
    return this.#jobs.updateMany({ kind, due_at: { gt: new Date(now + MAX_AHEAD_MS) } }, { set: { due_at: new Date(now + leaseMs) } })
  }

  #near(dueAt: Date): Date {
    if (!(dueAt.getTime() <= this.#clock() + MAX_AHEAD_MS)) throw new RangeError('a job is due within a day')
    return dueAt
  }
}
