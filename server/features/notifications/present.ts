/** Notifications as the API returns them, in the language of the request. */
import type { Static } from 'typebox'
import type { Locale } from '../../core/i18n/locale.js'
import { notificationTexts } from '../../core/i18n/translate.js'
import type { NotificationListResponse, NotificationRecord } from './schema.js'
import type { NotificationList } from './service.js'
import type { NotificationDocument } from './store.js'

function presentNotification(notification: NotificationDocument, locale: Locale): Static<typeof NotificationRecord> {
  const { _id, user_id, organization_id, kind, params, link, read_at, created_at } = notification
  return {
    id: _id,
    user_id,
    organization_id,
    kind,
    ...notificationTexts(kind, locale, params),
    link,
    read_at: read_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}

export function presentNotifications({ items, total, unread }: NotificationList, locale: Locale): Static<typeof NotificationListResponse> {
  return { items: items.map((notification) => presentNotification(notification, locale)), total, unread }
}
