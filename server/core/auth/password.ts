/**
 * Passwords, hashed with argon2id. Invariants:
 *  1. `verify` hashes exactly once, whether or not the user exists, so its duration does not reveal that
 *  2. the number of concurrent hashes is limited (`password_hashes` in the table of limits), and holders alternate: a flood of logins from one address costs
 *     neither memory nor the time of others
 */
import { argon2id, hash, needsRehash, verify } from 'argon2'
import { randomBytes } from 'node:crypto'
import type { Holder, Limits } from '../limits/limits.js'

/** OWASP's recommendation for argon2id: 19 MiB, two passes, parallelism 1. */
export const MEMORY_KIB = 19 * 1024
const PASSES = 2
const LANES = 1
export const PASSWORD_MIN_CHARACTERS = 10
/** Longer than any passphrase; longer ones would only cost time. */
export const PASSWORD_MAX_CHARACTERS = 1024

/** Memory in KiB, number of passes, and parallelism. */
export interface HashParameters {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
}

/** Operations on argon2 hashes. Tests replace them to count calls. */
export interface Hasher {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
  /** Whether a hash was created with other parameters than this hasher's. */
  isOutdated(hash: string): boolean
}

/** Hashes with Argon2id. */
export function argon2Hasher(parameters: HashParameters): Hasher {
  return {
    hash: (password) => hash(password, { type: argon2id, ...parameters }),
    verify: (stored, password) => verify(stored, password),
    isOutdated: (stored) => !stored.startsWith('$argon2id$') || needsRehash(stored, parameters),
  }
}

export const ARGON2 = argon2Hasher({ memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: LANES })

export class Passwords {
  readonly #hasher: Hasher
  readonly #limits: Pick<Limits, 'acquireQueued'>
  /** Hash for users that don't exist, of a password that is unknown. Created at the start, so that the first login is no slower than others. */
  readonly #unknownUserHash: Promise<string>

  constructor(limits: Pick<Limits, 'acquireQueued'>, hasher: Hasher = ARGON2) {
    this.#hasher = hasher
    this.#limits = limits
    this.#unknownUserHash = hasher.hash(randomBytes(32).toString('base64'))
    this.#unknownUserHash.catch(() => undefined)
  }

  /** @param holder holder of the limit @throws ApiError limit_reached */
  hash(password: string, holder: Holder): Promise<string> {
    return this.#inTurn(holder, () => this.#hasher.hash(normalize(password)))
  }

  /** @param hash null: the user does not exist or has no password. @param holder holder of the limit @throws ApiError limit_reached */
  async verify(hash: string | null, password: string, holder: Holder): Promise<boolean> {
    const against = hash ?? (await this.#unknownUserHash)
    const matches = await this.#inTurn(holder, () => this.#hasher.verify(against, normalize(password)))
    return matches && hash !== null
  }

  isOutdated(hash: string): boolean {
    return this.#hasher.isOutdated(hash)
  }

  async #inTurn<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    const permit = await this.#limits.acquireQueued('password_hashes', holder)
    try {
      return await work()
    } finally {
      permit.release()
    }
  }
}

/** Keyboards of different systems produce different code points for the same letter. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}
