/**
 * Compares own content with that of the last commit in a thread of its own, so that an answer to the editor never waits for it. Invariants:
 *  1. there is one thread, and it works on one comparison; a newer one replaces it
 *  2. the base is sent once, as long as it is the same
 *  3. the thread ends when nobody has compared for a while, and with the server. One that fails ends the comparisons, not the server
 */
import { Worker } from 'node:worker_threads'
import type { SourceFile } from '#engine'
import { areSame } from '#in-thread'
import type { ComparedItem } from '../../language/index.js'

/** What the thread is asked. */
export interface ComparisonRequest {
  readonly id: number
  /** Null: that of the request before. */
  readonly base: readonly SourceFile[] | null
  readonly before: readonly SourceFile[]
  readonly after: readonly SourceFile[]
}

export interface ComparisonAnswer {
  readonly id: number
  /** Null: Wazuh would not start with one of them, or a newer request came. */
  readonly records: readonly ComparedItem[] | null
}

/** A thread takes memory for two rulesets. */
const IDLE_MS = 120_000
/** A comparison of the stock ruleset takes 300 MB. */
const MEMORY_MB = 1024

interface Pending {
  readonly id: number
  readonly resolve: (records: readonly ComparedItem[] | null) => void
}

export class HeadComparison {
  #worker: Worker | null = null
  #base: readonly SourceFile[] | null = null
  #pending: Pending | null = null
  #last = 0
  #idle: NodeJS.Timeout | null = null
  #isBroken = false

  /** @returns null as in `ComparisonAnswer`, or when the thread cannot work */
  compare(base: readonly SourceFile[], before: readonly SourceFile[], after: readonly SourceFile[]): Promise<readonly ComparedItem[] | null> {
    this.#settle(null)
    if (this.#isBroken) return Promise.resolve(null)
    const worker = (this.#worker ??= this.#start())
    const isKnown = this.#base !== null && areSame(this.#base, base)
    this.#base = base
    const id = ++this.#last
    worker.postMessage({ id, base: isKnown ? null : base, before, after } satisfies ComparisonRequest)
    this.#rest()
    return new Promise((resolve) => {
      this.#pending = { id, resolve }
    })
  }

  close(): void {
    this.#settle(null)
    if (this.#idle !== null) clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = null
    this.#base = null
  }

  #start(): Worker {
    const worker = new Worker(new URL('./comparison-thread.js', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
    worker.unref()
    worker.on('message', ({ id, records }: ComparisonAnswer) => {
      if (this.#pending?.id === id) this.#settle(records)
    })
    worker.on('error', () => {
      this.#isBroken = true
      this.close()
    })
    return worker
  }

  #settle(records: readonly ComparedItem[] | null): void {
    this.#pending?.resolve(records)
    this.#pending = null
  }

  /** Ends the thread when nothing is compared for a while. */
  #rest(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => (this.#pending === null ? this.close() : this.#rest()), IDLE_MS).unref()
  }
}
