/** Optimistic concurrency: retries a change when the documents it read have changed. */
import { ApiError, type ErrorReason } from '../errors.js'
import { DuplicateKeyError, StaleWriteError } from '../storage/errors.js'

export interface Retrying {
  /**
   * Maximum milliseconds between the first two attempts, for work with many conflicts; multiplied for later attempts. Each pause is random, because a slow
   * database needs longer for the first writer than a fixed number of attempts takes. Default 0.
   */
  readonly pauseMs?: number
  /** Whether an error means a conflict. Default: a `StaleWriteError` does. */
  readonly isStale?: (error: unknown) => boolean
}

/**
 * Runs work that reads, decides and commits, and runs it again after a conflict.
 * @param attempts total number of attempts
 * @throws ApiError edit_conflict after the last attempt, and what else the work throws
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

/** Whether concurrent work has changed what was read, or has inserted the same. */
export function isConflict(error: unknown): boolean {
  return error instanceof StaleWriteError || error instanceof DuplicateKeyError
}

/** Commits what is not tried again. @throws ApiError with the reason after a conflict, and what else the commit throws */
export async function refuseStale<R>(reason: ErrorReason, commit: () => Promise<R>, isStale = isStaleWrite): Promise<R> {
  try {
    return await commit()
  } catch (error) {
    throw isStale(error) ? new ApiError(reason) : error
  }
}
