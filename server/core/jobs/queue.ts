/**
 * Work after a response: deliveries, notifications, scheduled synchronizations. Invariants:
 *  1. a job is stored in the commit of the change that caused it, so neither exists without the other
 *  2. a job belongs to one organization and runs in its scope, or to the instance (`INSTANCE_JOBS`)
 *  3. one instance at a time has the lease of a job; an instance whose lease has expired can't settle the job
 *  4. a job runs at least once, so its work must be idempotent
 *  5. no job is due later than a day ahead, so a later one was stored by a wrong clock
 *  6. a job that has failed finally is no job any more: only its record in `failures.ts` is kept
 */
import { randomUUID } from 'node:crypto'
import type { Backlog } from '../observability/store-status.js'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { newId } from '../storage/id.js'
import { ignoreStale } from '../storage/errors.js'
import type { Scope } from '../tenancy/scope.js'
import { type JobError, type JobFailureDocument, JobFailures, retriedJob } from './failures.js'

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

/** Due jobs of all kinds that are looked at for their kinds. Usually there are a few. */
const LOOK_LIMIT = 100

/** Pause of a job that waits for a later time, or runs every day: it is an hour less than the limit, because the clocks of instances differ. */
export const LONGEST_WAIT_MS = 23 * 60 * 60 * 1000

/** Owner of the jobs that belong to no organization. Ids of organizations are UUIDs. */
export const INSTANCE_JOBS: Pick<Scope, 'organizationId'> = { organizationId: 'instance' }

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
  readonly failures: JobFailures
  readonly #storage: Pick<Storage, 'commit'>
  readonly #jobs: Collection<JobDocument>
  readonly #clock: () => number
  readonly #listeners = new Set<(kind: string) => void>()

  /** @param clock milliseconds since the epoch */
  constructor(storage: Pick<Storage, 'open' | 'commit'>, clock: () => number = Date.now) {
    this.failures = new JobFailures(storage, clock)
    this.#storage = storage
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

  /** Returns the write after which a job of this subject waits, and is due at that time: a waiting one is rescheduled. */
  async scheduling(owner: Pick<Scope, 'organizationId'>, { kind, subject, dueAt }: Required<NewJob>): Promise<Write> {
    return (await this.isWaiting(owner, kind, subject)) ? this.rescheduling(owner, kind, subject, dueAt) : this.enqueuing(owner, { kind, subject, dueAt })
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
    // The upper bound is exclusive: the MongoDB-compatible server of the tests omits documents on an inclusive bound when the index continues after the field.
    const soon = new Date(this.#clock() + 1)
    return this.#jobs.find({ kind, due_at: { lt: soon }, ...(busy.length === 0 ? {} : { organization_id: { notIn: busy } }) }, { sort: { due_at: 1, _id: 1 }, limit })
  }

  /** Returns those of the kinds that have due jobs, in one query; all of them where many jobs are due. */
  async dueKinds(kinds: readonly string[]): Promise<ReadonlySet<string>> {
    const due = await this.#jobs.find({ kind: { in: kinds }, due_at: { lt: new Date(this.#clock() + 1) } }, { limit: LOOK_LIMIT })
    return new Set(due.length === LOOK_LIMIT ? kinds : due.map(({ kind }) => kind))
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

  /** Makes the lease of a job end later. @param leaseMs from now on @returns false: the lease was lost */
  async renew({ _id, claim }: ClaimedJob, leaseMs: number): Promise<boolean> {
    return (await this.#jobs.update({ _id, claim }, { set: { due_at: new Date(this.#clock() + leaseMs) } })) !== null
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

  /** Makes a job due again after a failure, and records the failure. Does nothing when the lease was lost. */
  async retry(job: ClaimedJob, dueAt: Date, error: JobError): Promise<void> {
    const { _id, claim } = job
    const again = this.#jobs.updating({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt) } })
    await this.#storage.commit([again, ...this.failures.noting(job, { error, nextAttemptAt: dueAt })]).catch(ignoreStale)
  }

  /** The writes with which an operator retries a job that has failed: it is due at once. They fail when the job runs, or its state has changed. */
  retrying(failure: JobFailureDocument): Write[] {
    const now = new Date(this.#clock())
    for (const listener of this.#listeners) listener(failure.kind)
    const due =
      failure.status === 'failed' ? this.#jobs.inserting(retriedJob(failure, now)) : this.#jobs.updating({ _id: failure._id, claim: null }, { set: { due_at: now, failures: 1 } })
    return [this.failures.retrying(failure), due]
  }

  /** The writes with which a job that has failed ends without another attempt. They fail when the job runs, or its state has changed. */
  dropping(failure: JobFailureDocument): Write[] {
    return [this.failures.removing(failure), ...(failure.status === 'failed' ? [] : [this.#jobs.deleting({ _id: failure._id, claim: null })])]
  }

  /** Those of the ids that are jobs. */
  async living(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#jobs.find({ _id: { in: ids } })).map(({ _id }) => _id))
  }

  /** Returns the number of jobs of a kind that have a lease, and of those that are due later. @param leaseMs duration of the lease */
  async counts(kind: string, leaseMs: number): Promise<{ readonly running: number; readonly scheduled: number }> {
    const now = this.#clock()
    const later = { gt: new Date(now) }
    // A claimed job is due when its lease ends, so others than those due soon need no look.
    const soon = { gt: new Date(now), lt: new Date(now + leaseMs + 1) }
    const [running, all] = await Promise.all([this.#jobs.count({ kind, due_at: soon, claim: { not: null } }), this.#jobs.count({ kind, due_at: later })])
    return { running, scheduled: Math.max(0, all - running) }
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

/** When a job that waits for a time is due: then, or earlier if that is too far ahead, to go on waiting. */
export function dueBy(time: Date, now: Date): Date {
  return new Date(Math.min(time.getTime(), now.getTime() + LONGEST_WAIT_MS))
}
