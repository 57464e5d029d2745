/** Requests and answers of the administration of users. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields, UserRecord } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'

export const UserParams = Type.Object({ user_id: fields.id('The user.') })

export const UserListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'last_login_at', 'email'],
  filters: {
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 120, examples: ['example'], description: 'Only those whose e-mail or name contains this text. Case does not matter.' }),
    ),
    organization_id: Type.Optional(fields.id('Only members of this organization.')),
    is_active: Type.Optional(Type.Boolean({ description: 'True: only active users. False: only deactivated users.' })),
    is_platform_admin: Type.Optional(Type.Boolean({ description: 'True: only platform admins. False: only other users.' })),
    has_second_factor: Type.Optional(Type.Boolean({ description: 'True: only users with a second factor. False: only users without one.' })),
  },
})
export type UserListQuery = Static<typeof UserListQuery>

export const UserUpdateRequest = Type.Object(
  { is_active: Type.Optional(Type.Boolean({ description: 'False deactivates the user: all sessions end, and logins are refused.' })) },
  { $id: 'UserUpdateRequest', description: 'The fields to update.' },
)
export type UserUpdateRequest = Static<typeof UserUpdateRequest>

export const PlatformUserRecord = Type.Object(
  {
    ...UserRecord.properties,
    has_password: Type.Boolean({ description: 'False: the user logs in through an identity provider only.' }),
    has_second_factor: Type.Boolean({ description: 'Whether a second factor is enabled.' }),
    last_login_at: nullable(fields.timestamp('Time.'), 'When the user last logged in; null: never.'),
  },
  { $id: 'PlatformUserRecord', description: 'A user, as platform admins see it.' },
)

const PlatformMembershipRecord = Type.Object(
  {
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization.' }),
    organization_name: Type.String({ examples: ['Example SOC'], description: 'Its name.' }),
    organization_is_active: Type.Boolean({ description: 'False: the organization is suspended.' }),
    role: fields.role("The user's role in the organization."),
    created_at: fields.timestamp('When the user became a member.'),
  },
  { $id: 'PlatformMembershipRecord', description: 'An organization of a user.' },
)

export const PlatformUserDetailRecord = Type.Object(
  {
    ...PlatformUserRecord.properties,
    open_sessions: Type.Integer({ minimum: 0, description: 'Number of valid sessions.' }),
    memberships: Type.Array(PlatformMembershipRecord, { description: "The user's organizations, the oldest membership first." }),
  },
  { $id: 'PlatformUserDetailRecord', description: 'A user with sessions and organizations, as platform admins see it.' },
)
