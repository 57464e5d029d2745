/** Notifications: what each member was told. They are made by `fan-out.ts`, read, marked as read, and go after a while. */
import type { NoticeKind } from '../../events/notices.js'
import { type Filter, type TenantDocument, tenantCollection } from '../../storage/contract.js'
import { findPage, type Page } from '../../tenancy/page.js'
import type { Scope } from '../../tenancy/scope.js'

/** Nobody looks for older ones: what they tell of is in the audit trail. */
const KEPT_SECONDS = 90 * 24 * 60 * 60
/** Of a user in an organization: five times what a list shows. More than that nobody has read, and nobody will. */
export const KEPT_PER_USER = 1000

export interface NotificationDocument extends TenantDocument {
  readonly user_id: string
  readonly kind: NoticeKind
  readonly params: Readonly<Record<string, string | number>>
  readonly link: string | null
  /** Beside `read_at`, as MongoDB counts true and false in an index alone, and null it doesn't. */
  readonly is_read: boolean
  /** Null: unread. */
  readonly read_at: Date | null
  /** When what it tells of happened. */
  readonly created_at: Date
}

/** The second index counts the unread ones without reading them. */
export const NOTIFICATIONS = tenantCollection<NotificationDocument>('notifications', [
  { keys: { user_id: 1, created_at: -1, _id: -1 } },
  { keys: { user_id: 1, is_read: 1, created_at: -1, _id: -1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: KEPT_SECONDS },
])

/** Of one user in one organization, whatever is asked. */
export class NotificationStore {
  /** The newest first, and how many there are of those asked for. */
  list(scope: Scope, userId: string, { limit, unreadOnly }: { readonly limit: number; readonly unreadOnly: boolean }): Promise<Page<NotificationDocument>> {
    const notifications = scope.collection(NOTIFICATIONS)
    const filter = { user_id: userId, ...(unreadOnly ? { is_read: false } : {}) }
    return findPage(notifications, filter, { sort: { created_at: -1, _id: -1 }, limit })
  }

  unread(scope: Scope, userId: string): Promise<number> {
    return scope.collection(NOTIFICATIONS).count({ user_id: userId, is_read: false })
  }

  /** @param ids null: all. Those that are no unread ones of the user's are passed over. Gives how many were marked */
  markRead(scope: Scope, userId: string, ids: readonly string[] | null, now: Date): Promise<number> {
    const chosen: Pick<Filter<NotificationDocument>, '_id'> = ids === null ? {} : { _id: { in: ids } }
    return scope.collection(NOTIFICATIONS).updateMany({ user_id: userId, is_read: false, ...chosen }, { set: { is_read: true, read_at: now } })
  }

  /** Removes what is beyond the newest `KEPT_PER_USER`, read or not. */
  async trim(scope: Scope, userId: string): Promise<void> {
    const notifications = scope.collection(NOTIFICATIONS)
    const [first] = await notifications.find({ user_id: userId }, { sort: { created_at: -1, _id: -1 }, skip: KEPT_PER_USER, limit: 1 })
    if (first === undefined) return
    const { _id, created_at } = first
    await notifications.deleteMany({ user_id: userId, anyOf: [{ created_at: { lt: created_at } }, { created_at, _id: { lte: _id } }] })
  }
}
