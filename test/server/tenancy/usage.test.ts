/** Usage: counted to the unit, also by many at once, and refused at the limit. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Scope, Tenancy } from '../../../server/tenancy/scope.js'
import { USAGE, Usage } from '../../../server/tenancy/usage.js'
import { openTestStorage, type TestStorage } from '../../support/storage.js'

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
    new Usage(
      () => limit,
      onError,
      () => now,
    )
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
    await assert.rejects(usage.consume(scope, 'analysis_runs', 3), { reason: 'plan_quota_exceeded', status: 403 })
    await usage.consume(scope, 'analysis_runs', 2)
    await assert.rejects(usage.consume(tenancy.of('others'), 'analysis_runs', 11), { reason: 'plan_quota_exceeded' })
  })

  test('begins anew with the month', async () => {
    const scope = tenancy.of('months')
    const usage = usageOf(1)
    await usage.consume(scope, 'analysis_runs', 1)
    await assert.rejects(usage.consume(scope, 'analysis_runs', 1))
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
