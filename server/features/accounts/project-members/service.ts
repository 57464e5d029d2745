/** Roles in projects: create, list, get, update, delete. Their users are members of the organization; the commit that removes a member deletes the roles. */
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import { nameOf, userIdOf } from '../../../core/auth/principal.js'
import type { Identities } from '../../../core/auth/identities.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError } from '../../../core/errors.js'
import { type IfMatch, requireCurrent } from '../../../core/etag.js'
import type { Notices } from '../../../core/events/notices.js'
import { commitInProject, loadChangeable, loadOfProject, loadPageOfProject, requiringChangeable } from '../../../content/shared/load.js'
import type { ProjectDocument } from '../../../content/shared/project.js'
import { PROJECT_MEMBERS, type ProjectMemberDocument, projectRole } from '../../../content/shared/project-roles.js'
import type { Write } from '../../../core/storage/contract.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import { refuseStale, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { Member, MembersService } from '../members/service.js'
import type { ProjectMember } from './present.js'
import type { ProjectMemberAssignRequest, ProjectMemberCreateRequest, ProjectMemberListQuery, ProjectMemberUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes of the role. */
const ATTEMPTS = 10

const SHOWN_FIELDS = ['user_id', 'role'] as const

export interface ProjectMembersParts {
  readonly identities: Pick<Identities, 'users' | 'memberships' | 'clock'>
  readonly members: Pick<MembersService, 'create' | 'whileMember'>
  readonly notices: Pick<Notices, 'notifying'>
}

export class ProjectMembersService {
  readonly #parts: ProjectMembersParts

  constructor(parts: ProjectMembersParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing (project) */
  async list(scope: Scope, projectId: string, query: ProjectMemberListQuery): Promise<Page<ProjectMember>> {
    const { role, user_id } = query
    const filter = { ...(role === undefined ? {} : { role }), ...(user_id === undefined ? {} : { user_id }) }
    const { items: found, total } = await loadPageOfProject(scope, PROJECT_MEMBERS, projectId, filter, findOptions(query))
    return { items: await this.#withPeople(scope, found), total }
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, projectId: string, memberId: string): Promise<ProjectMember> {
    const [member] = await this.#withPeople(scope, [await loadOfProject(scope, PROJECT_MEMBERS, projectId, memberId)])
    if (member === undefined) throw new ApiError('resource_missing')
    return member
  }

  /** Creates a member of the organization with a role in the project. @throws ApiError resource_missing (project), and the errors of `MembersService.create` */
  async create(scope: Scope, projectId: string, { role, ...request }: ProjectMemberCreateRequest, actor: Actor): Promise<ProjectMember> {
    const project = await loadChangeable(scope, projectId)
    const made: ProjectMemberDocument[] = []
    try {
      const member = await this.#parts.members.create(scope, { ...request, role: 'read_only' }, actor, ({ membership, user }, now) => {
        const own = newRole(project, membership.user_id, role, now)
        made.push(own)
        return [requiringChangeable(scope, projectId), scope.collection(PROJECT_MEMBERS).inserting(own), ...this.#noticesOf(scope, project, own, user.email, actor)]
      })
      return { ...member, role: made[0] }
    } catch (error) {
      if (error instanceof StaleWriteError) await loadChangeable(scope, projectId)
      throw error
    }
  }

  /** Assigns a role to a member of the organization, or replaces it. @throws ApiError resource_missing (project or member), edit_conflict */
  async assign(scope: Scope, projectId: string, { user_id, role }: ProjectMemberAssignRequest, actor: Actor): Promise<ProjectMember> {
    await loadChangeable(scope, projectId)
    let assigned: ProjectMember | null = null
    await this.#parts.members.whileMember(scope, user_id, async (member) => {
      const project = await loadChangeable(scope, projectId)
      const before = await projectRole(scope, projectId, user_id)
      const now = new Date(this.#parts.identities.clock())
      if (before === null) {
        const own = newRole(project, user_id, role, now)
        assigned = { ...member, role: own }
        return [requiringChangeable(scope, projectId), scope.collection(PROJECT_MEMBERS).inserting(own), ...this.#noticesOf(scope, project, own, member.user.email, actor)]
      }
      if (before.role === role) {
        assigned = { ...member, role: before }
        return []
      }
      assigned = { ...member, role: { ...before, role, updated_at: now, revision: before.revision + 1 } }
      return [requiringChangeable(scope, projectId), ...changing(scope, before, role, member, now, actor)]
    })
    return assigned!
  }

  /** Updates the role. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async update(scope: Scope, projectId: string, memberId: string, { role }: ProjectMemberUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ProjectMember> {
    return retryStale(ATTEMPTS, async () => {
      const member = await this.get(scope, projectId, memberId)
      requireCurrent(member.role.revision, ifMatch)
      if (role === undefined || role === member.role.role) return member
      const [updated] = await commitInProject(scope, projectId, changing(scope, member.role, role, member, new Date(this.#parts.identities.clock()), actor))
      return { ...member, role: updated as ProjectMemberDocument }
    })
  }

  /** Deletes the role; its permissions end at once. @throws ApiError resource_missing */
  async remove(scope: Scope, projectId: string, memberId: string, actor: Actor): Promise<void> {
    const { role, user } = await this.get(scope, projectId, memberId)
    const entry = { action: 'project.member_removed', resource: resourceOf(role, user.email), projectId, diff: diffOf(role, null, SHOWN_FIELDS) } as const
    await refuseStale('resource_missing', () =>
      commitInProject(scope, projectId, [
        scope.collection(PROJECT_MEMBERS).deleting({ _id: memberId }),
        auditing(scope, auditContext(actor), entry, new Date(this.#parts.identities.clock())),
      ]),
    )
  }

  /** Returns the audit entry and the notice about a new role. */
  #noticesOf(scope: Scope, project: ProjectDocument, own: ProjectMemberDocument, email: string, actor: Actor): Write[] {
    const entry = { action: 'project.member_added', resource: resourceOf(own, email), projectId: project._id, diff: diffOf(null, own, SHOWN_FIELDS) } as const
    return [
      auditing(scope, auditContext(actor), entry, own.created_at),
      ...this.#parts.notices.notifying(scope, {
        kind: 'project.member_added',
        params: { project: project.name, role: own.role, actor: nameOf(actor.principal) },
        recipients: { users: own.user_id === userIdOf(actor.principal) ? [] : [own.user_id] },
        link: `/platform/projects/${project._id}`,
      }),
    ]
  }

  /** Returns the roles whose users are members of the organization. */
  async #withPeople({ organizationId }: Scope, roles: readonly ProjectMemberDocument[]): Promise<ProjectMember[]> {
    const { users, memberships } = this.#parts.identities
    const ids = roles.map(({ user_id }) => user_id)
    if (ids.length === 0) return []
    const [people, { items }] = await Promise.all([users.byIds(ids), memberships.ofOrganization(organizationId, { user_id: { in: ids } }, { limit: ids.length })])
    const standing = new Map(items.map((membership) => [membership.user_id, membership]))
    return roles.flatMap((role) => {
      const user = people.get(role.user_id)
      const membership = standing.get(role.user_id)
      return user === undefined || membership === undefined ? [] : [{ role, membership, user }]
    })
  }
}

/** Returns the writes that update a role. They fail if the role changed meanwhile. */
function changing(scope: Scope, before: ProjectMemberDocument, role: EnterpriseRole, { user }: Member, now: Date, actor: Actor): Write[] {
  const diff = diffOf(before, { ...before, role }, SHOWN_FIELDS)
  return [
    scope.collection(PROJECT_MEMBERS).updating({ _id: before._id, revision: before.revision }, { set: { role, updated_at: now }, increment: { revision: 1 } }),
    auditing(scope, auditContext(actor), { action: 'project.member_updated', resource: resourceOf(before, user.email), projectId: before.project_id, diff }, now),
  ]
}

/** Returns the document of a new role. */
function newRole({ _id, organization_id }: ProjectDocument, userId: string, role: EnterpriseRole, now: Date): ProjectMemberDocument {
  return { _id: newId(), organization_id, project_id: _id, user_id: userId, role, created_at: now, updated_at: now, revision: 1 }
}

function resourceOf({ _id }: ProjectMemberDocument, email: string): AuditResource {
  return { type: 'project_member', id: _id, name: email }
}
