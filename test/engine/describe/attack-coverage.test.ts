/** Which techniques rules detect: sub-techniques count for their technique, and a rule counts once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attackCoverage, attackMatrix } from '#engine-data'

const RULES = [
  { id: '5710', attack_ids: ['T1110.001', 'T1110.002'] },
  { id: '120003', attack_ids: ['T1110'] },
]

test('a technique is covered by the rules of its sub-techniques, each of which counts once', () => {
  const credentials = attackCoverage(attackMatrix(), RULES, new Set(['5710'])).find(({ name }) => name === 'Credential Access')
  const force = credentials?.techniques.find(({ id }) => id === 'T1110')
  assert.deepEqual([force?.state, force?.rules, force?.tested, force?.subTechniques], ['cases', ['5710', '120003'], 1, ['T1110.001', 'T1110.002']])
  assert.equal(credentials?.covered, 1)
})

test('without cases, or without knowing them, a technique has rules', () => {
  for (const tested of [new Set<string>(), null]) {
    const states = attackCoverage(attackMatrix(), RULES, tested).flatMap(({ techniques }) => techniques.map(({ state }) => state))
    assert.deepEqual([new Set(states), states.filter((state) => state === 'rules').length], [new Set(['none', 'rules']), 1])
  }
})
