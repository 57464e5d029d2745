/**
 * Names of dynamic fields as small numbers, so that rules find a field without comparing strings. Lookup ignores case
 * (engine-decoding.md 4.4). A layer continues the numbers of its base and leaves the base as it is.
 */
export class FieldNames {
  readonly #base: FieldNames | null
  readonly #own = new Map<string, number>()
  readonly #first: number

  constructor(base: FieldNames | null = null) {
    this.#base = base
    this.#first = base === null ? 0 : base.size
  }

  get size(): number {
    return this.#first + this.#own.size
  }

  /** The number of a name (in any case), or -1. @param lower folded byte string */
  find(lower: string): number {
    return this.#own.get(lower) ?? this.#base?.find(lower) ?? -1
  }

  /** The number of a name, given out at the first call. @param lower folded byte string */
  intern(lower: string): number {
    const known = this.find(lower)
    if (known >= 0) return known
    const key = this.#first + this.#own.size
    this.#own.set(lower, key)
    return key
  }
}
