/**
 * Publishes the project's content to the branch of a binding. Invariants:
 *  1. `direct` commits to the head that was read. If the branch has moved, everything is read and merged again; no commit that was not read is overwritten
 *  2. `review` adds commits to a branch of its own, as long as only this service has written to it, and has one open review
 *  3. a publication that fails before its commit is recorded as failed; one whose commit was or may have been made is left to the recovery (`recovery.ts`)
 */
import { ApiError, required } from '../../../core/errors.js'
import type { GitCommit, GitReview, NewCommit, ReviewGateway } from '../gateways/git/gateway.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import { repositoryFiles } from '../../../content/shared/git-base.js'
import type { MeasureCaller } from '../../../content/shared/measure.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { AuditContext } from '../../../core/audit/service.js'
import { type BindingReview, GIT_BINDINGS, type GitBindingDocument, type OpenBinding, readRepository, type RepositoryContent } from '../git-bindings/service.js'
import type { QualityGateResult } from '../../../content/quality-gate/service.js'
import { differingPaths, fileChanges } from './file-sets.js'
import { COMMIT_MS, expectRecovery, isOfRun, type LeaseParts, prepareCommit } from './lease.js'
import { announcementOf, commitMessage } from './messages.js'
import { type Plan, planPublication, type PlanParts } from './plan.js'
import { presentConflicts, summaryOf } from './present.js'
import { recordEnd, recordPublished, recordReviewEnd } from './record.js'
import type { GitPublicationDocument, PendingCommit } from './store.js'

/** Attempts when the branch moves between reading and committing. */
const ATTEMPTS = 3
/** Newest commits in which the commit of a run is looked for. Others may have pushed since. */
const COMMITS_SEARCHED = 50
const BRANCH_PREFIX = 'detection-content/'
/** Characters of an id in the name of a branch. */
const ID_CHARACTERS = 8

export type PublishParts = PlanParts & LeaseParts

export interface PublishCaller extends MeasureCaller {
  readonly by: AuditContext
}

export interface Publication {
  readonly plan: Plan
  readonly paths: readonly string[]
  /** Null: nothing differs. */
  readonly commit: Pick<GitCommit, 'sha' | 'url'> | null
  readonly review: GitReview | null
}

/** The commit that a publication makes. */
interface Target {
  readonly branch: string
  readonly parentSha: string
  readonly createsBranch: boolean
  /** The content of the parent commit. */
  readonly parent: RepositoryContent
  /** The review that is updated. */
  readonly review: GitReview | null
}

/** @throws ApiError git_conflicts, git_gate_failed, review_branch_moved, and those of the provider */
export async function publish(parts: PublishParts, opened: OpenBinding, lease: Omit<GitPublicationDocument, 'organization_id'>, caller: PublishCaller): Promise<Publication> {
  const reviews = opened.gateway.reviews
  const isReview = opened.binding.publish_strategy === 'review'
  if (isReview && reviews === null) throw new ProviderError('unsupported', { provider: opened.provider })
  for (let attempt = 1; ; attempt++) {
    const open = isReview ? await openReviewOf(opened, caller, parts) : null
    const plan = await planPublication(parts, opened, caller)
    if (plan.compared === null || plan.gate === null) throw new ApiError('git_conflicts', { details: presentConflicts(plan.merged.conflicts) })
    const target = isReview ? await reviewTarget(plan, open, lease.run_id, caller, attempt) : directTarget(plan)
    const paths = differingPaths(repositoryFiles(target.parent.files), plan.merged.files)
    if (paths.length === 0) {
      await recordEnd(caller.scope, lease, { status: 'succeeded', commit_sha: plan.head.commitSha, diff_summary: { ...summaryOf(plan), no_change: true } }, new Date(parts.clock()))
      return { plan, paths, commit: null, review: open }
    }
    requirePassed(plan.gate)
    const announcement = isReview ? announcementOf(plan, paths) : null
    const pending: PendingCommit = {
      strategy: plan.binding.publish_strategy,
      branch: target.branch,
      base_files: plan.baseFiles,
      base_origin: plan.baseOrigin,
      diff_summary: summaryOf(plan),
      review: announcement,
    }
    const signal = await prepareCommit(parts, caller.scope, plan.project._id, lease, pending)
    const commit: NewCommit = {
      branch: target.branch,
      parentSha: target.parentSha,
      createsBranch: target.createsBranch,
      message: commitMessage(plan.project.slug, plan.merged.changes, lease.run_id),
      changes: fileChanges(target.parent.files, plan.merged.files, paths),
    }
    const made = await commitOnce(parts, plan, commit, lease, caller.scope, signal)
    if (made === 'moved') {
      if (attempt < ATTEMPTS) continue
      throw new ProviderError('head_moved', { provider: plan.provider })
    }
    try {
      const review = announcement === null ? null : await announce(reviews!, plan.binding, target, announcement, signal)
      await recordPublished(caller.scope, lease, { binding: plan.binding, pending, commitSha: made.sha, review, by: caller.by, now: new Date(parts.clock()) })
      return { plan, paths, commit: made, review }
    } catch (error) {
      throw isPassing(error) ? await uncertain(parts, caller.scope, lease, error) : error
    }
  }
}

/** The commit was or may have been made; the recovery will find out, and finish what follows it. */
export class UncertainCommitError extends Error {}

/** Leaves a publication to the recovery. If the store does not take that now, the lease ends by itself. */
async function uncertain(parts: LeaseParts, scope: Scope, lease: Pick<GitPublicationDocument, '_id' | 'run_id'>, cause: unknown): Promise<UncertainCommitError> {
  await expectRecovery(parts, scope, lease).catch(() => undefined)
  return new UncertainCommitError('the commit was or may have been made', { cause })
}

/** Whether the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ProviderError) return error.failure === 'unavailable' || error.failure === 'rate_limited'
  return !(error instanceof ApiError) || error.status >= 500
}

/** @throws UncertainCommitError with the failure as its cause; ApiError of the provider if the commit was not made */
async function commitOnce(
  parts: PublishParts,
  { binding, gateway }: Plan,
  commit: NewCommit,
  lease: Pick<GitPublicationDocument, '_id' | 'run_id'>,
  scope: Scope,
  signal: AbortSignal,
): Promise<Pick<GitCommit, 'sha' | 'url'> | 'moved'> {
  try {
    return await gateway.commit(binding.repository, commit, signal)
  } catch (error) {
    const isMoved = error instanceof ProviderError && error.failure === 'head_moved'
    if (!isMoved && !isUncertain(error)) throw error
    // A client repeats a request whose answer was lost, and then finds its own commit at the head.
    const found = await findCommit(gateway, binding.repository, commit.branch, lease.run_id, AbortSignal.timeout(COMMIT_MS / 2)).catch(() => null)
    if (found !== null) return found
    if (isMoved) return 'moved'
    throw await uncertain(parts, scope, lease, error)
  }
}

/** Whether a failed commit may have been made: the answer was lost, or it was no answer of the provider. */
function isUncertain(error: unknown): boolean {
  if (error instanceof ProviderError) return error.failure === 'unavailable' || error.failure === 'too_large'
  return !(error instanceof ApiError)
}

/** Finds the commit of a run among the newest of a branch. Null: there is none, or no branch. */
export async function findCommit(gateway: OpenBinding['gateway'], repository: string, branch: string, runId: string, signal: AbortSignal): Promise<GitCommit | null> {
  try {
    const commits = await gateway.listCommits(repository, branch, COMMITS_SEARCHED, signal)
    return commits.find(({ message }) => isOfRun(message, runId)) ?? null
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'not_found') return null
    throw error
  }
}

function directTarget({ binding, head, theirs }: Plan): Target {
  return { branch: binding.branch, parentSha: head.commitSha, createsBranch: false, parent: theirs, review: null }
}

/** @throws ApiError review_branch_moved */
async function reviewTarget(plan: Plan, open: GitReview | null, runId: string, { signal }: MeasureCaller, attempt: number): Promise<Target> {
  const { binding, gateway, provider, head, theirs, project } = plan
  const known = binding.review
  if (open === null || known === null) {
    const name = `${BRANCH_PREFIX}${project.slug}-${binding._id.slice(0, ID_CHARACTERS)}`
    const isTaken = attempt > 1 || (await exists(plan, name, signal))
    // A branch of an earlier review stays as it is.
    return { branch: isTaken ? `${name}-${runId.slice(-ID_CHARACTERS)}-${attempt}` : name, parentSha: head.commitSha, createsBranch: true, parent: theirs, review: null }
  }
  const { commitSha } = await gateway.getBranch(binding.repository, known.branch, signal)
  if (commitSha !== known.head_sha) throw branchMoved(known, commitSha)
  const parent = await readRepository(gateway, { repository: binding.repository, commitSha, paths: binding, provider, known: theirs.files }, signal)
  return { branch: known.branch, parentSha: commitSha, createsBranch: false, parent, review: open }
}

async function exists({ binding, gateway }: OpenBinding, branch: string, signal: AbortSignal): Promise<boolean> {
  try {
    await gateway.getBranch(binding.repository, branch, signal)
    return true
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'not_found') return false
    throw error
  }
}

/** Returns the open review of a binding; the end of one that was merged or closed is recorded. */
export async function openReviewOf(
  opened: OpenBinding,
  { scope, signal }: Pick<MeasureCaller, 'scope' | 'signal'>,
  { clock }: Pick<LeaseParts, 'clock'>,
): Promise<GitReview | null> {
  const { binding, gateway } = opened
  if (binding.review === null || gateway.reviews === null) return null
  const review = await gateway.reviews.getReview(binding.repository, binding.review.number, signal)
  if (review.state === 'open') return review
  await recordReviewEnd(scope, binding._id, review, new Date(clock()))
  return null
}

/** Opens the review of a branch, or updates the one that is open, whose text stays if the provider refuses another for good. */
export async function announce(
  reviews: ReviewGateway,
  { repository, branch: targetBranch }: Pick<GitBindingDocument, 'repository' | 'branch'>,
  { branch: sourceBranch, review }: Pick<Target, 'branch' | 'review'>,
  { title, body }: NonNullable<PendingCommit['review']>,
  signal: AbortSignal,
): Promise<GitReview> {
  const open = review ?? (await reviews.findOpenReview(repository, { sourceBranch, targetBranch }, signal))
  if (open === null) return reviews.openReview(repository, { sourceBranch, targetBranch, title, body }, signal)
  return reviews.updateReview(repository, open.number, { title, body }, signal).catch((error: unknown) => {
    if (isPassing(error)) throw error
    return open
  })
}

function branchMoved({ branch, head_sha, url }: BindingReview, headSha: string): ApiError {
  return new ApiError('review_branch_moved', { params: { branch }, details: { branch, url, expected_sha: head_sha, head_sha: headSha } })
}

/** @throws ApiError git_gate_failed */
function requirePassed({ passed, failed_rules }: QualityGateResult): void {
  if (!passed) throw new ApiError('git_gate_failed', { details: { failed_rules: failed_rules.map((rule) => ({ ...rule })) } })
}

/** Reads the binding again: its review may have been recorded meanwhile. */
export async function currentBinding(scope: Scope, bindingId: string): Promise<GitBindingDocument> {
  return required(await scope.collection(GIT_BINDINGS).findOne({ _id: bindingId }))
}
