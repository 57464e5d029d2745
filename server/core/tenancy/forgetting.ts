/**
 * Tells the peers of this process (`cluster/`) which cached data a change has made outdated, so that the change is in force in all of them when its request is answered. Instances
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

/** The peers of this process; `cluster/` connects them. */
export interface PeerGroup {
  /** Their names. */
  readonly names: readonly string[]
  /** Rejects when the peer can't be reached, or the signal is aborted. */
  ask(name: string, kind: string, question: unknown, signal: AbortSignal): Promise<unknown>
  /** Answers questions of the kind from now on. */
  answer<Question>(kind: string, answering: (question: Question) => Promise<unknown>): void
}

/** Forgets in all processes. Never rejects. */
export type Forget<T> = (value: T) => Promise<void>

export class Forgetting {
  readonly #topics = new Map<string, (value: unknown) => void>()
  #peers: PeerGroup | null = null

  /** @param forget what each process does with a value that `v8.serialize` copies */
  topic<T>(topic: string, forget: (value: T) => void): Forget<T> {
    this.#topics.set(topic, forget as (value: unknown) => void)
    return async (value) => {
      forget(value)
      const peers = this.#peers
      if (peers === null) return
      // What a process that can't be reached has kept went with it, or expires.
      await Promise.allSettled(peers.names.map((name) => peers.ask(name, KIND, { topic, value } satisfies Change, AbortSignal.timeout(FRESH_MS))))
    }
  }

  /** Connects it with the peers. Until then there are none. */
  join(peers: PeerGroup): void {
    this.#peers = peers
    peers.answer<Change>(KIND, async ({ topic, value }) => this.#topics.get(topic)?.(value))
  }
}
