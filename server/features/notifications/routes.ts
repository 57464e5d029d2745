/** `/notifications`. */
import Type from 'typebox'
import { type Route, routesOf, SESSION } from '../../core/http/route.js'
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE } from '../../core/sse/stream.js'
import { presentNotifications } from './present.js'
import { NotificationListQuery, NotificationListResponse, NotificationMarkReadRequest } from './schema.js'
import type { NotificationsService } from './service.js'

const defineRoute = routesOf('Notifications')
const LIST = { 200: { description: 'The notifications.', schema: NotificationListResponse } } as const
const ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f:5c1c5f0e-7c1f-4f4d-8d0e-3b1f0f6f2a11'

export function notificationRoutes(notifications: NotificationsService): readonly Route[] {
  return [
    defineRoute({
      id: 'notifications.list',
      method: 'GET',
      path: '/notifications',
      summary: 'List notifications',
      description:
        "Lists the caller's notifications in the active organization, the newest first, in the language of the request. They appear shortly after the event that they describe. They are kept for 90 days, and at most about 1,000.",
      access: SESSION,
      query: NotificationListQuery,
      responses: LIST,
      handle: async ({ scope, principal, query, locale }) => ({ body: presentNotifications(await notifications.list(scope, principal, query), locale) }),
    }),
    defineRoute({
      id: 'notifications.mark-read',
      method: 'POST',
      path: '/notifications/mark-read',
      summary: 'Mark notifications as read',
      description: "Without ids, marks all unread notifications. Answers like `GET /notifications`. The user's streams receive the new count.",
      access: SESSION,
      body: { as: 'json', schema: NotificationMarkReadRequest },
      bodyExamples: { some: { ids: [ID] }, all: { ids: [] } },
      responses: LIST,
      handle: async ({ scope, principal, body, locale }) => ({ body: presentNotifications(await notifications.markRead(scope, principal, body), locale) }),
    }),
    defineRoute({
      id: 'notifications.stream',
      method: 'GET',
      path: '/notifications/stream',
      summary: 'Stream the unread count',
      description:
        'Answers server-sent events. The first event is `unread` with the current count; another one follows at most about 5 seconds after each change. Comments (`: keep-alive`) keep the connection open. The stream ends within a second after the session, and when the instance stops; clients should reconnect. A user may have 5 open streams in all organizations (429); the operator can change this limit.',
      access: SESSION,
      load: 'stream',
      timeoutMs: null,
      endless: true,
      responses: {
        200: {
          description: 'The events.',
          schema: Type.String({ description: 'An event stream of the HTML Living Standard.' }),
          mediaType: EVENT_STREAM_TYPE,
          examples: { stream: 'event: unread\ndata: {"unread":3}\n\n: keep-alive\n\nevent: unread\ndata: {"unread":0}\n\n' },
        },
      },
      errors: ['sse_connection_limit_exceeded', 'overloaded'],
      handle: async ({ scope, principal, signal }) => ({ headers: EVENT_STREAM_HEADERS, body: await notifications.stream(scope, principal, signal) }),
    }),
  ]
}
