/**
 * A thread beside the language server, which answers what takes longer than an editor waits. Invariants:
 *  1. it has one question at a time; a newer one replaces it
 *  2. the base is sent once, as long as it is the same
 *  3. the thread ends when nobody has asked for a while, when an answer takes too long, and with the server. One that fails ends its answers, not the server
 */
import { Worker } from 'node:worker_threads'
import type { SourceFile } from '#engine'
import { areSame } from '#in-thread'

/** What the thread receives: a question, and what it is asked about. */
export type Asked<Question> = Question & {
  readonly id: number
  /** Null: that of the question before. */
  readonly base: readonly SourceFile[] | null
}

/** What it sends. @template Answer null: there is none, or a newer question came */
export interface Answered<Answer> {
  readonly id: number
  readonly answer: Answer | null
}

/** A thread takes memory for two rulesets. */
const IDLE_MS = 120_000
/** Two compilations of the stock ruleset take 300 MB. */
const MEMORY_MB = 1024

interface Pending<Answer> {
  readonly id: number
  readonly resolve: (answer: Answer | null) => void
}

export class SideThread<Question extends object, Answer> {
  readonly #module: URL
  readonly #limitMs: number | null
  #worker: Worker | null = null
  #base: readonly SourceFile[] | null = null
  #pending: Pending<Answer> | null = null
  #last = 0
  #idle: NodeJS.Timeout | null = null
  #isBroken = false

  /** @param module that the thread runs @param limitMs for one answer, after which the thread ends; null: the thread has limits of its own */
  constructor(module: URL, limitMs: number | null) {
    this.#module = module
    this.#limitMs = limitMs
  }

  /** @returns null: there is no answer, it took too long, or the thread cannot work */
  ask(base: readonly SourceFile[], question: Question): Promise<Answer | null> {
    this.#settle(null)
    if (this.#isBroken) return Promise.resolve(null)
    const worker = (this.#worker ??= this.#start())
    const isKnown = this.#base !== null && areSame(this.#base, base)
    this.#base = base
    const id = ++this.#last
    worker.postMessage({ ...question, id, base: isKnown ? null : base } satisfies Asked<Question>)
    this.#rest()
    return new Promise((resolve) => {
      const late = this.#limitMs === null ? null : setTimeout(() => this.close(), this.#limitMs).unref()
      this.#pending = {
        id,
        resolve: (answer) => {
          if (late !== null) clearTimeout(late)
          resolve(answer)
        },
      }
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
    const worker = new Worker(this.#module, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
    worker.unref()
    worker.on('message', ({ id, answer }: Answered<Answer>) => {
      if (this.#pending?.id === id) this.#settle(answer)
    })
    worker.on('error', () => {
      this.#isBroken = true
      this.close()
    })
    return worker
  }

  #settle(answer: Answer | null): void {
    this.#pending?.resolve(answer)
    this.#pending = null
  }

  /** Ends the thread when nothing is asked for a while. */
  #rest(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => (this.#pending === null ? this.close() : this.#rest()), IDLE_MS).unref()
  }
}
