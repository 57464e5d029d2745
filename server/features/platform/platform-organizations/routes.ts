/** `/platform/admin/organizations`. */
import Type from 'typebox'
import { noContent, PLATFORM_ADMIN, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { presentOrganizationDetail, presentPlatformOrganization, tagOf } from './present.js'
import {
  OrganizationCreateRequest,
  OrganizationListQuery,
  OrganizationParams,
  OrganizationUpdateRequest,
  PlanGrantRequest,
  PlatformOrganizationDetailRecord,
  PlatformOrganizationRecord,
} from './schema.js'
import type { OrganizationDetail, PlatformOrganizationsService } from './service.js'

const defineRoute = routesOf('Platform administration')
const ORGANIZATIONS = '/platform/admin/organizations'
const ORGANIZATION_ANSWER = { 200: { description: 'The organization.', schema: PlatformOrganizationDetailRecord } } as const

const organizationAnswer = (detail: OrganizationDetail) => ({ body: presentOrganizationDetail(detail), etag: tagOf(detail) })

export function platformOrganizationRoutes(organizations: PlatformOrganizationsService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-admin.list-organizations',
      method: 'GET',
      path: ORGANIZATIONS,
      summary: 'List all organizations',
      description: "`role` is the caller's role in the organization; null: the caller is not a member.",
      access: PLATFORM_ADMIN,
      query: OrganizationListQuery,
      responses: { 200: { description: 'The organizations.', schema: Type.Array(PlatformOrganizationRecord) } },
      handle: async ({ query, principal }) => presentPage(await organizations.list(query, principal), presentPlatformOrganization),
    }),
    defineRoute({
      id: 'platform-admin.create-organization',
      method: 'POST',
      path: ORGANIZATIONS,
      summary: 'Create an organization',
      description:
        'Creates an organization without members, and an invitation of its first org_admin, which is mailed. The invitation is listed with those of the organization, where more can be created. A platform admin can create at most 500 organizations an hour, 10 of them for the same e-mail (429).',
      access: PLATFORM_ADMIN,
      body: { as: 'json', schema: OrganizationCreateRequest },
      bodyExamples: { tenant: { name: 'Example SOC', description: 'Detection content of the SOC', admin_email: 'ana@example.com' } },
      responses: ORGANIZATION_ANSWER,
      errors: ['rate_limited'],
      etag: true,
      handle: async (request) => organizationAnswer(await organizations.create(request.body, request)),
    }),
    defineRoute({
      id: 'platform-admin.get-organization',
      method: 'GET',
      path: `${ORGANIZATIONS}/{organization_id}`,
      summary: 'Get an organization',
      description: "Answers the organization with its plan, its usage and its counts. The answer's `ETag` can be sent as `If-Match` with an update.",
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      responses: ORGANIZATION_ANSWER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ params, principal }) => organizationAnswer(await organizations.get(params.organization_id, principal)),
    }),
    defineRoute({
      id: 'platform-admin.update-organization',
      method: 'PATCH',
      path: `${ORGANIZATIONS}/{organization_id}`,
      summary: 'Update an organization',
      description:
        'Suspends an organization, or ends its suspension. Sessions and API keys of a suspended organization are answered 403, with `reason` in the details, except for platform admins.',
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      body: { as: 'json', schema: OrganizationUpdateRequest },
      bodyExamples: { suspend: { is_active: false, reason: 'Unpaid since August.' }, resume: { is_active: true } },
      responses: ORGANIZATION_ANSWER,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => organizationAnswer(await organizations.update(request.params.organization_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'platform-admin.update-plan',
      method: 'PUT',
      path: `${ORGANIZATIONS}/{organization_id}/plan`,
      summary: 'Set the plan of an organization',
      description:
        'Sets the plan by hand. It wins over the subscription until `expires_at`, or until it is removed; the subscription itself does not change. Afterwards the organization is on the plan of its subscription, or on `free`. Without billing every organization is on `self_hosted` (402).',
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      body: { as: 'json', schema: PlanGrantRequest },
      bodyExamples: { trial: { plan: 'enterprise', expires_at: '2099-12-31T00:00:00.000Z' }, forever: { plan: 'team' } },
      responses: ORGANIZATION_ANSWER,
      errors: ['resource_missing', 'billing_gateway_disabled', 'edit_conflict'],
      etag: true,
      handle: async (request) => organizationAnswer(await organizations.setPlan(request.params.organization_id, request.body, request)),
    }),
    defineRoute({
      id: 'platform-admin.delete-plan',
      method: 'DELETE',
      path: `${ORGANIZATIONS}/{organization_id}/plan`,
      summary: 'Remove the plan that was set by hand',
      description: 'The organization is then on the plan of its subscription, or on `free`.',
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      responses: { 204: { description: 'No plan is set by hand.', schema: null } },
      errors: ['resource_missing', 'billing_gateway_disabled', 'edit_conflict'],
      handle: (request) => noContent(organizations.removePlan(request.params.organization_id, request)),
    }),
  ]
}
