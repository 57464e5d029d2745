/**
 * Second factors of users: codes by time (TOTP, RFC 6238), and recovery codes for a lost device (CONTRACT.md#second-factor). Every method takes the user. Invariants:
 *  1. a code counts once: the write that uses it matches the revision that was read and stores the step, so of two concurrent uses one fails
 *  2. a secret counts only after its user has proved with a code that an authenticator has it
 *  3. the secret is sealed for its user. Recovery codes are stored as hashes only
 */
import { hash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { hashesMatch } from './api-keys.js'
import { seal, UnsealError, unsealWithAny } from './sealing.js'
import { readingKeys, type Secrets } from './secrets.js'

/** What all common authenticators support; most ignore other values. */
const PERIOD_SECONDS = 30
const DIGITS = 6
const ALGORITHM = 'SHA1'
/** RFC 4226, 4: the length of the hash. */
const SECRET_BYTES = 20
/** Steps before and after the current one whose codes are valid: clocks of telephones differ by seconds, and typing takes time (RFC 6238, 5.2). */
const SKEW_STEPS = 1
/** Time to enter the secret in an authenticator. */
const PENDING_MS = 15 * 60 * 1000
const RECOVERY_CODES = 10
/** 80 bits: a hash without a key is safe, and a change of the secret key loses no recovery codes. */
const RECOVERY_BYTES = 10
const RECOVERY_GROUP = 4
/** Shown by authenticators next to the e-mail. */
const ISSUER = 'Detection Content'
/** Characters of a request's code: a recovery code with separators. */
export const CODE_CHARACTERS = 64

/** `_id` is the id of the user. */
export interface SecondFactorDocument extends StoredDocument {
  /** Sealed; base32. */
  readonly secret: string
  readonly begun_at: Date
  /** Null: not confirmed yet. */
  readonly enabled_at: Date | null
  /** The step of the last code that was used. Codes of this step and of earlier ones are refused. */
  readonly last_step: number
  /** Hashes of the recovery codes that were not used yet. */
  readonly recovery_hashes: readonly string[]
  readonly revision: number
}

export const SECOND_FACTORS = platformCollection<SecondFactorDocument>('second_factors', [])

/** A secret for an authenticator, shown once. */
export interface NewSecret {
  /** Base32, to type. */
  readonly secret: string
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: string
  readonly write: Write
}

/** Codes of a user, with the write that stores their hashes. */
export interface NewRecoveryCodes {
  readonly codes: readonly string[]
  readonly write: Write
}

/** A valid code. The write uses it up and belongs to the commit of what the code permits; it fails if the code was used meanwhile. */
export interface UsedCode {
  readonly isRecoveryCode: boolean
  /** The factor after the write. */
  readonly factor: SecondFactorDocument
  readonly write: Write
}

export class SecondFactors {
  readonly #documents: Collection<SecondFactorDocument>
  readonly #secrets: Secrets
  readonly #clock: () => number

  constructor(storage: Storage, secrets: Secrets, clock: () => number) {
    this.#documents = storage.open(SECOND_FACTORS)
    this.#secrets = secrets
    this.#clock = clock
  }

  /** Null: the user has none, or has not confirmed it. */
  async enabledOf(userId: string): Promise<SecondFactorDocument | null> {
    const factor = await this.#documents.findOne({ _id: userId })
    return factor === null || factor.enabled_at === null ? null : factor
  }

  /** The factor that the user began to set up; null: none, or too long ago. */
  async pendingOf(userId: string): Promise<SecondFactorDocument | null> {
    const factor = await this.#documents.findOne({ _id: userId })
    return factor === null || factor.enabled_at !== null || factor.begun_at.getTime() + PENDING_MS <= this.#clock() ? null : factor
  }

  /** Begins a setup, in place of one that was not confirmed. The write fails if the user has an enabled factor. @param email the name in the authenticator */
  async beginning(userId: string, email: string): Promise<NewSecret> {
    const secret = new Secret({ size: SECRET_BYTES }).base32
    const before = await this.#documents.findOne({ _id: userId })
    const fresh = {
      secret: seal(this.#secrets.secondFactor, secret, placeOf(userId)),
      begun_at: new Date(this.#clock()),
      enabled_at: null,
      last_step: 0,
      recovery_hashes: [],
    }
    const write =
      before === null
        ? this.#documents.inserting({ _id: userId, ...fresh, revision: 1 })
        : this.#documents.updating({ _id: userId, revision: before.revision, enabled_at: null }, { set: fresh, increment: { revision: 1 } })
    return { secret, uri: totpOf(secret, email).toString(), write }
  }

  /** Enables a pending factor whose code was checked. */
  enabling(used: UsedCode): NewRecoveryCodes {
    const codes = newRecoveryCodes()
    const { _id, revision, last_step } = used.factor
    const set = { enabled_at: new Date(this.#clock()), last_step, recovery_hashes: hashesOf(_id, codes) }
    return { codes, write: this.#documents.updating({ _id, revision: revision - 1, enabled_at: null }, { set, increment: { revision: 1 } }) }
  }

  /** Replaces the recovery codes; `used` permits it, and its write is part of this one. */
  renewing({ factor: { _id, revision, last_step } }: UsedCode): NewRecoveryCodes {
    const codes = newRecoveryCodes()
    return {
      codes,
      write: this.#documents.updating({ _id, revision: revision - 1 }, { set: { last_step, recovery_hashes: hashesOf(_id, codes) }, increment: { revision: 1 } }),
    }
  }

  /** Removes the factor. The write fails if it was changed meanwhile. */
  removing({ _id, revision }: Pick<SecondFactorDocument, '_id' | 'revision'>): Write {
    return this.#documents.deleting({ _id, revision })
  }

  /** Checks a code: of an authenticator, or a recovery code. Spaces and hyphens don't matter, nor does case. Null: the code is wrong or was used. */
  using(factor: SecondFactorDocument, code: string): UsedCode | null {
    const plain = code.replace(/[\s-]/g, '').toUpperCase()
    const change = /^\d+$/.test(plain) ? this.#byTime(factor, plain) : byRecoveryCode(factor, plain)
    if (change === null) return null
    const { _id, revision } = factor
    const write = this.#documents.updating({ _id, revision }, { set: change, increment: { revision: 1 } })
    return { isRecoveryCode: 'recovery_hashes' in change, factor: { ...factor, ...change, revision: revision + 1 }, write }
  }

  #byTime(factor: SecondFactorDocument, token: string): Pick<SecondFactorDocument, 'last_step'> | null {
    const timestamp = this.#clock()
    const secret = this.#open(factor)
    const delta = secret === null || token.length !== DIGITS ? null : totpOf(secret, '').validate({ token, window: SKEW_STEPS, timestamp })
    if (delta === null) return null
    const step = Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
    return step > factor.last_step ? { last_step: step } : null
  }

  /** Null: sealed with a lost key. The recovery codes are still valid. */
  #open({ _id, secret }: SecondFactorDocument): string | null {
    try {
      return unsealWithAny(readingKeys(this.#secrets, 'secondFactor'), secret, placeOf(_id))
    } catch (error) {
      if (error instanceof UnsealError) return null
      throw error
    }
  }
}

/** The place for which the secret of a user is sealed. */
export function placeOf(userId: string): string {
  return `second-factor:${userId}`
}

function byRecoveryCode({ _id, recovery_hashes }: SecondFactorDocument, plain: string): Pick<SecondFactorDocument, 'recovery_hashes'> | null {
  const own = hashRecoveryCode(_id, plain)
  const left = recovery_hashes.filter((stored) => !hashesMatch(stored, own))
  return left.length === recovery_hashes.length ? null : { recovery_hashes: left }
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, algorithm: ALGORITHM, digits: DIGITS, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) })
}

/** Base32 in groups. A code of letters has no digits alone (1 in 10^11), so it is never taken for a code by time. */
function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ buffer: Uint8Array.from(randomBytes(RECOVERY_BYTES)).buffer }).base32
    return text.replace(new RegExp(`.{${RECOVERY_GROUP}}(?=.)`, 'g'), '$&-')
  })
}

function hashesOf(userId: string, codes: readonly string[]): string[] {
  return codes.map((code) => hashRecoveryCode(userId, code.replaceAll('-', '')))
}

function hashRecoveryCode(userId: string, plain: string): string {
  return hash('sha256', `recovery-code\0${userId}\0${plain}`, 'base64url')
}
