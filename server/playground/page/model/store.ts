/** The state of the page: one immutable object, and those that want to know when it changes. */
export class Store<S extends object> {
  #state: S
  readonly #listeners = new Set<() => void>()
  #isNotifying = false

  constructor(state: S) {
    this.#state = state
  }

  get state(): S {
    return this.#state
  }

  /** Listeners are called once for all changes of one turn. */
  update(change: Partial<S>): void {
    this.#state = { ...this.#state, ...change }
    if (this.#isNotifying) return
    this.#isNotifying = true
    queueMicrotask(() => {
      this.#isNotifying = false
      for (const listener of this.#listeners) listener()
    })
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
