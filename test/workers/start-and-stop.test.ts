/** A pool may be closed, and a thread ended, at any moment of a thread's start. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnalysisPool } from '#workers'

// A thread takes 100 to 200 ms to load its modules; Node aborts the process if that is done by `require` and the thread is ended meanwhile.
test('a pool can be closed at any moment of its threads’ start', async () => {
  for (let delayMs = 30; delayMs <= 150; delayMs += 3) {
    const pool = new AnalysisPool({ workers: 2, defaultRulesetDir: null })
    await sleep(delayMs)
    await pool.close()
    assert.equal((await pool.schema()).outcome, 'aborted')
  }
})
