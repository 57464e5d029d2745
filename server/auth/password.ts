/**
 * Passwords, as argon2id hashes. Invariants:
 *  1. `verify` hashes exactly once, whether or not there is a user, so that the time it takes doesn't tell
 *  2. at most `HASHES_AT_ONCE` run: argon2 works in libuv's pool, where files and host names wait as well. The others wait in line, and when the line
 *     is full the caller is told to come back: a flood of logins costs neither memory nor the other requests' time
 */
import argon2 from 'argon2'
import { randomBytes } from 'node:crypto'
import { ApiError } from '../errors.js'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
export const MEMORY_KIB = 19 * 1024
const PASSES = 2
const LANES = 1
export const PASSWORD_LEAST_CHARACTERS = 10
/** Enough for any passphrase; longer ones only make work. */
export const PASSWORD_MOST_CHARACTERS = 1024
/** Half of libuv's pool, which has four threads unless told otherwise. */
const HASHES_AT_ONCE = 2
/** About two seconds of work. */
const WAITING_LIMIT = 128
const RETRY_AFTER_SECONDS = '2'

/** What is needed of argon2; tests count its calls. */
export interface Hasher {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
  /** Whether a hash was made with other parameters than today's. */
  isOutdated(hash: string): boolean
}

const PARAMETERS = { memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: LANES }

export const ARGON2: Hasher = {
  hash: (password) => argon2.hash(password, { type: argon2.argon2id, ...PARAMETERS }),
  verify: (hash, password) => argon2.verify(hash, password),
  isOutdated: (hash) => !hash.startsWith('$argon2id$') || argon2.needsRehash(hash, PARAMETERS),
}

export class Passwords {
  readonly #hasher: Hasher
  readonly #line: Line
  /** Of a password that nobody has, for users that nobody is. Made before the first login, so that this one is no slower than the others. */
  readonly #nobodys: Promise<string>

  constructor(hasher: Hasher = ARGON2, { atOnce = HASHES_AT_ONCE, waiting = WAITING_LIMIT } = {}) {
    this.#hasher = hasher
    this.#line = new Line(atOnce, waiting)
    this.#nobodys = hasher.hash(randomBytes(32).toString('base64'))
    this.#nobodys.catch(() => undefined)
  }

  /** @throws ApiError overloaded */
  hash(password: string): Promise<string> {
    return this.#line.run(() => this.#hasher.hash(normalize(password)))
  }

  /** @param hash null: there is no such user, or none with a password. @throws ApiError overloaded */
  async verify(hash: string | null, password: string): Promise<boolean> {
    const against = hash ?? (await this.#nobodys)
    const matches = await this.#line.run(() => this.#hasher.verify(against, normalize(password)))
    return matches && hash !== null
  }

  isOutdated(hash: string): boolean {
    return this.#hasher.isOutdated(hash)
  }
}

/** Keyboards of different systems send the same letters as different code points. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}

/** Runs a few at once, lets a bounded number wait, and refuses the others. */
class Line {
  readonly #atOnce: number
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, limit: number) {
    this.#atOnce = atOnce
    this.#limit = limit
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#limit) throw new ApiError('overloaded', { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
