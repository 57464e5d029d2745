/** Answers that a pool lends must come back, whatever became of their callers. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnalysisPool } from '#workers'

/** Connections that break are noticed some time after: a minute of looks, as the machine may be busy. */
const LOOKS = 2400
const LOOK_MS = 25

/** @throws AssertionError when an answer is still lent after all callers are gone */
export async function nothingLent(pool: AnalysisPool): Promise<void> {
  let told = pool.metrics()
  // A thread that is at work for a caller who is gone lends its answer a moment later.
  for (let look = 0; look < LOOKS && told.unreleasedAnswers + told.running + told.queueLength > 0; look++) {
    await sleep(LOOK_MS)
    told = pool.metrics()
  }
  assert.equal(told.unreleasedAnswers, 0, 'answers that nobody gave back')
}
