/** The threads of a replay. Blocks are given to them as they come, and their answers are taken in the order of the blocks. */
import { Worker } from 'node:worker_threads'
import type { Block, BlockAnswer, ReplayThreadData } from './block.js'

/** Blocks that a thread has at most: the one that it runs, and those that wait, so that it never does. */
const BLOCKS_PER_THREAD = 3
/** Megabytes for young objects: with the default of V8 a thread collects for a fifth of its time, and Windows events take 1.15 times as long. More is not faster: 64 take 55 MB more with two threads. */
const YOUNG_GENERATION_MB = 16

interface Waiting {
  readonly resolve: (answers: readonly BlockAnswer[]) => void
  readonly reject: (reason: Error) => void
}

export class ReplayThreads {
  readonly #threads: readonly Worker[]
  /** For each thread, the blocks that it has, in their order. */
  readonly #given = new Map<Worker, Waiting[]>()
  #fault: Error | null = null

  constructor(data: ReplayThreadData, threads: number) {
    this.#threads = Array.from({ length: threads }, () => this.#start(data))
  }

  /** How many blocks may be in flight at once. */
  get capacity(): number {
    return this.#threads.length * BLOCKS_PER_THREAD
  }

  /** Runs a block, whose bytes are moved to a thread. There is an answer for each content. Rejects when the thread has ended. */
  run(block: Block): Promise<readonly BlockAnswer[]> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== null) return reject(this.#fault)
      const load = (thread: Worker): number => this.#given.get(thread)?.length ?? 0
      const thread = this.#threads.reduce((least, other) => (load(other) < load(least) ? other : least))
      this.#given.get(thread)?.push({ resolve, reject })
      thread.postMessage(block, [block.bytes.buffer as ArrayBuffer])
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  #start(data: ReplayThreadData): Worker {
    const thread = new Worker(new URL('./replay-thread.js', import.meta.url), { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } })
    const given: Waiting[] = []
    this.#given.set(thread, given)
    const fail = (reason: Error): void => {
      this.#fault ??= reason
      for (const { reject } of given.splice(0)) reject(reason)
    }
    thread.on('message', (answers: readonly BlockAnswer[]) => given.shift()?.resolve(answers))
    thread.on('error', fail)
    thread.on('exit', () => fail(new Error('a thread ended before its answer')))
    return thread
  }
}
