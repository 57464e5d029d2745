/** `/auth/organizations/{organization_id}/invitations`, and `/auth/invitations/{token}`. */
import Type from 'typebox'
import { sessionOpened } from '../../auth/records.js'
import { defineRoute, permission, PUBLIC, type Route, SESSION } from '../../http/route.js'
import { presentInvitation } from './present.js'
import {
  AuthSessionResponse,
  InvitationAcceptRequest,
  InvitationCreateRequest,
  InvitationListQuery,
  InvitationParams,
  OrganizationInvitationRecord,
  OrganizationParams,
  TokenParams,
} from './schema.js'
import type { InvitationsService, ShownInvitation } from './service.js'

const TAG = 'Invitations'
const COLLECTION = '/auth/organizations/{organization_id}/invitations'
const INVITATION = { 200: { description: 'The invitation.', schema: OrganizationInvitationRecord } } as const

/** @param sessionTtlSeconds life of the cookie that accepting sets */
export function invitationRoutes(invitations: InvitationsService, sessionTtlSeconds: number): readonly Route[] {
  const present = ({ invitation, token }: ShownInvitation) => presentInvitation(invitation, token, invitations.now())
  return [
    defineRoute({
      id: 'invitations.list',
      method: 'GET',
      path: COLLECTION,
      tag: TAG,
      summary: 'List invitations',
      description:
        'For every member; tokens are shown to those with `member:manage` only, and only while an invitation is pending; one that makes a platform admin is shown to platform admins only.',
      access: SESSION,
      params: OrganizationParams,
      query: InvitationListQuery,
      responses: { 200: { description: 'The invitations.', schema: Type.Array(OrganizationInvitationRecord) } },
      handle: async ({ scope, query, principal }) => {
        const { items, total } = await invitations.list(scope, query, principal)
        return { body: items.map(present), total }
      },
    }),
    defineRoute({
      id: 'invitations.create',
      method: 'POST',
      path: COLLECTION,
      tag: TAG,
      summary: 'Create an invitation',
      description:
        'A mail with the token is sent afterwards. Who is a member already is not invited (409). At most 1,000 invitations are pending at a time (409), 500 are made an hour, and 10 of them for one e-mail (429).',
      access: permission('member:manage'),
      params: OrganizationParams,
      body: { as: 'json', schema: InvitationCreateRequest },
      bodyExamples: { reviewer: { email: 'rui@example.com', role: 'reviewer' } },
      responses: INVITATION,
      errors: ['member_exists', 'invitation_limit', 'rate_limited'],
      handle: async (request) => ({ body: present(await invitations.create(request.scope, request.body, request)) }),
    }),
    defineRoute({
      id: 'invitations.delete',
      method: 'DELETE',
      path: `${COLLECTION}/{invitation_id}`,
      tag: TAG,
      summary: 'Delete an invitation',
      description: 'Its token opens nothing from then on. One that was accepted can not be taken back (409): remove the member.',
      access: permission('member:manage'),
      params: InvitationParams,
      responses: { 204: { description: 'Taken back.', schema: null } },
      errors: ['resource_missing', 'invitation_used'],
      handle: async (request) => {
        await invitations.revoke(request.scope, request.params.invitation_id, request)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'invitations.get',
      method: 'GET',
      path: '/auth/invitations/{token}',
      tag: TAG,
      summary: 'Get an invitation by its token',
      description: 'For the page on which it is accepted.',
      access: PUBLIC,
      params: TokenParams,
      responses: INVITATION,
      errors: ['resource_missing'],
      handle: async ({ params }) => ({ body: present(await invitations.find(params.token)) }),
    }),
    defineRoute({
      id: 'invitations.accept',
      method: 'POST',
      path: '/auth/invitations/{token}/accept',
      tag: TAG,
      summary: 'Accept an invitation',
      description:
        'A new user is made with the name and password that are sent; the invitation is `accepted` then. Someone who has an account shows their own password (401 when it is wrong; attempts count as those of a login), and the invitation is `linked`. A session in the organization is opened.',
      access: PUBLIC,
      params: TokenParams,
      body: { as: 'json', schema: InvitationAcceptRequest },
      bodyExamples: { 'new user': { display_name: 'Rui', password: 'a long passphrase' }, 'existing user': { password: 'the own passphrase' } },
      responses: { 200: { description: 'The session; its token is set as the cookie `service_session` as well.', schema: AuthSessionResponse } },
      errors: [
        'resource_missing',
        'invitation_used',
        'invitation_expired',
        'organization_suspended',
        'login_failed',
        'login_throttled',
        'account_throttled',
        'address_throttled',
        'user_inactive',
        'member_exists',
        'member_limit',
        'organization_limit',
        'plan_quota_exceeded',
        'email_taken',
        'edit_conflict',
        'overloaded',
      ],
      handle: async (request) => sessionOpened(await invitations.accept(request.params.token, request.body, request), sessionTtlSeconds),
    }),
  ]
}
