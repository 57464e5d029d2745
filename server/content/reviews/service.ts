/**
 * Reviews of workspaces: create, list, get, decide. Invariants:
 *  1. a decision is bound to the current content of the workspace: its commit fails if the content, or another review of it, changed since it was read.
 *     It updates the project (`decisions_revision`), so that no version is published concurrently with the withdrawal of its approval or a rejection
 *     of its content in another review
 *  2. status changes are those of `REVIEW_TRANSITIONS`; none after the workspace was published or deleted (`settled_at`)
 *  3. users cannot decide a review that they or their API keys opened, unless the organization has one member; they can close it
 */
import { subjectOf } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError } from '../../core/errors.js'
import { loadChangeable, loadOfProject, loadPageOfProject, requiringChangeable } from '../shared/load.js'
import { type IfMatch, requireCurrent } from '../../core/etag.js'
import { approvalOf } from '../shared/approval.js'
import { NOT_ARCHIVED, PROJECTS } from '../shared/project.js'
import { COMMENTS_LIMIT, REFUSALS, REVIEW_COMMENTS, type ReviewDocument, REVIEWS } from '../shared/review.js'
import { mayBecome, REVIEW_TRANSITIONS, type ReviewStatus } from '../shared/transitions.js'
import { type WorkspaceDocument, WORKSPACES } from '../shared/workspace.js'
import type { Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, type Page } from '../../core/tenancy/page.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../core/audit/service.js'
import type { Announcements } from './announce.js'
import { commentLimit, newComment, reviewResource } from './comments.js'
import type { Author, People } from './people.js'
import { decisionTag, isFinal, type ReviewView } from './present.js'
import type { ReviewCreateRequest, ReviewListQuery, ReviewUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes of the review or workspace. */
const ATTEMPTS = 10

const SHOWN_FIELDS = ['title', 'workspace_id', 'notes', 'status', 'reviewer_ids', 'decided_content_hash'] as const

/** A decision that is about to be stored. */
export interface ReviewDecision {
  readonly projectId: string
  /** Contents whose approval it can change: the one that it decides about, and the one that the review decided about before. */
  readonly contentHashes: readonly string[]
  /** Subject of the caller. */
  readonly startedBy: string
}

export interface ReviewsParts {
  readonly people: People
  readonly announcements: Announcements
  /** Returns writes of others for the commit of a decision. */
  readonly onDeciding: (scope: Scope, decision: ReviewDecision) => Promise<readonly Write[]>
  readonly clock: () => number
}

export class ReviewsService {
  readonly #parts: ReviewsParts

  constructor(parts: ReviewsParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing (project) */
  async list(scope: Scope, projectId: string, query: ReviewListQuery): Promise<Page<ReviewView>> {
    const { status, workspace_id, reviewer_id, created_by } = query
    const criteria = { status, workspace_id, reviewer_ids: reviewer_id === undefined ? undefined : { has: reviewer_id }, opened_by: created_by }
    const filter = Object.fromEntries(Object.entries(criteria).filter(([, value]) => value !== undefined))
    const { items: found, total } = await loadPageOfProject(scope, REVIEWS, projectId, filter, findOptions(query))
    const ids = [...new Set(found.map((review) => review.workspace_id))]
    const workspaces = new Map((ids.length === 0 ? [] : await scope.collection(WORKSPACES).find({ _id: { in: ids } })).map((workspace) => [workspace._id, workspace]))
    return { items: found.map((review) => ({ review, workspace: workspaces.get(review.workspace_id) ?? null })), total }
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, projectId: string, reviewId: string): Promise<ReviewView & { readonly workspace: WorkspaceDocument | null }> {
    // The review is read first, so that the hash of its decision is not newer than the workspace.
    const review = await loadOfProject(scope, REVIEWS, projectId, reviewId)
    return { review, workspace: await scope.collection(WORKSPACES).findOne({ _id: review.workspace_id }) }
  }

  /** @throws ApiError resource_missing (project, workspace or reviewer); workspace_closed, request_validation_failed */
  async create(scope: Scope, projectId: string, request: ReviewCreateRequest, actor: Actor): Promise<ReviewView> {
    const { people, announcements, clock } = this.#parts
    const { workspace_id, reviewer_ids = [], title, notes = '' } = request
    const project = await loadChangeable(scope, projectId)
    const workspace = await loadOfProject(scope, WORKSPACES, projectId, workspace_id)
    if (workspace.status === 'closed') throw new ApiError('workspace_closed')
    await people.requireReviewers(scope, projectId, reviewer_ids, actor)
    const author = await people.author(actor.principal)
    const now = new Date(clock())
    const review: ReviewDocument = {
      _id: newId(),
      organization_id: scope.organizationId,
      project_id: projectId,
      workspace_id,
      title: title.trim(),
      notes,
      reviewer_ids,
      status: 'open',
      opened_by: author.id,
      opened_by_type: author.type,
      opened_for: author.owner,
      opened_by_name: author.name,
      decided_by: null,
      decided_by_name: null,
      decided_at: null,
      decided_content_hash: null,
      decision_sequence: 0,
      settled_at: null,
      comment_count: 0,
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    const entry = { action: 'review.created', resource: reviewResource(review), projectId, diff: diffOf(null, review, SHOWN_FIELDS) } as const
    try {
      const [current] = await scope.commit([
        scope.collection(WORKSPACES).updating({ _id: workspace_id, status: 'open' }, { increment: { reviews_revision: 1 } }),
        requiringChangeable(scope, projectId),
        scope.collection(REVIEWS).inserting(review),
        auditing(scope, auditContext(actor), entry, now),
        ...(await announcements.opened({ scope, project, review, principal: actor.principal })),
      ])
      return { review, workspace: current as WorkspaceDocument }
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      await loadChangeable(scope, projectId)
      await loadOfProject(scope, WORKSPACES, projectId, workspace_id)
      throw new ApiError('workspace_closed')
    }
  }

  /**
   * Decides a review. @param ifMatch ETags of review and content, of which one must match; null: no condition
   * @throws ApiError resource_missing, precondition_failed, own_review, review_final, comment_limit, edit_conflict
   */
  async decide(scope: Scope, projectId: string, reviewId: string, request: ReviewUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ReviewView> {
    return this.#change(scope, projectId, reviewId, request, ifMatch, actor, async (review, author) => {
      if (request.status === 'closed' || !isOwn(review, author)) return
      if (!(await this.#parts.people.isSole(scope))) throw new ApiError('own_review')
    })
  }

  /** Closes a review for its author. @throws ApiError resource_missing, precondition_failed, not_own_review, review_final, edit_conflict */
  async close(scope: Scope, projectId: string, reviewId: string, ifMatch: IfMatch, actor: Actor): Promise<ReviewView> {
    return this.#change(scope, projectId, reviewId, { status: 'closed' }, ifMatch, actor, async (review, author) => {
      if (!isOwn(review, author)) throw new ApiError('not_own_review')
    })
  }

  async #change(
    scope: Scope,
    projectId: string,
    reviewId: string,
    { status, notes, comment }: ReviewUpdateRequest,
    ifMatch: IfMatch,
    actor: Actor,
    requireMay: (review: ReviewDocument, author: Author) => Promise<void>,
  ): Promise<ReviewView> {
    const { people, announcements, onDeciding, clock } = this.#parts
    const author = await people.author(actor.principal)
    // Each attempt reads the content and checks `If-Match` again.
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      const view = await this.get(scope, projectId, reviewId)
      const { review, workspace } = view
      await requireMay(review, author)
      requireCurrent(decisionTag(view), ifMatch)
      if (workspace === null || isFinal(review) || !mayBecome<ReviewStatus>(REVIEW_TRANSITIONS, review.status, status)) throw new ApiError('review_final')
      if (comment !== undefined && review.comment_count >= COMMENTS_LIMIT) throw commentLimit()
      const now = new Date(clock())
      const { _id, content_hash, reviews_revision } = workspace
      const decision_sequence = project.decisions_revision + 1
      const decision = { status, decided_by: author.id, decided_by_name: author.name, decided_at: now, decided_content_hash: content_hash, decision_sequence }
      const isRefusal = status === 'rejected' || status === 'changes_requested'
      const refusal = { _id: newId(), project_id: projectId, review_id: reviewId, content_hash, decision_sequence }
      const fields = { ...decision, ...(notes === undefined ? {} : { notes }), updated_at: now }
      const changed: ReviewDocument = { ...review, ...fields }
      const diff = diffOf(review, changed, SHOWN_FIELDS)
      // A repeated decision by the same person on the same content changes nothing, unless another review decided otherwise since.
      const isRepeated = comment === undefined && review.decided_by === author.id && Object.keys(diff).length === 0
      if (isRepeated && ((await approvalOf(scope, projectId, content_hash)) !== null) === (status === 'approved')) return view
      const commentWrites: readonly Write[] = comment === undefined ? [] : [scope.collection(REVIEW_COMMENTS).inserting(newComment(review, author, comment, now))]
      const withRoom = comment === undefined ? {} : { comment_count: { lt: COMMENTS_LIMIT } }
      const contentHashes = [...new Set([content_hash, review.decided_content_hash ?? content_hash])]
      const following = await onDeciding(scope, { projectId, contentHashes, startedBy: subjectOf(actor.principal) })
      const announcing = await announcements.decided({ scope, project, review: changed, principal: actor.principal }, status)
      const [, current, updated] = await scope.commit([
        scope.collection(PROJECTS).updating({ _id: projectId, ...NOT_ARCHIVED, decisions_revision: project.decisions_revision }, { increment: { decisions_revision: 1 } }),
        scope.collection(WORKSPACES).updating({ _id, content_hash, reviews_revision }, { increment: { reviews_revision: 1 } }),
        scope
          .collection(REVIEWS)
          .updating({ _id: reviewId, revision: review.revision, ...withRoom }, { set: fields, increment: { revision: 1, ...(comment === undefined ? {} : { comment_count: 1 }) } }),
        ...(isRefusal ? [scope.collection(REFUSALS).inserting(refusal)] : []),
        ...commentWrites,
        auditing(scope, auditContext(actor), { action: 'review.updated', resource: reviewResource(review), projectId, diff }, now),
        ...announcing,
        ...following,
      ])
      return { review: updated as ReviewDocument, workspace: current as WorkspaceDocument }
    })
  }
}

/** Whether the caller opened the review. A user and the user's API keys count as one. */
function isOwn({ opened_by, opened_for = null }: ReviewDocument, { id, owner }: Author): boolean {
  return opened_by === id || (owner !== null && owner === opened_for)
}
