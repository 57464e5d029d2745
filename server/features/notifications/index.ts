/** Notifications of users: made from notices, listed, marked as read, and counted on an event stream. */
import type { OpenWing, Wing } from '../../core/wing.js'
import { noticeJob } from './fan-out.js'
import { UnreadFeed } from './feed.js'
import { notificationRoutes } from './routes.js'
import { NotificationsService } from './service.js'
import { NOTIFICATIONS, NotificationStore } from './store.js'

export const notifications: Wing = {
  collections: [NOTIFICATIONS],
  open({ identities, jobs, connections, openSessions, forgetting, streamsPollMs, log, clock }): OpenWing {
    const store = new NotificationStore()
    const feed = new UnreadFeed({
      connections,
      unread: (scope, userId) => store.unread(scope, userId),
      sessions: openSessions,
      log,
      forgetting,
      ...(streamsPollMs === undefined ? {} : { pollMs: streamsPollMs }),
    })
    return {
      routes: notificationRoutes(new NotificationsService({ notifications: store, feed, clock })),
      jobs: [noticeJob({ memberships: identities.memberships, jobs, notifications: store, feed, clock })],
      close: () => feed.close(),
    }
  },
}
