/**
 * Counts the steps that code takes, so that a test can hold how work grows with its input, without a clock. A process of its own loads the code after V8 has
 * begun to count executions of blocks, and counts what built-in functions look at as well (`steps-process.ts`).
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Twice the input is twice the steps; sorting and hash tables that grow need a little more. A square gives four times. */
const MAX_GROWTH = 2.3

export interface StepsRequest {
  readonly subject: string
  readonly sizes: readonly number[]
}

/** Subjects that take a size, and throw where their results are wrong. */
export type Subjects = Readonly<Record<string, (size: number) => void | Promise<void>>>

/** What the process is started with, as JSON in its only argument. */
export interface StepsData {
  /** Exports `SUBJECTS`. */
  readonly module: string
  /** Folders whose blocks count. */
  readonly folders: readonly string[]
  /** Whether each size runs once before it is counted: what the subject itself prepares for a size is no step then. */
  readonly isWarmed: boolean
}

export class StepCounter {
  readonly #process: ChildProcess

  /** @param module exports `SUBJECTS` */
  constructor(module: URL, options: Partial<Omit<StepsData, 'module'>> = {}) {
    const data: StepsData = { folders: ['engine'], isWarmed: false, ...options, module: module.href }
    // V8 counts no calls of functions that optimized code has inlined: counts would depend on when it optimizes. It counts nothing in WebAssembly, so the kernel
    // of the engine runs as JavaScript. Node's own HTTP client needs WebAssembly.
    const execArgv = data.folders.includes('engine') ? ['--no-opt', '--no-expose-wasm'] : ['--no-opt']
    this.#process = fork(fileURLToPath(new URL('./steps-process.js', import.meta.url)), [JSON.stringify(data)], { execArgv })
  }

  /** The steps of a subject at each size. */
  async steps(subject: string, sizes: readonly number[]): Promise<readonly number[]> {
    this.#process.send({ subject, sizes } satisfies StepsRequest)
    const [answer] = (await Promise.race([once(this.#process, 'message'), once(this.#process, 'exit')])) as [readonly number[] | string | number | null]
    if (!Array.isArray(answer)) assert.fail(`${subject}: ${typeof answer === 'string' ? answer : 'the process ended'}`)
    return answer as readonly number[]
  }

  /** Holds that a subject's steps grow in proportion to its size, or to the given power of it. */
  async assertGrowth(subject: string, { size, power = 1 }: { readonly size: number; readonly power?: number }): Promise<void> {
    const [one, two, four] = await this.steps(subject, [size, 2 * size, 4 * size])
    const text = `${one}, ${two} and ${four} steps at ${size}, ${2 * size} and ${4 * size}`
    assert.ok(one > size && two > one && (four - two) / (two - one) < MAX_GROWTH ** power, text)
  }

  /** Holds that a subject's steps do not grow with its size, but by some for each kilobyte, which copying bytes takes. */
  async assertFlat(subject: string, small: number, large: number, perKilobyte: number): Promise<void> {
    const [few, many] = await this.steps(subject, [small, large])
    assert.ok(few > 0 && many - few <= ((large - small) / 1024) * perKilobyte, `${few} and ${many} steps at ${small} and ${large}`)
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return
    this.#process.kill()
    await once(this.#process, 'exit')
  }
}
