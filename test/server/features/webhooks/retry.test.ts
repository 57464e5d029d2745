import assert from 'node:assert/strict'
import test from 'node:test'
import { FAILING_LIMIT_MS, isGivenUp, nextAttempt } from '../../../../server/features/webhooks/retry.js'

const NOW = new Date('2100-01-01T00:00:00Z')

test('a delivery is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((failures) => {
    const next = nextAttempt(failures, NOW)
    return next === null ? null : (next.getTime() - NOW.getTime()) / 60_000
  })
  assert.deepEqual(minutes, [5 / 60, 5, 30, 120, 300, 600, 840, null, null])
})

test('a webhook is given up after failing for five days', () => {
  assert.equal(isGivenUp(null, NOW), false)
  assert.equal(isGivenUp(new Date(NOW.getTime() - FAILING_LIMIT_MS + 1), NOW), false)
  assert.equal(isGivenUp(new Date(NOW.getTime() - 5 * 24 * 3600 * 1000), NOW), true)
})
