/** `/platform/projects/{project_id}/reviews`. */
import Type from 'typebox'
import { projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { presentPage } from '../../core/tenancy/page.js'
import type { CommentsService } from './comments.js'
import { presentComment, presentReview, reviewEtag, type ReviewView } from './present.js'
import {
  CommentListQuery,
  ProjectParams,
  ReviewCommentCreateRequest,
  ReviewCommentRecord,
  ReviewCreateRequest,
  ReviewListQuery,
  ReviewParams,
  ReviewRecord,
  ReviewUpdateRequest,
} from './schema.js'
import { type SemanticDiffService, SemanticDiffResponse } from '../semantic-diff/service.js'
import type { ReviewsService } from './service.js'

const defineRoute = routesOf('Reviews')
const COLLECTION = '/platform/projects/{project_id}/reviews'
const ITEM = `${COLLECTION}/{review_id}`
const REVIEW = { 200: { description: 'The review.', schema: ReviewRecord } } as const

const answer = (view: ReviewView) => ({ body: presentReview(view), etag: reviewEtag(view) })

export function reviewRoutes(reviews: ReviewsService, comments: CommentsService, diffs: Pick<SemanticDiffService, 'compare'>): readonly Route[] {
  return [
    defineRoute({
      id: 'reviews.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List reviews',
      description: 'Lists the reviews of the project, with any status.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: ReviewListQuery,
      responses: { 200: { description: 'The reviews.', schema: Type.Array(ReviewRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await reviews.list(scope, params.project_id, query), presentReview),
    }),
    defineRoute({
      id: 'reviews.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a review',
      description:
        'Opens a review of an open workspace (409 for a closed one) and notifies the reviewers; without reviewers, every member who may approve it but the author. A reviewer who is not a member of the organization is answered 404, one who may not approve 422. Emits `review.created`.',
      access: projectPermission('review:create'),
      params: ProjectParams,
      body: { as: 'json', schema: ReviewCreateRequest },
      bodyExamples: {
        asked: {
          title: 'Brute force on the VPN',
          workspace_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f',
          reviewer_ids: ['4f6d0a2e-3c55-4b7f-8a0e-5d1c2b3a4f60'],
          notes: 'Thresholds are those of the last drill',
        },
        open: { title: 'Brute force on the VPN', workspace_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' },
      },
      responses: REVIEW,
      errors: ['resource_missing', 'workspace_closed'],
      etag: true,
      handle: async (request) => answer(await reviews.create(request.scope, request.params.project_id, request.body, request)),
    }),
    defineRoute({
      id: 'reviews.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a review',
      description: 'The `ETag` covers the review and the content of its workspace; a decision can send it as `If-Match`.',
      access: projectPermission('project:view'),
      params: ReviewParams,
      responses: REVIEW,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await reviews.get(scope, params.project_id, params.review_id)),
    }),
    defineRoute({
      id: 'reviews.compare-behaviour',
      method: 'GET',
      path: `${ITEM}/behaviour`,
      summary: 'Compare what a review changes for detection',
      description:
        'Compares the current content of the workspace with that of the project, as `semantic-diff` does: for each rule and decoder that is touched an event that shows a difference with both results, a proof that there is none, or that none was found. Without a difference once the workspace is published; 404 once it is deleted. Consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: ReviewParams,
      responses: { 200: { description: 'The comparison.', schema: SemanticDiffResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      handle: async (request) => {
        const { project_id, review_id } = request.params
        const { review } = await reviews.get(request.scope, project_id, review_id)
        return { body: await diffs.compare(project_id, { before: {}, after: { workspace_id: review.workspace_id } }, request) }
      },
    }),
    defineRoute({
      id: 'reviews.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a review with a decision',
      description:
        'A decision applies to the current content of the workspace; with `If-Match`, other content is answered 412. A review can be decided again until it is closed or its workspace is published (409). Users cannot decide a review that they or their API keys opened (403), unless the organization has one member, but they can close it. The author is notified. Emits `review.approved`, `review.changes_requested` or `review.rejected`.',
      access: projectPermission('review:approve'),
      params: ReviewParams,
      body: { as: 'json', schema: ReviewUpdateRequest },
      bodyExamples: {
        approve: { status: 'approved' },
        askForChanges: { status: 'changes_requested', comment: 'Why not a lower threshold at night?' },
        close: { status: 'closed', notes: 'Done in another workspace' },
      },
      responses: REVIEW,
      errors: ['resource_missing', 'own_review', 'review_final', 'comment_limit', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await reviews.decide(request.scope, request.params.project_id, request.params.review_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'reviews.close',
      method: 'POST',
      path: `${ITEM}/close`,
      summary: 'Close a review',
      description: 'Sets the status to `closed`, which is final. Only the author can do this (403 for others); it does not need the permission to approve.',
      access: projectPermission('review:create'),
      params: ReviewParams,
      responses: REVIEW,
      errors: ['resource_missing', 'not_own_review', 'review_final', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await reviews.close(request.scope, request.params.project_id, request.params.review_id, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'review-comments.list',
      method: 'GET',
      path: `${ITEM}/comments`,
      summary: 'List the comments of a review',
      description: 'Lists the oldest first by default.',
      access: projectPermission('project:view'),
      params: ReviewParams,
      query: CommentListQuery,
      responses: { 200: { description: 'The comments.', schema: Type.Array(ReviewCommentRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await comments.list(scope, params.project_id, params.review_id, query), presentComment),
    }),
    defineRoute({
      id: 'review-comments.create',
      method: 'POST',
      path: `${ITEM}/comments`,
      summary: 'Create a comment on a review',
      description: 'Decided and closed reviews accept comments too. The author and the reviewers are notified. A review has at most 2,000 comments (409).',
      access: projectPermission('review:comment'),
      params: ReviewParams,
      body: { as: 'json', schema: ReviewCommentCreateRequest },
      bodyExamples: { question: { body: 'Why not a lower threshold at night?' } },
      responses: { 200: { description: 'The comment.', schema: ReviewCommentRecord } },
      errors: ['resource_missing', 'comment_limit'],
      handle: async (request) => ({ body: presentComment(await comments.add(request.scope, request.params.project_id, request.params.review_id, request.body.body, request)) }),
    }),
  ]
}
