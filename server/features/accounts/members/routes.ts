/** `/auth/organizations/{organization_id}/members`. */
import Type from 'typebox'
import { presentMembership } from '../../../core/auth/records.js'
import { THROTTLES } from '../../../core/auth/throttles.js'
import { etagOf } from '../../../core/etag.js'
import { noContent, permission, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { MEMBERS_LIMIT } from '../../../core/tenancy/memberships.js'
import { MemberCreateRequest, MemberListQuery, MemberParams, MemberUpdateRequest, OrganizationMembershipRecord, OrganizationParams } from './schema.js'
import type { Member, MembersService } from './service.js'

const defineRoute = routesOf('Members')
const COLLECTION = '/auth/organizations/{organization_id}/members'
const ITEM = `${COLLECTION}/{member_id}`
const MEMBER = { 200: { description: 'The member.', schema: OrganizationMembershipRecord } } as const

const present = ({ membership, user }: Member) => presentMembership(membership, user)
const answer = (member: Member) => ({ body: present(member), etag: etagOf(member.membership) })

export function memberRoutes(members: MembersService): readonly Route[] {
  return [
    defineRoute({
      id: 'members.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List members',
      description: 'Every member of the organization may list them.',
      access: SESSION,
      params: OrganizationParams,
      query: MemberListQuery,
      responses: { 200: { description: 'The members.', schema: Type.Array(OrganizationMembershipRecord) } },
      handle: async ({ scope, query }) => presentPage(await members.list(scope, query), present),
    }),
    defineRoute({
      id: 'members.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a member',
      description: `Creates a user with this password, who can log in at once; no mail is sent. An e-mail that has an account is answered 409: create an invitation instead. An organization has at most ${MEMBERS_LIMIT.toLocaleString('en-US')} members (409), creates at most ${THROTTLES.members.limit} an hour (429), and has no more than its plan allows (403).`,
      access: permission('member:manage'),
      params: OrganizationParams,
      body: { as: 'json', schema: MemberCreateRequest },
      bodyExamples: { engineer: { email: 'rui@example.com', display_name: 'Rui', password: 'a long passphrase', role: 'engineer' } },
      responses: MEMBER,
      errors: ['email_taken', 'member_exists', 'member_limit', 'plan_quota_exceeded', 'edit_conflict', 'rate_limited', 'overloaded'],
      etag: true,
      handle: async (request) => answer(await members.create(request.scope, request.body, request)),
    }),
    defineRoute({
      id: 'members.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a member',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: SESSION,
      params: MemberParams,
      responses: MEMBER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await members.get(scope, params.member_id)),
    }),
    defineRoute({
      id: 'members.update',
      method: 'PATCH',
      path: ITEM,
      summary: "Update a member's role",
      description:
        'The role of the last active org_admin cannot be changed (409), nor that of the last one who can log in with a password while the identity policy requires a provider (409).',
      access: permission('member:manage'),
      params: MemberParams,
      body: { as: 'json', schema: MemberUpdateRequest },
      bodyExamples: { reviewer: { role: 'reviewer' } },
      responses: MEMBER,
      errors: ['resource_missing', 'last_admin', 'policy_locks_out', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await members.changeRole(request.scope, request.params.member_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'members.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a member',
      description:
        "Removes the membership, ends the user's sessions in this organization, and removes the user's roles in its projects. The account remains. The org_admins are notified if the user owned valid API keys, which the key policy may revoke. The last active org_admin cannot be removed (409), nor the last one who can log in with a password while the identity policy requires a provider (409).",
      access: permission('member:manage'),
      params: MemberParams,
      responses: { 204: { description: 'The member is removed.', schema: null } },
      errors: ['resource_missing', 'last_admin', 'policy_locks_out', 'edit_conflict'],
      handle: (request) => noContent(members.remove(request.scope, request.params.member_id, request)),
    }),
  ]
}
