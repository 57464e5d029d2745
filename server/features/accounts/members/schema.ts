/** Requests and answers about members of an organization. */
import Type, { type Static } from 'typebox'
import { fields, OrganizationMembershipRecord } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'

export { OrganizationMembershipRecord }

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const MemberParams = Type.Object({ organization_id: fields.id('The organization.'), member_id: fields.id('The membership (not the user).') })

export const MemberListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'role'],
  filters: { role: Type.Optional(fields.role('Only members with this role.')), user_id: Type.Optional(fields.id('Only the membership of this user.')) },
})
export type MemberListQuery = Static<typeof MemberListQuery>

export const MemberCreateRequest = Type.Object(
  {
    email: fields.email("The new user's e-mail address. No account may have it."),
    display_name: fields.name("The new user's name."),
    password: fields.newPassword("The new user's password."),
    role: fields.role('Role in the organization.'),
  },
  { $id: 'MemberCreateRequest', description: 'A user to create as a member, without an invitation.' },
)
export type MemberCreateRequest = Static<typeof MemberCreateRequest>

export const MemberUpdateRequest = Type.Object({ role: Type.Optional(fields.role('The new role.')) }, { $id: 'MemberUpdateRequest', description: 'The fields to update.' })
export type MemberUpdateRequest = Static<typeof MemberUpdateRequest>
