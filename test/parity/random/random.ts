/** A small seeded generator of random numbers (mulberry32): the same seed creates the same content on every machine and with every version of a library. */
export class Random {
  #state: number
  readonly #makesMistakes: boolean

  /** @param mistakeShare share of the seeds whose content has mistakes: most contents should load */
  constructor(seed: number, mistakeShare = 0) {
    this.#state = seed >>> 0
    this.#makesMistakes = this.chance(mistakeShare)
  }

  /** Returns a number from 0 up to, but not including, 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** Returns an integer, both bounds included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  /** Like `chance`, but only in contents that have mistakes. */
  mistake(probability: number): boolean {
    return this.#makesMistakes && this.chance(probability)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]
  }

  /** Calls `make` a random number of times. */
  times<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, index) => make(index))
  }

  /** Returns the result of `make` as a mistake, or nothing. */
  wrong<T>(probability: number, make: () => T): T[] {
    return this.mistake(probability) ? [make()] : []
  }

  /** Returns the result of `make`, or nothing. */
  maybe<T>(probability: number, make: () => T): T[] {
    return this.chance(probability) ? [make()] : []
  }
}
