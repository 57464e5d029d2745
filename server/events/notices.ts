/**
 * Notices: what members of an organization are told of a change, without anyone having to look for it. Invariants:
 *  1. a notice is stored in the commit of the change that caused it, so there is never one without the other
 *  2. a notice is one document, however many it is for; a job makes a notification of it for each recipient (`resources/notifications/fan-out.ts`)
 *  3. kind and params are stored, never texts: each reader reads them in their own language (`i18n/messages/<locale>/notifications.ts`)
 */
import type { Placeholder } from '#workers'
import type { notifications } from '../i18n/messages/en-US/notifications.js'
import type { None } from '../i18n/texts.js'
import type { JobQueue } from '../jobs/queue.js'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import { newId } from '../storage/id.js'
import type { EnterpriseRole } from '../tenancy/permissions.js'
import type { Scope } from '../tenancy/scope.js'

/** THE table of kinds, and what their texts may name. Names and titles are as they were at that moment; `actor` is who did it, as others see them. */
export interface NoticeParams {
  'review.created': { readonly project: string; readonly title: string; readonly actor: string }
  'review.approved': { readonly project: string; readonly title: string; readonly actor: string }
  'review.changes_requested': { readonly project: string; readonly title: string; readonly actor: string }
  'review.rejected': { readonly project: string; readonly title: string; readonly actor: string }
  'review.closed': { readonly project: string; readonly title: string; readonly actor: string }
  'review.commented': { readonly project: string; readonly title: string; readonly actor: string }
  /** `version`: its name. */
  'version.published': { readonly project: string; readonly version: string; readonly actor: string }
  'publish.failed': { readonly project: string; readonly version: string }
  /** `role`: as the interface names it. */
  'project.member_added': { readonly project: string; readonly role: string; readonly actor: string }
  /** `metric`: as the interface names it. */
  'api.quota.warning': { readonly metric: string; readonly consumed: number; readonly limit: number }
  /** `host`: of the webhook's address, whose path may hold a secret. */
  'webhook.disabled': { readonly host: string }
  'feedback.created': { readonly title: string }
  /** A member was removed, and `count` of their API keys still work. `member`: e-mail address. */
  'api_key.owner_left': { readonly member: string; readonly count: number }
  /** A member was removed, and `count` working API keys were revoked, as the key policy says. */
  'api_key.owner_left_revoked': { readonly member: string; readonly count: number }
}

export type NoticeKind = keyof NoticeParams

type NoticeTexts = typeof notifications
/** Placeholders of the texts of a kind. */
type Named<K extends keyof NoticeTexts> = Placeholder<NoticeTexts[K]['title' | 'body']>
/** Kinds without texts, texts without a kind, and texts with a placeholder that the params do not fill. */
type Mismatched =
  | Exclude<NoticeKind, keyof NoticeTexts>
  | { [K in keyof NoticeTexts]: K extends NoticeKind ? (Exclude<Named<K>, keyof NoticeParams[K]> extends never ? never : K) : K }[keyof NoticeTexts]
/** Does not compile unless kinds and texts agree; the error names the kind. */
export type NoticesAgree = None<Mismatched>

/** Who is told. Whoever is no member of the organization when the notifications are made gets none. */
export type Recipients =
  /** At most `USERS_LIMIT`; said twice, told once. */
  | { readonly users: readonly string[] }
  /** All members but this user; null: all. */
  | { readonly everyoneBut: string | null }
  /** All members with this role, or one of these, but the user named. */
  | { readonly role: EnterpriseRole | readonly EnterpriseRole[]; readonly but?: string | null }

/** A notice as code passes it on, before it is stored. */
export type Notice = {
  readonly [K in NoticeKind]: {
    readonly kind: K
    readonly params: NoticeParams[K]
    readonly recipients: Recipients
    /** Path of the interface or of an app that leads to what it is about, `/platform/projects/<id>/reviews/<id>`. Default null: there is nothing to see. */
    readonly link?: string | null
  }
}[NoticeKind]

/** A notice of which notifications are yet to be made; it goes when all are. */
export interface NoticeDocument extends TenantDocument {
  readonly kind: NoticeKind
  readonly params: Readonly<Record<string, string | number>>
  readonly link: string | null
  /** For these users only, ascending; null: for members. */
  readonly users: readonly string[] | null
  /** For members with one of these roles only; null: with any. */
  readonly roles: readonly EnterpriseRole[] | null
  /** Not for this user. */
  readonly but: string | null
  /** All recipients up to this user id, inclusive, have their notification. */
  readonly reached: string
  readonly created_at: Date
}

export const NOTICES = tenantCollection<NoticeDocument>('notices', [])

/** Job that makes the notifications; its subject is the notice. */
export const NOTICE_JOB = 'notice'

/** Who names more means all members, or a role. */
const USERS_LIMIT = 1000
/** Titles are shorter; whatever else comes in is shown in a line, and copied for each of up to 10,000 recipients. */
const PARAM_CHARACTERS = 200
const LINK_CHARACTERS = 500

export class Notices {
  readonly #jobs: JobQueue
  readonly #clock: () => number

  /** @param clock milliseconds since the epoch */
  constructor(jobs: JobQueue, clock: () => number = Date.now) {
    this.#jobs = jobs
    this.#clock = clock
  }

  /**
   * The writes that store a notice, for the commit of the change that causes it; none when it names no recipient. They don't belong at its beginning.
   * @throws TypeError for more than `USERS_LIMIT` users, or a link that is no path
   */
  notifying(scope: Scope, { kind, params, recipients, link = null }: Notice): Write[] {
    const chosen = chosenOf(recipients)
    if (chosen.users?.length === 0 || chosen.roles?.length === 0) return []
    // It is shown to people as something to follow: nothing may lead them elsewhere.
    if (link !== null && (!/^\/(?![/\\])/.test(link) || link.length > LINK_CHARACTERS)) throw new TypeError('the link of a notice must be a path')
    const id = newId()
    return [
      scope.collection(NOTICES).inserting({ _id: id, kind, params: bounded(params), link, ...chosen, reached: '', created_at: new Date(this.#clock()) }),
      this.#jobs.enqueuing(scope, { kind: NOTICE_JOB, subject: id }),
    ]
  }
}

function chosenOf(recipients: Recipients): Pick<NoticeDocument, 'users' | 'roles' | 'but'> {
  if ('everyoneBut' in recipients) return { users: null, roles: null, but: recipients.everyoneBut }
  if ('role' in recipients) return { users: null, roles: typeof recipients.role === 'string' ? [recipients.role] : recipients.role, but: recipients.but ?? null }
  const users = [...new Set(recipients.users)].sort()
  if (users.length > USERS_LIMIT) throw new TypeError(`a notice names at most ${USERS_LIMIT} users`)
  return { users, roles: null, but: null }
}

function bounded(params: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? shortened(value) : value]))
}

/** By code points, so that no character is cut in two. */
function shortened(text: string): string {
  if (text.length <= PARAM_CHARACTERS) return text
  const characters = [...text]
  return characters.length <= PARAM_CHARACTERS ? text : `${characters.slice(0, PARAM_CHARACTERS - 1).join('')}…`
}
