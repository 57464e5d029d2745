/**
 * The view of a session for its user: the user, the current organization, and the others to choose from. A session of an identity provider reaches one
 * organization, and shows no other: a provider must not learn where else the user is a member.
 */
import type { MembershipDocument } from '../tenancy/memberships.js'
import { ApiError } from '../errors.js'
import type { Identities } from './identities.js'
import type { OrganizationDocument } from './organizations.js'
import type { EnterpriseRole } from '../tenancy/permissions.js'
import type { UserDocument } from './users.js'

export interface OrganizationView {
  readonly organization: OrganizationDocument
  /** The user's role; null: a platform admin who is not a member. */
  readonly role: EnterpriseRole | null
}

export interface SessionView {
  /** Value of `access_token`. */
  readonly accessToken: string
  readonly expiresAt: Date
  readonly user: UserDocument
  readonly isPlatformAdmin: boolean
  readonly organizations: readonly OrganizationView[]
  /** Null: the user belongs to no organization. */
  readonly current: OrganizationView | null
  readonly memberships: readonly MembershipDocument[]
}

/** A new session. Its token is also sent as a cookie. */
export interface OpenedSession {
  readonly view: SessionView
  readonly token: string
}

/** A session to show. */
export interface ViewedSession {
  /** Value of `access_token`. */
  readonly accessToken: string
  readonly expiresAt: Date
  /** The organization of the request; null: the user belongs to none. */
  readonly organizationId: string | null
  /** The identity provider that opened the session; null: a password did. */
  readonly providerId: string | null
}

/** @throws ApiError credential_invalid when the user no longer exists */
export async function viewSession(
  { users, organizations, memberships }: Pick<Identities, 'users' | 'organizations' | 'memberships'>,
  userId: string,
  { accessToken, expiresAt, organizationId, providerId }: ViewedSession,
): Promise<SessionView> {
  const [user, all] = await Promise.all([users.byId(userId), memberships.ofUser(userId)])
  if (user === null) throw new ApiError('credential_invalid')
  const own = providerId === null ? all : all.filter(({ organization_id }) => organization_id === organizationId)
  const found = await organizations.byIds([...new Set([...own.map(({ organization_id }) => organization_id), ...(organizationId === null ? [] : [organizationId])])])
  const roles = new Map(own.map(({ organization_id, role }) => [organization_id, role]))
  const view = (id: string): OrganizationView[] => {
    const organization = found.get(id)
    return organization === undefined ? [] : [{ organization, role: roles.get(id) ?? null }]
  }
  return {
    accessToken,
    expiresAt,
    user,
    isPlatformAdmin: providerId === null && users.isPlatformAdmin(user),
    organizations: own.flatMap(({ organization_id }) => view(organization_id)),
    current: organizationId === null ? null : (view(organizationId)[0] ?? null),
    memberships: own,
  }
}
