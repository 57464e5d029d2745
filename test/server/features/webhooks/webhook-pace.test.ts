import assert from 'node:assert/strict'
import test from 'node:test'
import { AT_ONCE_PER_WEBHOOK, WebhookPace } from '../../../../server/features/webhooks/webhook-pace.js'

const NOW = Date.parse('2100-01-01T00:00:00Z')

test('a webhook has a limited number of concurrent attempts', () => {
  const pace = new WebhookPace()
  for (let i = 0; i < AT_ONCE_PER_WEBHOOK; i++) assert.equal(pace.begin('a', NOW), null)
  assert.ok(pace.begin('a', NOW) !== null)
  assert.equal(pace.begin('b', NOW), null, 'another webhook is not delayed')
  pace.end('a', 10)
  assert.equal(pace.begin('a', NOW), null)
  assert.ok(pace.begin('a', NOW) !== null)
})

test('postponed attempts are spread at the speed of the webhook, by ten minutes at most', () => {
  const slow = new WebhookPace()
  for (let i = 0; i < 50; i++) {
    slow.begin('a', NOW)
    slow.end('a', 15_000)
  }
  for (let i = 0; i < AT_ONCE_PER_WEBHOOK; i++) slow.begin('a', NOW)
  const starts = Array.from({ length: 500 }, () => slow.begin('a', NOW)!.getTime() - NOW)
  assert.ok(starts[0] > 3_000 && starts[0] < 4_000, String(starts[0]))
  assert.ok(starts[9] > 9 * starts[0])
  assert.equal(starts.at(-1), 10 * 60 * 1000)

  const quick = new WebhookPace()
  for (let i = 0; i < AT_ONCE_PER_WEBHOOK; i++) quick.begin('a', NOW)
  const last = Array.from({ length: 1000 }, () => quick.begin('a', NOW)!.getTime() - NOW).at(-1)!
  assert.ok(last < 15_000, String(last))
})
