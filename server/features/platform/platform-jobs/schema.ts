/** Requests and answers about jobs that have failed. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { JOB_FAILURE_STATUSES, type JobFailureStatus } from '../../../core/jobs/failures.js'
import { nullable } from '../../../core/nullable.js'

const KIND_CHARACTERS = 60

const status = (description: string) => Type.Enum([...JOB_FAILURE_STATUSES] as [JobFailureStatus, ...JobFailureStatus[]], { description })
const kind = (description: string) => Type.String({ minLength: 1, maxLength: KIND_CHARACTERS, examples: ['event.dispatch'], description })

export const JobParams = Type.Object({ job_id: fields.id('The job.') })

export const JobListQuery = listQuery({
  sort: ['failed_at'],
  filters: {
    status: Type.Optional(status('Only jobs of this status.')),
    kind: Type.Optional(kind('Only jobs of this kind.')),
    organization_id: Type.Optional(fields.id('Only jobs of this organization.')),
  },
})
export type JobListQuery = Static<typeof JobListQuery>

export const JobErrorRecord = Type.Object(
  {
    class: Type.String({ examples: ['StorageUnavailableError'], description: 'Class of the error.' }),
    code: nullable(Type.String({ examples: ['provider_unavailable'] }), 'Code of the error; null: it has none.'),
    text: Type.String({ examples: ['the database does not respond'], description: 'Message of the error, up to the first quotation or secret. The log has the whole error.' }),
    place: nullable(Type.String({ examples: ['server/features/webhooks/dispatch.js:43'] }), 'Place in the source where it was thrown; null: unknown.'),
  },
  { $id: 'JobErrorRecord', description: 'Error of an attempt.' },
)

export const JobRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier. Lines of the log have it as `job`.' }),
    kind: Type.String({ examples: ['event.dispatch'], description: 'Kind of the job.' }),
    status: status('`retrying`: the last attempt failed, and another one follows. `failed`: the job was given up after all attempts.'),
    organization_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'Organization of the job; null: the job belongs to the instance.'),
    subject: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier of the object of the job.' }),
    attempts: Type.Integer({ minimum: 0, examples: [501], description: 'Number of attempts.' }),
    failures: Type.Integer({ minimum: 0, examples: [501], description: 'Number of consecutive attempts that failed.' }),
    error: nullable(JobErrorRecord, 'Error of the last attempt that reported one; null: no attempt did, because the process or the lease ended.'),
    created_at: fields.timestamp('When the job was created.'),
    failed_at: fields.timestamp('When the last attempt failed.'),
    next_attempt_at: nullable(fields.timestamp('When the next attempt begins.'), 'When the next attempt begins; null: never, unless the job is retried.'),
  },
  { $id: 'JobRecord', description: 'A job that has failed.' },
)

export const JobsRetryRequest = Type.Object(
  { kind: kind('Kind of the jobs.'), organization_id: Type.Optional(fields.id('Only jobs of this organization. Default: jobs of all organizations.')) },
  { $id: 'JobsRetryRequest', description: 'The failed jobs to retry.' },
)
export type JobsRetryRequest = Static<typeof JobsRetryRequest>

export const JobsRetryResponse = Type.Object(
  {
    retried: Type.Integer({ minimum: 0, examples: [200], description: 'Number of jobs that were retried.' }),
    remaining: Type.Integer({ minimum: 0, examples: [40], description: 'Number of failed jobs that are left, which another request retries.' }),
  },
  { $id: 'JobsRetryResponse', description: 'The result of retrying many jobs.' },
)
