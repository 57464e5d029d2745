/** When a delivery is retried, and when a webhook is disabled (CONTRACT.md#webhooks). */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Pauses between attempts, about 32 hours in all. After the last pause there is one more attempt. */
const RETRY_PAUSES_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS] as const

/** A webhook that has failed for this long is disabled. It is longer than the retries of a delivery, and than a weekend. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR_MS

/** Returns the time of the next attempt; null: there is none. @param failures failed attempts, including the last one */
export function nextAttempt(failures: number, now: Date): Date | null {
  const pause = RETRY_PAUSES_MS[failures - 1]
  return pause === undefined ? null : new Date(now.getTime() + pause)
}

/** Whether a webhook has failed for too long. @param failingSince null: the last attempt succeeded */
export function isGivenUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_LIMIT_MS
}
