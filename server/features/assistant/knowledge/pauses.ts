/** Lets other work run between the steps of a long one, so that the event loop is never blocked for long. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a build runs at a time. A request waits for this at most, besides the one step that is at work. */
const SLICE_MS = 4

export class Pauses {
  #since = performance.now()

  /** Call it after each step. */
  async ifDue(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return
    await nextTurn()
    this.#since = performance.now()
  }
}
