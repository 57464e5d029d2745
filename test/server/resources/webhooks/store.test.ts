/** Each list of deliveries, and what the dispatch counts, is read in its order from an index: nothing is sorted, and nothing read that is not shown. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { DELIVERIES, WEBHOOKS } from '../../../../server/resources/webhooks/store.js'
import type { TenantCollection, TenantDocument } from '../../../../server/storage/contract.js'
import { Index } from '../../../../server/storage/embedded/index-keys.js'
import { choosePlan } from '../../../../server/storage/embedded/plan.js'
import { compileFilter } from '../../../../server/storage/language/filter.js'

const NEWEST = [
  ['created_at', -1],
  ['_id', -1],
] as const
const OLDEST = [
  ['created_at', 1],
  ['_id', 1],
] as const

function planOf(collection: TenantCollection<TenantDocument>, filter: object, sort: typeof NEWEST | typeof OLDEST) {
  const indexes = collection.indexes.map((definition, at) => new Index(definition, at + 1, false))
  return choosePlan(compileFilter<TenantDocument>({ organization_id: 'o', ...filter }), sort, indexes)
}

test('every list has an index in its order', () => {
  const webhook = { webhook_id: 'w' }
  for (const filter of [webhook, { ...webhook, status: 'failed' }, { ...webhook, event: 'webhook.test' }, { ...webhook, status: 'failed', event: 'webhook.test' }]) {
    for (const sort of [NEWEST, OLDEST]) {
      const plan = planOf(DELIVERIES, filter, sort)
      assert.ok(plan.kind === 'index' && plan.sorted, JSON.stringify(filter))
      assert.equal(plan.pinned, 1 + Object.keys(filter).length, JSON.stringify(filter))
    }
  }
  const webhooks = planOf(WEBHOOKS, {}, NEWEST)
  assert.ok(webhooks.kind === 'index' && webhooks.sorted)
})

test('a delivery is kept for 30 days', () => {
  assert.deepEqual(
    DELIVERIES.indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined),
    [{ keys: { created_at: 1 }, expireAfterSeconds: 30 * 24 * 3600 }],
  )
})
