/**
 * The threads of a replay. Blocks are given to them as they come, and their answers are taken in the order of the blocks. The caller's thread is one of them: it
 * runs a block when it has nothing else to do and the others have enough. So two threads are two cores, and one of them needs no other copy of the ruleset. All
 * compile it at the same time.
 */
import { Worker } from 'node:worker_threads'
import type { Block, BlockAnswer, ReplayThreadData, RunHere } from './block.js'

/** Blocks that a thread has at most: the one that it runs, and those that wait, so that it never does. */
const BLOCKS_PER_THREAD = 3
/** Megabytes for young objects: with the default of V8 a thread collects for a fifth of its time, and Windows events take 1.15 times as long. More is not faster: 64 take 55 MB more with two threads. */
const YOUNG_GENERATION_MB = 16

interface Given {
  readonly block: Block
  readonly resolve: (answers: readonly BlockAnswer[]) => void
  readonly reject: (reason: Error) => void
}

export class ReplayThreads {
  readonly #threads: readonly Worker[]
  /** For each thread that has compiled the contents, the blocks that it has, in their order. */
  readonly #given = new Map<Worker, Given[]>()
  /** Blocks that no thread has. */
  readonly #waiting: Given[] = []
  /** Null: the caller's thread is not ready. */
  #runHere: RunHere | null = null
  #isDue = false
  #fault: Error | null = null

  /** Begins to compile the contents in the other threads. @param threads with that of the caller */
  constructor(data: ReplayThreadData, threads: number) {
    this.#threads = Array.from({ length: threads - 1 }, () => this.#start(data))
  }

  /** Lets the caller's thread take its part. Without it the others run all blocks. */
  join(runHere: RunHere): void {
    this.#runHere = runHere
  }

  /** With that of the caller. */
  get count(): number {
    return this.#threads.length + 1
  }

  /** How many blocks may be in flight at once. */
  get capacity(): number {
    return this.count * BLOCKS_PER_THREAD
  }

  /** Runs a block. There is an answer for each content. Rejects when a thread has ended. */
  run(block: Block): Promise<readonly BlockAnswer[]> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== null) return reject(this.#fault)
      this.#waiting.push({ block, resolve, reject })
      this.#share()
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  #start(data: ReplayThreadData): Worker {
    const thread = new Worker(new URL('./replay-thread.js', import.meta.url), { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } })
    thread.once('message', () => {
      const given: Given[] = []
      this.#given.set(thread, given)
      thread.on('message', (answers: readonly BlockAnswer[]) => {
        given.shift()?.resolve(answers)
        this.#share()
      })
      this.#share()
    })
    thread.on('error', (reason) => this.#fail(reason))
    thread.on('exit', () => this.#fail(new Error('a thread ended before its answer')))
    return thread
  }

  #fail(reason: Error): void {
    this.#fault ??= reason
    for (const given of [this.#waiting, ...this.#given.values()]) for (const { reject } of given.splice(0)) reject(this.#fault)
  }

  /** Gives the other threads what waits, as far as they take more. */
  #share(): void {
    const waiting = this.#waiting
    for (;;) {
      const [thread, given] = this.#leastLoaded()
      if (thread === null || given.length >= BLOCKS_PER_THREAD) break
      const next = waiting.shift()
      if (next === undefined) return
      given.push(next)
      thread.postMessage(next.block)
    }
    const runHere = this.#runHere
    if (waiting.length === 0 || this.#isDue || runHere === null) return
    this.#isDue = true
    // After what has arrived meanwhile: answers, and parts of the sources.
    setImmediate(() => {
      this.#isDue = false
      this.#runOne(runHere)
    })
  }

  #leastLoaded(): [Worker, Given[]] | [null, null] {
    let least: [Worker, Given[]] | [null, null] = [null, null]
    for (const entry of this.#given) if (least[0] === null || entry[1].length < least[1].length) least = entry
    return least
  }

  #runOne(runHere: RunHere): void {
    const next = this.#waiting.shift()
    if (next === undefined) return
    try {
      next.resolve(runHere(next.block))
    } catch (fault) {
      next.reject(fault as Error)
    }
    this.#share()
  }
}
