/** A line on the terminal that shows progress. It does nothing if the output is not a terminal. */
import type { Output } from './output.js'

/** Minimum time between two updates. */
const INTERVAL_MS = 200
const CLEAR_LINE = '\r\x1b[2K'

export class Progress {
  readonly #output: Output
  readonly #shown: boolean
  #last: number
  #dirty = false

  /** @param shown whether the stream is a terminal with no other output meanwhile */
  constructor(output: Output, shown: boolean) {
    this.#output = output
    this.#shown = shown
    this.#last = performance.now()
  }

  /** @param describe called only when the line is updated */
  async update(describe: () => string): Promise<void> {
    if (!this.#shown || performance.now() - this.#last < INTERVAL_MS) return
    this.#last = performance.now()
    await this.show(describe())
  }

  /** Updates at once, for steps that are few. */
  async show(text: string): Promise<void> {
    if (!this.#shown) return
    this.#dirty = true
    await this.#output.write(`${CLEAR_LINE}${text}`)
  }

  /** Clears the line. */
  async end(): Promise<void> {
    if (this.#dirty) await this.#output.write(CLEAR_LINE)
    this.#dirty = false
  }
}
