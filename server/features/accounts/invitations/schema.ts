/** Requests and answers about invitations. */
import Type, { type Static } from 'typebox'
import { AuthSessionResponse, fields } from '../../../core/auth/records.js'
import { PASSWORD_MIN_CHARACTERS, PASSWORD_MAX_CHARACTERS } from '../../../core/auth/password.js'
import { CODE_CHARACTERS } from '../../../core/auth/second-factors.js'
import { listQuery } from '../../../core/http/request/list-query.js'

export { AuthSessionResponse }

const INVITATION_STATUSES = ['pending', 'accepted', 'expired', 'linked'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

const status = (description: string) => Type.Enum([...INVITATION_STATUSES] as [InvitationStatus, ...InvitationStatus[]], { description })

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const InvitationParams = Type.Object({ organization_id: fields.id('The organization.'), invitation_id: fields.id('The invitation.') })
export const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256, examples: ['the-token-of-the-mail'], description: 'Token from the mail.' }) })

export const InvitationListQuery = listQuery({
  sort: ['created_at', 'expires_at', 'email'],
  filters: { status: Type.Optional(status('Only invitations with this status.')) },
})
export type InvitationListQuery = Static<typeof InvitationListQuery>

export const InvitationCreateRequest = Type.Object(
  { email: fields.email('E-mail address of the invited person.'), role: fields.role('Role in the organization.') },
  { $id: 'InvitationCreateRequest', description: 'An invitation to create.' },
)
export type InvitationCreateRequest = Static<typeof InvitationCreateRequest>

export const InvitationAcceptRequest = Type.Object(
  {
    display_name: Type.Optional(fields.name('Name of the new user. Required if no user has the e-mail, else ignored.')),
    password: Type.String({
      minLength: PASSWORD_MIN_CHARACTERS,
      maxLength: PASSWORD_MAX_CHARACTERS,
      description: 'Password of the new user, or the password of the existing account.',
    }),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: CODE_CHARACTERS,
        examples: ['123456'],
        description: 'Code of the second factor, or a recovery code. Required if the existing account has a second factor, else ignored.',
      }),
    ),
  },
  { $id: 'InvitationAcceptRequest', description: 'Credentials with which the invitation is accepted.' },
)
export type InvitationAcceptRequest = Static<typeof InvitationAcceptRequest>

export const OrganizationInvitationRecord = Type.Object(
  {
    id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'Identifier.' }),
    organization_id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'The organization.' }),
    email: Type.String({ examples: ['rui@example.com'], description: 'E-mail address of the invited person.' }),
    role: fields.role('Role in the organization.'),
    token: Type.String({
      examples: ['kQ8s1VnJ0…'],
      description:
        'Token that accepts the invitation. Lists contain it only for callers with `member:manage` and pending invitations (for platform admins only, if it creates one); otherwise it is empty.',
    }),
    status: status('Status. `accepted`: by a new user; `linked`: by an existing one.'),
    expires_at: fields.timestamp('When it expires.'),
    created_at: fields.timestamp('When it was created.'),
  },
  { $id: 'OrganizationInvitationRecord', description: 'An invitation to an organization.' },
)
