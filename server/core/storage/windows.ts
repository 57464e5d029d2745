/** Windows by the operations that every collection has. Two or three of them are needed where a store has no single one. */
import type { Collection, CountedWindow, WindowDocument, Windows } from './contract.js'
import { DuplicateKeyError } from './errors.js'

/** Two callers may begin a window at once; the loser retries. */
const ATTEMPTS = 5

export class CollectionWindows implements Windows {
  readonly #windows: Collection<WindowDocument>

  constructor(windows: Collection<WindowDocument>) {
    this.#windows = windows
  }

  async add(id: string, units: number, windowMs: number, now: number): Promise<CountedWindow> {
    const at = new Date(now)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const running = await this.#windows.update({ _id: id, reset_at: { gt: at } }, { increment: { count: units } })
      if (running !== null) return { count: running.count, resetAt: running.reset_at.getTime() }
      const resetAt = now + windowMs
      // The condition makes one of two concurrent writers lose; it then finds the other's window.
      const begun = await this.#windows.update({ _id: id, reset_at: { lte: at } }, { set: { count: units, reset_at: new Date(resetAt) } })
      if (begun !== null) return { count: units, resetAt }
      try {
        await this.#windows.insert({ _id: id, count: units, reset_at: new Date(resetAt) })
        return { count: units, resetAt }
      } catch (error) {
        if (!(error instanceof DuplicateKeyError)) throw error
      }
    }
    // Reached only if clocks disagree: the window has ended for one instance and not for the other.
    throw new Error('the clocks of the instances differ by more than a window')
  }
}
