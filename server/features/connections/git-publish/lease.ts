/**
 * The lease of a publication. Invariants:
 *  1. one publication of a binding runs at a time: its document has the binding's id
 *  2. the run is stored before anything is written at the forge, and its id is in the message of the commit, so that a crash leaves no unknown commit
 *  3. neither a publication nor its commit starts after the project was archived
 *  4. a commit starts only if enough of the lease is left; after the lease, the recovery alone decides how the publication ended
 */
import { ApiError } from '../../../core/errors.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import { commitInProject } from '../../../content/shared/load.js'
import { DuplicateKeyError, ignoreStale, StaleWriteError } from '../../../core/storage/errors.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { GIT_RUNS, type GitBindingDocument, newRun, type RunCause } from '../git-bindings/service.js'
import { GIT_PUBLICATIONS, type GitPublicationDocument, type PendingCommit } from './store.js'

/** Kind of the job that finishes a publication whose process has died. Its subject is the binding. */
export const PUBLICATION_RECOVERY = 'git.publication_recovery'

/** Time limit of a publication until its commit is made: reading a large repository and running 10,000 cases take most of it. */
export const PUBLISH_TIMEOUT_MS = 180_000
/** Time of a commit and what follows it: some calls of the forge. Reserved before a commit starts. */
export const COMMIT_MS = 60_000
/** Duration of the lease. The margin is for clocks of instances that differ. */
export const LEASE_MS = PUBLISH_TIMEOUT_MS + COMMIT_MS + 10_000
/** Wait before the recovery looks for a commit whose answer was lost. The forge has most likely made it by then, or never will. */
export const UNCERTAIN_MS = 30_000

export interface LeaseParts {
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'rescheduling'>
  readonly clock: () => number
}

/** Begins a publication. @throws ApiError project_archived, git_publish_running */
export async function beginPublication(
  { jobs, clock }: LeaseParts,
  scope: Scope,
  binding: GitBindingDocument,
  cause: RunCause,
): Promise<Omit<GitPublicationDocument, 'organization_id'>> {
  const now = new Date(clock())
  const run = newRun(binding, 'publish', 'running', cause, now)
  const expires = new Date(now.getTime() + LEASE_MS)
  const publication = { _id: binding._id, run_id: run._id, expires_at: expires, pending: null }
  try {
    await commitInProject(scope, binding.project_id, [
      scope.collection(GIT_PUBLICATIONS).inserting(publication),
      scope.collection(GIT_RUNS).inserting(run),
      jobs.enqueuing(scope, { kind: PUBLICATION_RECOVERY, subject: binding._id, dueAt: expires }),
    ])
  } catch (error) {
    throw error instanceof DuplicateKeyError ? await running(scope, binding._id) : error
  }
  return publication
}

/** The error of a publication that another one prevents: it says which, and when it has ended at the latest, also if its process has died. */
async function running(scope: Scope, bindingId: string): Promise<ApiError> {
  const other = await scope.collection(GIT_PUBLICATIONS).findOne({ _id: bindingId })
  return new ApiError('git_publish_running', { details: other === null ? {} : { run_id: other.run_id, ends_by: other.expires_at.toISOString() } })
}

/** Stores what has to be recorded once the commit is made. @throws ApiError project_archived; git_publish_running: too little of the lease is left, or it was lost */
export async function prepareCommit(
  { clock }: LeaseParts,
  scope: Scope,
  projectId: string,
  { _id, run_id }: Pick<GitPublicationDocument, '_id' | 'run_id'>,
  pending: PendingCommit,
): Promise<AbortSignal> {
  const inTime = { _id, run_id, expires_at: { gt: new Date(clock() + COMMIT_MS) } }
  try {
    await commitInProject(scope, projectId, [scope.collection(GIT_PUBLICATIONS).updating(inTime, { set: { pending } })])
  } catch (error) {
    throw error instanceof StaleWriteError ? await running(scope, _id) : error
  }
  // Not the signal of the request: a caller that disconnects must not leave it unknown whether the commit was made.
  return AbortSignal.timeout(COMMIT_MS)
}

/** Lets the recovery decide soon what happened to a commit whose answer was lost. */
export async function expectRecovery({ jobs, clock }: LeaseParts, scope: Scope, { _id, run_id }: Pick<GitPublicationDocument, '_id' | 'run_id'>): Promise<void> {
  const soon = new Date(clock() + UNCERTAIN_MS)
  const writes = [scope.collection(GIT_PUBLICATIONS).updating({ _id, run_id }, { set: { expires_at: soon } }), jobs.rescheduling(scope, PUBLICATION_RECOVERY, _id, soon)]
  // The recovery may have decided meanwhile.
  await scope.commit(writes).catch(ignoreStale)
}

/** The line of a commit message by which the recovery finds the commit of a run. */
export function trailerOf(runId: string): string {
  return `Detection-Content-Run: ${runId}`
}

/** Whether a commit was made by that run. */
export function isOfRun(message: string, runId: string): boolean {
  return message.split(/\r?\n/).some((line) => line.trim() === trailerOf(runId))
}
