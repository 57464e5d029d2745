/** Requests and answers about notifications. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { PAGE_DEFAULT, PAGE_LIMIT } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'

/** Maximum ids of a request. A request without ids marks all. */
const IDS_LIMIT = 1000
/** The id of a notification consists of notice and user. */
const ID_CHARACTERS = 128

export const NotificationListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_DEFAULT, description: 'Maximum number of notifications to return.' }),
  unread_only: Type.Boolean({ default: false, description: 'Only unread notifications.' }),
})
export type NotificationListQuery = Static<typeof NotificationListQuery>

export const NotificationMarkReadRequest = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: ID_CHARACTERS }), {
        maxItems: IDS_LIMIT,
        description: 'Notifications to mark. Ids that are not unread notifications of the caller are ignored. Empty or absent: all.',
      }),
    ),
  },
  { $id: 'NotificationMarkReadRequest', description: 'The notifications that were read.' },
)
export type NotificationMarkReadRequest = Static<typeof NotificationMarkReadRequest>

export const NotificationRecord = Type.Object(
  {
    id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f:5c1c5f0e-7c1f-4f4d-8d0e-3b1f0f6f2a11'], description: 'Identifier.' }),
    user_id: Type.String({ examples: ['5c1c5f0e-7c1f-4f4d-8d0e-3b1f0f6f2a11'], description: 'The recipient, which is the caller.' }),
    organization_id: Type.String({ examples: ['8f2a7a55-6d1b-4a8b-9a51-4c0f5d8f1c02'], description: 'The organization of the event.' }),
    kind: Type.String({ examples: ['review.created'], description: 'Kind of the event. New kinds may be added.' }),
    title: Type.String({ examples: ['Review requested: SSH brute force'], description: 'Title, in the language of the request.' }),
    body: Type.String({ examples: ['Ana opened a review in the project Linux servers.'], description: 'Details, in the language of the request; may be empty.' }),
    link: Type.Union([Type.String(), Type.Null()], {
      examples: ['/platform/projects/2f0c3a8e-4b1d-4f36-9c55-0e9f0a7d6b21/reviews/91b7d1c4-1f5e-4c0a-8f7e-6d2a9b3c4e5f'],
      description: 'Path of the resource in the web interface; null: none.',
    }),
    read_at: nullable(Type.String({ format: 'date-time' }), 'When it was marked as read; null: unread.'),
    created_at: fields.timestamp('When the event happened.'),
  },
  { $id: 'NotificationRecord', description: 'A notification.' },
)

export const NotificationListResponse = Type.Object(
  {
    items: Type.Array(NotificationRecord, { description: 'The notifications, the newest first.' }),
    total: Type.Integer({ minimum: 0, description: 'Number of notifications that match the query. They are kept for 90 days, and at most about 1,000.' }),
    unread: Type.Integer({ minimum: 0, description: 'Number of unread notifications.' }),
  },
  { $id: 'NotificationListResponse', description: 'Notifications of the caller in the active organization.' },
)
