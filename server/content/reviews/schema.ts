/** Requests and answers about reviews and their comments. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { LINES } from '../../core/patterns.js'
import { ProjectParams, projectFields } from '../shared/fields.js'
import { REVIEWERS_LIMIT } from '../shared/review.js'
import { REVIEW_DECISIONS, REVIEW_STATUSES } from '../shared/transitions.js'

export { ProjectParams }

const NOTES_CHARACTERS = 10_000
const COMMENT_CHARACTERS = 10_000
const ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const WHAT_ACTED = ['user', 'api_key'] as const

export const ReviewParams = Type.Object({ project_id: fields.id('The project.'), review_id: fields.id('The review.') })

export const ReviewListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'title'],
  filters: {
    status: Type.Optional(Type.Enum(REVIEW_STATUSES, { description: 'Only reviews of this status.' })),
    workspace_id: Type.Optional(fields.id('Only reviews of this workspace.')),
    reviewer_id: Type.Optional(fields.id('Only reviews with this reviewer.')),
    created_by: Type.Optional(fields.id('Only reviews of this author, a user or API key.')),
  },
})
export type ReviewListQuery = Static<typeof ReviewListQuery>

export const ReviewCreateRequest = Type.Object(
  {
    title: fields.name('Title of the review.'),
    workspace_id: fields.id('The workspace to review; an open one of this project.'),
    reviewer_ids: Type.Optional(
      Type.Array(fields.id('A user.'), {
        maxItems: REVIEWERS_LIMIT,
        uniqueItems: true,
        description: 'Reviewers: members who may approve by their role in the organization or in the project. Other members who may approve can decide too.',
      }),
    ),
    notes: Type.Optional(fields.text(NOTES_CHARACTERS, 'Notes for the reviewers.')),
  },
  { $id: 'ReviewCreateRequest', description: 'A review to create.' },
)
export type ReviewCreateRequest = Static<typeof ReviewCreateRequest>

const comment = (description: string) => Type.String({ minLength: 1, maxLength: COMMENT_CHARACTERS, pattern: LINES, description })

export const ReviewUpdateRequest = Type.Object(
  {
    status: Type.Enum(REVIEW_DECISIONS, { description: 'The decision.' }),
    notes: Type.Optional(fields.text(NOTES_CHARACTERS, 'New notes for the reviewers.')),
    comment: Type.Optional(comment('Reason for the decision, which is added as a comment.')),
  },
  { $id: 'ReviewUpdateRequest', description: 'A decision.' },
)
export type ReviewUpdateRequest = Static<typeof ReviewUpdateRequest>

export const ReviewRecord = Type.Object(
  {
    id: Type.String({ examples: [ID], description: 'Identifier.' }),
    project_id: Type.String({ examples: [ID], description: 'The project.' }),
    workspace_id: Type.String({ examples: [ID], description: 'The reviewed workspace.' }),
    title: Type.String({ examples: ['Brute force on the VPN'], description: 'Title of the review.' }),
    notes: Type.String({ examples: ['Thresholds are those of the last drill'], description: 'Notes for the reviewers.' }),
    status: Type.Enum(REVIEW_STATUSES, { description: 'Status; `open` until it is decided or closed.' }),
    reviewer_ids: Type.Array(Type.String(), { examples: [[ID]], description: 'Ids of the reviewers.' }),
    created_by: Type.String({ examples: [ID], description: 'Author: identifier of a user or API key.' }),
    created_by_type: Type.Enum([...WHAT_ACTED], { description: 'Type of the author.' }),
    created_by_name: Type.String({ examples: ['Rui'], description: 'Name of the author at that time.' }),
    decided_by: projectFields.idOrNull('Who decided or closed it last; null: nobody.'),
    decided_by_name: nullable(Type.String({ examples: ['Ana'] }), 'Name of the person or key that decided, at that time.'),
    decided_at: nullable(Type.String({ format: 'date-time' }), 'When it was last decided or closed.'),
    decided_content_hash: nullable(Type.String({ examples: [HASH] }), 'SHA-256 of the content of the workspace at the decision. An approval is bound to this hash.'),
    content_hash: Type.String({ examples: [HASH], description: 'SHA-256 of the current content of the workspace; of a deleted one that of the decision.' }),
    is_stale: Type.Boolean({ examples: [false], description: 'Whether the content of the workspace has changed since the decision.' }),
    is_final: Type.Boolean({ examples: [false], description: 'Whether it accepts no further decision, because it is closed, or its workspace was published or deleted.' }),
    comment_count: Type.Integer({ minimum: 0, description: 'Number of comments.' }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When it was last decided or updated. Comments do not count.'),
  },
  { $id: 'ReviewRecord', description: 'A review of a workspace.' },
)
export type ReviewRecord = Static<typeof ReviewRecord>

export const CommentListQuery = listQuery({ defaultOrder: 'asc' })
export type CommentListQuery = Static<typeof CommentListQuery>

export const ReviewCommentCreateRequest = Type.Object({ body: comment('Text of the comment.') }, { $id: 'ReviewCommentCreateRequest', description: 'A comment to create.' })
export type ReviewCommentCreateRequest = Static<typeof ReviewCommentCreateRequest>

export const ReviewCommentRecord = Type.Object(
  {
    id: Type.String({ examples: [ID], description: 'Identifier.' }),
    review_id: Type.String({ examples: [ID], description: 'The review.' }),
    body: Type.String({ examples: ['Why not a lower threshold at night?'], description: 'Text of the comment.' }),
    author_id: Type.String({ examples: [ID], description: 'Author: identifier of a user or API key.' }),
    author_type: Type.Enum([...WHAT_ACTED], { description: 'Type of the author.' }),
    author_name: Type.String({ examples: ['Ana'], description: 'Name of the author at that time.' }),
    created_at: fields.timestamp('When it was created.'),
  },
  { $id: 'ReviewCommentRecord', description: 'A comment of a review.' },
)
export type ReviewCommentRecord = Static<typeof ReviewCommentRecord>
