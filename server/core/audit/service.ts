/**
 * The audit trail: who did what to which object, when and from where. An entry is stored in the commit of its action. The caller lists the fields of a
 * diff, so that a new field with a secret is not logged by default.
 */
import type { Identities } from '../auth/identities.js'
import type { Caller } from '../auth/principal.js'
import type { UserDocument } from '../auth/users.js'
import type { Actor, RequestContext } from '../auth/request-context.js'
import { newId } from '../storage/id.js'
import type { Write } from '../storage/contract.js'
import { findOptions, findPage, type Page, type PageQuery } from '../tenancy/page.js'
import type { Scope } from '../tenancy/scope.js'
import type { AuditAction } from './actions.js'
import type { AuditCounts, AuditFilter } from './counts.js'
import { AuditEventRecord, type AuditListQuery } from './schema.js'
import { AUDIT, type AuditDocument } from './store.js'

export type { AuditAction }
export { presentAuditEvent } from './present.js'
export { AuditEventRecord }

/** Characters of a text in a diff. Longer texts are cut: a diff is shown as one line. */
const DIFF_TEXT_CHARACTERS = 1000

/** Actor and request of an action. */
export interface AuditContext {
  readonly actor: Caller | { readonly kind: 'system'; readonly name: string } | { readonly kind: 'person'; readonly userId: string; readonly email: string }
  readonly requestId: string | null
  readonly address: string | null
  /** The action uses the rights of a platform admin. Default: if the actor is a platform admin who is not a member of the organization. */
  readonly asPlatformAdmin?: boolean
}

/** The object of an action, with its name at that time. */
export interface AuditResource {
  readonly type: string
  readonly id: string
  readonly name: string
}

export interface AuditEntry {
  /** Id of an entry that must not be stored twice. Default: a new id. */
  readonly id?: string
  readonly action: AuditAction
  readonly resource: AuditResource
  readonly projectId?: string
  readonly diff?: AuditDocument['diff']
}

/** The audit context of an authenticated request. */
export function auditContext({ principal, requestId, address }: Omit<Actor<Caller>, 'locale'>): AuditContext {
  return { actor: principal, requestId, address }
}

/** The audit context of a request that only platform admins can make. */
export function platformContext(actor: Omit<Actor<Caller>, 'locale'>): AuditContext {
  return { ...auditContext(actor), asPlatformAdmin: true }
}

/** The audit context of a request without a session, whose caller proved to be this user. */
export function personContext({ _id, email }: Pick<UserDocument, '_id' | 'email'>, { requestId, address }: Omit<RequestContext, 'locale'>): AuditContext {
  return { actor: { kind: 'person', userId: _id, email }, requestId, address }
}

/** Returns the write that stores an entry, for the commit of the action. @param now time of the action */
export function auditing(scope: Scope, context: AuditContext, { id, action, resource, projectId, diff = {} }: AuditEntry, now: Date): Write {
  const { actor, requestId, address } = context
  return scope.collection(AUDIT).inserting({
    _id: id ?? newId(),
    project_id: projectId ?? null,
    ...describeActor(actor),
    action,
    resource_type: resource.type,
    resource_id: resource.id,
    resource_name: resource.name,
    diff,
    ...(isPlatformAct(scope, context) ? { acting_as_platform_admin: true } : {}),
    request_id: requestId,
    address,
    created_at: now,
  })
}

/** Returns the writes that store an entry about a user in each organization of the user, whose admins read it. */
export async function auditingUser(
  { memberships, tenancy }: Pick<Identities, 'memberships' | 'tenancy'>,
  { _id, email }: Pick<UserDocument, '_id' | 'email'>,
  context: AuditContext,
  action: AuditAction,
  now: Date,
): Promise<Write[]> {
  const resource = { type: 'user', id: _id, name: email }
  return (await memberships.ofUser(_id)).map(({ organization_id }) => auditing(tenancy.of(organization_id), context, { action, resource }, now))
}

/**
 * Returns the writes that store what a platform admin did to a user: an entry of the instance, and one in each organization of the user, whose admins read it.
 */
export async function auditingUserChange(
  { memberships, tenancy }: Pick<Identities, 'memberships' | 'tenancy'>,
  { _id, email }: Pick<UserDocument, '_id' | 'email'>,
  context: AuditContext,
  entry: Pick<AuditEntry, 'action' | 'diff'>,
  now: Date,
): Promise<Write[]> {
  const scopes = [tenancy.instance, ...(await memberships.ofUser(_id)).map(({ organization_id }) => tenancy.of(organization_id))]
  return scopes.map((scope) => auditing(scope, context, { ...entry, resource: { type: 'user', id: _id, name: email } }, now))
}

/** Lists entries of the organization, the newest first by default. */
export function listAudit(scope: Scope, counts: AuditCounts, filter: AuditFilter, query: PageQuery): Promise<Page<AuditDocument>> {
  const entries = scope.collection(AUDIT)
  return findPage({ find: (asked, options) => entries.find(asked, options), count: (asked) => counts.count(scope, asked) }, filter, findOptions(query))
}

/** Lists the newest entries of a project. @param projectId null: of the whole organization @param limit number of entries */
export function recentAudit(scope: Scope, projectId: string | null, limit: number): Promise<AuditDocument[]> {
  return scope.collection(AUDIT).find(projectId === null ? {} : { project_id: projectId }, { sort: { created_at: -1, _id: -1 }, limit })
}

/** Returns the filter of a list's query. */
export function auditFilter({ action, actor_id, resource_type, resource_id, acting_as_platform_admin, from, to }: Partial<AuditListQuery>): AuditFilter {
  const acting = acting_as_platform_admin === undefined ? {} : { acting_as_platform_admin: acting_as_platform_admin ? true : { not: true } }
  const named = Object.entries({ action, actor_id, resource_type, resource_id }).filter(([, value]) => value !== undefined)
  const period = { ...(from === undefined ? {} : { gte: new Date(from) }), ...(to === undefined ? {} : { lt: new Date(to) }) }
  return { ...Object.fromEntries(named), ...acting, ...(from === undefined && to === undefined ? {} : { created_at: period }) }
}

/** Returns the changes of the named fields, empty if nothing changed. Null: the record did not exist before, or does not exist after. */
export function diffOf<T extends object>(before: T | null, after: T | null, fields: readonly (keyof T & string)[]): AuditDocument['diff'] {
  const changed = fields.filter((field) => written(before?.[field]) !== written(after?.[field]))
  return Object.fromEntries(changed.map((field) => [field, { before: shown(before?.[field]), after: shown(after?.[field]) }]))
}

/** Compares whole values, because the shown parts of two long texts may be equal. */
function written(value: unknown): string {
  return JSON.stringify(value ?? null)
}

function shown(value: unknown): unknown {
  if (value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' && value.length > DIFF_TEXT_CHARACTERS ? `${value.slice(0, DIFF_TEXT_CHARACTERS)}…` : value
}

/** A platform admin has no role in an organization without being a member. */
function isPlatformAct({ organizationId }: Scope, { actor, asPlatformAdmin }: AuditContext): boolean {
  return asPlatformAdmin ?? (actor.kind === 'user' && actor.isPlatformAdmin && actor.role === null && actor.organizationId === organizationId)
}

function describeActor(actor: AuditContext['actor']): Pick<AuditDocument, 'actor_type' | 'actor_id' | 'actor_name'> {
  if (actor.kind === 'api_key') return { actor_type: 'api_key', actor_id: actor.keyId, actor_name: actor.name }
  if (actor.kind === 'scim_token') return { actor_type: 'scim_token', actor_id: actor.tokenId, actor_name: actor.name }
  if (actor.kind === 'system') return { actor_type: 'system', actor_id: null, actor_name: actor.name }
  return { actor_type: 'user', actor_id: actor.userId, actor_name: actor.email }
}
