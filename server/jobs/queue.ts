/**
 * Work that is done after an answer: deliveries, notifications, scheduled synchronizations. Invariants:
 *  1. a job is stored in the commit of the change that caused it, so there is never one without the other
 *  2. a job belongs to one organization, and runs in its scope
 *  3. one instance at a time has a job: whoever claims it holds it until its lease ends; a holder that lost it can't settle it
 *  4. a job runs at least once: its work must be such that twice does no harm
 *  5. nothing is put off for longer than a day, so what lies further ahead was put there by a clock that was wrong
 */
import { randomUUID } from 'node:crypto'
import type { Backlog } from '../observability/store-status.js'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { newId } from '../storage/id.js'
import type { Scope } from '../tenancy/scope.js'

export interface JobDocument extends StoredDocument {
  readonly organization_id: string
  /** Which handler runs it. */
  readonly kind: string
  /** Identifier of what it is about; the handler reads the rest from there. */
  readonly subject: string
  /** When it may be claimed. A claim puts it to the end of the lease: a holder that dies leaves the job due. */
  readonly due_at: Date
  /** Of the claim; null: nobody's. */
  readonly claim: string | null
  /** How often it was claimed. */
  readonly attempts: number
  /** Of these, how many in a row it was not settled after, the claim under way included. Missing in jobs of older versions: none. */
  readonly failures?: number
  readonly created_at: Date
}

export const JOBS = platformCollection<JobDocument>('jobs', [{ keys: { kind: 1, due_at: 1, _id: 1 } }, { keys: { subject: 1 } }])

/** Twice as long as the longest pause of a delivery, nearly. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000

export interface NewJob {
  readonly kind: string
  readonly subject: string
  /** Default: at once. */
  readonly dueAt?: Date
}

/** A job as its holder has it. */
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

  /** The write that stores a job, for the commit of what causes it. @throws RangeError for what is due later than in a day; so below */
  enqueuing({ organizationId }: Pick<Scope, 'organizationId'>, { kind, subject, dueAt }: NewJob): Write {
    const now = new Date(this.#clock())
    for (const listener of this.#listeners) listener(kind)
    const due_at = dueAt === undefined ? now : this.#near(dueAt)
    return this.#jobs.inserting({ _id: newId(), organization_id: organizationId, kind, subject, due_at, claim: null, attempts: 0, failures: 0, created_at: now })
  }

  /** The write that makes the waiting job about a subject due at another time. */
  rescheduling({ organizationId }: Pick<Scope, 'organizationId'>, kind: string, subject: string, dueAt: Date): Write {
    return this.#jobs.updatingMany({ subject, kind, organization_id: organizationId, claim: null }, { set: { due_at: this.#near(dueAt) } })
  }

  /** Told of the kind of every job that is about to be stored by this instance. */
  onEnqueuing(listener: (kind: string) => void): void {
    this.#listeners.add(listener)
  }

  /** Jobs that are due, the longest waiting first. @param busy organizations that are to be passed over */
  due(kind: string, busy: readonly string[], limit: number): Promise<JobDocument[]> {
    // All that is due now, with the bound outside: the server that tests run on leaves out what lies on one, where the index goes on behind the field.
    const soon = new Date(this.#clock() + 1)
    return this.#jobs.find({ kind, due_at: { lt: soon }, ...(busy.length === 0 ? {} : { organization_id: { notIn: busy } }) }, { sort: { due_at: 1, _id: 1 }, limit })
  }

  /** How many jobs of a kind are due and nobody's, and since when the longest waiting is. */
  async backlog(kind: string): Promise<Backlog> {
    const due = { kind, due_at: { lt: new Date(this.#clock() + 1) } }
    const [oldest] = await this.#jobs.find(due, { sort: { due_at: 1, _id: 1 }, limit: 1 })
    return oldest === undefined ? { kind, waiting: 0, since: null } : { kind, waiting: await this.#jobs.count(due), since: oldest.due_at }
  }

  /** Takes a job. Null: someone else was faster. @param leaseMs how long it is held */
  async claim({ _id, due_at, attempts }: JobDocument, leaseMs: number): Promise<ClaimedJob | null> {
    const claim = randomUUID()
    const until = new Date(this.#clock() + leaseMs)
    return (await this.#jobs.update({ _id, due_at, attempts }, { set: { claim, due_at: until }, increment: { attempts: 1, failures: 1 } })) as ClaimedJob | null
  }

  /** The write that ends a job, for the commit of its work. Refused when another one holds it by now. @throws StaleWriteError, by the commit */
  finishing({ _id, claim }: ClaimedJob): Write {
    return this.#jobs.deleting({ _id, claim })
  }

  /** The write that lets a job come again. Refused when another one holds it by now. @throws StaleWriteError, by the commit */
  postponing({ _id, claim }: ClaimedJob, dueAt: Date): Write {
    return this.#jobs.updating({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt), failures: 0 } })
  }

  /** As `finishing`, at once; nothing when another one holds it. */
  async finish({ _id, claim }: ClaimedJob): Promise<void> {
    await this.#jobs.delete({ _id, claim })
  }

  /** As `postponing`, at once; nothing when another one holds it. */
  async postpone({ _id, claim }: ClaimedJob, dueAt: Date): Promise<void> {
    await this.#jobs.update({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt), failures: 0 } })
  }

  /** Lets a job come again that was not settled; nothing when another one holds it. */
  async retry({ _id, claim }: ClaimedJob, dueAt: Date): Promise<void> {
    await this.#jobs.update({ _id, claim }, { set: { claim: null, due_at: this.#near(dueAt) } })
  }

  /** Gives a job back as if it had not been claimed; nothing when another one holds it. */
  async release({ _id, claim }: ClaimedJob): Promise<void> {
    await this.#jobs.update({ _id, claim }, { set: { claim: null, due_at: new Date(this.#clock()) }, increment: { failures: -1 } })
  }

  /** Brings back what a clock that was wrong put further off than anything is: as if it were claimed now, since it may be. Gives how many. */
  rescheduleMisdated(kind: string, leaseMs: number): Promise<number> {
    const now = this.#clock()
    return this.#jobs.updateMany({ kind, due_at: { gt: new Date(now + MAX_AHEAD_MS) } }, { set: { due_at: new Date(now + leaseMs) } })
  }

  #near(dueAt: Date): Date {
    if (!(dueAt.getTime() <= this.#clock() + MAX_AHEAD_MS)) throw new RangeError('a job is due within a day')
    return dueAt
  }
}
