/**
 * Begins and cancels checks of pull and merge requests when a forge reports them. Invariants:
 *  1. a review has one current check: a new head cancels the one before, in the commit that stores the new one with its job
 *  2. the number of checks that wait is limited, so that a flood of reviews does not keep the forge and the threads busy for hours
 *  3. the same head is checked once, however often and through however many instances it is reported; and again when a review of the service decides about its
 *     content, in the commit of the decision, if an approval of it counts
 */
import { ApiError } from '../../../core/errors.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { GitEvent } from '../gateways/git/gateway.js'
import type { ReviewDecision } from '../../../content/reviews/service.js'
import type { Write } from '../../../core/storage/contract.js'
import { isConflict, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { GIT_BINDINGS, GIT_RUNS, type GitBindingDocument, type GitRunDocument, newRun } from '../git-bindings/service.js'
import { REVIEW_END } from './review-end.js'
import { checkId, GIT_CHECKS } from './store.js'

/** Kind of the job that runs a check. Its subject is the run. */
export const GIT_CHECK = 'git.check'

/** A check takes some seconds. */
const RETRY_AFTER_SECONDS = 60
/** Attempts while other events of the same review are stored: twenty pushes in a minute. */
const ATTEMPTS = 20
const PAUSE_MS = 20

/** Maximum checks of a binding that wait or run: more than a team has open reviews that are pushed to at once. */
export const CHECKS_LIMIT = 100
/** Maximum checks that a decision begins again. Reviews of equal content are rare. */
const REPEATED_LIMIT = 20

type ReviewEvent = Extract<GitEvent, { kind: 'review' | 'review_closed' }>

export interface GitChecksParts {
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'isWaiting'>
  readonly clock: () => number
}

export class GitChecksService {
  readonly #parts: GitChecksParts

  constructor(parts: GitChecksParts) {
    this.#parts = parts
  }

  /** @returns whether there was anything to do @throws ApiError overloaded, edit_conflict */
  async onReviewEvent(scope: Scope, binding: GitBindingDocument, event: ReviewEvent): Promise<boolean> {
    if (event.repository.toLowerCase() !== binding.repository.toLowerCase()) return false
    if (event.kind === 'review_closed') return this.#close(scope, binding, event.number)
    if (!binding.check_pull_requests || event.targetBranch !== binding.branch) return false
    return retryStale(ATTEMPTS, () => this.#begin(scope, binding, event.number, event.headSha), { pauseMs: PAUSE_MS, isStale: isConflict })
  }

  /** Returns the writes by which a decision begins the checks of the content again. @param startedBy subject of who decides */
  async repeating(scope: Scope, { projectId, contentHashes, startedBy }: ReviewDecision): Promise<readonly Write[]> {
    const { jobs, clock } = this.#parts
    const now = new Date(clock())
    const checks = scope.collection(GIT_CHECKS)
    const found = await checks.find({ content_hash: { in: [...contentHashes] } }, { limit: REPEATED_LIMIT })
    const writes = await Promise.all(
      found.map(async ({ _id, binding_id, run_id, head_sha }): Promise<readonly Write[]> => {
        const [binding, before] = await Promise.all([scope.collection(GIT_BINDINGS).findOne({ _id: binding_id }), scope.collection(GIT_RUNS).findOne({ _id: run_id })])
        if (binding?.project_id !== projectId || !binding.check_pull_requests || before === null) return []
        const run = newRun(binding, 'check', 'running', { trigger: 'request', startedBy }, now, { commit_sha: head_sha, review_number: before.review_number })
        return [
          checks.updating({ _id, run_id }, { set: { run_id: run._id, is_announced: false, updated_at: now } }),
          canceling(scope, run_id, now),
          scope.collection(GIT_RUNS).inserting(run),
          jobs.enqueuing(scope, { kind: GIT_CHECK, subject: run._id }),
        ]
      }),
    )
    return writes.flat()
  }

  async #begin(scope: Scope, binding: GitBindingDocument, number: number, headSha: string): Promise<boolean> {
    const { jobs, clock } = this.#parts
    const checks = scope.collection(GIT_CHECKS)
    const _id = checkId(binding._id, number)
    const before = await checks.findOne({ _id })
    if (before?.head_sha === headSha) return false
    await requireRoom(scope, binding, before === null ? CHECKS_LIMIT : CHECKS_LIMIT + 1)
    const now = new Date(clock())
    const run = newRun(binding, 'check', 'running', { trigger: 'webhook', startedBy: `job:${GIT_CHECK}` }, now, { commit_sha: headSha, review_number: number })
    const check = { run_id: run._id, head_sha: headSha, content_hash: null, is_announced: false, updated_at: now }
    await scope.commit([
      before === null ? checks.inserting({ _id, binding_id: binding._id, ...check }) : checks.updating({ _id, run_id: before.run_id }, { set: check }),
      ...(before === null ? [] : [canceling(scope, before.run_id, now)]),
      scope.collection(GIT_RUNS).inserting(run),
      jobs.enqueuing(scope, { kind: GIT_CHECK, subject: run._id }),
    ])
    return true
  }

  /** Cancels the check of a review that was merged or closed. If the review is that of a publication, its end is recorded by a job, which asks the forge. */
  async #close(scope: Scope, binding: GitBindingDocument, number: number): Promise<boolean> {
    const { jobs, clock } = this.#parts
    const isPublished = binding.review?.number === number
    const check = await scope.collection(GIT_CHECKS).findOne({ _id: checkId(binding._id, number) })
    const writes = [
      ...(check === null
        ? []
        : [canceling(scope, check.run_id, new Date(clock())), scope.collection(GIT_CHECKS).deleting({ _id: check._id, run_id: check.run_id }, { optional: true })]),
      ...(isPublished && !(await jobs.isWaiting(scope, REVIEW_END, binding._id)) ? [jobs.enqueuing(scope, { kind: REVIEW_END, subject: binding._id })] : []),
    ]
    if (writes.length > 0) await scope.commit(writes)
    return check !== null || isPublished
  }
}

/** @throws ApiError overloaded */
async function requireRoom(scope: Scope, { _id }: GitBindingDocument, limit: number): Promise<void> {
  const open = await scope.collection(GIT_RUNS).count({ binding_id: _id, status: 'running', run_type: 'check' })
  if (open >= limit) throw new ApiError('overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
}

/** Returns the write that cancels a run, unless it has ended. */
export function canceling(scope: Scope, runId: string, now: Date): Write {
  return scope
    .collection(GIT_RUNS)
    .updating({ _id: runId, status: 'running' }, { set: { status: 'canceled' satisfies GitRunDocument['status'], finished_at: now } }, { optional: true })
}
