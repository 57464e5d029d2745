/** Numbers names. A layer continues the numbers of its base and does not change the base. */
export class LayeredNames {
  readonly #base: LayeredNames | null
  readonly #own = new Map<string, number>()
  readonly #first: number

  constructor(base: LayeredNames | null = null) {
    this.#base = base
    this.#first = base === null ? 0 : base.size
  }

  get size(): number {
    return this.#first + this.#own.size
  }

  /** Returns the number of a name, or -1. @param name byte string; folded if case is ignored */
  find(name: string): number {
    return this.#own.get(name) ?? this.#base?.find(name) ?? -1
  }

  /** Returns the number of a name; the first call assigns it. */
  intern(name: string): number {
    const known = this.find(name)
    if (known >= 0) return known
    const number = this.size
    this.#own.set(name, number)
    return number
  }

  /** Returns all names, those of the base first. */
  names(): string[] {
    return [...(this.#base?.names() ?? []), ...this.#own.keys()]
  }
}
