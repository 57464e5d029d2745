/**
 * What is read of an organization again and again, kept for less than the second within which instances agree. Invariants:
 *  1. it is `FRESH_MS` old at most, counted from the moment its reading began
 *  2. many who ask at once share one reading
 *  3. `forget` is at once: of a reading that was under way then nothing is kept, and nobody who asks later is given it
 */
import { LRUCache } from 'lru-cache'
import type { Scope } from './scope.js'

/** Below the second within which instances agree, with room for the reading. */
const FRESH_MS = 750
/** Some hundred bytes each. */
const ORGANIZATIONS_LIMIT = 10_000

interface Entry<T> {
  readonly value: T
  readonly readAt: number
}

export class OrganizationCache<T extends object> {
  readonly #read: (scope: Scope) => Promise<T>
  readonly #clock: () => number
  readonly #entries = new LRUCache<string, Entry<T>>({ max: ORGANIZATIONS_LIMIT })
  readonly #underWay = new Map<string, Promise<T>>()

  /** @param clock milliseconds; one that is set back makes what was read old */
  constructor(read: (scope: Scope) => Promise<T>, clock: () => number = () => performance.now()) {
    this.#read = read
    this.#clock = clock
  }

  /** Undefined: it has to be read. */
  known({ organizationId }: Scope): T | undefined {
    const entry = this.#entries.get(organizationId)
    if (entry === undefined) return undefined
    const age = this.#clock() - entry.readAt
    return age >= 0 && age < FRESH_MS ? entry.value : undefined
  }

  /** Without waiting when it is known. */
  get(scope: Scope): T | Promise<T> {
    return this.known(scope) ?? this.#underWay.get(scope.organizationId) ?? this.#begin(scope)
  }

  /** Called after it was changed here. */
  forget({ organizationId }: Scope): void {
    this.#entries.delete(organizationId)
    this.#underWay.delete(organizationId)
  }

  #begin(scope: Scope): Promise<T> {
    const id = scope.organizationId
    const readAt = this.#clock()
    const reading: Promise<T> = this.#read(scope).then(
      (value) => {
        if (this.#underWay.get(id) === reading) {
          this.#underWay.delete(id)
          this.#entries.set(id, { value, readAt })
        }
        return value
      },
      (error: unknown) => {
        if (this.#underWay.get(id) === reading) this.#underWay.delete(id)
        throw error
      },
    )
    this.#underWay.set(id, reading)
    return reading
  }
}
