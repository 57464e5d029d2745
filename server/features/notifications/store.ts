/** Stored notifications, one for each recipient. `fan-out.ts` creates them; old ones are removed. */
import type { NoticeKind } from '../../core/events/notices.js'
import { type Filter, type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import { findPage, type Page } from '../../core/tenancy/page.js'
import type { Scope } from '../../core/tenancy/scope.js'

/** How long notifications are kept. The audit trail has the older actions. */
const KEPT_SECONDS = 90 * 24 * 60 * 60
/** Maximum notifications of a user in an organization: five times the longest list. */
export const KEPT_PER_USER = 1000

export interface NotificationDocument extends TenantDocument {
  readonly user_id: string
  readonly kind: NoticeKind
  readonly params: Readonly<Record<string, string | number>>
  readonly link: string | null
  /** Kept beside `read_at`, because MongoDB can count booleans with an index alone, but not nulls. */
  readonly is_read: boolean
  /** Null: unread. */
  readonly read_at: Date | null
  /** When the event happened. */
  readonly created_at: Date
}

/** The second index counts unread notifications without reading documents. */
export const NOTIFICATIONS = tenantCollection<NotificationDocument>('notifications', [
  { keys: { user_id: 1, created_at: -1, _id: -1 } },
  { keys: { user_id: 1, is_read: 1, created_at: -1, _id: -1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: KEPT_SECONDS },
])

/** Every method is bound to one user in one organization. */
export class NotificationStore {
  /** Returns notifications, the newest first, and the number of those that match. */
  list(scope: Scope, userId: string, { limit, unreadOnly }: { readonly limit: number; readonly unreadOnly: boolean }): Promise<Page<NotificationDocument>> {
    const notifications = scope.collection(NOTIFICATIONS)
    const filter = { user_id: userId, ...(unreadOnly ? { is_read: false } : {}) }
    return findPage(notifications, filter, { sort: { created_at: -1, _id: -1 }, limit })
  }

  unread(scope: Scope, userId: string): Promise<number> {
    return scope.collection(NOTIFICATIONS).count({ user_id: userId, is_read: false })
  }

  /** Marks notifications as read. @param ids null: all; ids that are not unread notifications of the user are ignored @returns the number that were marked */
  markRead(scope: Scope, userId: string, ids: readonly string[] | null, now: Date): Promise<number> {
    const chosen: Pick<Filter<NotificationDocument>, '_id'> = ids === null ? {} : { _id: { in: ids } }
    return scope.collection(NOTIFICATIONS).updateMany({ user_id: userId, is_read: false, ...chosen }, { set: { is_read: true, read_at: now } })
  }

  /** Removes all but the newest `KEPT_PER_USER`, read or unread. */
  async trim(scope: Scope, userId: string): Promise<void> {
    const notifications = scope.collection(NOTIFICATIONS)
    const [first] = await notifications.find({ user_id: userId }, { sort: { created_at: -1, _id: -1 }, skip: KEPT_PER_USER, limit: 1 })
    if (first === undefined) return
    const { _id, created_at } = first
    await notifications.deleteMany({ user_id: userId, anyOf: [{ created_at: { lt: created_at } }, { created_at, _id: { lte: _id } }] })
  }
}
