/**
 * Caches a frequently read value per organization, for less than the second within which instances must agree. Invariants:
 *  1. a value is at most `FRESH_MS` old, counted from the start of its read
 *  2. concurrent callers share one read
 *  3. `forget` takes effect at once: the result of a read in progress is neither kept nor returned to later callers
 */
import { entryCache } from '#workers'
import type { Scope } from './scope.js'

/** The age at which caches of this service read again, or ask for changes: shorter than the second within which instances must agree, to leave time for the read. */
export const FRESH_MS = 750
/** An entry takes some hundred bytes. */
const ORGANIZATIONS_LIMIT = 10_000

interface Entry<T> {
  readonly value: T
  readonly readAt: number
}

export class OrganizationCache<T extends object> {
  readonly #read: (scope: Scope) => Promise<T>
  readonly #clock: () => number
  readonly #entries = entryCache<Entry<T>>(ORGANIZATIONS_LIMIT)
  readonly #underWay = new Map<string, Promise<T>>()

  /** @param clock milliseconds; setting it back expires the entries */
  constructor(read: (scope: Scope) => Promise<T>, clock: () => number = () => performance.now()) {
    this.#read = read
    this.#clock = clock
  }

  /** The cached value; undefined: it must be read. */
  known({ organizationId }: Scope): T | undefined {
    const entry = this.#entries.get(organizationId)
    if (entry === undefined) return undefined
    const age = this.#clock() - entry.readAt
    return age >= 0 && age < FRESH_MS ? entry.value : undefined
  }

  /** Returns the value synchronously when it is cached. */
  get(scope: Scope): T | Promise<T> {
    return this.known(scope) ?? this.#underWay.get(scope.organizationId) ?? this.#begin(scope)
  }

  /** Called after this instance has changed the value, in each process. */
  forget(organizationId: string): void {
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
