/** Lists of webhooks and deliveries, and the count of the dispatch, are read from an index in order, without sorting. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { DELIVERIES, WEBHOOKS } from '../../../../server/features/webhooks/store.js'
import { sqlitePlan } from '../../../support/sqlite-plan.js'

test('every list has an index in its order', () => {
  const webhook = { webhook_id: 'w' }
  for (const filter of [webhook, { ...webhook, status: 'failed' }, { ...webhook, event: 'webhook.test' }, { ...webhook, status: 'failed', event: 'webhook.test' }]) {
    for (const direction of [1, -1] as const) {
      const asked = { organization_id: 'o', ...filter }
      const { index, bound, sorted } = sqlitePlan(DELIVERIES, asked as object, { sort: { created_at: direction, _id: direction } as object })
      assert.ok(index !== null && sorted, JSON.stringify(filter))
      assert.equal(bound, Object.keys(asked).length, JSON.stringify(filter))
    }
  }
  const webhooks = sqlitePlan(WEBHOOKS, { organization_id: 'o' } as object, { sort: { created_at: -1, _id: -1 } as object })
  assert.ok(webhooks.index !== null && webhooks.sorted)
})

test('a delivery is kept for 30 days', () => {
  assert.deepEqual(
    DELIVERIES.indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined),
    [{ keys: { created_at: 1 }, expireAfterSeconds: 30 * 24 * 3600 }],
  )
})
