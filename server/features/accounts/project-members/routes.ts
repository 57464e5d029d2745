/** `/platform/projects/{project_id}/members`. */
import Type from 'typebox'
import { noContent, permission, projectPermission, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { type ProjectMember, presentProjectMember, projectMemberEtag } from './present.js'
import {
  ProjectMemberAssignRequest,
  ProjectMemberCreateRequest,
  ProjectMemberListQuery,
  ProjectMemberParams,
  ProjectMemberRecord,
  ProjectMemberUpdateRequest,
  ProjectParams,
} from './schema.js'
import type { ProjectMembersService } from './service.js'

const defineRoute = routesOf('Project members')
const COLLECTION = '/platform/projects/{project_id}/members'
const ITEM = `${COLLECTION}/{member_id}`
const MEMBER = { 200: { description: 'The member.', schema: ProjectMemberRecord } } as const

const answer = (member: ProjectMember) => ({ body: presentProjectMember(member), etag: projectMemberEtag(member) })

export function projectMemberRoutes(members: ProjectMembersService): readonly Route[] {
  return [
    defineRoute({
      id: 'project-members.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List members of a project',
      description: 'Lists the users with a role in the project. Other members of the organization have the permissions of their organization role.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: ProjectMemberListQuery,
      responses: { 200: { description: 'The members.', schema: Type.Array(ProjectMemberRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await members.list(scope, params.project_id, query), presentProjectMember),
    }),
    defineRoute({
      id: 'project-members.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a member of a project',
      description:
        'Creates a member of the organization with the role `read_only` and with the given role in the project. The caller needs the permission in the organization, not only in the project. The limits of `POST /auth/organizations/{organization_id}/members` apply.',
      access: permission('member:manage'),
      params: ProjectParams,
      body: { as: 'json', schema: ProjectMemberCreateRequest },
      bodyExamples: { engineer: { email: 'rui@example.com', display_name: 'Rui', password: 'a long passphrase', role: 'engineer' } },
      responses: MEMBER,
      errors: ['resource_missing', 'email_taken', 'member_exists', 'member_limit', 'rate_limited', 'overloaded'],
      etag: true,
      handle: async (request) => answer(await members.create(request.scope, request.params.project_id, request.body, request)),
    }),
    defineRoute({
      id: 'project-members.assign',
      method: 'POST',
      path: `${COLLECTION}/assign`,
      summary: 'Assign a member of the organization to a project',
      description: 'Assigns the role to a member of the organization, and replaces an existing role in the project. The user is notified of the first role.',
      access: projectPermission('member:manage'),
      params: ProjectParams,
      body: { as: 'json', schema: ProjectMemberAssignRequest },
      bodyExamples: { engineer: { user_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f', role: 'engineer' } },
      responses: MEMBER,
      errors: ['resource_missing', 'edit_conflict'],
      etag: true,
      handle: async (request) => answer(await members.assign(request.scope, request.params.project_id, request.body, request)),
    }),
    defineRoute({
      id: 'project-members.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a member of a project',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: projectPermission('project:view'),
      params: ProjectMemberParams,
      responses: MEMBER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await members.get(scope, params.project_id, params.member_id)),
    }),
    defineRoute({
      id: 'project-members.update',
      method: 'PATCH',
      path: ITEM,
      summary: "Update a member's role in a project",
      description: 'The new role applies from the next request on.',
      access: projectPermission('member:manage'),
      params: ProjectMemberParams,
      body: { as: 'json', schema: ProjectMemberUpdateRequest },
      bodyExamples: { reviewer: { role: 'reviewer' } },
      responses: MEMBER,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await members.update(request.scope, request.params.project_id, request.params.member_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'project-members.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a member of a project',
      description: 'The permissions of the role end at once. The user remains a member of the organization.',
      access: projectPermission('member:manage'),
      params: ProjectMemberParams,
      responses: { 204: { description: 'The role is removed.', schema: null } },
      errors: ['resource_missing'],
      handle: (request) => noContent(members.remove(request.scope, request.params.project_id, request.params.member_id, request)),
    }),
  ]
}
