/** A mutex for each key, within this process: work with the same key runs one at a time, so that only other instances can conflict with it. */
export class KeyedMutex {
  /** The last work of each key. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs work when earlier work with the same key has ended. Rejects as the work does; later work still runs. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = (this.#last.get(key) ?? Promise.resolve()).then(work, work)
    this.#last.set(key, running)
    const done = (): void => {
      if (this.#last.get(key) === running) this.#last.delete(key)
    }
    running.then(done, done)
    return running
  }

  /** Runs work under the mutexes of several keys. They are acquired in sorted order, so two callers can't deadlock. */
  runAll<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const sorted = [...new Set(keys)].sort()
    return sorted.reduceRight<() => Promise<T>>((inner, key) => () => this.run(key, inner), work)()
  }
}
