/** Which plan an organization is on, and how soon a change of it is seen. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { PLAN_GRANTS } from '../../../../server/core/tenancy/plan-grants.js'
import { PLAN_SUBSCRIPTIONS, SUBSCRIPTION_STATUSES, Subscriptions, type SubscriptionStatus } from '../../../../server/core/tenancy/subscriptions.js'
import { subscriptionOf } from '../../../support/plans.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

describe("an organization's plan", () => {
  let opened: TestStorage
  let tenancy: Tenancy

  before(async () => {
    opened = await openTestStorage([PLAN_SUBSCRIPTIONS, PLAN_GRANTS])
    tenancy = new Tenancy(opened.storage)
  })
  after(() => opened.close())

  const subscribe = (scope: Scope, plan: string, status: SubscriptionStatus = 'active') => scope.collection(PLAN_SUBSCRIPTIONS).insert(subscriptionOf(scope, plan, status))
  const planOf = async (scope: Scope) => (await new Subscriptions('mock').planOf(scope)).code

  test('is self_hosted where nobody is billed, whatever is stored, and the database is not asked', async () => {
    const scope = tenancy.of('unbilled')
    await subscribe(scope, 'team')
    const plan = new Subscriptions('disabled').planOf(scope)
    assert.ok(!(plan instanceof Promise))
    assert.equal(plan.code, 'self_hosted')
  })

  test('is free at the beginning', async () => {
    assert.equal(await planOf(tenancy.of('new')), 'free')
    assert.equal((await new Subscriptions('stripe').planOf(tenancy.of('new'))).code, 'free')
  })

  test('is what is subscribed while that is in force', async () => {
    for (const status of SUBSCRIPTION_STATUSES) {
      const scope = tenancy.of(`with ${status}`)
      await subscribe(scope, 'team', status)
      assert.equal(await planOf(scope), ['trialing', 'active', 'past_due'].includes(status) ? 'team' : 'free', status)
    }
  })

  test('is free where the plan is there no more', async () => {
    const scope = tenancy.of('old')
    await subscribe(scope, 'gold')
    assert.equal(await planOf(scope), 'free')
  })

  test('is known without waiting, and another one within a second, or at once here', async () => {
    const scope = tenancy.of('changing')
    const [here, there] = [new Subscriptions('mock'), new Subscriptions('mock')]
    const first = [here.planOf(scope), here.planOf(scope)]
    assert.equal(first[0], first[1], 'many who ask at once share one reading')
    await Promise.all([...first, there.planOf(scope)])
    assert.ok(!(here.planOf(scope) instanceof Promise))
    await subscribe(scope, 'team')
    here.forget(scope.organizationId)
    assert.equal((await here.planOf(scope)).code, 'team')
    await sleep(1000)
    assert.equal((await there.planOf(scope)).code, 'team')
  })

  test('that was being read while it was changed is read again', async () => {
    const scope = tenancy.of('meanwhile')
    const subscriptions = new Subscriptions('mock')
    const old = subscriptions.planOf(scope)
    await subscribe(scope, 'enterprise')
    subscriptions.forget(scope.organizationId)
    await old
    assert.equal((await subscriptions.planOf(scope)).code, 'enterprise')
  })

  test('that could not be read is asked for again', async () => {
    const scope = tenancy.of('outage')
    const broken = { organizationId: 'outage', collection: () => ({ findOne: () => Promise.reject(new Error('no database')) }) } as unknown as Scope
    const subscriptions = new Subscriptions('mock')
    await assert.rejects(async () => subscriptions.planOf(broken), /no database/)
    assert.equal((await subscriptions.planOf(scope)).code, 'free')
  })
})
