/** Quotas: creations that are exact at the limit, requests a minute, warnings that are told once, and the overview. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Storage, type TenantDocument, tenantCollection } from '../../../../server/core/storage/contract.js'
import { COUNTERS } from '../../../../server/core/tenancy/counters.js'
import { PLANS } from '../../../../server/core/tenancy/plans.js'
import { QUOTAS, type WarningWrites } from '../../../../server/core/tenancy/quota-warnings.js'
import { QUOTA_COLLECTIONS, type QuotaParts, Quotas } from '../../../../server/core/tenancy/quotas.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS } from '../../../../server/core/tenancy/subscriptions.js'
import { USAGE } from '../../../../server/core/tenancy/usage.js'
import { subscriptionOf } from '../../../support/plans.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

interface ThingDocument extends TenantDocument {
  readonly name: string
}

/** What a notification is in the service. */
interface NoteDocument extends TenantDocument {
  readonly metric: string
  readonly consumed: number
  readonly limit: number
}

const THINGS = tenantCollection<ThingDocument>('things', [{ keys: { name: 1 }, unique: true }])
const NOTES = tenantCollection<NoteDocument>('notes', [])

const { projects: PROJECTS, webhooks: WEBHOOKS, analysis_runs_per_month: RUNS, api_requests_per_minute: REQUESTS } = PLANS.free.limits as unknown as Record<string, number>

describe('quotas', () => {
  let opened: TestStorage
  let storage: Storage
  let tenancy: Tenancy
  let now = Date.UTC(2026, 10, 21, 12)
  let notes = 0
  const errors: unknown[] = []

  before(async () => {
    opened = await openTestStorage([...QUOTA_COLLECTIONS, COUNTERS, THINGS, NOTES])
    storage = opened.storage
    tenancy = new Tenancy(storage)
  })
  after(async () => {
    await opened.close()
    assert.deepEqual(errors, [])
  })

  const warningWrites: WarningWrites = async (scope, level) => [scope.collection(NOTES).inserting({ _id: `note ${notes++}`, ...level })]
  /** As of an instance of the service; several share the store. */
  const instance = (parts: Partial<QuotaParts> = {}): Quotas =>
    new Quotas({ storage, gateway: 'mock', counts: {}, warningWrites, onError: (error) => void errors.push(error), clock: () => now, ...parts })
  const things = (scope: Scope) => scope.collection(THINGS)
  const create = (quotas: Quotas, scope: Scope, name: string, metric: 'projects' | 'webhooks' = 'projects') =>
    quotas.creating(scope, metric, { count: () => things(scope).count({}), writes: async () => [things(scope).inserting({ _id: `${scope.organizationId} ${name}`, name })] })
  const told = async (scope: Scope) => (await scope.collection(NOTES).find({})).map(({ metric, consumed, limit }) => ({ metric, consumed, limit }))
  const usedUp = async (quotas: Quotas, scope: Scope, units: number) => {
    await quotas.usage.consume(scope, 'analysis_runs', units)
    await quotas.close()
  }

  describe('of what is counted by being there', () => {
    test('are exact at the limit, whatever comes at once and on however many instances', async () => {
      const scope = tenancy.of('racing')
      const instances = [instance(), instance(), instance()]
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => create(instances[i % 3], scope, `thing ${i}`)))
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, PROJECTS)
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        assert.equal(outcome.reason.code, 'plan_quota_exceeded')
        assert.deepEqual(outcome.reason.details, { metric: 'projects', limit: PROJECTS })
      }
      assert.equal(await things(scope).count({}), PROJECTS)
      assert.equal((await told(scope)).length, 1)
    })

    test('have room again when something is gone', async () => {
      const scope = tenancy.of('leaving')
      const quotas = instance()
      for (let i = 0; i < PROJECTS; i++) await create(quotas, scope, String(i))
      await assert.rejects(create(quotas, scope, 'one more'), { reason: 'plan_quota_exceeded', status: 403 })
      await things(scope).delete({ name: '0' })
      await create(quotas, scope, 'one more')
    })

    test('are kept for each organization and metric', async () => {
      const quotas = instance()
      for (let i = 0; i < WEBHOOKS; i++) await create(quotas, tenancy.of('hooks'), String(i), 'webhooks')
      await assert.rejects(create(quotas, tenancy.of('hooks'), 'one more', 'webhooks'), { reason: 'plan_quota_exceeded' })
      await create(quotas, tenancy.of('hooks'), 'a project')
      await create(quotas, tenancy.of('other hooks'), '0', 'webhooks')
    })

    test('cost nothing where there is no limit', async () => {
      const scope = tenancy.of('unlimited')
      const quotas = instance({ gateway: 'disabled' })
      const count = () => assert.fail('counted')
      const results = await quotas.creating(scope, 'projects', { count, writes: async () => [things(scope).inserting({ _id: 'u', name: 'u' })] })
      await quotas.requireRoom(scope, 'projects', { count })
      assert.deepEqual(results, [null])
      assert.equal(await scope.collection(QUOTAS).count({}), 0)
    })

    test('have a limit of their own beside, as exact, whatever the plan says', async () => {
      const scope = tenancy.of('own limit')
      const instances = [instance({ gateway: 'disabled' }), instance({ gateway: 'disabled' }), instance({ gateway: 'disabled' })]
      const full = new Error('full')
      const one = (quotas: Quotas, own: Scope, limit: number, name: number) =>
        quotas.creating(own, 'projects', {
          count: () => things(own).count({}),
          requireRoom(there) {
            if (there >= limit) throw full
          },
          writes: async () => [things(own).inserting({ _id: `${own.organizationId} ${name}`, name: String(name) })],
        })
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => one(instances[i % 3], scope, 7, i)))
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 7)
      for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason, full)
      assert.equal(await things(scope).count({}), 7)
      assert.deepEqual(await told(scope), [])
      const onPlan = tenancy.of('own limit, plan')
      for (let i = 0; i < PROJECTS; i++) await one(instance(), onPlan, PROJECTS + 1, i)
      await assert.rejects(one(instance(), onPlan, PROJECTS + 1, PROJECTS), { reason: 'plan_quota_exceeded' })
      await assert.rejects(one(instance(), onPlan, PROJECTS, PROJECTS), full)
    })

    test('of many are counted once while there is room for certain, and are as exact at the limit', async () => {
      const scope = tenancy.of('many')
      const instances = [instance({ gateway: 'disabled' }), instance({ gateway: 'disabled' }), instance({ gateway: 'disabled' })]
      const full = new Error('full')
      const limit = 30
      let counts = 0
      const one = (quotas: Quotas, name: number) =>
        quotas.creating(scope, 'projects', {
          async count() {
            counts++
            return things(scope).count({})
          },
          requireRoom(there) {
            if (there >= limit) throw full
          },
          allowedUpTo: limit,
          writes: async () => [things(scope).inserting({ _id: `many ${name}`, name: String(name) })],
        })
      for (let i = 0; i < 20; i++) await one(instances[i % 3]!, i)
      assert.equal(counts, 1)
      // Five are gone, which nothing has counted: there is room for fifteen.
      await things(scope).deleteMany({ name: { in: ['0', '1', '2', '3', '4'] } })
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => one(instances[i % 3]!, 100 + i)))
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 15)
      for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason, full)
      assert.equal(await things(scope).count({}), limit)
      assert.deepEqual(await told(scope), [])
    })

    test('of many warn as exactly on a plan with a limit', async () => {
      const scope = tenancy.of('many, warned')
      const quotas = instance()
      const one = (name: number) =>
        quotas.creating(scope, 'projects', {
          count: () => things(scope).count({}),
          requireRoom: () => undefined,
          allowedUpTo: 1000,
          writes: async () => [things(scope).inserting({ _id: `many, warned ${name}`, name: String(name) })],
        })
      const level = Math.ceil(PROJECTS * 0.8)
      for (let i = 0; i < level - 1; i++) await one(i)
      assert.deepEqual(await told(scope), [])
      await one(level - 1)
      assert.deepEqual(await told(scope), [{ metric: 'projects', consumed: level, limit: PROJECTS }])
      for (let i = level; i < PROJECTS; i++) await one(i)
      await assert.rejects(one(PROJECTS), { reason: 'plan_quota_exceeded' })
      assert.equal((await told(scope)).length, 1)
    })

    test('give what the commit gives, and throw what it throws', async () => {
      const scope = tenancy.of('results')
      const quotas = instance()
      await create(quotas, scope, 'a')
      await assert.rejects(create(quotas, scope, 'a'), { name: 'DuplicateKeyError', collection: 'things' })
      const count = () => things(scope).count({})
      const rename = (name: string) => () => Promise.resolve([things(scope).updating({ name }, { set: { name: 'b' } })])
      await assert.rejects(quotas.creating(scope, 'projects', { count, writes: rename('nobody') }), { name: 'StaleWriteError', collection: 'things', index: 0 })
      // The fourth of five: a warning is written with it, and is not of the answer.
      await create(quotas, scope, 'c')
      await create(quotas, scope, 'd')
      const [renamed, ...more] = await quotas.creating(scope, 'projects', { count, writes: rename('a') })
      assert.deepEqual([(renamed as ThingDocument).name, more], ['b', []])
    })

    test('can be looked at before something dear is done', async () => {
      const scope = tenancy.of('looking')
      await instance().requireRoom(scope, 'webhooks', { count: async () => WEBHOOKS - 1 })
      await assert.rejects(instance().requireRoom(scope, 'webhooks', { count: async () => WEBHOOKS }), { reason: 'plan_quota_exceeded' })
    })

    test('warn once at 80 %, and again only after there were fewer', async () => {
      const scope = tenancy.of('warned')
      const quotas = instance()
      for (const name of ['1', '2', '3']) await create(quotas, scope, name)
      assert.deepEqual(await told(scope), [])
      await create(quotas, scope, '4')
      assert.deepEqual(await told(scope), [{ metric: 'projects', consumed: 4, limit: 5 }])
      await create(quotas, scope, '5')
      await things(scope).delete({ name: '5' })
      await create(instance(), scope, '5 again')
      assert.equal((await told(scope)).length, 1)
      await things(scope).deleteMany({ name: { in: ['1', '2'] } })
      await create(quotas, scope, '4 again')
      assert.equal((await told(scope)).length, 2)
    })

    test('do not warn of what was not made', async () => {
      const scope = tenancy.of('not made')
      const quotas = instance()
      for (const name of ['1', '2', '3']) await create(quotas, scope, name)
      await assert.rejects(create(quotas, scope, '3'))
      assert.deepEqual(await told(scope), [])
    })
  })

  describe('of what is counted by time', () => {
    test('warn once a month, by whichever instance sees it first', async () => {
      const scope = tenancy.of('months')
      const instances = [instance(), instance()]
      await usedUp(instances[0], scope, RUNS * 0.8 - 1)
      assert.deepEqual(await told(scope), [])
      await Promise.all(Array.from({ length: 20 }, (_, i) => instances[i % 2].usage.consume(scope, 'analysis_runs', 1)))
      for (const quotas of instances) await quotas.close()
      assert.equal((await told(scope)).length, 1)
      assert.equal((await told(scope))[0].limit, RUNS)
      // A process that has just started knows of it as well.
      await usedUp(instance(), scope, 1)
      assert.equal((await told(scope)).length, 1)
      now = Date.UTC(2026, 11, 1)
      await usedUp(instances[0], scope, RUNS)
      assert.equal((await told(scope)).length, 2)
    })

    test('warn at last when the warning could not be written at first', async () => {
      const scope = tenancy.of('outage')
      const failures: unknown[] = []
      const failing: WarningWrites = async (of, level) => (failures.length === 0 ? Promise.reject(new Error('no database')) : warningWrites(of, level))
      const quotas = instance({ warningWrites: failing, onError: (error) => void failures.push(error) })
      await usedUp(quotas, scope, RUNS * 0.9)
      assert.equal(failures.length, 1)
      assert.deepEqual(await told(scope), [])
      await usedUp(quotas, scope, 1)
      assert.equal((await told(scope)).length, 1)
    })
  })

  describe('of requests a minute', () => {
    const requests = async (quotas: Quotas, scope: Scope, count: number): Promise<number> => {
      let refused = 0
      for (let i = 0; i < count; i++) {
        try {
          await quotas.request(scope)
        } catch (error) {
          refused++
          const { reason, details, headers } = error as { reason: string; details: object; headers: object }
          assert.equal(reason, 'plan_quota_exceeded')
          assert.deepEqual(details, { metric: 'api_requests_per_minute', limit: REQUESTS, reset_at: new Date(now + 60_000).toISOString() })
          assert.deepEqual(headers, { 'Retry-After': '60' })
        }
      }
      return refused
    }

    test('let the limit through, refuse the rest, and begin anew', async () => {
      const scope = tenancy.of('busy')
      const quotas = instance()
      assert.equal(await requests(quotas, scope, REQUESTS + 7), 7)
      assert.equal(await requests(quotas, tenancy.of('calm'), 1), 0)
      now += 60_000
      assert.equal(await requests(quotas, scope, 1), 0)
      await quotas.close()
      assert.equal(await quotas.usage.consumed(scope, 'api_requests'), REQUESTS + 1)
      const [request] = await told(scope)
      assert.deepEqual([request.metric, request.limit], ['api_requests_per_minute', REQUESTS])
      assert.ok(request.consumed >= REQUESTS * 0.8 && request.consumed <= REQUESTS)
    })

    test('warn at most once a day', async () => {
      const scope = tenancy.of('busy every minute')
      for (const quotas of [instance(), instance(), instance()]) {
        await requests(quotas, scope, REQUESTS)
        await quotas.close()
        now += 60_000
      }
      assert.equal((await told(scope)).length, 1)
      now += 24 * 60 * 60_000
      const quotas = instance()
      await requests(quotas, scope, REQUESTS)
      await quotas.close()
      assert.equal((await told(scope)).length, 2)
    })

    test('are counted without waiting where there is no limit', async () => {
      const quotas = instance({ gateway: 'disabled' })
      const scope = tenancy.of('self-hosted')
      for (let i = 0; i < 2 * REQUESTS; i++) assert.equal(quotas.request(scope), undefined)
      assert.equal(await quotas.usage.consumed(scope, 'api_requests'), 2 * REQUESTS)
      await quotas.close()
      assert.equal(await quotas.usage.consumed(scope, 'api_requests'), 2 * REQUESTS)
    })

    test('follow a larger plan at once', async () => {
      const scope = tenancy.of('growing')
      const quotas = instance()
      assert.equal(await requests(quotas, scope, REQUESTS + 1), 1)
      await scope.collection(PLAN_SUBSCRIPTIONS).insert(subscriptionOf(scope, 'team'))
      quotas.planChanged(scope)
      assert.equal(await requests(quotas, scope, REQUESTS), 0)
    })
  })

  test('the overview tells what is used, and of what', async () => {
    const scope = tenancy.of('overview')
    const quotas = instance({ counts: { projects: async () => 3, members: async () => 4 } })
    await quotas.usage.consume(scope, 'analysis_runs', 12)
    await quotas.request(scope)
    const period = { period_start: '2026-12-01T00:00:00.000Z', period_end: '2027-01-01T00:00:00.000Z' }
    assert.deepEqual(await quotas.usageMetrics(scope), [
      { metric: 'analysis_runs', ...period, consumed: 12, limit: RUNS },
      { metric: 'projects', consumed: 3, limit: PROJECTS },
      { metric: 'api_requests', ...period, consumed: 1, limit: null },
      { metric: 'members', consumed: 4, limit: PLANS.free.limits.members },
    ])
    const unbilled = instance({ gateway: 'disabled' })
    for (const { limit } of await unbilled.usageMetrics(scope)) assert.equal(limit, null)
    await quotas.close()
    assert.equal(await scope.collection(USAGE).count({}), 2)
  })
})
