/**
 * Jobs that have failed, for operators (CONTRACT.md#failed-jobs). Invariants:
 *  1. a job that is retried is in `jobs`, and its record here says so; a failed job is here alone, so no instance can run it. Each change of this is one commit
 *  2. a record has no text of a caller: of the message of an error it has only the part before the first quotation or secret
 *  3. failed jobs are limited in number, in total and per organization, and in age
 */
import { type Collection, type Filter, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { newId } from '../storage/id.js'
import { describeFault } from '../observability/log.js'
import { findPage, type Page, type PageOptions } from '../tenancy/page.js'
import type { ClaimedJob, JobDocument } from './queue.js'

/** Failed jobs of an organization that are kept: one that breaks its own jobs must not use up the instance's. */
const KEPT_PER_ORGANIZATION = 1_000
/** Failed jobs of the instance that are kept. An outage that outlasts all retries may leave thousands. */
const KEPT = 10_000
/** Lifetime of failed jobs, the same as of deliveries. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000
/** A record of a retried job that is older has most likely lost its job: the longest pause with the longest lease is shorter. */
const RETRYING_MS = 60 * 60 * 1000
/** Records that are looked at in one call, once a minute. */
const SWEEP_LIMIT = 100
const TEXT_CHARACTERS = 300

export const JOB_FAILURE_STATUSES = ['retrying', 'failed'] as const
export type JobFailureStatus = (typeof JOB_FAILURE_STATUSES)[number]

/** The part of an error that operators see. */
export interface JobError {
  readonly class: string
  /** Code of the error, for example `provider_unavailable` or `ECONNREFUSED`; null: it has none. */
  readonly code: string | null
  readonly text: string
  /** Place in the source, without the folder of the installation; null: unknown. */
  readonly place: string | null
}

/** `_id` is the id of the job. */
export interface JobFailureDocument extends StoredDocument {
  readonly organization_id: string
  readonly kind: string
  readonly subject: string
  readonly status: JobFailureStatus
  readonly attempts: number
  /** Consecutive failures. */
  readonly failures: number
  /** Null: no attempt has reported an error, because the process or the lease ended. */
  readonly error: JobError | null
  readonly created_at: Date
  readonly failed_at: Date
  /** Null: the job has failed and is not retried. */
  readonly next_attempt_at: Date | null
  /** Unique for each state: of two changes of one state, one fails. */
  readonly mark: string
}

export const JOB_FAILURES = platformCollection<JobFailureDocument>('job_failures', [
  { keys: { failed_at: -1, _id: -1 } },
  { keys: { status: 1, failed_at: -1, _id: -1 } },
  { keys: { kind: 1, failed_at: -1, _id: -1 } },
  { keys: { organization_id: 1, failed_at: -1, _id: -1 } },
  { keys: { status: 1, kind: 1 } },
  { keys: { organization_id: 1, status: 1 } },
])

/** A new state of a job that has failed. */
export interface Failing {
  readonly error: JobError | null
  readonly nextAttemptAt: Date | null
}

export class JobFailures {
  readonly #documents: Collection<JobFailureDocument>
  readonly #clock: () => number

  constructor(storage: Pick<Storage, 'open'>, clock: () => number) {
    this.#documents = storage.open(JOB_FAILURES)
    this.#clock = clock
  }

  byId(id: string): Promise<JobFailureDocument | null> {
    return this.#documents.findOne({ _id: id })
  }

  list(filter: Filter<JobFailureDocument>, options: PageOptions<JobFailureDocument>): Promise<Page<JobFailureDocument>> {
    return findPage(this.#documents, filter, options)
  }

  /** The oldest failed jobs of a kind. @param organizationId null: of all organizations */
  oldestFailed(kind: string, organizationId: string | null, limit: number): Promise<JobFailureDocument[]> {
    return this.#documents.find({ status: 'failed', kind, ...(organizationId === null ? {} : { organization_id: organizationId }) }, { sort: { failed_at: 1, _id: 1 }, limit })
  }

  count(filter: Filter<JobFailureDocument>): Promise<number> {
    return this.#documents.count(filter)
  }

  /** Whether one more failed job of the organization is kept. Concurrent failures may exceed a limit by as many as run at once. */
  async isRoomFor(organizationId: string): Promise<boolean> {
    const [own, all] = await Promise.all([this.#documents.count({ organization_id: organizationId, status: 'failed' }), this.#documents.count({ status: 'failed' })])
    return own < KEPT_PER_ORGANIZATION && all < KEPT
  }

  /** The writes that store the state of a job after a failure, in place of an earlier one. */
  noting({ _id, organization_id, kind, subject, attempts, failures, created_at }: ClaimedJob, { error, nextAttemptAt }: Failing): Write[] {
    const record = {
      _id,
      organization_id,
      kind,
      subject,
      status: nextAttemptAt === null ? ('failed' as const) : ('retrying' as const),
      attempts,
      failures,
      error,
      created_at,
      failed_at: new Date(this.#clock()),
      next_attempt_at: nextAttemptAt,
      mark: newId(),
    }
    return [this.#documents.deletingMany({ _id }), this.#documents.inserting(record)]
  }

  /** The write that makes a record that of a job which is due at once. It fails if the state has changed. */
  retrying({ _id, mark }: JobFailureDocument): Write {
    return this.#documents.updating({ _id, mark }, { set: { status: 'retrying', next_attempt_at: new Date(this.#clock()), mark: newId() } })
  }

  /** The write that deletes a record. It fails if the state has changed. */
  removing({ _id, mark }: JobFailureDocument): Write {
    return this.#documents.deleting({ _id, mark })
  }

  /** Deletes the record of a job that was retried and did not fail again. */
  async forget(id: string): Promise<void> {
    await this.#documents.deleteMany({ _id: id, status: 'retrying' })
  }

  /** Failed jobs that are too old to be kept, the oldest first; some at a time. */
  expired(): Promise<JobFailureDocument[]> {
    const before = new Date(this.#clock() - KEPT_MS)
    return this.#documents.find({ status: 'failed', failed_at: { lt: before } }, { sort: { failed_at: 1, _id: 1 }, limit: SWEEP_LIMIT })
  }

  /** Deletes records whose job was done when the process ended before it could delete them. @param living returns those of the ids that are jobs */
  async forgetDone(living: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const before = new Date(this.#clock() - RETRYING_MS)
    const old = await this.#documents.find({ status: 'retrying', failed_at: { lt: before } }, { sort: { failed_at: 1, _id: 1 }, limit: SWEEP_LIMIT })
    if (old.length === 0) return
    const jobs = await living(old.map(({ _id }) => _id))
    for (const { _id, mark } of old) if (!jobs.has(_id)) await this.#documents.deleteMany({ _id, mark })
  }
}

/** The job of a record, as it is when an operator retries it: due, with one failure left of its count, so that its next end is seen as that of a retry. */
export function retriedJob({ _id, organization_id, kind, subject, attempts, created_at }: JobFailureDocument, now: Date): JobDocument {
  return { _id, organization_id, kind, subject, due_at: now, claim: null, attempts, failures: 1, created_at }
}

/** A frame of the service's own code. */
const OWN_FRAME = /\/((?:server|workers|engine)\/[\w./-]+:\d+)/

/** Describes an error without values of callers. */
export function jobErrorOf(error: unknown): JobError {
  const { name, code, message, frames } = describeFault(error)
  // A reason of `ApiError` says more than the code of the answer.
  const reason = error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined
  const frame = frames.map((line) => OWN_FRAME.exec(line)?.[1]).find((found) => found !== undefined)
  // Parsers quote their input in their messages; quotations within quotations are not recognized as such.
  const text = name === 'SyntaxError' ? '' : message.split('…', 1)[0].slice(0, TEXT_CHARACTERS).trim()
  return { class: name, code: reason ?? code ?? null, text, place: frame ?? null }
}
