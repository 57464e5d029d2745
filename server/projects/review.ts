/** Reviews of workspaces, and what is said in them. */
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { ReviewStatus } from './transitions.js'

export type AuthorType = 'user' | 'api_key'

export interface ReviewDocument extends TenantDocument {
  readonly project_id: string
  readonly workspace_id: string
  readonly title: string
  readonly notes: string
  readonly reviewer_ids: readonly string[]
  readonly status: ReviewStatus
  /** Identifier of who opened it: a user, or an API key. */
  readonly opened_by: string
  readonly opened_by_type: AuthorType
  /** The user who answers for that: who opened it, or whose key did. Null, or missing in older ones: nobody knows. */
  readonly opened_for?: string | null
  /** As others saw it then; names below likewise. */
  readonly opened_by_name: string
  /** Who gave it its status, `closed` included; null: it was never decided. */
  readonly decided_by: string | null
  readonly decided_by_name: string | null
  readonly decided_at: Date | null
  /** Of the workspace, when it was decided: an approval holds for that content only. */
  readonly decided_content_hash: string | null
  /** Which of the decisions of its project that was, by `decisions_revision`; 0: none. */
  readonly decided_turn: number
  /** When its workspace was published: the decision is final since. Null: it was not. */
  readonly settled_at: Date | null
  readonly comment_count: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const REVIEWS = tenantCollection<ReviewDocument>('reviews', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, updated_at: -1, _id: -1 } },
  { keys: { project_id: 1, title: 1, _id: 1 } },
  { keys: { project_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, updated_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, title: 1, _id: 1 } },
  { keys: { project_id: 1, opened_by: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, reviewer_ids: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, workspace_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, decided_content_hash: 1, status: 1, decided_turn: -1 } },
  { keys: { status: 1, created_at: -1, _id: -1 } },
])

/** Content that a review rejected, or asked for changes of. It stays whatever becomes of the review: who opened it could unsay it otherwise. */
export interface RefusalDocument extends TenantDocument {
  readonly project_id: string
  readonly review_id: string
  readonly content_hash: string
  /** As `decided_turn`. */
  readonly turn: number
}

export const REFUSALS = tenantCollection<RefusalDocument>('review_refusals', [{ keys: { project_id: 1, content_hash: 1, turn: -1 } }])

export interface ReviewCommentDocument extends TenantDocument {
  readonly project_id: string
  readonly review_id: string
  readonly body: string
  readonly author_id: string
  readonly author_type: AuthorType
  readonly author_name: string
  readonly created_at: Date
}

export const REVIEW_COMMENTS = tenantCollection<ReviewCommentDocument>('review_comments', [{ keys: { review_id: 1, created_at: 1, _id: 1 } }])

/** People asked for one review. */
export const REVIEWERS_LIMIT = 50
/** Comments of a review. */
export const COMMENTS_LIMIT = 2000
