/** Requests and answers of platform administration. */
import Type, { type Static } from 'typebox'
import { fields, OrganizationRecord, UserRecord } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'

export { OrganizationRecord, UserRecord }

export const UserParams = Type.Object({ user_id: fields.id('The user.') })
export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })

const SORT = ['created_at', 'updated_at'] as const
const q = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['example'], description: `Only those with these characters in ${what}, in any case.` }))

export const UserListQuery = listQuery({
  sort: [...SORT, 'email'],
  filters: { q: q('e-mail or name'), is_active: Type.Optional(Type.Boolean({ description: 'Only active, or only deactivated ones.' })) },
})
export type UserListQuery = Static<typeof UserListQuery>

export const OrganizationListQuery = listQuery({
  sort: [...SORT, 'name'],
  filters: { q: q('name or slug'), is_active: Type.Optional(Type.Boolean({ description: 'Only active, or only suspended ones.' })) },
})
export type OrganizationListQuery = Static<typeof OrganizationListQuery>

export const UserUpdateRequest = Type.Object(
  { is_active: Type.Optional(Type.Boolean({ description: 'False deactivates: no login, and all sessions end.' })) },
  { $id: 'UserUpdateRequest', description: 'What changes.' },
)
export type UserUpdateRequest = Static<typeof UserUpdateRequest>

export const OrganizationCreateRequest = Type.Object(
  {
    name: fields.name('Name. The slug is derived from it.'),
    description: Type.Optional(fields.text(2000, 'What it is for. Default: empty.')),
    admin_email: fields.email('Address that is invited as the first org_admin.'),
  },
  { $id: 'OrganizationCreateRequest', description: 'A new organization, and the address of its first admin.' },
)
export type OrganizationCreateRequest = Static<typeof OrganizationCreateRequest>

export const OrganizationUpdateRequest = Type.Object(
  { is_active: Type.Optional(Type.Boolean({ description: 'False suspends: its sessions and API keys are answered 403.' })) },
  { $id: 'OrganizationUpdateRequest', description: 'What changes.' },
)
export type OrganizationUpdateRequest = Static<typeof OrganizationUpdateRequest>
