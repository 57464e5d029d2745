import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, type Diagnostic } from '../../../engine/diagnostics/diagnostic.js'
import { compileLayer, compileRuleset } from '../../../engine/compiler/compile.js'
import type { SourceFile } from '../../../engine/source/source-file.js'
import { BASE, caseFolders, diagnosticsOf } from '../../support/case-folders.js'
import { CASES, type CheckCase } from './cases.js'

const diagnosticsOfCode = ({ code }: CheckCase, files: readonly SourceFile[]): Diagnostic[] => diagnosticsOf(files).filter((found) => found.code === code)

for (const each of CASES) {
  test(`${each.code}: found in the wrong content, and not in the right content`, () => {
    const [first] = diagnosticsOfCode(each, each.wrong)
    assert.ok(first !== undefined, 'the wrong content does not give it')
    assert.equal(first.span, null)
    assert.deepEqual(diagnosticsOfCode(each, each.right), [], 'the right content gives it')
  })
}

test('a ruleset without a root decoder does not load', () => {
  const decoders = (content: string): SourceFile => ({ filename: 'custom.xml', kind: 'decoders', scope: 'custom', content })
  const { diagnostics, loads } = compileRuleset([decoders('<decoder name="a"><prematch>a</prematch></decoder>')])
  const found = diagnostics.filter(({ code }) => code === 'decoder_list_empty')
  assert.deepEqual([found.map(({ span }) => span), loads], [[null], false])
  assert.deepEqual(diagnosticsOfCode({ code: 'decoder_list_empty', wrong: [], right: [] }, [decoders('<decoder name="a"><prematch>a</prematch></decoder>')]), [])
})

/** The wrong content of every case. */
const WRONG = [...caseFolders('diagnostics').map(({ files }) => files), ...CASES.map(({ wrong }) => wrong)]

test('the base of the cases has no diagnostics', () => {
  assert.deepEqual(compileRuleset(BASE).diagnostics, [])
})

test('a layer has the same diagnostics whether it was compiled on its base or together with it', () => {
  const base = compileRuleset(BASE)
  for (const files of WRONG) {
    assert.deepEqual(compileLayer(base, files).diagnostics, compileRuleset([...BASE, ...files]).diagnostics)
  }
})

test('content on top of a base never changes the diagnostics of the base', () => {
  const base = compileRuleset(BASE)
  for (const files of WRONG) {
    assert.deepEqual(
      compileLayer(base, files).diagnostics.filter(({ scope }) => scope === 'default'),
      base.diagnostics,
    )
  }
})

test('many siblings with equal conditions are not compared in pairs', () => {
  const count = 5000
  const rules = Array.from(
    { length: count },
    (_, index) => `<rule id="${100_100 + index}" level="5"><if_sid>501</if_sid><match>same</match><description>Test.</description></rule>`,
  )
  const layer = compileLayer(compileRuleset(BASE), [{ filename: 'custom.xml', kind: 'rules', scope: 'custom', content: `<group name="test,">${rules.join('\n')}</group>` }])
  let reads = 0
  for (let index = 0; index < count; index++) {
    const [{ rule }] = layer.rules.placements(100_100 + index)
    for (const property of ['id', 'conditions'] as const) {
      const { [property]: value } = rule
      Object.defineProperty(rule, property, {
        get() {
          reads++
          return value
        },
      })
    }
  }
  assert.equal(countOf(layer.diagnostics.filter(({ code }) => code === 'rule_overlapping_level')), count - 1)
  // Comparing all pairs would read every rule some thousand times.
  assert.ok(reads > count && reads < 200 * count, `${reads} reads`)
})

/** The codes for the rules of a custom file. */
const codesOf = (content: string): string[] => diagnosticsOf([{ filename: 'custom.xml', kind: 'rules', scope: 'custom', content }]).map(({ code }) => code)
const inGroup = (groups: string, inside: string): string => `<group name="${groups}"><rule id="100100" level="5"><if_sid>501</if_sid><match>a</match>${inside}</rule></group>`

test('a letter whose last byte in UTF-8 is a blank in Latin-1 is no white space', () => {
  assert.deepEqual(codesOf(inGroup('à_noite,', '<group>à,Š,</group><description>À noite.</description>')), [])
  assert.deepEqual(codesOf(inGroup('test,', '<description>Acesso à</description><description>rede.</description>')), ['rule_description_repeated'])
  const list = { filename: 'etc/lists/words', kind: 'lists', scope: 'custom', content: 'voilà:x\nà:\n' } as const
  assert.deepEqual(
    diagnosticsOf([list]).map(({ code }) => code),
    ['list_unused'],
  )
})

test('the name of a variable that is a whole text is told as too short, and not as undefined or unused', () => {
  const variable = '<var name="L">5</var>'
  const rule = (level: string, match: string): string =>
    `${variable}<group name="test,"><rule id="100100" level="${level}"><if_sid>501</if_sid><match>${match}</match><description>Test rule.</description></rule></group>`
  assert.deepEqual(codesOf(rule('$L', 'a')), ['rule_level_invalid', 'xml_variable_short_text'])
  assert.deepEqual(codesOf(rule('5', '$L')), ['xml_variable_short_text'])
  assert.deepEqual(codesOf(rule('5', 'a$L')), [])
  assert.deepEqual(codesOf(rule('5', 'a')), ['xml_variable_unused'])
})

test('a wrapper around groups, rules or decoders is reported once, and what is inside is read', () => {
  const rule = (inside: string): string => `<rule id="100100" level="5"><if_sid>501</if_sid>${inside}<description>Test rule.</description></rule>`
  const wrong = '<srcip>x</srcip>'
  for (const wrapped of [`<rules><group name="a,">${rule(wrong)}</group></rules>`, `<ruleset><group name="a,">${rule(wrong)}</group></ruleset>`])
    assert.deepEqual(codesOf(wrapped), ['rules_root_invalid', 'rule_ip_invalid'], wrapped)
  for (const name of ['rules', 'items', 'group'])
    assert.deepEqual(codesOf(`<group name="a,"><${name}>${rule(wrong)}</${name}></group>`), ['group_child_invalid', 'rule_ip_invalid'], name)
  for (const name of ['decoders', 'items']) {
    const content = `<${name}><decoder name="a"><prematch>^a1</prematch><type>x</type></decoder></${name}>`
    const found = diagnosticsOf([{ filename: 'custom.xml', kind: 'decoders', scope: 'custom', content }])
    assert.deepEqual(
      found.filter(({ severity }) => severity === 'error').map(({ code }) => code),
      ['decoders_root_invalid', 'decoder_type_invalid'],
      name,
    )
  }
})

test('an overwrite of nothing loads as any rule, and is checked as one', () => {
  const composite =
    '<group name="a,"><rule id="100100" level="9" frequency="3" timeframe="60" overwrite="yes"><if_matched_sid>500</if_matched_sid><description>Test rule.</description></rule></group>'
  assert.deepEqual(codesOf(composite), ['rule_overwrite_target_missing', 'rule_matched_level_zero'])
  const parents = `<group name="a,"><rule id="100100" level="9" overwrite="yes"><if_sid>501</if_sid><if_sid>502</if_sid><description>Test rule.</description></rule></group>`
  assert.deepEqual(codesOf(parents), ['rule_overwrite_target_missing', 'rule_parent_missing', 'rule_if_sid_repeated_tag'])
})
