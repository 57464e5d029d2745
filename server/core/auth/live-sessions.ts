/**
 * Checks which of many authenticated sessions are still valid, for work that outlives a request. The rules are those of `authenticate`, with one query per
 * collection for all sessions.
 */
import type { MembershipDocument } from '../tenancy/memberships.js'
import type { Identities } from './identities.js'
import type { IdentityPolicy } from './organizations.js'
import { type IncludesSso, isElsewhere, isOfProvider, policyInForce, policyRefusal } from './session-reach.js'
import { isLive } from './sessions.js'

/** Ids in one query. */
const IDS_PER_QUERY = 500

/** A session and the organization in which it is used. */
export interface SessionHolder {
  readonly userId: string
  readonly sessionId: string
  readonly organizationId: string
}

/** The holders that `authenticate` would accept now. @throws StorageUnavailableError */
export async function liveHolders<T extends SessionHolder>(
  { sessions, users, organizations, memberships, clock }: Pick<Identities, 'sessions' | 'users' | 'organizations' | 'memberships' | 'clock'>,
  holders: readonly T[],
  includesSso: IncludesSso,
): Promise<ReadonlySet<T>> {
  const [storedSessions, people, places] = await Promise.all([
    inSlices(distinct(holders, 'sessionId'), (ids) => sessions.byIds(ids)),
    inSlices(distinct(holders, 'userId'), (ids) => users.byIds(ids)),
    inSlices(distinct(holders, 'organizationId'), (ids) => organizations.byIds(ids)),
  ])
  const members = await membersOf(memberships, holders)
  const policies = new Map<string, IdentityPolicy>()
  for (const [id, organization] of places) policies.set(id, await policyInForce(organization, includesSso))
  const live = holders.filter(({ userId, sessionId, organizationId }) => {
    const session = storedSessions.get(sessionId)
    const user = people.get(userId)
    const organization = places.get(organizationId)
    const policy = policies.get(organizationId)
    if (session === undefined || user === undefined || organization === undefined || policy === undefined || !isLive(session, user, clock())) return false
    if (isElsewhere(session, organizationId)) return false
    const isPlatformAdmin = users.isPlatformAdmin(user) && !isOfProvider(session)
    if (policyRefusal(session, policy, isPlatformAdmin) !== null) return false
    return isPlatformAdmin || (organization.is_active && members.has(`${organizationId}\n${userId}`))
  })
  return new Set(live)
}

/** Organization and user of each existing membership. */
async function membersOf(memberships: Pick<Identities['memberships'], 'ofUsers'>, holders: readonly SessionHolder[]): Promise<ReadonlySet<string>> {
  const byOrganization = new Map<string, SessionHolder[]>()
  for (const holder of holders) {
    const others = byOrganization.get(holder.organizationId)
    if (others === undefined) byOrganization.set(holder.organizationId, [holder])
    else others.push(holder)
  }
  const found = new Set<string>()
  for (const [organizationId, ofOne] of byOrganization) {
    const own = await inSlices(distinct(ofOne, 'userId'), async (ids) => {
      const all = await memberships.ofUsers(organizationId, ids)
      return new Map<string, MembershipDocument>(all.map((membership) => [membership.user_id, membership]))
    })
    for (const userId of own.keys()) found.add(`${organizationId}\n${userId}`)
  }
  return found
}

function distinct(holders: readonly SessionHolder[], field: keyof SessionHolder): string[] {
  return [...new Set(holders.map((holder) => holder[field]))]
}

async function inSlices<D>(ids: readonly string[], find: (ids: readonly string[]) => Promise<ReadonlyMap<string, D>>): Promise<Map<string, D>> {
  const found = new Map<string, D>()
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) for (const [id, document] of await find(ids.slice(at, at + IDS_PER_QUERY))) found.set(id, document)
  return found
}
