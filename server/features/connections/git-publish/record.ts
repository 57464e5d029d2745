/**
 * Records how a publication ended. Each function is one commit, which deletes the lease, ends the run and stores what follows from it; it changes nothing if
 * the publication was recorded before, by the recovery or by another instance.
 */
import type { GitReview } from '../gateways/git/gateway.js'
import { forgettingReviewBase, GIT_REVIEW_BASES, settingBase, settingReviewBase } from '../../../content/shared/git-base.js'
import type { Fields, Write } from '../../../core/storage/contract.js'
import { ignoreStale } from '../../../core/storage/errors.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { bindingResource, type BindingReview, GIT_BINDINGS, GIT_RUNS, type GitBindingDocument, type GitRunDocument, runErrorOf } from '../git-bindings/service.js'
import { GIT_PUBLICATIONS, type GitPublicationDocument, type PendingCommit } from './store.js'

/** Attempts while the binding changes. */
const ATTEMPTS = 10

type Publication = Pick<GitPublicationDocument, '_id' | 'run_id'>

/** How a run ends. */
type RunEnd = Fields<Pick<GitRunDocument, 'status' | 'commit_sha' | 'review_number' | 'error' | 'diff_summary'>>

/** The published content and commit. */
export interface Published {
  readonly binding: GitBindingDocument
  readonly pending: PendingCommit
  readonly commitSha: string
  /** Null: a direct commit. */
  readonly review: GitReview | null
  readonly by: AuditContext
  readonly now: Date
}

/** Records a publication that wrote nothing, or failed. */
export async function recordEnd(scope: Scope, publication: Publication, end: RunEnd, now: Date): Promise<void> {
  await scope.commit(ending(scope, publication, end, now)).catch(ignoreStale)
}

export function recordFailure(scope: Scope, publication: Publication, error: unknown, now: Date): Promise<void> {
  return recordEnd(scope, publication, { status: 'failed', error: runErrorOf(error) }, now)
}

/** Records a commit that was made. */
export async function recordPublished(scope: Scope, publication: Publication, published: Published): Promise<void> {
  const { pending, commitSha, review, by, now } = published
  await retryStale(ATTEMPTS, async () => {
    // Another instance or an earlier attempt has recorded it.
    if ((await scope.collection(GIT_PUBLICATIONS).findOne({ _id: publication._id, run_id: publication.run_id })) === null) return
    const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: publication._id })
    const end: RunEnd = { status: 'succeeded', commit_sha: commitSha, review_number: review?.number ?? null, diff_summary: pending.diff_summary }
    const entry = {
      action: 'git_binding.published',
      resource: bindingResource(published.binding),
      projectId: published.binding.project_id,
      diff: diffOf(
        { commit_sha: null as string | null, strategy: null as string | null, review: null as string | null },
        { commit_sha: commitSha, strategy: pending.strategy, review: review?.url ?? null },
        ['commit_sha', 'strategy', 'review'],
      ),
    } as const
    await scope.commit([
      ...ending(scope, publication, end, now),
      ...(binding === null || !isSameSource(binding, published.binding) ? [] : advancing(scope, binding, published)),
      auditing(scope, by, entry, now),
    ])
  })
}

/** Returns the writes by which the binding has the commit. They fail if the binding changed since it was read. */
function advancing(scope: Scope, { _id, project_id, revision }: GitBindingDocument, { pending, commitSha, review, now }: Published): Write[] {
  const base = { bindingId: _id, projectId: project_id, commitSha, files: pending.base_files, origin: pending.base_origin }
  const open: BindingReview | null = review === null ? null : { number: review.number, url: review.url, branch: review.sourceBranch, head_sha: commitSha }
  const set: Fields<GitBindingDocument> = open === null ? { synced_commit_sha: commitSha, synced_at: now, updated_at: now } : { review: open, updated_at: now }
  return [scope.collection(GIT_BINDINGS).updating({ _id, revision }, { set }), ...(open === null ? settingBase(scope, base, now) : settingReviewBase(scope, base, now))]
}

/** Records that the review of a binding was merged or closed. A merge makes its base that of the binding. @throws ApiError edit_conflict */
export async function recordReviewEnd(scope: Scope, bindingId: string, review: Pick<GitReview, 'number' | 'state' | 'mergeSha' | 'headSha'>, now: Date): Promise<void> {
  await retryStale(ATTEMPTS, async () => {
    const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: bindingId })
    if (binding === null || binding.review?.number !== review.number || review.state === 'open') return
    const pending = review.state === 'merged' ? await scope.collection(GIT_REVIEW_BASES).findOne({ _id: bindingId }) : null
    const commitSha = review.mergeSha ?? review.headSha
    await scope.commit([
      scope.collection(GIT_BINDINGS).updating({ _id: bindingId, revision: binding.revision, updated_at: binding.updated_at }, { set: { review: null, updated_at: now } }),
      ...(pending === null
        ? [forgettingReviewBase(scope, bindingId)]
        : settingBase(scope, { bindingId, projectId: binding.project_id, commitSha, files: pending.files, origin: pending.origin }, now)),
    ])
  })
}

function ending(scope: Scope, { _id, run_id }: Publication, end: RunEnd, now: Date): Write[] {
  return [
    scope.collection(GIT_PUBLICATIONS).deleting({ _id, run_id }),
    scope.collection(GIT_RUNS).updating({ _id: run_id, status: 'running' }, { set: { ...end, finished_at: now } }),
  ]
}

/** The base belongs to repository, branch and paths. */
function isSameSource(one: GitBindingDocument, other: GitBindingDocument): boolean {
  return (['repository', 'branch', 'rules_path', 'decoders_path', 'lists_path'] as const).every((field) => one[field] === other[field])
}
