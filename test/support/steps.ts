/**
 * Counts the steps that code takes, so that a test can hold how work grows with its input, without a clock. A thread of its own loads the code after V8 has
 * begun to count executions of blocks, and counts what built-in functions look at as well (`steps-thread.ts`).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Twice the input is twice the steps; sorting and hash tables that grow need a little more. A square gives four times. */
const MAX_GROWTH = 2.3

export interface StepsRequest {
  readonly subject: string
  readonly sizes: readonly number[]
}

/** Subjects that take a size, and throw where their results are wrong. */
export type Subjects = Readonly<Record<string, (size: number) => void>>

export class StepCounter {
  readonly #thread: Worker

  /** @param module exports `SUBJECTS` */
  constructor(module: URL) {
    this.#thread = new Worker(new URL('./steps-thread.js', import.meta.url), { workerData: module.href })
  }

  /** The steps of a subject at each size. */
  async steps(subject: string, sizes: readonly number[]): Promise<readonly number[]> {
    this.#thread.postMessage({ subject, sizes } satisfies StepsRequest)
    const [answer] = (await once(this.#thread, 'message')) as [readonly number[] | string]
    if (typeof answer === 'string') assert.fail(`${subject}: ${answer}`)
    return answer
  }

  /** Holds that a subject's steps grow in proportion to its size, or to the given power of it. */
  async assertGrowth(subject: string, { size, power = 1 }: { readonly size: number; readonly power?: number }): Promise<void> {
    const [one, two, four] = await this.steps(subject, [size, 2 * size, 4 * size])
    const text = `${one}, ${two} and ${four} steps at ${size}, ${2 * size} and ${4 * size}`
    assert.ok(one > size && two > one && (four - two) / (two - one) < MAX_GROWTH ** power, text)
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }
}
