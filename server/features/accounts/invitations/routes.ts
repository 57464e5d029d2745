/** `/auth/organizations/{organization_id}/invitations`, and `/auth/invitations/{token}`. */
import Type from 'typebox'
import { sessionOpened } from '../../../core/auth/records.js'
import { noContent, permission, PUBLIC, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
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

const defineRoute = routesOf('Invitations')
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
      summary: 'List invitations',
      description:
        'Every member may list them. Tokens are included only for callers with `member:manage` and pending invitations; the token of an invitation that creates a platform admin is included for platform admins only.',
      access: SESSION,
      params: OrganizationParams,
      query: InvitationListQuery,
      responses: { 200: { description: 'The invitations.', schema: Type.Array(OrganizationInvitationRecord) } },
      handle: async ({ scope, query, principal }) => presentPage(await invitations.list(scope, query, principal), present),
    }),
    defineRoute({
      id: 'invitations.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create an invitation',
      description:
        'Creates the invitation and mails its token. An e-mail of a member is answered 409. An organization has at most 1,000 pending invitations (409), and creates at most 500 an hour, 10 of them for the same e-mail (429).',
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
      summary: 'Delete an invitation',
      description: 'Revokes the invitation: its token becomes invalid. An accepted invitation cannot be revoked (409); remove the member instead.',
      access: permission('member:manage'),
      params: InvitationParams,
      responses: { 204: { description: 'The invitation is revoked.', schema: null } },
      errors: ['resource_missing', 'invitation_used'],
      handle: (request) => noContent(invitations.revoke(request.scope, request.params.invitation_id, request)),
    }),
    defineRoute({
      id: 'invitations.get',
      method: 'GET',
      path: '/auth/invitations/{token}',
      summary: 'Get an invitation by its token',
      description: 'The page that accepts an invitation uses it.',
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
      summary: 'Accept an invitation',
      description:
        'Creates a user with the name and password of the request, and the invitation becomes `accepted`. If the e-mail has an account, the password must be the password of that account (401 if it is wrong; attempts count as logins), with `code` if the account has a second factor (401 `second_factor_required` without it), and the invitation becomes `linked`. Opens a session in the organization. If the identity policy requires sign-in through a provider, the answer is 403: the provider makes people members.',
      access: PUBLIC,
      params: TokenParams,
      body: { as: 'json', schema: InvitationAcceptRequest },
      bodyExamples: { 'new user': { display_name: 'Rui', password: 'a long passphrase' }, 'existing user': { password: 'the own passphrase' } },
      responses: { 200: { description: 'The session. Its token is also set as the cookie `service_session`.', schema: AuthSessionResponse } },
      errors: [
        'resource_missing',
        'invitation_used',
        'invitation_expired',
        'organization_suspended',
        'sso_required',
        'login_failed',
        'second_factor_code_required',
        'second_factor_wrong',
        'second_factor_throttled',
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
