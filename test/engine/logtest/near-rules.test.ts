/** Which rules an event comes near: those that it would match but for one condition of their own. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { NearRules, NegativeCases, runCase } from '../../../engine/index.js'
import { DOOR, MOMENT, RULESET, RUNNER } from './small-ruleset.js'

const near = new NearRules(RULESET, ['adhoc'])
const own = (...events: readonly string[]) => {
  const { covered } = runCase(RUNNER, { name: 'case', event_text: '', events: events.map((event_text, at) => ({ event_text, at })) }, MOMENT, 'en-US', { near })
  return { matched: [...(covered.own?.matched ?? [])].sort(), near: [...(covered.own?.near ?? [])].sort() }
}

test('an event comes near a rule of which one condition fails, and to one that only lacks earlier events', () => {
  const found = own(DOOR)
  assert.deepEqual(found.matched, ['100001', '100002'])
  // 100003 counts events, the list of 100004 lacks the address, 100006 asks for another decoder. 100005 asks for that and a field.
  assert.deepEqual(found.near.slice(0, 3), ['100003', '100004', '100006'])
  assert.ok(!found.near.includes('100005'))
})

test('an event whose parent rule does not match does not come near, whatever else holds', () => {
  // `^opened` of 100002 holds, and 100001 above it does not.
  assert.ok(!own('Nov 17 08:15:30 gate lampd[42]: opened by bob').near.includes('100002'))
  assert.ok(own('Nov 17 08:15:30 gate doord[42]: shut by bob').near.includes('100002'))
})

test('a rule that a later event of the case matches is none that the case comes near', () => {
  const often = own(DOOR, DOOR, DOOR)
  assert.ok(often.matched.includes('100003'))
  assert.ok(!often.near.includes('100003'))
})

test('a rule that a case matches has a negative case if another one passes near it', () => {
  const tally = new NegativeCases()
  const add = (event_text: string, expected_rule: string): void => tally.add(runCase(RUNNER, { name: 'case', event_text, expected_rule }, MOMENT, 'en-US', { near }))
  add(DOOR, '100002')
  assert.deepEqual([tally.positives, tally.lacking()], [2, ['100001', '100002']])
  const shut = 'Nov 17 08:15:30 gate doord[42]: shut by bob'
  add(shut, '100002')
  assert.deepEqual(tally.lacking(), ['100001', '100002'], 'a case that fails shows nothing')
  add(shut, '100001')
  assert.deepEqual(tally.lacking(), ['100001'])
})

test('rules of other files are not sought, and nothing is unless it is asked for', () => {
  const none = new NearRules(RULESET, ['custom'])
  assert.deepEqual(runCase(RUNNER, { name: 'case', event_text: DOOR }, MOMENT, 'en-US', { near: none }).covered.own, { matched: [], near: [] })
  assert.equal(runCase(RUNNER, { name: 'case', event_text: DOOR }, MOMENT, 'en-US').covered.own, undefined)
})
