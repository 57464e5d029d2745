/** Work of this process that would only get in its own way: what has the same name is done one after the other, so that only instances conflict. */
export class Turns {
  /** The last of each name. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** Rejects as the work does; the next one has its turn all the same. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work)
    this.#last.set(name, turn)
    const done = (): void => {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
    turn.then(done, done)
    return turn
  }

  /** Of several names, in their order, whoever asks: nobody waits for someone who waits for them. */
  takeAll<T>(names: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const inOrder = [...new Set(names)].sort()
    return inOrder.reduceRight<() => Promise<T>>((inner, name) => () => this.take(name, inner), work)()
  }
}
