/** Mutants: that layers answer as edited files do, that each status is what it says, and that nothing but the content and the cases decides. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CompiledRuleset, compileRuleset, gradeMutants, type MutantRow, MutationGrader, OPERATORS, type SourceFile, type TestCase, utcMoment, WITNESS_EPOCH } from '#engine'
import { Side } from '../../../engine/diff/side.js'
import { PatternCache } from '../../../engine/generate/text-tests.js'
import { CaseChain } from '../../../engine/logtest/case-chain.js'
import { EventRunner } from '../../../engine/match/run-event.js'
import { MutantCompiler } from '../../../engine/mutate/compile-mutant.js'
import { mutantsOfDecoder } from '../../../engine/mutate/decoder-mutants.js'
import type { Mutant, MutatedItem } from '../../../engine/mutate/mutant.js'
import { changePattern } from '../../../engine/mutate/mutate-pattern.js'
import { mutantsOfRule } from '../../../engine/mutate/rule-mutants.js'
import { applyEdits } from '../../../engine/mutate/text-edits.js'
import { fromByteString } from '../../../engine/source/byte-string.js'

const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-closed"><parent>gate</parent><prematch>^CLOSED |^SHUT </prematch><regex offset="after_prematch">^(\\S+):(\\d+) to (\\S+)</regex><order>srcip, srcport, door</order></decoder>
<decoder name="lamp"><prematch>^LAMP </prematch></decoder>
<decoder name="lamp-user"><parent>lamp</parent><regex offset="after_parent">by=(\\w+) code=(\\d+)</regex><order>user, status</order></decoder>`
const RULES = `<var name="SHUT">SHUT</var>
<group name="syslog,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>Template.</description></rule></group>
<group name="own,">
<rule id="200" level="3"><decoded_as>gate</decoded_as><description>gate</description></rule>
<rule id="201" level="5"><if_sid>200</if_sid><match>CLOSED|$SHUT</match><description>closed</description><group>closing,</group></rule>
<rule id="202" level="5"><if_sid>200</if_sid><match>CLOSED</match><description>closed, too late</description></rule>
<rule id="203" level="7"><if_sid>201</if_sid><srcip>203.0.113.0/24</srcip><field name="door">^north$</field><description>north of a watched address</description></rule>
<rule id="204" level="7"><if_sid>201</if_sid><regex type="pcre2">(?i)to (?:south|west)$</regex><description>south</description></rule>
<rule id="205" level="10" frequency="3" timeframe="60"><if_matched_sid>201</if_matched_sid><same_srcip /><description>often closed</description></rule>
<rule id="210" level="2"><decoded_as>lamp</decoded_as><description>lamp</description></rule>
<rule id="211" level="6"><if_sid>210</if_sid><match>broken|dark</match><description>lamp broken</description></rule>
<rule id="212" level="6"><if_sid>210, 211</if_sid><match>dark</match><description>lamp dark</description></rule>
<rule id="213" level="9"><if_sid>211</if_sid><match>broken|dark</match><description>both</description></rule>
<rule id="215" level="7"><if_group>closing</if_group><match>twice</match><description>closed twice</description></rule>
</group>`
const OWN = `<group name="local,"><rule id="202" level="4" overwrite="yes"><if_sid>200</if_sid><match>CLOSED</match><description>overwritten</description></rule></group>`

const file = (kind: SourceFile['kind'], filename: string, content: string): SourceFile => ({ kind, filename, content, scope: 'custom' })
const FILES = [file('decoders', '0010-base.xml', DECODERS), file('rules', '0010-base.xml', RULES), file('rules', '0020-local.xml', OWN)]
const MOMENT = utcMoment(WITNESS_EPOCH)
const OPTIONS = { locale: 'en-US', moment: MOMENT, scopes: ['custom'] } as const
const gate = (log: string): string => `Jan  5 10:11:12 web1 gate[1]: ${log}`
const EVENTS = [
  ...[
    'CLOSED 203.0.113.7:22 to north',
    'CLOSED 203.0.112.7:22 to north',
    'SHUT 198.51.100.7:2 to South',
    'CLOSED 198.51.100.7:2 to westend',
    'x CLOSED twice',
    'CLOSED twice',
    'open',
  ].map(gate),
  ...['LAMP by=ana code=12', 'LAMP x by=ana! code=12', 'LAMP dark by=ana code=1', 'LAMP broken', 'x LAMP ', 'nothing'],
]
const SEQUENCES = [...EVENTS.map((event) => [event]), EVENTS.slice(0, 7), [EVENTS[0], EVENTS[0], EVENTS[0], EVENTS[0]], [EVENTS[0], EVENTS[1], EVENTS[0], EVENTS[2]]]

const CASES: readonly TestCase[] = [
  { name: 'north', event_text: EVENTS[0], expected_rule: '203', expected_level: 7, expected_fields: { srcip: '203.0.113.7', srcport: '22', door: 'north' } },
  { name: 'lamp', event_text: EVENTS[7], expected_rule: '210', expected_decoder: 'lamp' },
  { name: 'often', events: [0, 1, 2].map((at) => ({ event_text: EVENTS[1], at })), expected_rule: '205' },
]

function itemsOf(ruleset: CompiledRuleset): MutatedItem[] {
  return [
    ...ruleset.rules.inOrder().map((rule): MutatedItem => ({ kind: 'rule', name: String(rule.id), rule, mutants: mutantsOfRule(rule, ruleset.rules, ['door']) })),
    ...ruleset.decoders.definitions.map((definition): MutatedItem => ({ kind: 'decoder', name: definition.name, definition, mutants: mutantsOfDecoder(definition) })),
  ]
}

/** The ruleset of the files with the change in its file. */
function edited(item: MutatedItem, { operator, edits }: Mutant): CompiledRuleset {
  const { source, element } = item.kind === 'rule' ? item.rule.definition : item.definition
  // Wazuh refuses a group without rules.
  const removed = item.kind === 'rule' && item.rule.definition.groupElement.children.length === 1 ? item.rule.definition.groupElement : element
  const changes = operator === 'delete' ? [{ start: removed.start, end: removed.end, text: '' }] : edits
  return compileRuleset(FILES.map((each) => (each === source.file ? { ...each, content: fromByteString(applyEdits(source.bytes, changes)) } : each)))
}

function answers(ruleset: CompiledRuleset): string {
  const side = new Side(ruleset, new PatternCache())
  return JSON.stringify(SEQUENCES.map((events) => side.run(events.map((event) => ({ event, log_format: 'syslog' }))).map(({ key, path, alert }) => [key, [...path], alert])))
}

describe('mutants', () => {
  const ruleset = compileRuleset(FILES)
  const items = itemsOf(ruleset)

  test('are of every kind', () => {
    const made = new Set(items.flatMap(({ mutants }) => mutants.map(({ operator }) => operator)))
    assert.deepEqual(
      OPERATORS.filter((operator) => !made.has(operator)),
      [],
    )
  })

  test('answer as the files do in which the change is written', () => {
    const compiler = new MutantCompiler(ruleset)
    let compared = 0
    for (const item of items)
      for (const mutant of item.mutants) {
        const whole = edited(item, mutant)
        const compiled = compiler.compile(item, mutant)
        const what = `${item.name} ${mutant.operator}: ${mutant.before} → ${mutant.after}`
        if (compiled === null) {
          assert.ok(!whole.loads || (item.kind === 'rule' && whole.rules.find(item.rule.id) === undefined), what)
          continue
        }
        assert.ok(whole.loads, what)
        assert.equal(answers(compiled.ruleset), answers(whole), what)
        compared++
      }
    assert.ok(compared > 80, String(compared))
  })

  test('of a rule among many levels goes where its level puts it', () => {
    const levels = [3, 9, 5, 5, 7, 5]
    const files = [
      FILES[0],
      file(
        'rules',
        'r.xml',
        `${RULES.slice(0, RULES.indexOf('<rule id="201"'))}${levels.map((level, at) => `<rule id="${300 + at}" level="${level}"><if_sid>200</if_sid><description>${at}</description></rule>`).join('')}</group>`,
      ),
    ]
    const many = compileRuleset(files)
    const compiler = new MutantCompiler(many)
    for (const [at, level] of levels.entries()) {
      const rule = many.rules.find(300 + at)
      assert.ok(rule !== undefined)
      const mutant = mutantsOfRule(rule, many.rules, []).find(({ operator }) => operator === 'level')
      assert.ok(mutant !== undefined)
      const compiled = compiler.compile({ kind: 'rule', name: String(rule.id), rule, mutants: [] }, mutant)
      const order = compiled?.ruleset.rules.placements(200)[0].children.map((node) => node.rule.id)
      const written = compileRuleset([files[0], file('rules', 'r.xml', files[1].content.replace(`id="${300 + at}" level="${level}"`, `id="${300 + at}" level="${level + 1}"`))])
      assert.deepEqual(
        order,
        written.rules.placements(200)[0].children.map((node) => node.rule.id),
      )
      assert.equal(compiled?.kind, 'rules')
    }
  })
})

describe('grades', () => {
  const ruleset = compileRuleset(FILES)
  const grade = gradeMutants(ruleset, [CASES], OPTIONS)
  const of = (operator: MutantRow['operator'], id: string): MutantRow | undefined => grade.rows.find((row) => row.operator === operator && (row.rule_id ?? row.decoder) === id)

  test('count what a case notices', () => {
    assert.deepEqual(grade.failed, [])
    assert.equal(of('delete', '203')?.case, 'north')
    assert.equal(of('level', '203')?.status, 'killed')
    // One event more is noticed, one less is not: the last event fires the rule all the same.
    const frequencies = grade.rows.filter(({ operator }) => operator === 'frequency').map(({ after, status }) => [/frequency="(\d)"/.exec(after)?.[1], status])
    assert.deepEqual(frequencies, [
      ['2', 'survived'],
      ['4', 'killed'],
    ])
    assert.equal(of('level', '205')?.status, 'survived')
    assert.equal(of('swap_field', 'gate-closed')?.case, 'north')
    const { killed, survived, unknown, score } = grade.summary ?? assert.fail()
    assert.equal(score, killed / (killed + survived + unknown))
    assert.ok(killed > 20 && survived > 20, JSON.stringify(grade.summary))
  })

  test('find a program that only the mutant reads', () => {
    const survivors = grade.rows.filter(({ operator, before, case: found }) => operator === 'drop_anchor' && before.startsWith('<program_name>') && typeof found === 'object')
    assert.deepEqual(
      survivors.map(({ after }) => after),
      ['<program_name>gate$</program_name>', '<program_name>^gate</program_name>'],
    )
  })

  test('say equivalent only with a proof', () => {
    // Rule 213 repeats the condition of the rule above it.
    assert.deepEqual([of('drop', '213')?.status, of('drop', '213')?.proof], ['equivalent', 'same_events'])
    for (const row of grade.rows) assert.equal(row.status === 'equivalent', row.proof !== undefined, JSON.stringify(row))
  })

  test('give each survivor a case that passes on the original and fails on the edited files', () => {
    const survivors = grade.rows.filter(({ status }) => status === 'survived')
    const original = new EventRunner(ruleset)
    const passes = (runner: EventRunner, testCase: TestCase): boolean => new CaseChain(runner, MOMENT, 'en-US', false).run(testCase).passed
    let at = 0
    for (const item of itemsOf(ruleset))
      for (const mutant of item.mutants) {
        const row = grade.rows[at++]
        if (row.status !== 'survived') continue
        const testCase = row.case
        assert.ok(typeof testCase === 'object')
        assert.ok(passes(original, testCase), JSON.stringify(row))
        assert.ok(!passes(new EventRunner(edited(item, mutant)), testCase), JSON.stringify(row))
      }
    assert.equal(at, grade.rows.length)
    assert.ok(survivors.length > 0)
  })

  test('are 1 once all of these cases are added, and what is left is unknown', () => {
    const added = grade.rows.flatMap((row) => (typeof row.case === 'object' ? [row.case] : []))
    const { summary } = gradeMutants(ruleset, [CASES, added], OPTIONS)
    assert.equal(summary?.survived, 0)
    assert.equal(summary?.killed, (grade.summary?.killed ?? 0) + (grade.summary?.survived ?? 0))
  })

  test('depend on no item before', () => {
    const grader = new MutationGrader(ruleset, [CASES], OPTIONS)
    const backwards = Array.from({ length: grader.items }, (_, at) => grader.items - 1 - at).flatMap((at) => [{ at, rows: grader.grade(at) }])
    assert.deepEqual(
      backwards.sort((a, b) => a.at - b.at).flatMap(({ rows }) => rows),
      grade.rows,
    )
  })

  test('are not given where a case fails before anything is changed', () => {
    const { failed, summary, rows } = gradeMutants(ruleset, [CASES, [{ name: 'wrong', event_text: EVENTS[0], expected_rule: '204' }]], OPTIONS)
    assert.deepEqual([failed, summary, rows], [[{ suite: 1, place: 0, name: 'wrong' }], null, []])
  })

  test('stop when the time is over, and say what was not tried', () => {
    let left = 3
    const { untried, rows, summary } = gradeMutants(ruleset, [CASES], { ...OPTIONS, mayGoOn: () => left > 0, onProgress: () => void left-- })
    const total = new MutationGrader(ruleset, [CASES], OPTIONS).items
    assert.equal(untried, total - 3)
    assert.ok(rows.length > 0 && summary !== null)
  })

  test('search no further than their steps', () => {
    const { rows } = gradeMutants(ruleset, [CASES], { ...OPTIONS, steps: 1 })
    assert.ok(rows.some(({ isCut }) => isCut === true))
    assert.ok(rows.filter(({ status }) => status === 'unknown').length > (grade.summary?.unknown ?? 0))
  })
})

describe('changes of patterns', () => {
  const changed = (pattern: string, dialect: 'osmatch' | 'osregex' | 'pcre2'): string[] => [...changePattern(pattern, dialect)].map(({ operator, text }) => `${operator} ${text}`)

  test('are those of the dialect', () => {
    assert.deepEqual(changed('^a b|cd$', 'osmatch'), ['drop_alternative cd$', 'drop_alternative ^a b', 'drop_anchor a b|cd$', 'drop_anchor ^a b|cd'])
    assert.deepEqual(changed('!failed login', 'osmatch'), ['loosen !failed'])
    assert.deepEqual(changed('^\\d+ \\$x', 'osregex'), ['drop_anchor \\d+ \\$x', 'widen_class ^\\w+ \\$x', 'loosen ^\\d* \\$x'])
    assert.deepEqual(changed('(?i)a(?:b|[c|d]|\\|)\\b', 'pcre2'), [
      'drop_alternative (?i)a(?:[c|d]|\\|)\\b',
      'drop_alternative (?i)a(?:b|\\|)\\b',
      'drop_alternative (?i)a(?:b|[c|d])\\b',
      'drop_anchor (?i)a(?:b|[c|d]|\\|)',
      'widen_class (?i)a(?:b|.|\\|)\\b',
      'case a(?:b|[c|d]|\\|)\\b',
    ])
  })

  test('end for hostile patterns, of which a limited number is made', () => {
    for (const pattern of [`(${'a|'.repeat(5_000)}`, '('.repeat(5_000), '[', '\\', '\\Q', '^'.repeat(5_000), `${'[]'.repeat(2_000)}`, '|'.repeat(5_000)])
      for (const dialect of ['osmatch', 'osregex', 'pcre2'] as const) assert.ok([...changePattern(pattern, dialect)].length <= 60, pattern.slice(0, 10))
  })
})
