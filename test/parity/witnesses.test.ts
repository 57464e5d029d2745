/** Witnesses of the stock ruleset: how many rules have one, and that no rule which the real engine fired is said not to fire. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileRuleset, type WitnessRecord } from '#engine'
import { findWitnesses, readRulesetFolder } from '#workers'
import { CONFORMANCE, haveConformance, readLines, type Recorded } from './conformance.js'

const skip = haveConformance() ? false : 'the recordings of the reference engine (../shared/conformance) are not here'
/** Least share with a witness among the alerting stock rules that can fire. */
const SHARE = 0.995
/** Upper bound of the share without an answer among all alerting stock rules. */
const UNKNOWN = 0.01

test('nearly all stock rules have a witness or a proof, and no proof contradicts a recording', { skip }, async () => {
  const files = readRulesetFolder(join(CONFORMANCE, 'ruleset-default'), 'default')
  const rules = compileRuleset(files).rules.inOrder()
  const records: WitnessRecord[] = []
  await findWitnesses(
    { files, locale: 'en-US', near: false },
    rules.map(({ id }) => id),
    async (found) => void records.push(...found),
  )
  const count = (status: WitnessRecord['status']): number => records.filter((record) => record.status === status).length
  assert.ok(count('fires') / (count('fires') + count('unknown')) >= SHARE, `${count('fires')} fire, ${count('unknown')} unknown`)
  assert.ok(count('unknown') / rules.length < UNKNOWN)
  const fired = new Set<string>()
  for (const file of ['expected-default', 'sequences', 'mutants', 'locations']) {
    for (const { got } of readLines<{ got: Recorded | readonly Recorded[] }>(`${file}.jsonl`))
      for (const one of [got].flat() as readonly Recorded[]) if (one.rule != null) fired.add(String(one.rule.id))
  }
  assert.ok(fired.size > 900)
  assert.deepEqual(
    records.filter(({ rule_id, status }) => status === 'cannot_fire' && fired.has(rule_id)).map(({ rule_id, reason }) => [rule_id, reason]),
    [],
  )
})
