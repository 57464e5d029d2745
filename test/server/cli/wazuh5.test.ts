/** `wazuh5`: verdicts of a content, its Sigma texts as a file, reports in both languages, and exit codes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { SigmaRecord } from '#engine'
import { matchesSigma, readSigma } from '../../support/sigma.js'
import { call, Workplace } from './call.js'

const workplace = new Workplace()
after(() => workplace.remove())
const base = workplace.ruleset()
const file = workplace.write(
  'own/rules/own.xml',
  `<group name="own,">
  <rule id="100100" level="8"><if_sid>903</if_sid><match>late</match><description>Closed late by $(srcuser).</description></rule>
  <rule id="100101" level="6"><if_sid>903</if_sid><match>late</match><time>22:00 - 6:00</time><description>Closed late, at night.</description></rule>
  <rule id="100102" level="12" frequency="3" timeframe="60"><if_matched_sid>901</if_matched_sid><same_srcip /><description>Opened often.</description></rule>
</group>
`,
)
const argv = ['wazuh5', '--ruleset', base, '--custom', join(workplace.folder, 'own')]

describe('wazuh5', () => {
  test('says of each own rule what becomes of it, with a text and its proof', async () => {
    const { code, stdout } = await call([...argv, '--jsonl'])
    assert.equal(code, 0)
    const records = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SigmaRecord]))
    assert.deepEqual(
      records.map((record) => [record.rule_id, record.file, record.line, record.verdict, record.constructs.map((construct) => construct.code).join()]),
      [
        ['100100', file, 2, 'flattened', ''],
        ['100101', file, 3, 'impossible', 'time'],
        ['100102', file, 4, 'needs_correlation', ''],
      ],
    )
    const [{ sigma, proof, notes }] = records
    const [document] = readSigma(sigma ?? '')
    assert.deepEqual(notes.map(({ code: note }) => note).sort(), ['placeholders'])
    assert.ok(proof.some(({ expected }) => expected) && proof.some(({ expected }) => !expected))
    for (const { normalized, expected } of proof) assert.equal(matchesSigma(document, normalized), expected)
  })

  test('tells people what is assumed, in both languages', async () => {
    const { code, stdout } = await call([...argv, '--locale', 'en-US'])
    assert.equal(code, 0)
    assert.match(stdout, /own\.xml:3 Rule 100101: impossible\n {2}It depends on the time of day/)
    assert.match(stdout, /\n1 with the conditions of its parents.*, 1 needs a correlation, 1 impossible\nKnown from public documentation only.*\nAssumed:[\s\S]*srcip = source\.ip/)
    const verbose = await call([...argv, '--verbose', '--locale', 'pt-BR'])
    assert.match(verbose.stdout, /Regra 100100: com as condições dos pais[\s\S]* {4}title: 'Closed late by <srcuser>\.'[\s\S]*deve casar \(Regra 100100\): .*late/)
  })

  test('writes all texts into one file, and a page', async () => {
    const [page, yaml] = [join(workplace.folder, 'out/wazuh5.html'), join(workplace.folder, 'out/wazuh5.yml')]
    await call([...argv, '--output', `html=${page}`, '--output', `yaml=${yaml}`, '--locale', 'en-US'])
    assert.deepEqual(
      readSigma(readFileSync(yaml, 'utf8')).map(({ title }) => title),
      ['Closed late by <srcuser>.', 'Door opened by <srcuser>.', 'Opened often.'],
    )
    assert.match(readFileSync(page, 'utf8'), /<h2>impossible \(1\)<\/h2>/)
  })

  test('fails without a rule, and refuses operands', async () => {
    const empty = workplace.write('empty/lists/users', 'ana:\n')
    assert.equal((await call(['wazuh5', '--ruleset', base, '--custom', empty])).code, 1)
    assert.equal((await call(['wazuh5', 'rules.xml'])).code, 2)
  })
})
