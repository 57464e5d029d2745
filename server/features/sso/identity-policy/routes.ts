/** `/platform/organizations/{organization_id}/identity-policy`. */
import { permission, type Route, routesOf } from '../../../core/http/route.js'
import { IdentityPolicyRecord, IdentityPolicyUpdateRequest, OrganizationParams } from './schema.js'
import type { IdentityPolicyService, ShownIdentityPolicy } from './service.js'

const defineRoute = routesOf('Identity policy')
const PATH = '/platform/organizations/{organization_id}/identity-policy'
const POLICY = { 200: { description: 'The policy.', schema: IdentityPolicyRecord } } as const

const answer = ({ policy, etag }: ShownIdentityPolicy) => ({
  body: {
    sso_required: policy.sso_required,
    break_glass_user_ids: [...policy.break_glass_user_ids],
    require_two_factor: policy.require_two_factor,
    group_mappings: policy.group_mappings.map((mapping) => ({ ...mapping })),
  },
  etag,
})

export function identityPolicyRoutes(policies: IdentityPolicyService): readonly Route[] {
  return [
    defineRoute({
      id: 'identity-policy.get',
      method: 'GET',
      path: PATH,
      summary: 'Get the identity policy',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: permission('identity_provider:manage'),
      params: OrganizationParams,
      responses: POLICY,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope }) => answer(await policies.get(scope)),
    }),
    defineRoute({
      id: 'identity-policy.update',
      method: 'PATCH',
      path: PATH,
      summary: 'Update the identity policy',
      description:
        'Takes effect at once: a session that the policy refuses is answered 403 from its next request on. While `sso_required` is set, an org_admin who is a break-glass user or a platform admin must be able to log in with a password: a change that would leave none is refused (409), and so is `sso_required` without an identity provider. A plan without single sign-on does not take `sso_required` (403), and puts a stored one out of effect. Break-glass users are active org_admins with a password (409); users and projects of other organizations are 404. With `require_two_factor` the session of the caller needs a second factor too.',
      access: permission('identity_provider:manage'),
      params: OrganizationParams,
      body: { as: 'json', schema: IdentityPolicyUpdateRequest },
      bodyExamples: {
        groups: { group_mappings: [{ group: 'soc-leads', role: 'security_content_lead' }] },
        required: { sso_required: true, break_glass_user_ids: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'] },
      },
      responses: POLICY,
      errors: ['resource_missing', 'break_glass_unusable', 'policy_locks_out', 'identity_provider_absent', 'sso_not_in_plan', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await policies.update(request.scope, request.body, request.ifMatch, request)),
    }),
  ]
}
