/** Requests and answers about invitations. */
import Type, { type Static } from 'typebox'
import { AuthSessionResponse, fields } from '../../auth/records.js'
import { PASSWORD_MIN_CHARACTERS, PASSWORD_MAX_CHARACTERS } from '../../auth/password.js'
import { listQuery } from '../../http/request/list-query.js'

export { AuthSessionResponse }

const INVITATION_STATUSES = ['pending', 'accepted', 'expired', 'linked'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

const status = (description: string) => Type.Enum([...INVITATION_STATUSES] as [InvitationStatus, ...InvitationStatus[]], { description })

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const InvitationParams = Type.Object({ organization_id: fields.id('The organization.'), invitation_id: fields.id('The invitation.') })
export const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256, examples: ['the-token-of-the-mail'], description: 'From the mail.' }) })

export const InvitationListQuery = listQuery({
  sort: ['created_at', 'expires_at', 'email'],
  filters: { status: Type.Optional(status('Only invitations that stand so.')) },
})
export type InvitationListQuery = Static<typeof InvitationListQuery>

export const InvitationCreateRequest = Type.Object(
  { email: fields.email('Who is invited.'), role: fields.role('Role that they get in the organization.') },
  { $id: 'InvitationCreateRequest', description: 'Who is invited, and as what.' },
)
export type InvitationCreateRequest = Static<typeof InvitationCreateRequest>

export const InvitationAcceptRequest = Type.Object(
  {
    display_name: Type.Optional(fields.name('Name of the new user; required unless there is a user with the e-mail, and then not used.')),
    password: Type.String({
      minLength: PASSWORD_MIN_CHARACTERS,
      maxLength: PASSWORD_MAX_CHARACTERS,
      description: 'Password of the new user; of a user who is there, their own.',
    }),
  },
  { $id: 'InvitationAcceptRequest', description: 'Who accepts.' },
)
export type InvitationAcceptRequest = Static<typeof InvitationAcceptRequest>

export const OrganizationInvitationRecord = Type.Object(
  {
    id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'Identifier.' }),
    organization_id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'The organization.' }),
    email: Type.String({ examples: ['rui@example.com'], description: 'Who is invited.' }),
    role: fields.role('Role that they get.'),
    token: Type.String({
      examples: ['kQ8s1VnJ0…'],
      description:
        'What the invitation is accepted with. In the list only for those with `member:manage`, and while the invitation is pending (platform admins alone, where it makes one); else empty.',
    }),
    status: status('`accepted` by a new user, `linked` by one who was there.'),
    expires_at: fields.timestamp('Until when it can be accepted.'),
    created_at: fields.timestamp('When it was made.'),
  },
  { $id: 'OrganizationInvitationRecord', description: 'An invitation to an organization.' },
)
