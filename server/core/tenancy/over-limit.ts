/**
 * Finds the objects over the limits of a plan, after an organization has changed to a smaller one (CONTRACT.md#over-the-limits-of-a-plan). Nothing is deleted: it can be
 * read, and not changed. Invariants:
 *  1. which objects are over the limit does not depend on who asks: the oldest ones are within it
 *  2. an org_admin is within the limit before every other member, so that someone can change the plan
 *  3. an organization within its limits costs one query, one without limits none
 */
import { ApiError } from '../errors.js'
import type { Memberships } from './memberships.js'
import { OrganizationCache } from './organization-cache.js'
import type { Plan } from './plans.js'
import type { Scope } from './scope.js'
import type { TenantCollection, TenantDocument } from '../storage/contract.js'
import type { ScopedCollection } from './scope.js'

/** Objects that become read-only. */
export type OverLimitMetric = 'projects' | 'webhooks'

interface DatedDocument extends TenantDocument {
  readonly created_at: Date
  /** Archived objects do not count. */
  readonly is_archived?: true | null
}

type Counted = Parameters<ScopedCollection<DatedDocument>['find']>[0]

/** Whether an object can only be read. */
export type IsReadOnly = (object: Pick<DatedDocument, '_id' | 'created_at' | 'is_archived'>) => boolean

export interface OverLimitParts {
  readonly planOf: (scope: Scope) => Plan | Promise<Plan>
  readonly memberships: Pick<Memberships, 'count' | 'beyond'>
  readonly collections: Readonly<Record<OverLimitMetric, TenantCollection<DatedDocument>>>
  /** The objects that count against the plan. */
  readonly counted: Readonly<Record<OverLimitMetric, Counted>>
}

/** The members over the limit of an organization. */
interface ReadOnlyMembers {
  readonly limit: number
  readonly plan: string
  readonly userIds: ReadonlySet<string>
}

export class OverLimit {
  /** The project of a Git binding; null: there is no such binding. The wing of the bindings sets it. */
  projectOfBinding: (scope: Scope, bindingId: string) => Promise<string | null> = async () => null

  readonly #parts: OverLimitParts
  readonly #members = new OrganizationCache((scope) => this.#readMembers(scope))

  constructor(parts: OverLimitParts) {
    this.#parts = parts
  }

  /** Checks before a change of an object. An object that does not exist is the caller's to refuse. @throws ApiError over_plan_limit */
  async requireWritable(scope: Scope, metric: OverLimitMetric, id: string): Promise<void> {
    const { code, limits } = await this.#parts.planOf(scope)
    const limit = limits[metric]
    if (limit === null) return
    const isReadOnly = await this.readOnly(scope, metric)
    if (isReadOnly === NOTHING) return
    const object = await scope.collection(this.#parts.collections[metric]).findOne({ _id: id })
    if (object !== null && isReadOnly(object)) throw overLimit(metric, limit, code)
  }

  /** Tells of objects whether they can only be read, for answers that show them. */
  async readOnly(scope: Scope, metric: OverLimitMetric): Promise<IsReadOnly> {
    const [first] = await this.#over(scope, metric, 1)
    if (first === undefined) return NOTHING
    const since = first.created_at.getTime()
    return ({ _id, created_at, is_archived }) => is_archived !== true && (created_at.getTime() > since || (created_at.getTime() === since && _id >= first._id))
  }

  /** The same for the project of a Git binding, into which its operations write. @throws ApiError over_plan_limit */
  async requireWritableBinding(scope: Scope, bindingId: string): Promise<void> {
    const { limits } = await this.#parts.planOf(scope)
    const projectId = limits.projects === null ? null : await this.projectOfBinding(scope, bindingId)
    if (projectId !== null) await this.requireWritable(scope, 'projects', projectId)
  }

  /** Checks before a member changes anything; synchronous when it is cached. @throws ApiError over_plan_limit */
  requireMember(scope: Scope, userId: string): void | Promise<void> {
    const known = this.#members.get(scope)
    return known instanceof Promise ? known.then((read) => requireNot(read, userId)) : requireNot(known, userId)
  }

  /** Called after this instance has changed the plan of an organization. */
  forget(organizationId: string): void {
    this.#members.forget(organizationId)
  }

  /** Ids of what is over the limit, the oldest first. @param most maximum number */
  async idsOver(scope: Scope, metric: OverLimitMetric, most: number): Promise<string[]> {
    return (await this.#over(scope, metric, most)).map(({ _id }) => _id)
  }

  /** Ids of the users over the limit. */
  async membersOver(scope: Scope): Promise<readonly string[]> {
    return [...(await this.#members.get(scope)).userIds]
  }

  async #over(scope: Scope, metric: OverLimitMetric, most: number): Promise<readonly DatedDocument[]> {
    const limit = (await this.#parts.planOf(scope)).limits[metric]
    return limit === null ? [] : scope.collection(this.#parts.collections[metric]).find(this.#parts.counted[metric], { sort: { created_at: 1, _id: 1 }, skip: limit, limit: most })
  }

  async #readMembers(scope: Scope): Promise<ReadOnlyMembers> {
    const { code, limits } = await this.#parts.planOf(scope)
    const limit = limits.members
    const { memberships } = this.#parts
    if (limit === null || (await memberships.count(scope.organizationId)) <= limit) return { limit: limit ?? 0, plan: code, userIds: NOBODY }
    return { limit, plan: code, userIds: new Set(await memberships.beyond(scope.organizationId, limit)) }
  }
}

const NOBODY: ReadonlySet<string> = new Set()
const NOTHING: IsReadOnly = () => false

function requireNot({ limit, plan, userIds }: ReadOnlyMembers, userId: string): void {
  if (userIds.has(userId)) throw overLimit('members', limit, plan)
}

function overLimit(metric: OverLimitMetric | 'members', limit: number, plan: string): ApiError {
  return new ApiError('over_plan_limit', { params: { metric, limit }, details: { metric, limit, plan } })
}
