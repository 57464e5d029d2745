/** The built-in plans: what the contract names of them is there. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { PLAN_CODES, PLANS, planById } from '../../../../server/core/tenancy/plans.js'

test('a self-hosted instance limits nobody', () => {
  for (const [metric, limit] of Object.entries(PLANS.self_hosted.limits)) assert.equal(limit, null, metric)
  assert.equal(PLANS.self_hosted.is_public, false)
})

test('a larger plan allows no less than the one before it', () => {
  const sold = [PLANS.free, PLANS.team, PLANS.enterprise]
  assert.deepEqual(
    sold.map(({ display_order }) => display_order),
    [1, 2, 3],
  )
  for (const metric of Object.keys(PLANS.free.limits) as (keyof typeof PLANS.free.limits)[]) {
    const limits = sold.map((plan) => plan.limits[metric] ?? Number.POSITIVE_INFINITY)
    assert.ok(limits[0] > 0 && limits[0] < limits[1] && limits[1] <= limits[2], metric)
  }
})

test('a plan is found by its id, and an id of none is told', () => {
  for (const code of PLAN_CODES) assert.equal(planById(PLANS[code].id), PLANS[code])
  assert.equal(planById('gold'), null)
  assert.equal(planById('__proto__'), null)
})
