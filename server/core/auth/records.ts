/** Schemas and presenters of users, organizations, memberships and sessions (CONTRACT.md#account-records). */
import Type, { type Static } from 'typebox'
import { nullable } from '../nullable.js'
import { ONE_LINE, SOME_LINES } from '../patterns.js'
import type { MembershipDocument } from '../tenancy/memberships.js'
import { sessionCookie } from './cookies.js'
import type { OrganizationDocument } from './organizations.js'
import { PASSWORD_MIN_CHARACTERS, PASSWORD_MAX_CHARACTERS } from './password.js'
import { ENTERPRISE_ROLES, type EnterpriseRole } from '../tenancy/permissions.js'
import type { OpenedSession, OrganizationView, SessionView } from './session-view.js'
import type { UserDocument } from './users.js'

/** Identifier in examples of the OpenAPI document. */
export const EXAMPLE_ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
/** Maximum length of every name that users choose. */
export const NAME_CHARACTERS = 120

/** Fields that several resources use in requests. */
export const fields = {
  id: (description: string, example = EXAMPLE_ID) => Type.String({ minLength: 1, maxLength: 64, examples: [example], description }),
  name: (description: string) => Type.String({ minLength: 1, maxLength: NAME_CHARACTERS, pattern: ONE_LINE, description }),
  text: (maxLength: number, description: string) => Type.String({ maxLength, pattern: SOME_LINES, description }),
  email: (description: string) => Type.String({ minLength: 3, maxLength: 254, format: 'email', description }),
  newPassword: (description: string) => Type.String({ minLength: PASSWORD_MIN_CHARACTERS, maxLength: PASSWORD_MAX_CHARACTERS, description }),
  role: (description: string) => Type.Enum([...ENTERPRISE_ROLES] as [EnterpriseRole, ...EnterpriseRole[]], { description }),
  timestamp: (description: string) => Type.String({ format: 'date-time', description }),
}

export const UserRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    email: Type.String({ examples: ['ana@example.com'], description: 'E-mail address as the user wrote it, normalized to Unicode NFKC.' }),
    display_name: Type.String({ examples: ['Ana'], description: 'Name that others see.' }),
    is_active: Type.Boolean({ description: 'False: deactivated; can not log in.' }),
    is_platform_admin: Type.Boolean({ description: 'Has every permission in every organization.' }),
    created_at: fields.timestamp('When the user was created.'),
    updated_at: fields.timestamp('When the user was last updated.'),
  },
  { $id: 'UserRecord', description: 'A user.' },
)

export const OrganizationRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    slug: Type.String({ examples: ['example-soc'], description: 'Short name of letters, digits and hyphens, unique among organizations.' }),
    name: Type.String({ examples: ['Example SOC'], description: 'Display name of the organization.' }),
    description: Type.String({ examples: ['Detection content of the SOC'], description: 'Purpose of the organization.' }),
    role: nullable(fields.role('Role.'), "The caller's role; null for a platform admin who is not a member."),
    is_active: Type.Boolean({ description: 'False: suspended.' }),
    created_at: fields.timestamp('When the organization was created.'),
    updated_at: fields.timestamp('When the organization was last updated.'),
  },
  { $id: 'OrganizationRecord', description: "An organization, with the caller's role." },
)

export const OrganizationMembershipRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier of the membership.' }),
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization.' }),
    user_id: Type.String({ examples: [EXAMPLE_ID], description: 'The user.' }),
    email: Type.String({ examples: ['ana@example.com'], description: "The user's e-mail address." }),
    display_name: Type.String({ examples: ['Ana'], description: "The user's name." }),
    role: fields.role("The user's role in the organization."),
    created_at: fields.timestamp('When the user became a member.'),
    updated_at: fields.timestamp('When the role was last updated.'),
  },
  { $id: 'OrganizationMembershipRecord', description: 'A member of an organization.' },
)

export const AuthSessionResponse = Type.Object(
  {
    access_token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl'],
      description: 'A JWT; `cookie-session` when the request came with the session cookie.',
    }),
    token_type: Type.Literal('bearer', { description: 'Always `bearer`.' }),
    expires_at: fields.timestamp('When the session ends.'),
    user: UserRecord,
    organizations: Type.Array(OrganizationRecord, { description: "The user's organizations, the oldest membership first." }),
    current_organization: nullable(OrganizationRecord, 'The organization of this session; null when the user belongs to none.'),
    memberships: Type.Array(OrganizationMembershipRecord, { description: "The user's memberships, the oldest first." }),
  },
  { $id: 'AuthSessionResponse', description: "A session, its user, and the user's organizations." },
)

export function presentUser(user: UserDocument, isPlatformAdmin: boolean): Static<typeof UserRecord> {
  return {
    id: user._id,
    email: user.email,
    display_name: user.display_name,
    is_active: user.is_active,
    is_platform_admin: isPlatformAdmin,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
  }
}

export function presentOrganization(organization: OrganizationDocument, role: EnterpriseRole | null): Static<typeof OrganizationRecord> {
  return {
    id: organization._id,
    slug: organization.slug,
    name: organization.name,
    description: organization.description,
    role,
    is_active: organization.is_active,
    created_at: organization.created_at.toISOString(),
    updated_at: organization.updated_at.toISOString(),
  }
}

export function presentMembership(membership: MembershipDocument, user: Pick<UserDocument, 'email' | 'display_name'>): Static<typeof OrganizationMembershipRecord> {
  return {
    id: membership._id,
    organization_id: membership.organization_id,
    user_id: membership.user_id,
    email: user.email,
    display_name: user.display_name,
    role: membership.role,
    created_at: membership.created_at.toISOString(),
    updated_at: membership.updated_at.toISOString(),
  }
}

export function presentSession({ accessToken, expiresAt, user, isPlatformAdmin, organizations, current, memberships }: SessionView): Static<typeof AuthSessionResponse> {
  const present = ({ organization, role }: OrganizationView) => presentOrganization(organization, role)
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_at: expiresAt.toISOString(),
    user: presentUser(user, isPlatformAdmin),
    organizations: organizations.map(present),
    current_organization: current === null ? null : present(current),
    memberships: memberships.map((membership) => presentMembership(membership, user)),
  }
}

/** The response to a request that opened a session: the session and its cookie. */
export function sessionOpened({ view, token }: OpenedSession, ttlSeconds: number) {
  return { body: presentSession(view), cookies: [sessionCookie(token, ttlSeconds)] }
}
