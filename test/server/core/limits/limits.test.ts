/** What callers may hold at once: every row of the table, in every scope that it names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../../server/core/errors.js'
import type { Holder, Limits, Permit } from '../../../../server/core/limits/limits.js'
import { type Limit, type LimitScope, limitTable, type RefusedResource, type Resource, SCOPES, type WaitingResource } from '../../../../server/core/limits/table.js'
import { testLimits } from '../../../support/limits.js'

const TABLE: Readonly<Record<Resource, Limit>> = limitTable({ workers: 2, maxRequestBytes: 8 * 1024 * 1024 })
const ROWS = Object.entries(TABLE) as [Resource, Limit][]

/** Two that share nothing but the instance, and a third that shares one scope with the first. */
const ANN: Holder = { organization: 'o1', user: 'ann', address: '192.0.2.1' }
const BOB: Holder = { organization: 'o2', user: 'bob', address: '192.0.2.2' }

function refusal(work: () => unknown): ApiError {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return error
  }
  return assert.fail('nothing was refused')
}

/** Limits in which one scope of one resource is small, and all others are not. */
function only(resource: Resource, scope: LimitScope, limit: number): Limits {
  const others = Object.fromEntries(SCOPES.flatMap((other) => (TABLE[resource][other] === undefined ? [] : [[other, Number.MAX_SAFE_INTEGER]])))
  return testLimits({ [resource]: { ...others, [scope]: limit } })
}

for (const [resource, limit] of ROWS) {
  for (const scope of SCOPES.filter((one) => limit[one] !== undefined)) {
    test(`${resource}: one ${scope} holds no more than its limit, and others hold theirs`, async () => {
      const limits = only(resource, scope, 3)
      const reading = () => limits.readings().find((one) => one.resource === resource && one.scope === scope)
      const held: Permit[] = []
      const take = async (holder: Holder): Promise<void> => {
        if (limit.waiting === undefined) held.push(limits.acquire(resource as RefusedResource, holder))
        else held.push(await limits.acquireQueued(resource as WaitingResource, holder))
      }
      for (let count = 0; count < 3; count++) await take(ANN)
      assert.deepEqual([reading()?.held, reading()?.largest, reading()?.limit], [3, 3, 3])

      if (limit.waiting === undefined) {
        const { reason, status, details, headers } = refusal(() => limits.acquire(resource as RefusedResource, ANN))
        assert.deepEqual([reason, status, details], ['limit_reached', 503, { resource, scope, limit: 3 }])
        assert.ok(Number(headers['Retry-After']) > 0)
        assert.equal(reading()?.refused, 1)
        if (scope === 'instance') assert.equal(refusal(() => limits.acquire(resource as RefusedResource, BOB)).reason, 'limit_reached')
        else await take(BOB)
        held[0].release()
        held[0].release()
        await take(ANN)
        refusal(() => limits.acquire(resource as RefusedResource, ANN))
      } else {
        let isServed = false
        const waiting = Promise.resolve(limits.acquireQueued(resource as WaitingResource, ANN)).then((permit) => {
          isServed = true
          held.push(permit)
        })
        if (scope !== 'instance') await take(BOB)
        await new Promise((resolve) => setImmediate(resolve))
        assert.equal(isServed, false)
        assert.equal(reading()?.waiting, 1)
        held[0].release()
        held[0].release()
        await waiting
        assert.equal(isServed, true)
      }
      for (const permit of held) permit.release()
      assert.deepEqual([reading()?.held, reading()?.largest, reading()?.waiting], [0, 0, 0])
    })
  }
}

test('a holder that nobody knows in a scope counts in the others only', () => {
  const limits = only('requests', 'organization', 1)
  for (let count = 0; count < 5; count++) limits.acquire('requests', { address: '192.0.2.1' })
  limits.acquire('requests', { organization: null, user: 'ann' })
  limits.acquire('requests', { organization: 'o1' })
  refusal(() => limits.acquire('requests', { organization: 'o1' }))
})

test('a permit counts in all scopes or in none', () => {
  const limits = testLimits({ requests: { organization: 2, user: 1 } })
  limits.acquire('requests', ANN)
  refusal(() => limits.acquire('requests', ANN))
  // The organization has room for one more, which the refused one did not take.
  limits.acquire('requests', { organization: 'o1', user: 'cleo' })
  refusal(() => limits.acquire('requests', { organization: 'o1', user: 'dan' }))
})

test('one that is larger than the limit is taken when it is alone, so that nothing is refused for ever', () => {
  const limits = testLimits({ body_bytes: { organization: 10, instance: 10 } })
  const large = limits.acquire('body_bytes', ANN, 100)
  refusal(() => limits.acquire('body_bytes', ANN, 1))
  large.release()
  limits.acquire('body_bytes', ANN, 1)
  refusal(() => limits.acquire('body_bytes', ANN, 100))
})

test('what grows is refused at the limit, keeps what it has, and gives all of it back', () => {
  const limits = testLimits({ body_bytes: { organization: 10 } })
  const growing = limits.acquire('body_bytes', ANN, 0)
  growing.grow(6)
  growing.grow(4)
  assert.equal(refusal(() => growing.grow(1)).reason, 'limit_reached')
  growing.release()
  growing.grow(10)
  refusal(() => limits.acquire('body_bytes', ANN, 1))
  growing.release()
  limits.acquire('body_bytes', ANN, 10)
})

test('holders have turns alternately, however many one of them has waiting', async () => {
  const limits = only('database_turns', 'instance', 1)
  const order: string[] = []
  const first = await limits.acquireQueued('database_turns', ANN)
  const run = async (name: string, holder: Holder): Promise<void> => {
    const permit = await limits.acquireQueued('database_turns', holder)
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    permit.release()
  }
  const all = Promise.all([run('a1', ANN), run('a2', ANN), run('a3', ANN), run('b1', BOB), run('b2', BOB), run('c1', { organization: 'o3' })])
  first.release()
  await all
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('who waits for room of its own keeps nobody else waiting', async () => {
  const limits = testLimits({ database_turns: { organization: 1, instance: 2 } })
  const own = await limits.acquireQueued('database_turns', ANN)
  const waiting = Promise.resolve(limits.acquireQueued('database_turns', ANN))
  const other = limits.acquireQueued('database_turns', BOB)
  assert.ok(!(other instanceof Promise))
  own.release()
  ;(await waiting).release()
  other.release()
})

test('who leaves while it waits takes no turn', async () => {
  const limits = only('database_turns', 'instance', 1)
  const own = await limits.acquireQueued('database_turns', ANN)
  const left = new AbortController()
  const waiting = Promise.resolve(limits.acquireQueued('database_turns', ANN, () => left.signal))
  const next = Promise.resolve(limits.acquireQueued('database_turns', BOB))
  left.abort('caller_gone')
  await assert.rejects(waiting, (reason) => reason === 'caller_gone')
  own.release()
  ;(await next).release()
  assert.ok(!(limits.acquireQueued('database_turns', ANN) instanceof Promise))
})

test('no more wait than the table allows', async () => {
  const limits = testLimits({ database_turns: { instance: 1, waiting: 2 } })
  const own = await limits.acquireQueued('database_turns', ANN)
  const waiting = [limits.acquireQueued('database_turns', ANN), limits.acquireQueued('database_turns', BOB)]
  assert.equal(refusal(() => limits.acquireQueued('database_turns', ANN)).reason, 'limit_reached')
  own.release()
  for (const permit of waiting) (await permit).release()
})

test('a meter counts what can not be refused, and says when there is no room', () => {
  const limits = testLimits({ batch_bytes: { organization: 10 } })
  const [own, other] = [limits.meter('batch_bytes', ANN), limits.meter('batch_bytes', BOB)]
  own.change(12)
  assert.deepEqual([own.isFull, other.isFull], [true, false])
  own.change(-3)
  assert.equal(own.isFull, false)
})

test('in the table an instance has room for several of the largest holders', () => {
  for (const [resource, limit] of ROWS) {
    for (const scope of SCOPES) {
      const share = limit[scope]
      if (scope === 'instance' || share === undefined) continue
      assert.ok(share < limit.instance, `${resource}: one ${scope} may hold all of it`)
    }
  }
})
