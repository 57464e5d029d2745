/** Usage: counted to the unit, also by many at once, and refused at the limit. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { USAGE, Usage } from '../../../../server/core/tenancy/usage.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

describe('usage', () => {
  let opened: TestStorage
  let tenancy: Tenancy
  let now = Date.UTC(2026, 10, 21)

  before(async () => {
    opened = await openTestStorage([USAGE])
    tenancy = new Tenancy(opened.storage)
  })
  after(() => opened.close())

  const usageOf = (limit: number | null, onError: (error: unknown) => void = (error) => assert.fail(String(error))): Usage =>
    new Usage({ limitOf: () => limit, onError, clock: () => now })
  const stored = (scope: Scope) => scope.collection(USAGE).find({}, { sort: { period_start: 1 } })

  test('without a limit gathers, and is written together', async () => {
    const scope = tenancy.of('gathering')
    const usage = usageOf(null)
    await Promise.all(Array.from({ length: 100 }, () => usage.consume(scope, 'analysis_runs', 1)))
    await usage.consume(scope, 'analysis_runs', 23)
    assert.equal(await usage.consumed(scope, 'analysis_runs'), 123)
    assert.deepEqual(await stored(scope), [])
    await usage.flush()
    await usage.consume(scope, 'analysis_runs', 7)
    await usage.flush()
    const [counted, ...others] = await stored(scope)
    assert.equal(counted.consumed, 130)
    assert.equal(counted.period_start.toISOString(), '2026-11-01T00:00:00.000Z')
    assert.equal(counted.period_end.toISOString(), '2026-12-01T00:00:00.000Z')
    assert.deepEqual(others, [])
  })

  test('is told to the unit, also when units are written while it is read', async () => {
    const scope = tenancy.of('read while written')
    const usage = usageOf(null)
    usage.count(scope, 'analysis_runs', 3)
    const real = scope.collection(USAGE)
    const collection = () => ({
      findOne: async (filter: Parameters<typeof real.findOne>[0]) => {
        const found = await real.findOne(filter)
        await usage.flush()
        return found
      },
    })
    assert.equal(await usage.consumed({ organizationId: scope.organizationId, collection } as unknown as Scope, 'analysis_runs'), 3)
  })

  test('with a limit is refused at it, exactly, by many at once on two instances', async () => {
    const scope = tenancy.of('limited')
    const instances = [usageOf(50), usageOf(50)]
    const outcomes = await Promise.allSettled(Array.from({ length: 80 }, (_, i) => instances[i % 2].consume(scope, 'analysis_runs', 1)))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 50)
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'plan_quota_exceeded')
    assert.equal(await instances[0].consumed(scope, 'analysis_runs'), 50)
  })

  test('takes all units of a batch, or none', async () => {
    const scope = tenancy.of('batches')
    const usage = usageOf(10)
    await usage.consume(scope, 'analysis_runs', 8)
    await assert.rejects(async () => usage.consume(scope, 'analysis_runs', 3), { reason: 'plan_quota_exceeded', status: 403 })
    await usage.consume(scope, 'analysis_runs', 2)
    await assert.rejects(async () => usage.consume(tenancy.of('others'), 'analysis_runs', 11), { reason: 'plan_quota_exceeded' })
  })

  test('takes back what was not done, down to nothing', async () => {
    for (const limit of [null, 10]) {
      const scope = tenancy.of(`giving back of ${limit}`)
      const usage = usageOf(limit)
      await usage.consume(scope, 'analysis_runs', 8)
      await usage.refund(scope, 'analysis_runs', 5)
      assert.equal(await usage.consumed(scope, 'analysis_runs'), 3)
      await usage.flush()
      await usage.consume(scope, 'analysis_runs', 1)
      await usage.refund(scope, 'analysis_runs', 2)
      await usage.flush()
      assert.deepEqual(
        (await stored(scope)).map(({ consumed }) => consumed),
        [2],
      )
      // As of a month that has ended meanwhile.
      await usage.refund(scope, 'analysis_runs', 3)
      await usage.flush()
      assert.equal((await stored(scope))[0].consumed, 2)
      assert.ok((await usage.consumed(scope, 'analysis_runs')) >= 0)
    }
  })

  test('stays counted when a refund fails, which fails nothing else', async () => {
    const scope = tenancy.of('failed refund')
    const usage = usageOf(10)
    await usage.consume(scope, 'analysis_runs', 8)
    const collection = (): never => {
      throw new Error('no store')
    }
    await usage.refund({ organizationId: scope.organizationId, collection } as unknown as Scope, 'analysis_runs', 5)
    assert.equal(await usage.consumed(scope, 'analysis_runs'), 8)
  })

  test('is counted for the month in which it was taken, however late it is written', async () => {
    const scope = tenancy.of('late')
    now = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
    const usage = usageOf(null)
    await usage.consume(scope, 'analysis_runs', 2)
    usage.count(scope, 'api_requests', 1)
    now += 1
    await usage.consume(scope, 'analysis_runs', 3)
    assert.equal(await usage.consumed(scope, 'analysis_runs'), 3)
    await usage.flush()
    assert.deepEqual(
      (await stored(scope)).map(({ metric, period_start, consumed }) => [metric, period_start.getUTCMonth(), consumed]),
      [
        ['analysis_runs', 10, 2],
        ['api_requests', 10, 1],
        ['analysis_runs', 11, 3],
      ],
    )
    now = Date.UTC(2026, 10, 21)
  })

  test('tells how a limited metric stands after each taking, and nothing of one without a limit', async () => {
    const levels: unknown[] = []
    const onTaken = (_: Scope, level: object, { label }: { label: string }) => void levels.push({ ...level, label })
    for (const limit of [null, 10]) {
      const usage = new Usage({ limitOf: () => limit, onError: (error) => assert.fail(String(error)), onTaken, clock: () => now })
      await usage.consume(tenancy.of(`telling of ${limit}`), 'analysis_runs', 4)
      await usage.consume(tenancy.of(`telling of ${limit}`), 'analysis_runs', 3)
      // What is counted without a limit is written later, when the store of this test may be gone.
      await usage.flush()
    }
    const level = { metric: 'analysis_runs', limit: 10, label: '2026-11' }
    assert.deepEqual(levels, [
      { ...level, consumed: 4 },
      { ...level, consumed: 7 },
    ])
  })

  test('begins anew with the month', async () => {
    const scope = tenancy.of('months')
    const usage = usageOf(1)
    await usage.consume(scope, 'analysis_runs', 1)
    await assert.rejects(async () => usage.consume(scope, 'analysis_runs', 1))
    now = Date.UTC(2026, 11, 1)
    await usage.consume(scope, 'analysis_runs', 1)
    assert.deepEqual(
      (await stored(scope)).map(({ consumed }) => consumed),
      [1, 1],
    )
  })

  test('keeps counts that could not be written, and writes them later', async () => {
    const errors: unknown[] = []
    const usage = usageOf(null, (error) => errors.push(error))
    const scope = tenancy.of('outage')
    const broken = new Proxy(scope, {
      get: (target, name) =>
        name === 'collection' && errors.length === 0 ? () => ({ update: () => Promise.reject(new Error('no database')) }) : Reflect.get(target, name).bind?.(target),
    })
    await usage.consume(broken, 'analysis_runs', 3)
    await usage.flush()
    assert.equal(errors.length, 1)
    await usage.flush()
    assert.equal((await stored(scope))[0].consumed, 3)
  })
})
