/** Rules and decoders are found in the text of repository files. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { describeSourceFile, NAMES_LIMIT, writtenDecoderNames, writtenRuleIds } from '../../../../server/content/shared/source-files.js'

test('rules are found by their ids, each once, in order', () => {
  const xml = `<group name="a,"><rule id="100200" level="3"></rule>
    <rule level='5' id = '100201'>
    </rule><rule
      frequency="8"
      id="100202"></rule><rule id="100200" level="0"/></group>`
  assert.deepEqual(writtenRuleIds(xml), ['100200', '100201', '100202'])
})

test('rules in comments and elements with other names are not found', () => {
  assert.deepEqual(writtenRuleIds('<!-- <rule id="1"> --><rule id="2"/><rules id="3"/><if_sid>4</if_sid><rule  level="5"/><!-- <rule id="6">'), ['2'])
  assert.deepEqual(writtenRuleIds('<rule rid="1" id="2"/>'), ['2'])
})

test('decoders are found by their names', () => {
  assert.deepEqual(writtenDecoderNames(`<decoder name="vpn"/><decoder status="x" name='vpn-login'/><decoder/><decoder name=""/>`), ['vpn', 'vpn-login'])
})

test('a file with errors is read up to the error', () => {
  assert.deepEqual(writtenRuleIds('<rule id="1"><rule id="2" <rule id="3"'), ['1'])
  assert.deepEqual(writtenRuleIds(`<rule id="${'9'.repeat(17)}"/><rule id="7"/>`), ['7'])
  assert.deepEqual(writtenRuleIds(''), [])
})

test('reading is linear for hostile texts', { timeout: 20_000 }, () => {
  const megabytes = 4 * 1024 * 1024
  for (const piece of ['<rule ', '<rule id=', '<!--', '<rule id ', ' id= ', '<rule\tid\n', '"', '<rule id="', '-->', '<rule x="', '<rule >']) {
    const text = piece.repeat(Math.floor(megabytes / piece.length))
    assert.deepEqual(writtenRuleIds(text), [])
    assert.deepEqual(writtenRuleIds(`<rule ${text}`), [])
  }
  assert.deepEqual(writtenRuleIds(`<rule id${' '.repeat(megabytes)}>`), [])
})

test('only the first names up to the limit are kept', () => {
  const ids = Array.from({ length: NAMES_LIMIT + 10 }, (_, at) => String(at))
  assert.deepEqual(writtenRuleIds(ids.map((id) => `<rule id="${id}"/>`).join('')), ids.slice(0, NAMES_LIMIT))
})

test('names that the caller sends are stored unchanged', () => {
  const file = { path: 'rules/a.xml', kind: 'rules', xml: '<rule id="1"/><decoder name="x"/>', sha: 'abc' } as const
  assert.deepEqual(describeSourceFile(file), { ...file, rule_ids: ['1'], decoder_names: [] })
  assert.deepEqual(describeSourceFile({ ...file, rule_ids: [] }), { ...file, rule_ids: [], decoder_names: [] })
  assert.deepEqual(describeSourceFile({ ...file, kind: 'decoders' }), { ...file, kind: 'decoders', rule_ids: [], decoder_names: ['x'] })
})
