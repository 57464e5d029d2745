/** `/platform/admin/organizations`. */
import Type from 'typebox'
import { presentOrganization } from '../../auth/records.js'
import { etagOf } from '../../etag.js'
import { defineRoute, PLATFORM_ADMIN, type Route } from '../../http/route.js'
import { OrganizationCreateRequest, OrganizationListQuery, OrganizationParams, OrganizationRecord, OrganizationUpdateRequest } from './schema.js'
import type { PlatformOrganizationsService, ShownOrganization } from './service.js'

const TAG = 'Platform administration'
const ORGANIZATIONS = '/platform/admin/organizations'
const ORGANIZATION_ANSWER = { 200: { description: 'The organization.', schema: OrganizationRecord } } as const

const organizationBody = ({ organization, role }: ShownOrganization) => presentOrganization(organization, role)
const organizationAnswer = (shown: ShownOrganization) => ({ body: organizationBody(shown), etag: etagOf(shown.organization) })

export function platformOrganizationRoutes(organizations: PlatformOrganizationsService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-admin.list-organizations',
      method: 'GET',
      path: ORGANIZATIONS,
      tag: TAG,
      summary: 'List all organizations',
      description: "`role` is the caller's role in the organization; null: the caller is not a member.",
      access: PLATFORM_ADMIN,
      query: OrganizationListQuery,
      responses: { 200: { description: 'The organizations.', schema: Type.Array(OrganizationRecord) } },
      handle: async ({ query, principal }) => {
        const { items, total } = await organizations.list(query, principal)
        return { body: items.map(organizationBody), total }
      },
    }),
    defineRoute({
      id: 'platform-admin.create-organization',
      method: 'POST',
      path: ORGANIZATIONS,
      tag: TAG,
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
      tag: TAG,
      summary: 'Get an organization',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
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
      tag: TAG,
      summary: 'Update an organization',
      description: 'Suspends an organization, or ends its suspension. Sessions and API keys of a suspended organization are answered 403, except for platform admins.',
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      body: { as: 'json', schema: OrganizationUpdateRequest },
      bodyExamples: { suspend: { is_active: false } },
      responses: ORGANIZATION_ANSWER,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => organizationAnswer(await organizations.update(request.params.organization_id, request.body, request.ifMatch, request)),
    }),
  ]
}
