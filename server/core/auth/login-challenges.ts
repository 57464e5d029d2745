/**
 * Challenges of logins whose password was right and whose second factor is still to be checked. Invariants:
 *  1. a challenge opens one session, soon, and has few attempts; another instance may check it
 *  2. it is bound to the user's `session_epoch`: a new password or second factor, a deactivation or a sign-out everywhere invalidates it
 *  3. only the keyed hash of a challenge is stored
 */
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { hashToken, newToken } from './one-time-tokens.js'
import { readingKeys, type Secrets } from './secrets.js'
import type { UserDocument } from './users.js'

/** Lifetime of a challenge: time to find the telephone and to type a code. */
export const CHALLENGE_SECONDS = 300
/** Maximum attempts with one challenge, for typing errors. After that the password must be entered again. */
export const CHALLENGE_ATTEMPTS = 5

/** `_id` is the hash of the challenge. */
export interface LoginChallengeDocument extends StoredDocument {
  readonly user_id: string
  readonly epoch: number
  /** The organization that the login named; null: none. */
  readonly organization_id: string | null
  readonly attempts: number
  readonly expires_at: Date
}

export const LOGIN_CHALLENGES = platformCollection<LoginChallengeDocument>('login_challenges', [{ keys: { expires_at: 1 }, expireAfterSeconds: 0 }])

/** A new challenge, for the answer to a login. */
export interface OpenedChallenge {
  readonly challenge: string
  readonly expiresAt: Date
}

export class LoginChallenges {
  readonly #documents: Collection<LoginChallengeDocument>
  readonly #secrets: Secrets
  readonly #clock: () => number

  constructor(storage: Storage, secrets: Secrets, clock: () => number) {
    this.#documents = storage.open(LOGIN_CHALLENGES)
    this.#secrets = secrets
    this.#clock = clock
  }

  /** @param user as read before the password was checked */
  async open(user: Pick<UserDocument, '_id' | 'session_epoch'>, organizationId: string | null): Promise<OpenedChallenge> {
    const challenge = newToken()
    const expiresAt = new Date(this.#clock() + CHALLENGE_SECONDS * 1000)
    const _id = hashToken(this.#secrets.tokenHash, 'login-challenge', challenge)
    await this.#documents.insert({ _id, user_id: user._id, epoch: user.session_epoch, organization_id: organizationId, attempts: 0, expires_at: expiresAt })
    return { challenge, expiresAt }
  }

  /** Null: there is none, or it has expired, or its attempts are used up. */
  async find(challenge: string): Promise<LoginChallengeDocument | null> {
    for (const key of readingKeys(this.#secrets, 'tokenHash')) {
      const found = await this.#documents.findOne({ _id: hashToken(key, 'login-challenge', challenge) })
      if (found !== null) return found.attempts < CHALLENGE_ATTEMPTS && found.expires_at.getTime() > this.#clock() ? found : null
    }
    return null
  }

  /** Counts an attempt before the code is checked, so that concurrent attempts can't exceed the limit. @returns false: none is left */
  async attempt({ _id }: LoginChallengeDocument): Promise<boolean> {
    const open = { _id, attempts: { lt: CHALLENGE_ATTEMPTS }, expires_at: { gt: new Date(this.#clock()) } }
    return (await this.#documents.update(open, { increment: { attempts: 1 } })) !== null
  }

  /** The write that uses the challenge up; it fails if another request has. */
  closing({ _id }: LoginChallengeDocument): Write {
    return this.#documents.deleting({ _id })
  }
}
