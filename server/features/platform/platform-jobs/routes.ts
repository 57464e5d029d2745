/** `/platform/admin/jobs`. */
import Type, { type Static } from 'typebox'
import { noContent, PLATFORM_ADMIN, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import type { JobFailureDocument } from '../../../core/jobs/failures.js'
import { INSTANCE_JOBS } from '../../../core/jobs/queue.js'
import { JobListQuery, JobParams, JobRecord, JobsRetryRequest, JobsRetryResponse } from './schema.js'
import type { PlatformJobsService } from './service.js'

const defineRoute = routesOf('Platform administration')
const JOBS = '/platform/admin/jobs'
const JOB = `${JOBS}/{job_id}`

export function platformJobRoutes(jobs: PlatformJobsService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-jobs.list',
      method: 'GET',
      path: JOBS,
      summary: 'List failed jobs',
      description:
        'Lists the jobs of all organizations whose last attempt failed: those that are retried, and those that were given up. A job is retried with pauses that grow to ten minutes, and is given up after 500 attempts, about three and a half days. Failed jobs are kept for 30 days, up to 1,000 of an organization and 10,000 in all; beyond that a job that is given up is dropped. A delivery to a webhook that a receiver refuses is no failed job: the organization sees it in the history of its webhook, and sends it again there.',
      access: PLATFORM_ADMIN,
      query: JobListQuery,
      responses: { 200: { description: 'The jobs, those that failed last first.', schema: Type.Array(JobRecord) } },
      handle: async ({ query }) => presentPage(await jobs.list(query), presentJob),
    }),
    defineRoute({
      id: 'platform-jobs.retry-all',
      method: 'POST',
      path: `${JOBS}/retry`,
      summary: 'Retry failed jobs of a kind',
      description: 'Retries up to 200 failed jobs of a kind, the oldest first, for example after an outage. Jobs that are retried anyway are left alone.',
      access: PLATFORM_ADMIN,
      body: { as: 'json', schema: JobsRetryRequest },
      bodyExamples: { events: { kind: 'event.dispatch' } },
      responses: { 200: { description: 'The numbers of jobs.', schema: JobsRetryResponse } },
      handle: async (request) => ({ body: await jobs.retryAll(request.body, request) }),
    }),
    defineRoute({
      id: 'platform-jobs.get',
      method: 'GET',
      path: JOB,
      summary: 'Get a failed job',
      description: 'A job that was retried and did not fail again is answered 404.',
      access: PLATFORM_ADMIN,
      params: JobParams,
      responses: { 200: { description: 'The job.', schema: JobRecord } },
      errors: ['resource_missing'],
      handle: async ({ params }) => ({ body: presentJob(await jobs.get(params.job_id)) }),
    }),
    defineRoute({
      id: 'platform-jobs.retry',
      method: 'POST',
      path: `${JOB}/retry`,
      summary: 'Retry a failed job',
      description:
        'Makes the job due at once, with all its attempts; any free instance runs it. If two requests come at once, one is answered 409, as is a request while the job runs. Stored in the audit of the organization of the job.',
      access: PLATFORM_ADMIN,
      params: JobParams,
      responses: { 200: { description: 'The job.', schema: JobRecord } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: async (request) => ({ body: presentJob(await jobs.retry(request.params.job_id, request)) }),
    }),
    defineRoute({
      id: 'platform-jobs.delete',
      method: 'DELETE',
      path: JOB,
      summary: 'Drop a failed job',
      description:
        'Ends the job: its work is not done. What only the job needs is deleted with it, for example an event that no webhook has received. A job that runs is answered 409. Stored in the audit of the organization of the job.',
      access: PLATFORM_ADMIN,
      params: JobParams,
      responses: { 204: { description: 'The job is dropped.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: (request) => noContent(jobs.drop(request.params.job_id, request)),
    }),
  ]
}

function presentJob(failure: JobFailureDocument): Static<typeof JobRecord> {
  const { _id, kind, status, organization_id, subject, attempts, failures, error, created_at, failed_at, next_attempt_at } = failure
  return {
    id: _id,
    kind,
    status,
    organization_id: organization_id === INSTANCE_JOBS.organizationId ? null : organization_id,
    subject,
    attempts,
    failures,
    error,
    created_at: created_at.toISOString(),
    failed_at: failed_at.toISOString(),
    next_attempt_at: next_attempt_at?.toISOString() ?? null,
  }
}
