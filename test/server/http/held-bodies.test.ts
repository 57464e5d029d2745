/** What organizations have under way of bodies, each and all together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../server/http/exchange.js'
import { HeldBodies } from '../../../server/http/held-bodies.js'
import { ApiError } from '../../../server/errors.js'

const of = (organizationId: string) => ({ caller: { organizationId } }) as unknown as Exchange
const overloaded = (error: unknown): boolean => error instanceof ApiError && error.reason === 'overloaded'

test('all together have a limit as well, and what is released is free for everyone', () => {
  const bodies = new HeldBodies(10, { organizationBodyBytes: 100, totalBodyBytes: 250 })
  const [a, b, c] = ['a', 'b', 'c'].map((id) => bodies.begin(of(id)))
  a?.add(100)
  b?.add(100)
  assert.throws(() => a?.add(1), overloaded)
  assert.throws(() => c?.add(51), overloaded)
  c?.add(50)
  b?.release()
  b?.release()
  c?.add(50)
  assert.throws(() => b?.add(51), overloaded)
  b?.add(50)
})

test('there is always room for a body of the largest size', () => {
  const body = new HeldBodies(1000, { organizationBodyBytes: 1, totalBodyBytes: 1 }).begin(of('a'))
  body?.add(1000)
})

test('bodies of callers that nobody knows are not counted', () => {
  assert.equal(new HeldBodies(10).begin({ caller: null } as Exchange), null)
})
