/** A session as its user sees it: who, where, and what else could be chosen. */
import type { MembershipDocument } from '../tenancy/memberships.js'
import { ApiError } from '../errors.js'
import type { Identities } from './identities.js'
import type { OrganizationDocument } from './organizations.js'
import type { EnterpriseRole } from '../tenancy/permissions.js'
import type { UserDocument } from './users.js'

export interface OrganizationView {
  readonly organization: OrganizationDocument
  /** The user's; null: a platform admin who is no member. */
  readonly role: EnterpriseRole | null
}

export interface SessionView {
  /** What is shown as `access_token`. */
  readonly accessToken: string
  readonly expiresAt: Date
  readonly user: UserDocument
  readonly isPlatformAdmin: boolean
  readonly organizations: readonly OrganizationView[]
  /** Null: the user belongs to none. */
  readonly current: OrganizationView | null
  readonly memberships: readonly MembershipDocument[]
}

/** A session that was just opened: its token goes out as a cookie as well. */
export interface OpenedSession {
  readonly view: SessionView
  readonly token: string
}

/** @throws ApiError credential_invalid when the user is gone */
export async function viewSession(
  { users, organizations, memberships }: Pick<Identities, 'users' | 'organizations' | 'memberships'>,
  userId: string,
  session: { readonly accessToken: string; readonly expiresAt: Date; readonly organizationId: string | null },
): Promise<SessionView> {
  const [user, own] = await Promise.all([users.byId(userId), memberships.ofUser(userId)])
  if (user === null) throw new ApiError('credential_invalid')
  const { accessToken, expiresAt, organizationId } = session
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
    isPlatformAdmin: users.isPlatformAdmin(user),
    organizations: own.flatMap(({ organization_id }) => view(organization_id)),
    current: organizationId === null ? null : (view(organizationId)[0] ?? null),
    memberships: own,
  }
}
