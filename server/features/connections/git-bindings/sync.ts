/**
 * Automatic imports: on schedule, and after a push that the provider reports. Invariants:
 *  1. they import into a workspace of their own, the newest open one that the service has created for the binding, or a new one. Workspaces of people are left
 *     alone: an editor that sends a whole text back would undo the import without noticing
 *  2. edits in that workspace are merged like those of a manual import; a conflict is recorded once for each head, and changes nothing
 *  3. a head that is imported, or that the service itself has committed, is not imported again
 *  4. a fault of the service, or the end of its process, is recorded as a failure after some attempts
 *  5. a suspended organization imports nothing; its schedules go on when it is active again
 *  6. a project over the limit of the plan is not imported into. A failed run says so once, and imports go on when the project is within the limit again
 *  7. an archived project is not imported into. Its schedules go on when it is changed again; a push is not remembered
 *  8. a failure of the provider ends as a run, and the next attempt waits longer after each failure, or as long as the provider asks
 */
import type { Organizations } from '../../../core/auth/organizations.js'
import { ApiError } from '../../../core/errors.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import type { ClaimedJob, JobQueue } from '../../../core/jobs/queue.js'
import type { JobKind, JobOutcome } from '../../../core/jobs/runner.js'
import type { OverLimit } from '../../../core/tenancy/over-limit.js'
import { isArchived } from '../../../content/shared/load.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { IntegrationsService } from '../integrations/service.js'
import { READ_TIMEOUT_MS } from './caller.js'
import type { GitImports, ImportCaller } from './import.js'
import { openBinding } from './open-binding.js'
import { newRun, recordingFailure, type RunCause, runErrorOf } from './runs.js'
import { GIT_SYNC, nextSync, readSubject } from './schedule.js'
import { GIT_BINDINGS, GIT_RUNS, type GitBindingDocument, type GitRunDocument, type RunTrigger } from './store.js'

/** Kind of the job that imports after a push. Its subject is the binding. */
export const GIT_PUSH = 'git.push'
/** Creator of the workspaces of automatic imports. */
export const SYNC_SUBJECT = `job:${GIT_SYNC}`

const CONCURRENCY = 4
/** Providers limit the requests of a credential, which the bindings of an organization share. */
const PER_ORGANIZATION = 2
export const SYNC_LEASE_MS = READ_TIMEOUT_MS + 30_000
/** Wait while a publication runs, whose commit a push reports before it is recorded. */
const PUBLISHING_MS = 2_000
/** Longest such wait: more than a publication takes. One that is undecided for longer may never have made a commit. */
const PUBLISHING_LIMIT_MS = 5 * 60_000
/** First wait after a failure; doubled each time, up to a day, because no job is due later. */
const RETRY_MS = 60_000
const RETRY_LIMIT_MS = 24 * 60 * 60 * 1000
/** Runs that are looked at to count consecutive failures. With as many, the wait is at its limit. */
const FAILURES_COUNTED = 12
/** How long an import after a push is tried again. A later push or the schedule imports what it missed. */
const PUSH_PATIENCE_MS = 60 * 60_000
/** How long a push to a project that is over the limit of the plan waits before it is looked at again. */
const READ_ONLY_MS = 5 * 60_000
/** Attempts after faults of the service. An attempt that ended the process has left no error. */
const FAULTS_LIMIT = 5
/** Failures that may end by themselves. */
const PASSING: ReadonlySet<string> = new Set(['provider_unavailable', 'provider_rate_limited', 'edit_conflict', 'overloaded', 'shutting_down'])

export interface SyncParts {
  readonly organizations: Pick<Organizations, 'byId'>
  readonly overLimit: Pick<OverLimit, 'requireWritable'>
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly imports: Pick<GitImports, 'import'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  readonly clock: () => number
}

/** The job of a schedule. */
export function syncJob(parts: SyncParts): JobKind {
  const { clock } = parts
  return {
    kind: GIT_SYNC,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: SYNC_LEASE_MS,
    async run(job, scope, signal): Promise<JobOutcome> {
      const { bindingId, schedule } = readSubject(job.subject)
      const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: bindingId })
      if (binding === null || binding.schedule !== schedule) return 'done'
      const isIdle =
        binding.integration_id === null ||
        (await isSuspended(parts, scope)) ||
        (await isArchived(scope, binding.project_id)) ||
        (await isReadOnly(parts, scope, binding, 'schedule'))
      const failure = isIdle ? null : await failureOf(parts, scope, binding, job, 'schedule', signal)
      const next = nextSync(binding, new Date(clock()))
      if (next === null) return 'done'
      if (failure === null) return { again: next }
      const wait = RETRY_MS * 2 ** ((await failuresInARow(scope, bindingId)) - 1)
      return { again: afterFailure(failure, Math.max(wait, next.getTime() - clock()), clock()) }
    },
  }
}

/** The job of a push. */
export function pushJob(parts: SyncParts): JobKind {
  const { clock } = parts
  return {
    kind: GIT_PUSH,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: SYNC_LEASE_MS,
    async run(job, scope, signal): Promise<JobOutcome> {
      const { subject, created_at } = job
      const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: subject })
      if (binding === null || !binding.sync_on_webhook || binding.integration_id === null || (await isSuspended(parts, scope)) || (await isArchived(scope, binding.project_id)))
        return 'done'
      if (await isReadOnly(parts, scope, binding, 'webhook')) return { again: new Date(clock() + READ_ONLY_MS) }
      if (await isPublishing(scope, subject, new Date(clock() - PUBLISHING_LIMIT_MS))) return { again: new Date(clock() + PUBLISHING_MS) }
      const failure = await failureOf(parts, scope, binding, job, 'webhook', signal)
      const age = clock() - created_at.getTime()
      if (failure === null || !PASSING.has(failure.reason) || age > PUSH_PATIENCE_MS) return 'done'
      return { again: afterFailure(failure, Math.max(age, RETRY_MS), clock()) }
    },
  }
}

async function isSuspended({ organizations }: SyncParts, { organizationId }: Scope): Promise<boolean> {
  return (await organizations.byId(organizationId))?.is_active !== true
}

/** Whether the project of the binding can only be read. A failed run says so, unless the last import was that run. */
async function isReadOnly({ overLimit, clock }: SyncParts, scope: Scope, binding: GitBindingDocument, trigger: RunTrigger): Promise<boolean> {
  try {
    await overLimit.requireWritable(scope, 'projects', binding.project_id)
    return false
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'over_plan_limit') throw error
    const [last] = await lastImports(scope, binding._id, 1)
    if (last?.error?.code !== error.code)
      await scope.collection(GIT_RUNS).insert({ ...newRun(binding, 'import', 'failed', { trigger, startedBy: SYNC_SUBJECT }, new Date(clock())), error: runErrorOf(error) })
    return true
  }
}

/** Imports the head. @returns the failure, which is recorded as a run; null: it was imported, or there was nothing to do */
async function failureOf(
  parts: SyncParts,
  scope: Scope,
  binding: GitBindingDocument,
  { failures }: Pick<ClaimedJob, 'failures'>,
  trigger: RunTrigger,
  signal: AbortSignal,
): Promise<ApiError | null> {
  const cause = { trigger, startedBy: SYNC_SUBJECT }
  try {
    if (failures <= FAULTS_LIMIT) await importHead(parts, scope, binding, cause, signal)
    else await recordingFailure({ scope, binding, type: 'import', cause, clock: parts.clock, signal }, () => Promise.reject(new ApiError('internal_error')))
    return null
  } catch (error) {
    // An instance that stops has not failed.
    if (signal.aborted) throw error
    if (error instanceof ApiError && (error.reason !== 'internal_error' || failures >= FAULTS_LIMIT)) return error
    if (failures >= FAULTS_LIMIT) return new ApiError('internal_error', { cause: error })
    // A fault of the service: the runner logs it and tries again.
    throw error
  }
}

async function importHead({ integrations, imports, clock }: SyncParts, scope: Scope, binding: GitBindingDocument, cause: RunCause, signal: AbortSignal): Promise<void> {
  const head = await recordingFailure({ scope, binding, type: 'import', cause, clock, signal }, async () => {
    const { gateway } = await openBinding(integrations, scope, binding)
    return gateway.getBranch(binding.repository, binding.branch, signal)
  })
  if (head.commitSha === binding.synced_commit_sha || (await isUndecided(scope, binding, head.commitSha))) return
  const context: ImportCaller['context'] = { actor: { kind: 'system', name: 'git-bindings' }, requestId: null, address: null }
  await imports.import(binding, { createdBy: SYNC_SUBJECT }, { scope, context, cause, locale: 'en-US', signal })
}

/** Whether the last import of this head was a conflict that a person has to decide. */
async function isUndecided(scope: Scope, { _id }: GitBindingDocument, headSha: string): Promise<boolean> {
  const [last] = await lastImports(scope, _id, 1)
  return last?.status === 'conflict' && last.commit_sha === headSha && last.started_by === SYNC_SUBJECT
}

function lastImports(scope: Scope, bindingId: string, limit: number): Promise<GitRunDocument[]> {
  return scope.collection(GIT_RUNS).find({ binding_id: bindingId, run_type: 'import' }, { sort: { created_at: -1, _id: -1 }, limit })
}

async function isPublishing(scope: Scope, bindingId: string, since: Date): Promise<boolean> {
  const running = await scope.collection(GIT_RUNS).find({ binding_id: bindingId, status: 'running', run_type: 'publish', created_at: { gt: since } }, { limit: 1 })
  return running.length > 0
}

async function failuresInARow(scope: Scope, bindingId: string): Promise<number> {
  const runs = await lastImports(scope, bindingId, FAILURES_COUNTED)
  const end = runs.findIndex(({ status }) => status !== 'failed')
  return Math.max(1, end === -1 ? runs.length : end)
}

/** Returns when to try again: not before the provider accepts requests again. */
function afterFailure(failure: ApiError, waitMs: number, now: number): Date {
  const asked = failure instanceof ProviderError && failure.retryAt !== null ? failure.retryAt.getTime() - now : 0
  return new Date(now + Math.min(Math.max(waitMs, asked), RETRY_LIMIT_MS))
}
