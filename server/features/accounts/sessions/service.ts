/** The sessions of the caller. A session of an identity provider sees and ends only sessions that this provider opened: it reaches no other organization. */
import type { Identities } from '../../../core/auth/identities.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { isLive, type SessionDocument } from '../../../core/auth/sessions.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { ApiError } from '../../../core/errors.js'
import { refuseStale } from '../../../core/tenancy/retry-stale.js'
import type { Write } from '../../../core/storage/contract.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import { auditContext, auditing, auditingUser } from '../../../core/audit/service.js'
import type { SessionListQuery } from './schema.js'

type Owner = Actor<UserPrincipal>

export class SessionsService {
  readonly #identities: Identities

  constructor(identities: Identities) {
    this.#identities = identities
  }

  /** Lists the valid sessions, by their end. All sessions last equally long, so this is the order in which they were opened. */
  async list(principal: UserPrincipal, query: SessionListQuery): Promise<Page<SessionDocument>> {
    const { sessions, clock } = this.#identities
    return sessions.list(await this.#user(principal), principal.providerId, new Date(clock()), findOptions(query))
  }

  /** Ends one session, which may be the one of the request. @throws ApiError resource_missing */
  async end(actor: Owner, sessionId: string): Promise<void> {
    const { sessions, tenancy, commit, clock } = this.#identities
    const { principal } = actor
    const [user, session] = await Promise.all([this.#user(principal), sessions.byId(sessionId)])
    const isOwn = session !== null && isLive(session, user, clock()) && (principal.providerId === null || session.provider_id === principal.providerId)
    if (!isOwn) throw new ApiError('resource_missing')
    const resource = { type: 'session', id: sessionId, name: user.email }
    const organizationId = session.organization_id
    const entries = organizationId === null ? [] : [auditing(tenancy.of(organizationId), auditContext(actor), { action: 'session.revoked', resource }, new Date(clock()))]
    await refuseStale('resource_missing', () => commit([sessions.closing(sessionId), ...entries], { user: user._id }))
  }

  /** Ends all sessions but the one of the request. @throws ApiError edit_conflict */
  async endOthers(actor: Owner): Promise<void> {
    const { users, sessions, tenancy, commit, clock } = this.#identities
    const { sessionId, providerId, organizationId } = actor.principal
    const user = await this.#user(actor.principal)
    const { _id, session_epoch } = user
    const now = new Date(clock())
    const context = auditContext(actor)
    let writes: Write[]
    if (providerId === null) {
      // A new epoch also ends sessions that are being opened at this moment.
      const update = users.updating({ _id, session_epoch, is_active: true }, { set: { updated_at: now }, increment: { session_epoch: 1, revision: 1 } })
      writes = [update, ...sessions.keepingOnly(sessionId, user), ...(await auditingUser(this.#identities, user, context, 'user.sessions_ended', now))]
    } else {
      const resource = { type: 'user', id: _id, name: user.email }
      const entries = organizationId === null ? [] : [auditing(tenancy.of(organizationId), context, { action: 'user.sessions_ended', resource }, now)]
      writes = [sessions.closingOthersOf(providerId, _id, sessionId), ...entries]
    }
    await refuseStale('edit_conflict', () => commit(writes, { user: _id }))
  }

  async #user({ userId }: UserPrincipal): Promise<UserDocument> {
    const user = await this.#identities.users.byId(userId)
    if (user === null) throw new ApiError('credential_invalid')
    return user
  }
}
