/** Features of plans: what a plan does not include is refused, and keys of an organization whose plan excludes them are refused before anything is done. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { CREDENTIAL, defineRoute } from '../../../../server/core/http/route.js'
import { COUNTERS } from '../../../../server/core/tenancy/counters.js'
import { type PlanFeature, requireIncluded } from '../../../../server/core/tenancy/features.js'
import { PLAN_CODES, type Plan, PLANS } from '../../../../server/core/tenancy/plans.js'
import { QUOTA_COLLECTIONS, Quotas } from '../../../../server/core/tenancy/quotas.js'
import { Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage } from '../../../support/storage.js'
import { KEY, startHttp, TOKEN } from '../http/support/service.js'

const REASONS: Readonly<Record<PlanFeature, string>> = { api_access: 'api_access_not_in_plan', ai_assistant: 'assistant_not_in_plan', sso: 'sso_not_in_plan' }
const quotasOf = async (gateway: 'disabled' | 'mock') => {
  const { storage, close } = await openTestStorage([...QUOTA_COLLECTIONS, COUNTERS])
  return { storage, close, quotas: new Quotas({ storage, gateway, counts: {}, warningWrites: async () => [], onError: assert.ifError, clock: Date.now }) }
}

test('each feature of each plan is admitted or refused as the table of plans says', () => {
  for (const code of PLAN_CODES)
    for (const feature of ['api_access', 'ai_assistant', 'sso'] as const) {
      const check = () => requireIncluded(PLANS[code], feature)
      if (PLANS[code].features[feature]) assert.doesNotThrow(check)
      else assert.throws(check, { reason: REASONS[feature], code: 'plan_quota_exceeded', status: 403, details: { feature, plan: code } })
    }
})

test('an organization without a subscription has the features of free, and without billing has all', async () => {
  const billed = await quotasOf('mock')
  const unbilled = await quotasOf('disabled')
  try {
    const scope = new Tenancy(billed.storage).of('organization')
    await assert.rejects(async () => billed.quotas.requireFeature(scope, 'ai_assistant'), { reason: 'assistant_not_in_plan' })
    await assert.rejects(async () => billed.quotas.requireFeature(scope, 'sso'), { reason: 'sso_not_in_plan' })
    await billed.quotas.requireFeature(scope, 'api_access')
    for (const feature of ['ai_assistant', 'sso', 'api_access'] as const)
      assert.equal(unbilled.quotas.requireFeature(new Tenancy(unbilled.storage).of('organization'), feature), undefined)
  } finally {
    await billed.close()
    await unbilled.close()
  }
})

test('a plan without API keys refuses keys, with the reason, and no session', async () => {
  const { storage, close, quotas } = await quotasOf('disabled')
  const plan: Plan = { ...PLANS.free, features: { ...PLANS.free.features, api_access: false }, limits: PLANS.self_hosted.limits }
  quotas.planOf = () => plan
  let handled = 0
  const answers = { 200: { description: 'Done.', schema: null } }
  const route = defineRoute({
    id: 'things.get',
    method: 'GET',
    path: '/things',
    tag: 'Test',
    summary: 'Test',
    description: 'Test.',
    access: CREDENTIAL,
    responses: answers,
    handle: async () => {
      handled++
      return {}
    },
  })
  const service = await startHttp({ routes: [route], quotas, tenancy: new Tenancy(storage) })
  try {
    const { status, body } = await service.call('GET', '/things', { headers: { 'x-api-key': KEY } })
    assert.deepEqual([status, body.code, body.details], [403, 'plan_quota_exceeded', { feature: 'api_access', plan: 'free' }])
    assert.match(body.message, /API keys/)
    assert.equal(handled, 0)
    assert.equal((await service.call('GET', '/things', { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200)
    assert.equal(handled, 1)
    assert.equal(await quotas.usage.consumed(new Tenancy(storage).of('org-1'), 'api_requests'), 1, 'a refused request is not counted')
  } finally {
    await service.close()
    await quotas.close()
    await close()
  }
})
