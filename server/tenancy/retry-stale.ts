/** Changes that are held against what was read: whoever is disturbed reads again. */
import { ApiError } from '../errors.js'
import { StaleWriteError } from '../storage/errors.js'

export interface Retrying {
  /**
   * Most milliseconds between the first two attempts, where many get in each other's way; between later ones so many times more. Each waits another time: a
   * database that is slow today needs longer for whoever came first than so many attempts take. Default 0.
   */
  readonly pauseMs?: number
  /** Whether an error says that someone was there before. Default: a `StaleWriteError` does. */
  readonly isStale?: (error: unknown) => boolean
}

/**
 * Runs work that reads, decides and commits; from the reading on again when someone else has changed what it read.
 * @param attempts of them all, before it is given up
 * @throws ApiError edit_conflict, and whatever else the work throws
 */
export async function retryStale<R>(attempts: number, work: () => Promise<R>, { pauseMs = 0, isStale = isStaleWrite }: Retrying = {}): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isStale(error)) throw error
      if (attempt === attempts) throw new ApiError('edit_conflict')
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * pauseMs * attempt))
    }
  }
}

export function isStaleWrite(error: unknown): boolean {
  return error instanceof StaleWriteError
}
