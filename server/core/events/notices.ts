/**
 * Notices inform members of an organization about a change. Invariants:
 *  1. a notice is stored in the commit of the change that caused it, so neither exists without the other
 *  2. a notice is one document for any number of recipients; a job creates a notification for each of them (`notifications/fan-out.ts`)
 *  3. kind and params are stored, not texts, because each reader sees them in their language (`i18n/messages/<locale>/notifications.ts`)
 */
import type { Placeholder } from '#workers'
import type { notifications } from '../i18n/messages/en-US/notifications.js'
import type { None } from '../i18n/texts.js'
import type { JobQueue } from '../jobs/queue.js'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import { newId } from '../storage/id.js'
import type { EnterpriseRole } from '../tenancy/permissions.js'
import type { Scope } from '../tenancy/scope.js'

type NoParams = Readonly<Record<never, never>>

/** The table of kinds, with the params of their texts. Names and titles are those at the time of the change; `actor` is the display name of the caller. */
export interface NoticeParams {
  'review.created': { readonly project: string; readonly title: string; readonly actor: string }
  'review.approved': { readonly project: string; readonly title: string; readonly actor: string }
  'review.changes_requested': { readonly project: string; readonly title: string; readonly actor: string }
  'review.rejected': { readonly project: string; readonly title: string; readonly actor: string }
  'review.closed': { readonly project: string; readonly title: string; readonly actor: string }
  'review.commented': { readonly project: string; readonly title: string; readonly actor: string }
  /** `version`: name of the version. */
  'version.published': { readonly project: string; readonly version: string; readonly actor: string }
  'publish.failed': { readonly project: string; readonly version: string }
  /** `role`: the role as the API names it. */
  'project.member_added': { readonly project: string; readonly role: string; readonly actor: string }
  /** `metric`: the metric as the API names it. */
  'api.quota.warning': { readonly metric: string; readonly consumed: number; readonly limit: number }
  /** A payment failed, and the grace has begun. `until`: the date on which the plan ends (YYYY-MM-DD, UTC). */
  'billing.payment_failed': { readonly plan: string; readonly until: string }
  /** `until`: the date on which the trial ends and the gateway charges. */
  'billing.trial_ending': { readonly plan: string; readonly until: string }
  /** `former`: the plan that has ended; `plan`: the plan in force. */
  'billing.plan_ended': { readonly former: string; readonly plan: string }
  /** `host`: host of the webhook's URL; the path may contain a secret. */
  'webhook.disabled': { readonly host: string }
  /** `name`: name of the integration. */
  'integration.disabled': { readonly name: string }
  'feedback.created': { readonly title: string }
  /** To the user who created the report. `status`: the status as the API names it. */
  'feedback.updated': { readonly title: string; readonly status: string }
  /** To the user who started it. `status`: the status as the API names it. */
  'replay.finished': { readonly corpus: string; readonly status: string }
  /** A member was removed whose `count` API keys remain valid. `member`: e-mail address. */
  'api_key.owner_left': { readonly member: string; readonly count: number }
  /** A member was removed, and the key policy revoked `count` valid API keys. */
  'api_key.owner_left_revoked': { readonly member: string; readonly count: number }
  /** A secret of the recipient's account has changed. */
  'account.password_changed': NoParams
  'account.password_reset': NoParams
  'account.second_factor_enabled': NoParams
  'account.second_factor_removed': NoParams
  'account.second_factor_removed_by_admin': NoParams
  'account.recovery_code_used': NoParams
  'account.recovery_codes_created': NoParams
}

export type NoticeKind = keyof NoticeParams

type NoticeTexts = typeof notifications
/** The placeholders in the texts of a kind. */
type Named<K extends keyof NoticeTexts> = Placeholder<NoticeTexts[K]['title' | 'body']>
/** Kinds without texts, texts without a kind, and texts with a placeholder that is not in the params. */
type Mismatched =
  | Exclude<NoticeKind, keyof NoticeTexts>
  | { [K in keyof NoticeTexts]: K extends NoticeKind ? (Exclude<Named<K>, keyof NoticeParams[K]> extends never ? never : K) : K }[keyof NoticeTexts]
/** Compiles only if kinds and texts agree; the error names the kind. */
export type NoticesAgree = None<Mismatched>

/** The recipients. Only users who are members when the notifications are created receive one. */
export type Recipients =
  /** These users, at most `NOTICE_USERS_LIMIT`; duplicates are removed. */
  | { readonly users: readonly string[] }
  /** All members except this user; null: all members. */
  | { readonly everyoneBut: string | null }
  /** All members with one of these roles, except the user `but`. */
  | { readonly role: EnterpriseRole | readonly EnterpriseRole[]; readonly but?: string | null }

/** A notice before it is stored. */
export type Notice = {
  readonly [K in NoticeKind]: {
    readonly kind: K
    readonly params: NoticeParams[K]
    readonly recipients: Recipients
    /** Path of the resource, for example `/platform/projects/<id>/reviews/<id>`. Default null: none. */
    readonly link?: string | null
  }
}[NoticeKind]

/** A stored notice. It is deleted when all its notifications are created. */
export interface NoticeDocument extends TenantDocument {
  readonly kind: NoticeKind
  readonly params: Readonly<Record<string, string | number>>
  readonly link: string | null
  /** Recipients by user id, ascending; null: members. */
  readonly users: readonly string[] | null
  /** Roles of the recipients; null: all. */
  readonly roles: readonly EnterpriseRole[] | null
  /** A user who is not a recipient; null: none. */
  readonly but: string | null
  /** Recipients up to this user id, inclusive, have their notification. */
  readonly reached: string
  readonly created_at: Date
}

export const NOTICES = tenantCollection<NoticeDocument>('notices', [])

/** Kind of the job that creates the notifications. Its subject is the notice. */
export const NOTICE_JOB = 'notice'

/** Maximum users of a notice. Larger groups are addressed as all members, or by role. */
export const NOTICE_USERS_LIMIT = 1000
/** Maximum characters of a param. It is shown in one line and copied for each recipient, at most all members. Titles are shorter. */
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
   * Returns the writes that store a notice, for the commit of its cause; empty if it has no recipients.
   * @throws TypeError for more than `NOTICE_USERS_LIMIT` users, or a link that is not a path
   */
  notifying(scope: Scope, { kind, params, recipients, link = null }: Notice): Write[] {
    const chosen = chosenOf(recipients)
    if (chosen.users?.length === 0 || chosen.roles?.length === 0) return []
    // People follow the link, so it must not lead to another site.
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
  if (users.length > NOTICE_USERS_LIMIT) throw new TypeError(`a notice names at most ${NOTICE_USERS_LIMIT} users`)
  return { users, roles: null, but: null }
}

function bounded(params: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? shortened(value) : value]))
}

/** Shortens a text by code points, so that no surrogate pair is split. */
function shortened(text: string): string {
  if (text.length <= PARAM_CHARACTERS) return text
  const characters = [...text]
  return characters.length <= PARAM_CHARACTERS ? text : `${characters.slice(0, PARAM_CHARACTERS - 1).join('')}…`
}
