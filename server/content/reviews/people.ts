/** The authors and reviewers of reviews. */
import { type EnterpriseRole, type Permission, permissionsOfRole, rolesWith } from '../../core/tenancy/permissions.js'
import type { Principal } from '../../core/auth/principal.js'
import type { Users } from '../../core/auth/users.js'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError } from '../../core/errors.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { PROJECT_MEMBERS } from '../shared/project-roles.js'
import type { AuthorType } from '../shared/review.js'
import type { Memberships } from '../../core/tenancy/memberships.js'
import type { Scope } from '../../core/tenancy/scope.js'

const APPROVE: Permission = 'review:approve'
/** Roles that may approve. */
export const APPROVERS = rolesWith(APPROVE)
/** Users whose memberships are read at once. */
const USERS_AT_ONCE = 500
/** Members of a page when active members are counted. */
const MEMBERS_AT_ONCE = 200

/** The author of a review, decision or comment, as it is stored with it. */
export interface Author {
  readonly id: string
  readonly type: AuthorType
  /** The user, or the owner of the API key. Null: not known. */
  readonly owner: string | null
  /** Display name of the user, or name of the key. */
  readonly name: string
}

export class People {
  readonly #users: Pick<Users, 'byId' | 'byIds' | 'isPlatformAdmin'>
  readonly #memberships: Pick<Memberships, 'ofOrganization' | 'ofUsers'>

  constructor(users: Pick<Users, 'byId' | 'byIds' | 'isPlatformAdmin'>, memberships: Pick<Memberships, 'ofOrganization' | 'ofUsers'>) {
    this.#users = users
    this.#memberships = memberships
  }

  async author(principal: Principal): Promise<Author> {
    if (principal.kind === 'api_key') return { id: principal.keyId, type: 'api_key', owner: principal.ownerId, name: principal.name }
    const user = await this.#users.byId(principal.userId)
    return { id: principal.userId, type: 'user', owner: principal.userId, name: user?.display_name ?? principal.email }
  }

  /**
   * Checks that reviewers are active members who may approve by their role in the organization or in the project.
   * @throws ApiError resource_missing if one is not a member; request_validation_failed if one may not approve
   */
  async requireReviewers(scope: Scope, projectId: string, ids: readonly string[], { locale }: Pick<Actor, 'locale'>): Promise<void> {
    if (ids.length === 0) return
    const [{ items }, users, inProject] = await Promise.all([
      this.#memberships.ofOrganization(scope.organizationId, { user_id: { in: ids } }, { limit: ids.length }),
      this.#users.byIds(ids),
      scope.collection(PROJECT_MEMBERS).find({ project_id: projectId, user_id: { in: ids } }),
    ])
    const roles = new Map<string, EnterpriseRole[]>(items.map(({ user_id, role }) => [user_id, [role]]))
    for (const { user_id, role } of inProject) roles.get(user_id)?.push(role)
    const issues = ids.flatMap((id, at) => {
      const own = roles.get(id)
      const user = users.get(id)
      if (own === undefined || user === undefined) throw new ApiError('resource_missing')
      const isAdmin = this.#users.isPlatformAdmin(user)
      if (user.is_active && own.some((role) => permissionsOfRole(role, isAdmin).has(APPROVE))) return []
      return [issue(`/reviewer_ids/${at}`, 'lacks_permission', { permission: APPROVE }, { permission: APPROVE })]
    })
    if (issues.length > 0) throw invalidRequest(issues, locale)
  }

  /** The members who may approve by their role in the project, and not by that in the organization. */
  async approversByProject(scope: Scope, projectId: string): Promise<string[]> {
    const roles = await scope.collection(PROJECT_MEMBERS).find({ project_id: projectId, role: { in: APPROVERS } })
    const found: string[] = []
    for (let at = 0; at < roles.length; at += USERS_AT_ONCE) {
      const ids = roles.slice(at, at + USERS_AT_ONCE).map(({ user_id }) => user_id)
      for (const { user_id, role } of await this.#memberships.ofUsers(scope.organizationId, ids)) if (!APPROVERS.includes(role)) found.push(user_id)
    }
    return found
  }

  /** Whether the organization has one active member. Deactivated members cannot decide and do not count. */
  async isSole({ organizationId }: Scope): Promise<boolean> {
    let active = 0
    for (let skip = 0; ; skip += MEMBERS_AT_ONCE) {
      const { items } = await this.#memberships.ofOrganization(organizationId, {}, { sort: { created_at: -1, _id: -1 }, skip, limit: MEMBERS_AT_ONCE })
      const users = await this.#users.byIds(items.map(({ user_id }) => user_id))
      for (const { is_active } of users.values()) if (is_active && ++active > 1) return false
      if (items.length < MEMBERS_AT_ONCE) return true
    }
  }
}
