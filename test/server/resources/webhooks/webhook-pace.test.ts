import assert from 'node:assert/strict'
import test from 'node:test'
import { AT_ONCE_PER_WEBHOOK, Pace } from '../../../../server/resources/webhooks/pace.js'

const NOW = Date.parse('2100-01-01T00:00:00Z')

test('a webhook has so many attempts at a time, and room again after each', () => {
  const pace = new Pace()
  for (let i = 0; i < AT_ONCE_PER_WEBHOOK; i++) assert.equal(pace.begin('a', NOW), null)
  assert.ok(pace.begin('a', NOW) !== null)
  assert.equal(pace.begin('b', NOW), null, 'another one has to wait for it')
  pace.end('a', 10)
  assert.equal(pace.begin('a', NOW), null)
  assert.ok(pace.begin('a', NOW) !== null)
})

test('what is put off comes one after the other, as fast as the webhook has been, and never hours later', () => {
  const slow = new Pace()
  for (let i = 0; i < 50; i++) {
    slow.begin('a', NOW)
    slow.end('a', 15_000)
  }
  for (let i = 0; i < AT_ONCE_PER_WEBHOOK; i++) slow.begin('a', NOW)
  const turns = Array.from({ length: 500 }, () => slow.begin('a', NOW)!.getTime() - NOW)
  assert.ok(turns[0] > 3_000 && turns[0] < 4_000, String(turns[0]))
  assert.ok(turns[9] > 9 * turns[0])
  assert.equal(turns.at(-1), 10 * 60 * 1000)

  const quick = new Pace()
  for (let i = 0; i < AT_ONCE_PER_WEBHOOK; i++) quick.begin('a', NOW)
  const last = Array.from({ length: 1000 }, () => quick.begin('a', NOW)!.getTime() - NOW).at(-1)!
  assert.ok(last < 15_000, String(last))
})
