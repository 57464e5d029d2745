/** The subcommand `audit`: on a tiny ruleset, in this thread and in several. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { AuditRecord } from '#engine'
import { call, Workplace } from './call.js'

const place = new Workplace()
const RULESET = ['--ruleset', place.ruleset()]
const rule = (id: number, options: string, level = 9): string => `<rule id="${id}" level="${level}">${options}<description>Rule ${id}.</description></rule>`
const own = (name: string, rules: string): string[] => ['--custom', place.write(`${name}/rules/own_rules.xml`, `<group name="own,">${rules}</group>`)]
const FINE = rule(100_001, '<if_sid>901</if_sid><match>by root</match>')
const OWN = own(
  'own',
  FINE +
    rule(100_002, '<if_sid>903</if_sid><match>^opened</match>', 12) +
    rule(100_003, '<if_sid>4711</if_sid>', 3) +
    rule(100_004, '<if_sid>901</if_sid><match>by root from</match>', 4),
)
/** Enough for threads. */
const MANY = own('many', Array.from({ length: 70 }, (_, at) => rule(100_100 + at, `<if_sid>901</if_sid><match>by user${at} </match>`, 1 + (at % 15))).join(''))

const recordsOf = (stdout: string): AuditRecord[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditRecord)

describe('audit', () => {
  after(() => place.remove())

  it('begins with what can never fire, the highest level first, and ends with the counts', async () => {
    const { code, stdout, stderr } = await call(['audit', ...RULESET, ...OWN])
    assert.deepEqual([code, stderr], [1, ''])
    const first = ['100002 12 unreachable', '100004  4 shadowed by 100001', '100003  3 dropped'].map((text) => stdout.indexOf(text))
    assert.ok(first[0] > 0 && first[0] < first[1] && first[1] < first[2], stdout)
    assert.match(stdout, /shadowed by 100001 .*\n.*\[sibling_always_first\]\n +Nov 23 [^\n]*by root from[^\n]*\n +Rule 100001 takes this event/)
    assert.match(stdout, /\ndropped: 1, unreachable: 1, shadowed: 1, fires: 1\. 3 of 4 rules can never fire\.\n$/)
    assert.doesNotMatch(stdout, /100001 +9/)
  })

  it('has nothing to act on if all own rules fire, also where the base has rules that cannot', async () => {
    const fine = own('fine', FINE)
    const { code, stdout } = await call(['audit', ...RULESET, ...fine, '--all', '--verbose'])
    assert.equal(code, 0)
    assert.match(stdout, /100001 +9 fires {2}Rule 100001\. own_rules\.xml:1\n +Nov 23/)
    assert.match(stdout, /901 +7 fires/)
  })

  it('prints one object for each rule, in threads as in one', async () => {
    const { code, stdout } = await call(['audit', ...RULESET, ...MANY, '--jsonl'])
    const records = recordsOf(stdout)
    assert.deepEqual([code, records.length, new Set(records.map(({ verdict }) => verdict))], [0, 70, new Set(['fires'])])
    const one = recordsOf((await call(['audit', ...RULESET, ...MANY, '--jsonl', '--rule', '100123'])).stdout)
    assert.deepEqual(one, [records[23]])
    assert.deepEqual(Object.keys(one[0]), [
      'rule_id',
      'filename',
      'line',
      'level',
      'description',
      'verdict',
      'shadowed_by',
      'by_child',
      'events',
      'final_rule',
      'conditions',
      'reason',
    ])
  })

  it('writes a page without scripts, and the lines', async () => {
    const [page, lines] = [join(place.folder, 'audit.html'), join(place.folder, 'audit.jsonl')]
    await call(['audit', ...RULESET, ...OWN, '--output', `html=${page}`, '--output', `jsonl=${lines}`])
    const text = readFileSync(page, 'utf8')
    assert.match(text, /3 of 4 rules can never fire\./)
    assert.match(text, /shadowed by 100001/)
    assert.match(text, /<svg class="chart"/)
    assert.doesNotMatch(text, /<script/)
    assert.equal(recordsOf(readFileSync(lines, 'utf8')).length, 4)
  })

  it('speaks Portuguese', async () => {
    const { stdout } = await call(['audit', ...RULESET, ...OWN, '--locale', 'pt-BR'])
    assert.match(stdout, /100004 +4 encoberta por 100001/)
    assert.match(stdout, /3 de 4 regras nunca podem disparar/)
  })

  it('finds dropped rules by their id, and refuses what is no rule', async () => {
    const { code, stdout } = await call(['audit', ...RULESET, ...OWN, '--rule', '100003'])
    assert.deepEqual([code, /dropped: 1\. 1 of 1/.test(stdout)], [1, true])
    assert.equal((await call(['audit', ...RULESET, ...OWN, '--rule', '4711'])).code, 2)
  })

  it('does not audit content with which Wazuh would not start', async () => {
    const { code, stdout, stderr } = await call(['audit', ...RULESET, ...own('broken', '<rule id="100001" level="99"><match>x</match></rule>')])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /level/)
  })
})
