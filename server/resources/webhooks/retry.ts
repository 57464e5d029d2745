/** When a delivery is tried again, and when a webhook is given up (CONTRACT.md#webhooks). */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** After each failed attempt; after the one that follows the last pause a delivery has failed. About 32 hours in all. */
const RETRY_PAUSES_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS] as const

/** A webhook to which nothing could be delivered for so long is disabled. Longer than one delivery is tried, and than a weekend. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR_MS

/** @param failures attempts that have failed, this one included. Null: no more */
export function nextAttempt(failures: number, now: Date): Date | null {
  const pause = RETRY_PAUSES_MS[failures - 1]
  return pause === undefined ? null : new Date(now.getTime() + pause)
}

/** Whether a webhook has failed for too long. @param failingSince null: it does not fail */
export function isGivenUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_LIMIT_MS
}
