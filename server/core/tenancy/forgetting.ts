/**
 * Tells the other processes of the service what a change has made outdated in their memory, so that it holds in all of them when its request is answered. Instances
 * that do not know one another by address notice it within a second, by the age of what they keep. Invariants:
 *  1. this process forgets at once, the others before the promise resolves
 *  2. a process that does not answer delays a change no longer than its entries would have been used without being told
 */
import { FRESH_MS } from './organization-cache.js'

const KIND = 'forget'

interface Change {
  readonly topic: string
  readonly value: unknown
}

/** The other processes; `cluster/` connects them. */
export interface Others {
  /** Their names. */
  readonly others: readonly string[]
  /** Rejects when the process can't be reached, or the signal is aborted. */
  ask(name: string, kind: string, question: unknown, signal: AbortSignal): Promise<unknown>
  /** Answers questions of the kind from now on. */
  answer<Question>(kind: string, answering: (question: Question) => Promise<unknown>): void
}

/** Forgets in all processes. Never rejects. */
export type Forget<T> = (value: T) => Promise<void>

export class Forgetting {
  readonly #topics = new Map<string, (value: unknown) => void>()
  #others: Others | null = null

  /** @param forget what each process does with a value that `v8.serialize` copies */
  topic<T>(topic: string, forget: (value: T) => void): Forget<T> {
    this.#topics.set(topic, forget as (value: unknown) => void)
    return async (value) => {
      forget(value)
      const others = this.#others
      if (others === null) return
      // What a process that can't be reached has kept went with it, or expires.
      await Promise.allSettled(others.others.map((name) => others.ask(name, KIND, { topic, value } satisfies Change, AbortSignal.timeout(FRESH_MS))))
    }
  }

  /** Connects it with the other processes. Until then there are none. */
  join(others: Others): void {
    this.#others = others
    others.answer<Change>(KIND, async ({ topic, value }) => this.#topics.get(topic)?.(value))
  }
}
