/** Requests and answers of the administration of organizations. */
import Type, { type Static } from 'typebox'
import { fields, OrganizationRecord } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'

export { OrganizationRecord }

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })

const SORT = ['created_at', 'updated_at'] as const
const q = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['example'], description: `Only those whose ${what} contains this text. Case does not matter.` }))

export const OrganizationListQuery = listQuery({
  sort: [...SORT, 'name'],
  filters: { q: q('name or slug'), is_active: Type.Optional(Type.Boolean({ description: 'True: only active organizations. False: only suspended organizations.' })) },
})
export type OrganizationListQuery = Static<typeof OrganizationListQuery>

export const OrganizationCreateRequest = Type.Object(
  {
    name: fields.name('Name of the organization. The slug is derived from it.'),
    description: Type.Optional(fields.text(2000, 'Description of the organization. Default: empty.')),
    admin_email: fields.email('E-mail address of the first org_admin, who is invited.'),
  },
  { $id: 'OrganizationCreateRequest', description: 'A new organization and the e-mail address of its first org_admin.' },
)
export type OrganizationCreateRequest = Static<typeof OrganizationCreateRequest>

export const OrganizationUpdateRequest = Type.Object(
  { is_active: Type.Optional(Type.Boolean({ description: 'False suspends the organization: its sessions and API keys are answered 403.' })) },
  { $id: 'OrganizationUpdateRequest', description: 'The fields to update.' },
)
export type OrganizationUpdateRequest = Static<typeof OrganizationUpdateRequest>
