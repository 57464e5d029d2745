/** Answers that a pool lends must come back, whatever became of their callers. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnalysisPool } from '#workers'

/** Connections that break are noticed some time after. */
const LOOKS = 200
const LOOK_MS = 25

/** @throws AssertionError when an answer is still lent after all callers are gone */
export async function nothingLent(pool: AnalysisPool): Promise<void> {
  for (let look = 0; look < LOOKS && pool.metrics().lentAnswers > 0; look++) await sleep(LOOK_MS)
  assert.equal(pool.metrics().lentAnswers, 0, 'answers that nobody gave back')
}
