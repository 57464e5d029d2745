import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RulesetLedger } from '../../../workers/content/ruleset-ledger.js'
import { rulesFile } from '../support/rulesets.js'

const entry = (diskId: string, content = 'x') => ({ key: content, includeDefaults: true, includeCustom: true, diskId, source: { files: [rulesFile(content)] } })

describe('RulesetLedger', () => {
  it('finds for a caller the rulesets that this caller compiled', () => {
    const ledger = new RulesetLedger(10_000)
    ledger.note('h', 'a', entry('d'))
    assert.equal(ledger.find('h', 'a')?.key, 'x')
    assert.equal(ledger.find('h', 'b'), null)
    ledger.note('h', 'b', entry('d'))
    assert.equal(ledger.find('h', 'b')?.key, 'x')
  })

  it('uses the newer disk content of the same ruleset, for each caller alone', () => {
    const ledger = new RulesetLedger(10_000)
    ledger.note('h', 'a', entry('old'))
    ledger.note('h', 'b', entry('old'))
    ledger.note('h', 'b', entry('new'))
    assert.equal(ledger.find('h', 'a')?.diskId, 'old')
    assert.equal(ledger.find('h', 'b')?.diskId, 'new')
  })

  it('evicts the least recently used when the texts exceed the limit', () => {
    const ledger = new RulesetLedger(10_000)
    for (const hash of ['h', 'i', 'j']) ledger.note(hash, 'a', entry('d', hash.repeat(4000)))
    assert.equal(ledger.find('h', 'a'), null)
    assert.notEqual(ledger.find('j', 'a'), null)
  })
})
