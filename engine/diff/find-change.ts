/** Finds the place in a sequence of states where a condition got the value that it has at the end, and looks at as few places as possible. */

export interface Looked<T> {
  readonly at: number
  readonly state: T
}

export interface FoundChange<T> {
  /** Whether the condition holds at the last place that could be looked at. */
  readonly holds: boolean
  readonly newest: Looked<T>
  /** The first place with the same value as the newest place, and the last place before it with the other value. Null: all places have the same value. */
  readonly since: Looked<T> | null
  readonly before: Looked<T> | null
  /** Whether places between both could not be looked at. */
  readonly isUnsure: boolean
  /** Places that could not be looked at. */
  readonly skipped: readonly number[]
}

export interface ChangeSearch<T> {
  readonly count: number
  /** Null: the place cannot be looked at. */
  look(at: number): Promise<T | null>
  holds(state: T): boolean
  /** Places that are looked at one by one where both ends agree. */
  readonly limit: number
}

/** Searches for the change. @returns null: no place can be looked at */
export function findChange<T>(search: ChangeSearch<T>): Promise<FoundChange<T> | null> {
  return new Search(search).run()
}

class Search<T> {
  readonly #search: ChangeSearch<T>
  readonly #known = new Map<number, T | null>()

  constructor(search: ChangeSearch<T>) {
    this.#search = search
  }

  async run(): Promise<FoundChange<T> | null> {
    const last = await this.#near(this.#search.count - 1, -1, 0)
    const newest = last === null ? null : await this.#look(last)
    if (last === null || newest === null) return null
    const holds = this.#search.holds(newest)
    let high = last
    let low = await this.#otherState(last, holds)
    while (low !== null && high - low > 1) {
      const middle = await this.#between(low, high)
      if (middle === null) break
      const state = await this.#look(middle)
      if (state !== null && this.#search.holds(state) === holds) high = middle
      else low = middle
    }
    const lookedAt = async (at: number): Promise<Looked<T> | null> => {
      const state = await this.#look(at)
      return state === null ? null : { at, state }
    }
    return {
      holds,
      newest: { at: last, state: newest },
      since: low === null ? null : await lookedAt(high),
      before: low === null ? null : await lookedAt(low),
      isUnsure: low !== null && high - low > 1,
      skipped: [...this.#known].flatMap(([at, state]) => (state === null ? [at] : [])),
    }
  }

  /** A place with the other state: the oldest, else the newest one of all. Null: there is none. */
  async #otherState(last: number, holds: boolean): Promise<number | null> {
    const first = await this.#near(0, 1, last)
    const oldest = first === null ? null : await this.#look(first)
    if (first !== null && oldest !== null && this.#search.holds(oldest) !== holds) return first
    for (let at = last - 1; at > (first ?? 0) && at > last - this.#search.limit; at--) {
      const state = await this.#look(at)
      if (state !== null && this.#search.holds(state) !== holds) return at
    }
    return null
  }

  /** The place in the middle, or the nearest one that can be looked at. Null: there is none between. */
  async #between(low: number, high: number): Promise<number | null> {
    const middle = (low + high) >> 1
    for (let distance = 0; distance < high - low; distance++)
      for (const at of new Set([middle + distance, middle - distance])) if (at > low && at < high && (await this.#look(at)) !== null) return at
    return null
  }

  /** The first place in a direction that can be looked at. */
  async #near(from: number, step: 1 | -1, to: number): Promise<number | null> {
    for (let at = from; step > 0 ? at <= to : at >= to; at += step) if ((await this.#look(at)) !== null) return at
    return null
  }

  async #look(at: number): Promise<T | null> {
    let state = this.#known.get(at)
    if (state === undefined) {
      state = await this.#search.look(at)
      this.#known.set(at, state)
    }
    return state
  }
}
