/** Reviews and their comments as the API returns them. */
import { versionTag } from '../../core/etag.js'
import type { ReviewCommentDocument, ReviewDocument } from '../shared/review.js'
import type { WorkspaceDocument } from '../shared/workspace.js'
import type { ReviewCommentRecord, ReviewRecord } from './schema.js'

/** A review and the current state of its workspace; null: the workspace was deleted. */
export interface ReviewView {
  readonly review: ReviewDocument
  readonly workspace: Pick<WorkspaceDocument, 'content_hash'> | null
}

/** Characters of a hash in an `ETag`: 64 bits, against changes, not against attackers. */
const TAG_HASH_CHARACTERS = 16

/** Hash of the content that a decision is about. A workspace is deleted only when all its reviews are decided or closed. */
function contentHashOf({ review, workspace }: ReviewView): string {
  return workspace?.content_hash ?? review.decided_content_hash ?? ''
}

/** Returns the ETag of a review and of the content of its workspace. With `If-Match`, a decision applies only to content that the reviewer has seen. */
export function decisionTag(view: ReviewView): string {
  return `${view.review.revision}-${contentHashOf(view).slice(0, TAG_HASH_CHARACTERS)}`
}

export function reviewEtag(view: ReviewView): string {
  return versionTag(decisionTag(view), view.review.comment_count)
}

/** Whether the review accepts no further decision (CONTRACT.md#versions-and-reviews). */
export function isFinal({ status, settled_at }: Pick<ReviewDocument, 'status' | 'settled_at'>): boolean {
  return status === 'closed' || settled_at !== null
}

export function presentReview(view: ReviewView): ReviewRecord {
  const { review } = view
  const content_hash = contentHashOf(view)
  return {
    id: review._id,
    project_id: review.project_id,
    workspace_id: review.workspace_id,
    title: review.title,
    notes: review.notes,
    status: review.status,
    reviewer_ids: [...review.reviewer_ids],
    created_by: review.opened_by,
    created_by_type: review.opened_by_type,
    created_by_name: review.opened_by_name,
    decided_by: review.decided_by,
    decided_by_name: review.decided_by_name,
    decided_at: review.decided_at?.toISOString() ?? null,
    decided_content_hash: review.decided_content_hash,
    content_hash,
    is_stale: review.decided_content_hash !== null && review.decided_content_hash !== content_hash,
    is_final: isFinal(review),
    comment_count: review.comment_count,
    created_at: review.created_at.toISOString(),
    updated_at: review.updated_at.toISOString(),
  }
}

export function presentComment(comment: ReviewCommentDocument): ReviewCommentRecord {
  return {
    id: comment._id,
    review_id: comment.review_id,
    body: comment.body,
    author_id: comment.author_id,
    author_type: comment.author_type,
    author_name: comment.author_name,
    created_at: comment.created_at.toISOString(),
  }
}
