/** Requests and answers about reviews and their comments. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { LINES } from '../../patterns.js'
import { ProjectParams, projectFields } from '../../projects/fields.js'
import { REVIEWERS_LIMIT } from '../../projects/review.js'
import { REVIEW_DECISIONS, REVIEW_STATUSES } from '../../projects/transitions.js'

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
    reviewer_id: Type.Optional(fields.id('Only reviews that this user was asked for.')),
    created_by: Type.Optional(fields.id('Only reviews that this user or API key opened.')),
  },
})
export type ReviewListQuery = Static<typeof ReviewListQuery>

export const ReviewCreateRequest = Type.Object(
  {
    title: fields.name('What it is about.'),
    workspace_id: fields.id('The workspace that is to be reviewed; an open one of this project.'),
    reviewer_ids: Type.Optional(
      Type.Array(fields.id('A user.'), {
        maxItems: REVIEWERS_LIMIT,
        uniqueItems: true,
        description:
          'Users who are asked for their opinion: members who may approve, by their role in the organization or in the project. Others who may approve can decide as well.',
      }),
    ),
    notes: Type.Optional(fields.text(NOTES_CHARACTERS, 'What reviewers should know.')),
  },
  { $id: 'ReviewCreateRequest', description: 'A review that is to be opened.' },
)
export type ReviewCreateRequest = Static<typeof ReviewCreateRequest>

const comment = (description: string) => Type.String({ minLength: 1, maxLength: COMMENT_CHARACTERS, pattern: LINES, description })

export const ReviewUpdateRequest = Type.Object(
  {
    status: Type.Enum(REVIEW_DECISIONS, { description: 'The decision.' }),
    notes: Type.Optional(fields.text(NOTES_CHARACTERS, 'What reviewers should know, instead of what stood there.')),
    comment: Type.Optional(comment('Why: it becomes a comment of the review, together with the decision.')),
  },
  { $id: 'ReviewUpdateRequest', description: 'A decision.' },
)
export type ReviewUpdateRequest = Static<typeof ReviewUpdateRequest>

export const ReviewRecord = Type.Object(
  {
    id: Type.String({ examples: [ID], description: 'Identifier.' }),
    project_id: Type.String({ examples: [ID], description: 'The project.' }),
    workspace_id: Type.String({ examples: [ID], description: 'The workspace that is reviewed.' }),
    title: Type.String({ examples: ['Brute force on the VPN'], description: 'What it is about.' }),
    notes: Type.String({ examples: ['Thresholds are those of the last drill'], description: 'What reviewers should know.' }),
    status: Type.Enum(REVIEW_STATUSES, { description: '`open` until someone decides.' }),
    reviewer_ids: Type.Array(Type.String(), { examples: [[ID]], description: 'Users who are asked for their opinion.' }),
    created_by: Type.String({ examples: [ID], description: 'Who opened it: identifier of a user, or of an API key.' }),
    created_by_type: Type.Enum([...WHAT_ACTED], { description: 'What opened it.' }),
    created_by_name: Type.String({ examples: ['Rui'], description: 'Name of who opened it, at that time.' }),
    decided_by: projectFields.idOrNull('Who gave it its status, `closed` included; null: it was never decided.'),
    decided_by_name: nullable(Type.String({ examples: ['Ana'] }), 'Name of who decided, at that time.'),
    decided_at: nullable(Type.String({ format: 'date-time' }), 'When it was decided last.'),
    decided_content_hash: nullable(Type.String({ examples: [HASH] }), 'SHA-256 of the content of the workspace when it was decided: an approval is one of this content.'),
    content_hash: Type.String({ examples: [HASH], description: 'SHA-256 of the content of the workspace now.' }),
    is_stale: Type.Boolean({ examples: [false], description: 'The content of the workspace is another one than was decided on.' }),
    is_final: Type.Boolean({ examples: [false], description: 'It is closed, or its workspace was published: no decision is taken any more.' }),
    comment_count: Type.Integer({ minimum: 0, description: 'Comments.' }),
    created_at: fields.timestamp('When it was opened.'),
    updated_at: fields.timestamp('When it was last decided or changed; comments are no change.'),
  },
  { $id: 'ReviewRecord', description: 'A review of a workspace.' },
)
export type ReviewRecord = Static<typeof ReviewRecord>

export const CommentListQuery = listQuery({ defaultOrder: 'asc' })
export type CommentListQuery = Static<typeof CommentListQuery>

export const ReviewCommentCreateRequest = Type.Object({ body: comment('What is said.') }, { $id: 'ReviewCommentCreateRequest', description: 'A comment that is to be written.' })
export type ReviewCommentCreateRequest = Static<typeof ReviewCommentCreateRequest>

export const ReviewCommentRecord = Type.Object(
  {
    id: Type.String({ examples: [ID], description: 'Identifier.' }),
    review_id: Type.String({ examples: [ID], description: 'The review.' }),
    body: Type.String({ examples: ['Why not a lower threshold at night?'], description: 'What is said.' }),
    author_id: Type.String({ examples: [ID], description: 'Who wrote it: identifier of a user, or of an API key.' }),
    author_type: Type.Enum([...WHAT_ACTED], { description: 'What wrote it.' }),
    author_name: Type.String({ examples: ['Ana'], description: 'Name of who wrote it, at that time.' }),
    created_at: fields.timestamp('When it was written.'),
  },
  { $id: 'ReviewCommentRecord', description: 'A comment of a review.' },
)
export type ReviewCommentRecord = Static<typeof ReviewCommentRecord>
