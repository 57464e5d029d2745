/** Bisection over places, of which some cannot be looked at. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { findChange } from '#engine'

/** @param states `+` holds, `-` does not, `?` cannot be looked at */
async function find(states: string, limit = 100) {
  const looks: number[] = []
  const look = async (at: number): Promise<string | null> => {
    looks.push(at)
    return states[at] === '?' ? null : states[at]
  }
  const found = await findChange({ count: states.length, limit, look, holds: (state) => state === '+' })
  return { found, looks }
}

test('the change is found with few looks, also beside places that cannot be looked at', async () => {
  for (const [states, since, before, isUnsure] of [
    ['+++++-------', 5, 4, false],
    ['-+', 1, 0, false],
    ['++??--', 4, 1, true],
    ['?+-?', 2, 1, false],
    // Both ends agree: the newest change counts.
    ['-++-++-', 6, 5, false],
  ] as const) {
    const { found, looks } = await find(states)
    assert.deepEqual([found?.since?.at, found?.before?.at, found?.isUnsure], [since, before, isUnsure], states)
    assert.equal(new Set(looks).size, looks.length, states)
  }
  const { looks } = await find(`${'-'.repeat(300)}${'+'.repeat(212)}`)
  assert.ok(looks.length <= 12, String(looks.length))
})

test('without a change there is none, and without a place nothing', async () => {
  assert.deepEqual((await find('----')).found?.since, null)
  assert.equal((await find('??')).found, null)
  assert.equal((await find(`+${'-'.repeat(50)}+`, 5)).found?.since?.at, 51)
  // Beyond the limit places are not looked at one by one.
  assert.equal((await find(`+-${'+'.repeat(50)}`, 5)).found?.since, null)
})
