/** Sessions of users. A token references a session by its `jti` and is invalid without it. */
import { newId } from '../storage/id.js'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import type { AccessTokens } from './tokens.js'
import type { UserDocument } from './users.js'

export interface SessionDocument extends StoredDocument {
  readonly user_id: string
  /** The organization in which the session was opened; null: the user belonged to none. */
  readonly organization_id: string | null
  /** The user's `session_epoch` when the session was opened. */
  readonly epoch: number
  /** The identity provider of `organization_id` that vouched for the user: the session reaches that organization alone. Null or missing: opened with a password. */
  readonly provider_id?: string | null
  /** Whether a second factor was checked when the session was opened. */
  readonly has_second_factor?: boolean
  readonly created_at: Date
  readonly expires_at: Date
}

export const SESSIONS = platformCollection<SessionDocument>('sessions', [{ keys: { user_id: 1 } }, { keys: { expires_at: 1 }, expireAfterSeconds: 0 }])

/** A session to open: its write belongs to the commit of the login or registration. */
export interface NewSession {
  readonly sessionId: string
  readonly token: string
  readonly expiresAt: Date
  readonly organizationId: string | null
  readonly write: Write
}

/** How the user of a new session proved who they are. */
export interface SessionProof {
  /** The identity provider that vouched for the user; null: the password. */
  readonly providerId: string | null
  readonly hasSecondFactor: boolean
}

export const PASSWORD_ALONE: SessionProof = { providerId: null, hasSecondFactor: false }

/** Whether a session is valid for the user's current state. @param now milliseconds since the epoch */
export function isLive(session: SessionDocument, user: Pick<UserDocument, '_id' | 'is_active' | 'session_epoch'>, now: number): boolean {
  return session.user_id === user._id && user.is_active && session.epoch === user.session_epoch && session.expires_at.getTime() > now
}

export class Sessions {
  readonly #documents: Collection<SessionDocument>
  readonly #tokens: AccessTokens
  readonly ttlSeconds: number

  constructor(storage: Storage, tokens: AccessTokens, ttlSeconds: number) {
    this.#documents = storage.open(SESSIONS)
    this.#tokens = tokens
    this.ttlSeconds = ttlSeconds
  }

  byId(id: string): Promise<SessionDocument | null> {
    return this.#documents.findOne({ _id: id })
  }

  /** The existing documents, by id. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, SessionDocument>> {
    const found = ids.length === 0 ? [] : await this.#documents.find({ _id: { in: ids } })
    return new Map(found.map((session) => [session._id, session]))
  }

  /** @param user as read before the credentials were checked; if the user changes meanwhile, the session has an outdated epoch and is invalid */
  opening(user: Pick<UserDocument, '_id' | 'session_epoch'>, organizationId: string | null, now: Date, proof: SessionProof = PASSWORD_ALONE): NewSession {
    const sessionId = newId()
    // Tokens have whole seconds.
    const expiresAt = new Date((Math.floor(now.getTime() / 1000) + this.ttlSeconds) * 1000)
    const token = this.#tokens.sign({ userId: user._id, sessionId, organizationId, issuedAt: now, expiresAt })
    const document = {
      _id: sessionId,
      user_id: user._id,
      organization_id: organizationId,
      epoch: user.session_epoch,
      provider_id: proof.providerId,
      has_second_factor: proof.hasSecondFactor,
      created_at: now,
      expires_at: expiresAt,
    }
    return { sessionId, token, expiresAt, organizationId, write: this.#documents.inserting(document) }
  }

  closing(sessionId: string): Write {
    return this.#documents.deleting({ _id: sessionId })
  }

  /** The write that deletes all sessions of a user. A new epoch invalidates them; this only cleans up. */
  closingAllOf(userId: string): Write {
    return this.#documents.deletingMany({ user_id: userId })
  }

  /** The write that deletes the sessions that were opened in an organization the user leaves. */
  closingIn(organizationId: string, userId: string): Write {
    return this.#documents.deletingMany({ user_id: userId, organization_id: organizationId })
  }
}
