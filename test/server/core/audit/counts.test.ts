/** How many entries an audit trail has: told of the moment, though what is old was counted before. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AuditCounts } from '../../../../server/core/audit/counts.js'
import { auditing } from '../../../../server/core/audit/service.js'
import { AUDIT } from '../../../../server/core/audit/store.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

const SECOND = 1000

describe('the count of an audit trail', () => {
  let opened: TestStorage
  let now = Date.UTC(2026, 10, 21)

  before(async () => {
    opened = await openTestStorage([AUDIT])
  })
  after(() => opened.close())

  const add = (scope: Scope, projectId: string | null = null) =>
    scope.commit([
      auditing(
        scope,
        { actor: { kind: 'system', name: 'test' }, requestId: null, address: null },
        { action: 'project.updated', resource: { type: 'project', id: 'p', name: 'P' }, ...(projectId === null ? {} : { projectId }) },
        new Date(now),
      ),
    ])

  /** A scope, with the periods that were counted in it. */
  const spied = (organizationId: string): { scope: Scope; asked: unknown[] } => {
    const asked: unknown[] = []
    const open: Storage['openTenant'] = (definition) => {
      const collection = opened.storage.openTenant(definition)
      const count: typeof collection.count = (filter) => {
        asked.push((filter as { readonly created_at?: unknown }).created_at)
        return collection.count(filter)
      }
      return new Proxy(collection, { get: (target, name) => (name === 'count' ? count : bound(target, name)) })
    }
    const storage = new Proxy(opened.storage, { get: (target, name) => (name === 'openTenant' ? open : bound(target, name)) })
    return { scope: new Tenancy(storage).of(organizationId), asked }
  }

  test('is right at every moment, whenever entries came', async () => {
    const { scope } = spied('steady')
    const counts = new AuditCounts(() => now)
    for (let entries = 0, step = 0; step < 60; step++) {
      if (step % 3 !== 1) {
        await add(scope, step % 2 === 0 ? 'even' : 'odd')
        entries += 1
      }
      now += (step % 7) * 30 * SECOND
      assert.equal(await counts.count(scope, {}), entries, `step ${step}`)
      const [even, odd] = [await counts.count(scope, { project_id: 'even' }), await counts.count(scope, { project_id: 'odd' })]
      assert.equal(even + odd, entries, `step ${step}`)
    }
  })

  test('looks at old entries once', async () => {
    const { scope, asked } = spied('old')
    const counts = new AuditCounts(() => now)
    for (let entry = 0; entry < 5; entry++) await add(scope)
    now += 310 * SECOND
    assert.equal(await counts.count(scope, {}), 5)
    const until = new Date(now - 300 * SECOND)
    assert.deepEqual(asked.splice(0), [{ lt: until }, { gte: until }])
    await add(scope)
    now += 30 * SECOND
    assert.equal(await counts.count(scope, {}), 6)
    assert.deepEqual(asked.splice(0), [{ gte: until }])
    now += 100 * SECOND
    const later = new Date(now - 300 * SECOND)
    assert.equal(await counts.count(scope, {}), 6)
    assert.deepEqual(asked.splice(0), [{ gte: until, lt: later }, { gte: later }])
  })

  test('sees an entry that is written late, by an instance whose clock is slow', async () => {
    const { scope } = spied('late')
    const counts = new AuditCounts(() => now)
    assert.equal(await counts.count(scope, {}), 0)
    now -= 75 * SECOND
    await add(scope)
    now += 75 * SECOND
    assert.equal(await counts.count(scope, {}), 1)
  })

  test('counts anew after a clock was set back', async () => {
    const { scope } = spied('set back')
    const counts = new AuditCounts(() => now)
    for (let entry = 0; entry < 3; entry++) await add(scope)
    now += 1000 * SECOND
    assert.equal(await counts.count(scope, {}), 3)
    now -= 500 * SECOND
    await add(scope)
    assert.equal(await counts.count(scope, {}), 4)
    now += 1000 * SECOND
    assert.equal(await counts.count(scope, {}), 4)
  })

  test('is that of the organization, and of the period that is asked for', async () => {
    const [one, other] = [spied('one').scope, spied('other').scope]
    const counts = new AuditCounts(() => now)
    await add(one)
    now += 600 * SECOND
    await add(one)
    assert.deepEqual([await counts.count(one, {}), await counts.count(other, {})], [2, 0])
    assert.equal(await counts.count(one, { created_at: { gte: new Date(now - SECOND) } }), 1)
    await add(other)
    assert.deepEqual([await counts.count(one, {}), await counts.count(other, {})], [2, 1])
  })
})

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}
