/** One line on the terminal that says how far long work has come. Where nobody looks it does nothing. */
import type { Output } from './output.js'

/** Often enough to look alive, seldom enough to cost nothing. */
const INTERVAL_MS = 200
const CLEAR_LINE = '\r\x1b[2K'

export class Progress {
  readonly #output: Output
  readonly #shown: boolean
  #last: number
  #dirty = false

  /** @param shown the stream is a terminal that nothing else is written to meanwhile */
  constructor(output: Output, shown: boolean) {
    this.#output = output
    this.#shown = shown
    this.#last = performance.now()
  }

  /** @param describe is only asked when something is shown */
  async update(describe: () => string): Promise<void> {
    if (!this.#shown || performance.now() - this.#last < INTERVAL_MS) return
    this.#last = performance.now()
    await this.show(describe())
  }

  /** At once: for steps that are few. */
  async show(text: string): Promise<void> {
    if (!this.#shown) return
    this.#dirty = true
    await this.#output.write(`${CLEAR_LINE}${text}`)
  }

  /** Takes the line away. */
  async end(): Promise<void> {
    if (this.#dirty) await this.#output.write(CLEAR_LINE)
    this.#dirty = false
  }
}
