/** Comments on reviews. The review counts them, in the commit of each comment, so that the limit is exact. */
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError } from '../../core/errors.js'
import { commitInProject, loadChangeable, loadOfProject } from '../shared/load.js'
import { COMMENTS_LIMIT, REVIEW_COMMENTS, type ReviewCommentDocument, type ReviewDocument, REVIEWS } from '../shared/review.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../core/tenancy/page.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing } from '../../core/audit/service.js'
import type { Announcements } from './announce.js'
import type { Author, People } from './people.js'
import type { CommentListQuery } from './schema.js'

/** Attempts when concurrent comments reach the limit of a review. */
const ATTEMPTS = 10

export interface CommentsParts {
  readonly people: People
  readonly announcements: Announcements
  readonly clock: () => number
}

export class CommentsService {
  readonly #parts: CommentsParts

  constructor(parts: CommentsParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing */
  async list(scope: Scope, projectId: string, reviewId: string, query: CommentListQuery): Promise<Page<ReviewCommentDocument>> {
    await loadOfProject(scope, REVIEWS, projectId, reviewId)
    const comments = scope.collection(REVIEW_COMMENTS)
    const filter = { review_id: reviewId }
    return findPage(comments, filter, findOptions(query))
  }

  /** Adds a comment, also to a decided or closed review. @throws ApiError resource_missing, comment_limit, edit_conflict */
  async add(scope: Scope, projectId: string, reviewId: string, body: string, actor: Actor): Promise<ReviewCommentDocument> {
    const { people, announcements, clock } = this.#parts
    const author = await people.author(actor.principal)
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      const review = await loadOfProject(scope, REVIEWS, projectId, reviewId)
      if (review.comment_count >= COMMENTS_LIMIT) throw commentLimit()
      const now = new Date(clock())
      const comment = newComment(review, author, body, now)
      await commitInProject(scope, projectId, [
        scope.collection(REVIEWS).updating({ _id: reviewId, comment_count: { lt: COMMENTS_LIMIT } }, { increment: { comment_count: 1 } }),
        scope.collection(REVIEW_COMMENTS).inserting(comment),
        auditing(scope, auditContext(actor), { action: 'review.commented', resource: reviewResource(review), projectId }, now),
        ...announcements.commented({ scope, project, review, principal: actor.principal }),
      ])
      return comment
    })
  }
}

/** Returns the document of a new comment. */
export function newComment(review: ReviewDocument, author: Author, body: string, now: Date): ReviewCommentDocument {
  return {
    _id: newId(),
    organization_id: review.organization_id,
    project_id: review.project_id,
    review_id: review._id,
    body,
    author_id: author.id,
    author_type: author.type,
    author_name: author.name,
    created_at: now,
  }
}

export function commentLimit(): ApiError {
  return new ApiError('comment_limit', { params: { limit: COMMENTS_LIMIT } })
}

/** Returns the review as the object of an audit entry. */
export function reviewResource({ _id, title }: Pick<ReviewDocument, '_id' | 'title'>): AuditResource {
  return { type: 'review', id: _id, name: title }
}
