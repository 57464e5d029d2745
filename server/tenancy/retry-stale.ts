/** Changes that are held against what was read: whoever is disturbed reads again. */
import { ApiError } from '../errors.js'
import { StaleWriteError } from '../storage/errors.js'

/**
 * Runs work that reads, decides and commits; from the reading on again when someone else has changed what it read.
 * @param attempts of them all, before it is given up
 * @param pauseMs most milliseconds between two of them, where many get in each other's way; each waits another time
 * @throws ApiError edit_conflict, and whatever else the work throws
 */
export async function retryStale<R>(attempts: number, work: () => Promise<R>, pauseMs = 0): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      if (attempt === attempts) throw new ApiError('edit_conflict')
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * pauseMs))
    }
  }
}
