/** Failed jobs for platform admins: list, get, retry, drop. Audit entries are stored in the organization of the job. */
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError, required } from '../../../core/errors.js'
import { refuseStale, isConflict } from '../../../core/tenancy/retry-stale.js'
import type { JobFailureDocument } from '../../../core/jobs/failures.js'
import { INSTANCE_JOBS, type JobQueue } from '../../../core/jobs/queue.js'
import { abandonJob, type JobKind } from '../../../core/jobs/runner.js'
import type { Write } from '../../../core/storage/contract.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import type { Tenancy } from '../../../core/tenancy/scope.js'
import { auditing, platformContext } from '../../../core/audit/service.js'
import type { JobListQuery, JobsRetryRequest } from './schema.js'

type Admin = Actor<UserPrincipal>

/** Jobs that one request retries: some seconds of short commits. */
const RETRIED_AT_ONCE = 200

export interface PlatformJobsParts {
  readonly jobs: JobQueue
  readonly kinds: () => readonly JobKind[]
  readonly tenancy: Tenancy
  readonly clock: () => number
}

export class PlatformJobsService {
  readonly #parts: PlatformJobsParts

  constructor(parts: PlatformJobsParts) {
    this.#parts = parts
  }

  list({ status, kind, organization_id, ...page }: JobListQuery): Promise<Page<JobFailureDocument>> {
    const filter = { ...(status === undefined ? {} : { status }), ...(kind === undefined ? {} : { kind }), ...(organization_id === undefined ? {} : { organization_id }) }
    return this.#parts.jobs.failures.list(filter, findOptions(page))
  }

  /** @throws ApiError resource_missing */
  async get(jobId: string): Promise<JobFailureDocument> {
    return required(await this.#parts.jobs.failures.byId(jobId))
  }

  /** Makes a job due at once. @throws ApiError resource_missing, edit_conflict: it runs, or another request has changed it */
  async retry(jobId: string, actor: Admin): Promise<JobFailureDocument> {
    const failure = await this.get(jobId)
    const [record] = await this.#change(failure, this.#parts.jobs.retrying(failure), 'job.retried', actor)
    return record as JobFailureDocument
  }

  /** Retries failed jobs of a kind, the oldest first. */
  async retryAll({ kind, organization_id }: JobsRetryRequest, actor: Admin): Promise<{ readonly retried: number; readonly remaining: number }> {
    const { jobs } = this.#parts
    let retried = 0
    for (const failure of await jobs.failures.oldestFailed(kind, organization_id ?? null, RETRIED_AT_ONCE)) {
      try {
        await this.#change(failure, jobs.retrying(failure), 'job.retried', actor)
        retried++
      } catch (error) {
        // Another request retried or dropped it.
        if (!(error instanceof ApiError)) throw error
      }
    }
    const remaining = await jobs.failures.count({ status: 'failed', kind, ...(organization_id === undefined ? {} : { organization_id }) })
    return { retried, remaining }
  }

  /** Ends a job without its work. @throws ApiError resource_missing, edit_conflict: it runs, or another request has changed it */
  async drop(jobId: string, actor: Admin): Promise<void> {
    const { jobs, kinds, tenancy } = this.#parts
    const failure = await this.get(jobId)
    const kind = kinds().find((one) => one.kind === failure.kind)
    await this.#change(failure, [...jobs.dropping(failure), ...abandonJob(kind, failure, tenancy.of(failure.organization_id))], 'job.dropped', actor)
  }

  async #change(failure: JobFailureDocument, writes: readonly Write[], action: 'job.retried' | 'job.dropped', actor: Admin) {
    const { tenancy, clock } = this.#parts
    const { _id, kind, organization_id } = failure
    const concerned = organization_id === INSTANCE_JOBS.organizationId ? tenancy.instance : tenancy.of(organization_id)
    const entry = { action, resource: { type: 'job', id: _id, name: kind } } as const
    return refuseStale('edit_conflict', () => concerned.commit([...writes, auditing(concerned, platformContext(actor), entry, new Date(clock()))]), isConflict)
  }
}
