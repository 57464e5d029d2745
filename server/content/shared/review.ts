/** Reviews of workspaces, their refusals and their comments. */
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { ReviewStatus } from './transitions.js'

export type AuthorType = 'user' | 'api_key'

export interface ReviewDocument extends TenantDocument {
  readonly project_id: string
  readonly workspace_id: string
  readonly title: string
  readonly notes: string
  readonly reviewer_ids: readonly string[]
  readonly status: ReviewStatus
  /** Identifier of the user or API key that opened the review. */
  readonly opened_by: string
  readonly opened_by_type: AuthorType
  /** The user who opened the review, or the owner of the API key that did. Null, or missing in older reviews: not known. */
  readonly opened_for?: string | null
  /** Display name at that time, like the names below. */
  readonly opened_by_name: string
  /** The user or API key that decided or closed the review last; null: it is undecided. */
  readonly decided_by: string | null
  readonly decided_by_name: string | null
  readonly decided_at: Date | null
  /** Hash of the workspace's content at the decision. An approval is bound to this hash. */
  readonly decided_content_hash: string | null
  /** Sequence of the decision within the project, from `decisions_revision`; 0: undecided. */
  readonly decision_sequence: number
  /** When the workspace was published, which makes the decision final; null: it was not. */
  readonly settled_at: Date | null
  readonly comment_count: number
  /** True while it is open and its project is archived: nobody has to decide it then. */
  readonly is_archived?: true | null
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
  { keys: { project_id: 1, decided_content_hash: 1, status: 1, decision_sequence: -1 } },
  { keys: { status: 1, is_archived: 1 } },
])

/** A content that a review rejected, or for which it requested changes. It stays when the review is closed; otherwise its author could withdraw the refusal. */
export interface RefusalDocument extends TenantDocument {
  readonly project_id: string
  readonly review_id: string
  readonly content_hash: string
  /** Sequence of the decision. */
  readonly decision_sequence: number
}

export const REFUSALS = tenantCollection<RefusalDocument>('review_refusals', [{ keys: { project_id: 1, content_hash: 1, decision_sequence: -1 } }])

export interface ReviewCommentDocument extends TenantDocument {
  readonly project_id: string
  readonly review_id: string
  readonly body: string
  readonly author_id: string
  readonly author_type: AuthorType
  readonly author_name: string
  readonly created_at: Date
}

export const REVIEW_COMMENTS = tenantCollection<ReviewCommentDocument>('review_comments', [{ keys: { review_id: 1, created_at: 1, _id: 1 } }, { keys: { project_id: 1, _id: 1 } }])

/** Maximum reviewers of a review. */
export const REVIEWERS_LIMIT = 50
/** Maximum comments of a review. */
export const COMMENTS_LIMIT = 2000
