/** Reading rules (BEHAVIOUR.md#groups-of-rules, #order-of-rule-checks, #rule-tags). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectOf } from '../../../engine/diagnostics/diagnostic.js'
import { compileRuleset } from '../../../engine/index.js'
import { splitGroups } from '../../../engine/rules/compile.js'
import type { RuleDefinition } from '../../../engine/rules/rule.js'

const DECODERS = '<decoder name="p"><program_name>^p$</program_name></decoder><decoder name="app"><prematch>^app</prematch></decoder>'
const TOP = '<group name="t"><rule id="1" level="0"><category>syslog</category><description>t</description></rule></group>'

/** Returns the groups of rule 100 if the rules load; null if they are refused. */
function groups(content: string): readonly string[] | null | undefined {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: TOP + content },
  ])
  return ruleset.loads ? ruleset.rules.find(100)?.definition.groups.split(',') : null
}

const one = (attributes: string, inside = '<description>d</description>'): string => `<group name="local"><rule ${attributes}>${inside}</rule></group>`
const LOADS = [
  'id="000100" level=""',
  'LEVEL="16" ID="100"',
  'id="100" level="3" maxsize=""',
  'id="100" level="3" noalert="yes"',
  'id="100" level="0000000016"',
  'id="100" level="3" frequency="2"',
]
const REFUSED = [
  'id="1000001" level="3"',
  'id="" level="3"',
  'id="100" level="17"',
  'id="100" level="x"',
  'level="3"',
  'id="100" level="3" frequency="3"',
  'id="100" level="3" overwrite="Yes"',
  'id="100" level="3" nope="1"',
  'id="100" level="3" accuracy="x"',
]

for (const attributes of LOADS) test(`<rule ${attributes}> loads`, () => assert.deepEqual(groups(one(attributes)), ['local']))
for (const attributes of REFUSED) test(`<rule ${attributes}> is refused`, () => assert.equal(groups(one(attributes)), null))
for (const inside of [
  '',
  '<match>a</match>',
  '<description>d</description><srcuser>x</srcuser>',
  '<same_ID /><if_matched_sid>1</if_matched_sid><description>d</description>',
  '<same_id /><description>d</description>',
]) {
  test(`a rule of ${JSON.stringify(inside)} is refused`, () => assert.equal(groups(one('id="100" level="3"', inside)), null))
}

/** Returns level and frequency of rule 100, and the diagnostics about numbers; null if the rules are refused. */
function numbers(attributes: string): unknown {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: TOP + one(attributes) },
  ])
  const found = ruleset.rules.find(100)
  return ruleset.loads && found !== undefined
    ? [
        found.level,
        found.definition.frequency,
        ...ruleset.loadDiagnostics.filter(({ code }) => code === 'rule_number_wrapped').map(({ params }) => `${params.name} ${params.read}`),
      ]
    : null
}

test('a level and a frequency are read as 32 bits, with a diagnostic', () => {
  assert.deepEqual(numbers('id="100" level="4294967296"'), [0, null, 'level 0'])
  assert.deepEqual(numbers('id="100" level="4294967303"'), [7, null, 'level 7'])
  assert.deepEqual(numbers('id="100" level="8589934601"'), [9, null, 'level 9'])
  assert.deepEqual(numbers('id="100" level="3" frequency="4294967298"'), [3, 2, 'frequency 2'])
  assert.deepEqual(numbers('id="100" level="007"'), [7, null])
  // Negative, or more than 64 bits, which count as the largest number.
  for (const level of ['2147483648', '4294967295', '4294967313', '18446744073709551619', '9'.repeat(20)]) assert.equal(numbers(`id="100" level="${level}"`), null, level)
  for (const frequency of ['4294967296', '4294967297', '2147483650', '4294977296']) assert.equal(numbers(`id="100" level="3" frequency="${frequency}"`), null, frequency)
})

/** The definition of rule 100, which loads, and the codes of its diagnostics. */
function definitionOf(attributes: string, inside: string): { definition: RuleDefinition; codes: readonly string[] } {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: TOP + one(`id="100" ${attributes}`, `${inside}<description>d</description>`) },
  ])
  const definition = ruleset.rules.find(100)?.definition
  assert.ok(ruleset.loads && definition !== undefined)
  return { definition, codes: ruleset.loadDiagnostics.map(({ code }) => code) }
}

test('a reference of 2,048 bytes is dropped with an error, and the rule loads', () => {
  for (const tag of ['info', 'cve'] as const) {
    const text = (length: number): string => `<${tag}>${'x'.repeat(length)}</${tag}>`
    assert.deepEqual(definitionOf('level="3"', text(2047) + text(2048)).codes, [], tag)
    const { definition, codes } = definitionOf('level="3"', text(2048))
    assert.deepEqual([definition[tag], codes], [null, ['rule_text_too_long']], tag)
    assert.equal(definitionOf('level="3"', text(2048) + text(1)).definition[tag], 'x', tag)
  }
})

test('an option that clears a flag clears an earlier no_counter too, if the flag is set by an option or by the level', () => {
  const inEffect = (level: number, ...words: readonly string[]): string[] => [
    ...definitionOf(`level="${level}"`, words.map((word) => `<options>${word}</options>`).join('')).definition.options,
  ]
  assert.deepEqual(inEffect(2, 'no_counter', 'no_log'), ['no_counter', 'no_log'])
  assert.deepEqual(inEffect(3, 'no_counter', 'no_log'), ['no_log'])
  assert.deepEqual(inEffect(2, 'log_alert', 'no_counter', 'no_log'), ['no_log'])
  assert.deepEqual(inEffect(3, 'no_log', 'no_counter', 'no_log'), ['no_log', 'no_counter'])
  assert.deepEqual(inEffect(11, 'no_counter', 'no_email_alert'), ['no_counter', 'no_email_alert'])
  assert.deepEqual(inEffect(12, 'no_counter', 'no_email_alert'), ['no_email_alert'])
  assert.deepEqual(inEffect(5, 'alert_by_email', 'no_email_alert', 'no_counter', 'no_email_alert'), ['no_email_alert', 'no_counter'])
})

test('the last noalert counts, and a wrong one is 0', () => {
  for (const last of ['0', 'yes']) assert.equal(definitionOf(`level="3" noalert="1" NOALERT="${last}"`, '').definition.noalert, false)
  assert.equal(definitionOf('level="3" noalert="0" NOALERT="1"', '').definition.noalert, true)
})

test('group texts are joined without separator, and newlines are removed', () => {
  assert.deepEqual(groups(one('id="100" level="3"', '<description>d</description><group>a,\n b</group><GROUP>c</GROUP>')), ['locala', ' bc'])
})

test('only the first 1,023 bytes of a group string count', () => {
  assert.deepEqual(splitGroups(`${'g'.repeat(1020)},ab`), ['g'.repeat(1020), 'ab'])
  assert.deepEqual(splitGroups(`${'g'.repeat(1021)},ab`), ['g'.repeat(1021), 'a'])
})

/** The refusing diagnostics of a rule of these tags, and whether it loads. */
function refusals(inside: string): readonly [loads: boolean, codes: readonly string[]] {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: TOP + one('id="100" level="3"', `${inside}<description>d</description>`) },
  ])
  return [ruleset.loads, ruleset.diagnostics.flatMap((found) => (effectOf(found) === 'refuse' ? [found.code] : []))]
}

const WRONG_FIELD = '<field name="shelf">(b|c)</field>'
const LEFT_OUT = ['<list field="shelf">etc/lists/none</list>', '<if_level>x</if_level>', '<if_matched_sid>x</if_matched_sid>']

test('a wrong field in front of what leaves a rule out stops the load, and behind it does not', () => {
  for (const reason of LEFT_OUT) {
    assert.deepEqual(refusals(WRONG_FIELD + reason), [false, ['regex_invalid']], reason)
    assert.deepEqual(refusals(reason + WRONG_FIELD), [true, []], reason)
    // Other patterns are compiled when the whole rule is read.
    assert.deepEqual(refusals(`<regex>(b|c)</regex>${reason}`), [true, []], reason)
  }
  for (const ifSid of ['<if_sid>x</if_sid>', '<if_sid></if_sid>']) {
    assert.deepEqual(refusals(WRONG_FIELD + ifSid), [false, ['regex_invalid']], ifSid)
    assert.deepEqual(refusals(ifSid + WRONG_FIELD), [false, ['regex_invalid']], ifSid)
    assert.deepEqual(refusals(ifSid + LEFT_OUT[0] + WRONG_FIELD), [true, []], 'the list ends the reading first')
  }
})

test('a wrong pattern of repeated tags is reported where it is wrong', () => {
  for (const [inside, place] of [
    ['<regex>a</regex><regex>(b</regex>', '(b<'],
    ['<regex>a(b</regex><regex>c</regex>', '(bc'],
    ['<match type="pcre2">a</match><match type="pcre2"></match><match type="pcre2">b(</match>', '</m'],
  ] as const) {
    const content = TOP + one('id="100" level="3"', `${inside}<description>d</description>`)
    const [found] = compileRuleset([
      { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
      { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content },
    ]).loadDiagnostics
    assert.equal(found.code, 'regex_invalid')
    // Without the tags between the texts.
    const shown = content.slice(found.span?.start).replace('</regex><regex>', '')
    assert.equal(shown.slice(0, place.length), place, inside)
  }
})
