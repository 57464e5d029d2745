/** Notifications of a user in an organization: list, mark as read, stream the unread count. */
import type { Readable } from 'node:stream'
import type { UserPrincipal } from '../../core/auth/principal.js'
import { PAGE_DEFAULT } from '../../core/http/request/list-query.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { UnreadFeed } from './feed.js'
import type { NotificationListQuery, NotificationMarkReadRequest } from './schema.js'
import type { NotificationDocument, NotificationStore } from './store.js'

export interface NotificationsParts {
  readonly notifications: NotificationStore
  readonly feed: UnreadFeed
  readonly clock: () => number
}

export interface NotificationList {
  readonly items: readonly NotificationDocument[]
  /** Number of notifications that match the query. */
  readonly total: number
  readonly unread: number
}

export class NotificationsService {
  readonly #parts: NotificationsParts

  constructor(parts: NotificationsParts) {
    this.#parts = parts
  }

  async list(scope: Scope, { userId }: UserPrincipal, { limit, unread_only }: NotificationListQuery): Promise<NotificationList> {
    const { notifications } = this.#parts
    const page = notifications.list(scope, userId, { limit, unreadOnly: unread_only })
    // The number of unread notifications is the total already.
    const [{ items, total }, unread] = await Promise.all([page, unread_only ? page.then((found) => found.total) : notifications.unread(scope, userId)])
    return { items, total, unread }
  }

  /** Marks notifications as read and returns the updated list. */
  async markRead(scope: Scope, principal: UserPrincipal, { ids = [] }: NotificationMarkReadRequest): Promise<NotificationList> {
    const { notifications, feed, clock } = this.#parts
    const marked = await notifications.markRead(scope, principal.userId, ids.length === 0 ? null : ids, new Date(clock()))
    if (marked > 0) feed.changed(scope.organizationId, [principal.userId])
    return this.list(scope, principal, { limit: PAGE_DEFAULT, unread_only: false })
  }

  /** @throws ApiError sse_connection_limit_exceeded, overloaded */
  stream(scope: Scope, principal: UserPrincipal, signal: AbortSignal): Promise<Readable> {
    return this.#parts.feed.subscribe(scope, principal, signal)
  }
}
