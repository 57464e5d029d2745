/** Sessions of users. A token references a session by its `jti` and is invalid without it. */
import { newId } from '../storage/id.js'
import { findPage, type Page, type PageOptions } from '../tenancy/page.js'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import type { RequestContext } from './request-context.js'
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
  /** IP address that opened the session; missing in sessions of earlier versions, like `client`. */
  readonly address?: string
  /** Name of the program that opened it, from `User-Agent`; null: it sent none. */
  readonly client?: string | null
  readonly created_at: Date
  readonly expires_at: Date
}

export const SESSIONS = platformCollection<SessionDocument>('sessions', [
  { keys: { user_id: 1, epoch: 1, expires_at: -1, _id: -1 } },
  { keys: { provider_id: 1, expires_at: 1 } },
  { keys: { expires_at: 1 }, expireAfterSeconds: 0 },
])

/** A session to open: its write belongs to the commit of the login or registration. */
export interface NewSession {
  readonly sessionId: string
  readonly token: string
  readonly expiresAt: Date
  readonly organizationId: string | null
  /** As `SessionProof.providerId`. */
  readonly providerId: string | null
  readonly write: Write
}

/** How the user of a new session proved who they are. */
export interface SessionProof {
  /** The identity provider that vouched for the user; null: the password. */
  readonly providerId: string | null
  readonly hasSecondFactor: boolean
}

/** Where a session is opened from. */
export type SessionOrigin = Pick<RequestContext, 'address' | 'client'>

/** Longer names of programs are cut: the list of sessions shows one line for each. */
const CLIENT_CHARACTERS = 200

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
  opening(user: Pick<UserDocument, '_id' | 'session_epoch'>, organizationId: string | null, origin: SessionOrigin, now: Date, proof: SessionProof): NewSession {
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
      address: origin.address,
      client: clientName(origin.client),
      created_at: now,
      expires_at: expiresAt,
    }
    return { sessionId, token, expiresAt, organizationId, providerId: proof.providerId, write: this.#documents.inserting(document) }
  }

  /** The sessions of a user that are valid now. @param providerId only those that this provider opened; null: all */
  list(user: Pick<UserDocument, '_id' | 'session_epoch'>, providerId: string | null, now: Date, options: PageOptions<SessionDocument>): Promise<Page<SessionDocument>> {
    const live = { user_id: user._id, epoch: user.session_epoch, expires_at: { gt: now } }
    return findPage(this.#documents, providerId === null ? live : { ...live, provider_id: providerId }, options)
  }

  /** Number of sessions of a user that are valid now. */
  count(user: Pick<UserDocument, '_id' | 'session_epoch'>, now: Date): Promise<number> {
    return this.#documents.count({ user_id: user._id, epoch: user.session_epoch, expires_at: { gt: now } })
  }

  /** The write that ends the other sessions that a provider opened for a user. */
  closingOthersOf(providerId: string, userId: string, sessionId: string): Write {
    return this.#documents.deletingMany({ _id: { not: sessionId }, user_id: userId, provider_id: providerId })
  }

  /** The writes that, in the commit that increments the user's epoch, keep one session and delete the others. @param user as read before */
  keepingOnly(sessionId: string, { _id, session_epoch }: Pick<UserDocument, '_id' | 'session_epoch'>, hasSecondFactor?: boolean): Write[] {
    const epoch = session_epoch + 1
    const set = { epoch, ...(hasSecondFactor === undefined ? {} : { has_second_factor: hasSecondFactor }) }
    return [this.#documents.updating({ _id: sessionId, user_id: _id, epoch: session_epoch }, { set }), this.#documents.deletingMany({ user_id: _id, epoch: { lt: epoch } })]
  }

  /** The number of sessions that a provider opened and that have not expired. */
  countOf(providerId: string, now: Date): Promise<number> {
    return this.#documents.count({ provider_id: providerId, expires_at: { gt: now } })
  }

  /** The write that ends all sessions that a provider opened. */
  closingAllOfProvider(providerId: string): Write {
    return this.#documents.deletingMany({ provider_id: providerId })
  }

  /** Ends the sessions that `closingAllOfProvider` missed, because their commit ran at the same time. */
  async closeAllOfProvider(providerId: string): Promise<void> {
    await this.#documents.deleteMany({ provider_id: providerId })
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

/** The name of a program without invisible characters, which could disguise a session in the list; null: it sent none. */
function clientName(userAgent: string | undefined): string | null {
  const visible = (userAgent ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return visible === '' ? null : [...visible.slice(0, 2 * CLIENT_CHARACTERS)].slice(0, CLIENT_CHARACTERS).join('')
}
