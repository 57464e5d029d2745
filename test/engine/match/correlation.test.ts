/** Composites: which events are remembered and how they are searched (BEHAVIOUR.md#event-memory, #histories, #frequency). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome, SourceFile } from '../../../engine/index.js'
import { compileRuleset, createSession, EventRunner, readLocation } from '../../../engine/index.js'

const DECODERS = `<decoder name="door"><program_name>^doord</program_name></decoder>
<decoder name="wall"><prematch>^wall</prematch><type>firewall</type></decoder>
<decoder name="json"><prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`
const TEMPLATES = `<group name="t,">${['syslog', 'firewall'].map((word, i) => `<rule id="${i + 1}" level="0" noalert="1"><category>${word}</category><description>t</description></rule>`).join('')}</group>`

type Step = readonly [text: string | Record<string, unknown>, seconds?: number, location?: string]

function outcomes(rules: string, steps: readonly Step[]): Outcome[] {
  const files: SourceFile[] = [
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: '0001.xml', kind: 'rules', scope: 'adhoc', content: TEMPLATES },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: `<group name="g,">${rules}</group>` },
  ]
  const ruleset = compileRuleset(files)
  assert.equal(ruleset.loads, true, JSON.stringify(ruleset.loadDiagnostics.map(({ code }) => code)))
  const runner = new EventRunner(ruleset)
  const session = createSession()
  return steps.map(([text, seconds = 0, location = 'stdin']) => {
    const origin = readLocation(location)
    assert.ok(origin !== null)
    return runner.run(typeof text === 'string' ? text : JSON.stringify(text), origin, { seconds, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }, session)
  })
}

const finals = (rules: string, steps: readonly Step[]): (number | null)[] => outcomes(rules, steps).map(({ rule }) => rule?.id ?? null)
const rule = (id: number, level: number, inside: string, attributes = ''): string => `<rule id="${id}" level="${level}"${attributes}>${inside}<description>d</description></rule>`
const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step)

const BASE = rule(100, 5, '<match>x</match>')
const sid = (attributes: string, inside = ''): string => BASE + rule(101, 10, `<if_matched_sid>100</if_matched_sid>${inside}`, attributes)

test('frequency N fires on the N-th event, and then needs N further events', () => {
  assert.deepEqual(finals(sid(' frequency="3" timeframe="60"'), times(7, ['x'])), [100, 100, 101, 100, 100, 101, 100])
  assert.deepEqual(finals(sid(' frequency="4" timeframe="60"'), times(8, ['x'])), [100, 100, 100, 101, 100, 100, 100, 101])
})

test('with a frequency of 2, or none, every further event fires while the first is inside the window', () => {
  for (const attributes of [' frequency="2" timeframe="60"', ' timeframe="60"']) assert.deepEqual(finals(sid(attributes), times(4, ['x'])), [100, 101, 101, 101])
  assert.deepEqual(
    finals(sid(' timeframe="60"'), [
      ['x', 0],
      ['x', 50],
      ['x', 61],
    ]),
    [100, 101, 100],
  )
})

test('the timeframe includes its last second, and is 360 by default', () => {
  assert.deepEqual(
    finals(sid(' frequency="3" timeframe="60"'), [
      ['x', 0],
      ['x', 30],
      ['x', 60],
    ]),
    [100, 100, 101],
  )
  assert.deepEqual(
    finals(sid(' frequency="3" timeframe="60"'), [
      ['x', 0],
      ['x', 30],
      ['x', 61],
    ]),
    [100, 100, 100],
  )
  assert.deepEqual(
    finals(sid(' frequency="3"'), [
      ['x', 0],
      ['x', 30],
      ['x', 360],
    ]),
    [100, 100, 101],
  )
  assert.deepEqual(
    finals(sid(' frequency="3"'), [
      ['x', 0],
      ['x', 30],
      ['x', 361],
    ]),
    [100, 100, 100],
  )
})

test('the counted logs are reported newest first, and only for a composite that fired', () => {
  const steps: Step[] = [['x1'], ['x2'], ['x3'], ['x4']]
  assert.deepEqual(
    outcomes(sid(' frequency="4"'), steps).map(({ previous }) => previous),
    [[], [], [], ['x3', 'x2', 'x1']],
  )
  const many = Array.from({ length: 15 }, (_, i): Step => [`x${i}`])
  assert.deepEqual(
    outcomes(sid(' frequency="15"'), many)[14].previous,
    Array.from({ length: 11 }, (_, i) => `x${13 - i}`),
  )
})

test('events of a level 0 or noalert rule are not remembered', () => {
  for (const base of [rule(100, 0, '<match>x</match>'), rule(100, 5, '<match>x</match>', ' noalert="1"')]) {
    assert.equal(finals(base + rule(101, 10, '<if_matched_sid>100</if_matched_sid>'), times(4, ['x'])).includes(101), false)
  }
})

test('an event counts only for its final rule, and the event that fires counts for the composite', () => {
  const rules = sid(' frequency="3"') + rule(102, 12, '<if_sid>100</if_sid><match>y</match>')
  assert.deepEqual(finals(rules, [['x'], ['xy'], ['xy'], ['x'], ['x']]), [100, 102, 102, 100, 101])
})

test('without global_frequency only events of the same agent count', () => {
  const steps: Step[] = [
    ['x', 0, '[001] (a) any->x'],
    ['x', 0, '[002] (b) any->x'],
    ['x', 0, '[001] (a) any->x'],
  ]
  assert.deepEqual(finals(sid(''), steps), [100, 100, 101])
  assert.deepEqual(finals(sid('', '<global_frequency />'), steps), [100, 101, 101])
})

test('a barrier stops composites of the same or a lower level only, and only if the filters pass', () => {
  const low = rule(101, 8, '<if_matched_sid>100</if_matched_sid>', ' frequency="3"')
  const high = rule(102, 10, '<if_matched_sid>100</if_matched_sid>', ' frequency="5"')
  assert.deepEqual(finals(BASE + low + high, times(8, ['x'])), [100, 100, 101, 100, 100, 102, 100, 100])
  const same = sid(' frequency="3"', '<same_srcip />')
  const a: Step = [{ srcip: 'a', m: 'x' }]
  const b: Step = [{ srcip: 'b', m: 'x' }]
  assert.deepEqual(finals(same, [b, a, a, a, b, b]), [100, 100, 100, 101, 100, 101])
})

/** Two events with a composite on both, and whether the second fires. */
const PAIRS: readonly (readonly [filter: string, first: Record<string, unknown>, second: Record<string, unknown>, fires: boolean])[] = [
  ['<same_srcip />', { srcip: 'a' }, { srcip: 'a' }, true],
  ['<same_source_ip />', { srcip: 'a' }, { srcip: 'A' }, false],
  ['<same_srcip />', { srcip: 'a' }, {}, false],
  ['<same_srcip />', {}, {}, false],
  ['<same_user />', { dstuser: 'a', srcuser: 'x' }, { dstuser: 'a', srcuser: 'y' }, true],
  ['<same_user />', { srcuser: 'a' }, { srcuser: 'a' }, false],
  ['<same_srcuser />', { srcuser: 'a' }, { srcuser: 'a' }, true],
  ['<same_srcip /><same_id />', { srcip: 'a', id: '1' }, { srcip: 'a', id: '2' }, false],
  ['<same_srcgeoip />', { srcip: 'a' }, { srcip: 'a' }, false],
  ['<same_location />', {}, {}, true],
  ['<different_location />', {}, {}, false],
  ['<different_srcip />', { srcip: 'a' }, { srcip: 'b' }, true],
  ['<different_srcip />', { srcip: 'a' }, { srcip: 'a' }, false],
  ['<not_same_source_ip />', { srcip: 'a' }, {}, true],
  ['<different_url />', {}, {}, true],
  ['<not_same_user />', { dstuser: 'a' }, { dstuser: 'a' }, false],
  ['<same_field>k</same_field>', { k: '1' }, { K: '1' }, true],
  ['<same_field>K</same_field>', { k: '1' }, { k: '2' }, false],
  ['<same_field>k</same_field>', { k: '1' }, {}, false],
  ['<same_field>k</same_field><same_field>l</same_field>', { k: '1', l: '2' }, { k: '1', l: '3' }, false],
  ['<same_field>srcip</same_field>', { srcip: 'a' }, { srcip: 'a' }, false],
  ['<different_field>k</different_field>', { k: '1' }, { k: '2' }, true],
  ['<different_field>k</different_field>', { k: '1' }, { k: '1' }, false],
  ['<not_same_field>k</not_same_field>', { k: '1' }, {}, true],
  ['<different_field>srcip</different_field>', { srcip: 'a' }, { srcip: 'a' }, true],
]

for (const [filter, first, second, fires] of PAIRS) {
  test(`${filter} of ${JSON.stringify(first)} and ${JSON.stringify(second)} ${fires ? 'passes' : 'fails'}`, () => {
    assert.deepEqual(finals(sid('', filter), [[{ ...first, m: 'x' }], [{ ...second, m: 'x' }]]), [100, fires ? 101 : 100])
  })
}

test('different_field fails for two events without any dynamic field', () => {
  assert.deepEqual(finals(sid('', '<different_field>k</different_field>'), [['x'], ['x']]), [100, 100])
  assert.deepEqual(finals(sid('', '<different_field>k</different_field>'), [['x'], [{ m: 'x' }]]), [100, 101])
  assert.deepEqual(finals(sid('', '<same_field>k</same_field>'), [['x'], [{ k: 'x' }]]), [100, 100])
})

test('a composite whose rule is loaded later has nothing to search', () => {
  const rules = rule(99, 3, '') + rule(101, 10, '<if_sid>99</if_sid><if_matched_sid>102</if_matched_sid>') + rule(102, 5, '<if_sid>99</if_sid><match>x</match>')
  assert.deepEqual(finals(rules, times(3, ['x'])), [102, 102, 102])
})

const grouped = (id: number, match: string, groups: string): string => rule(id, 5, `<match>${match}</match><group>${groups}</group>`)

test('if_matched_group counts all earlier rules of the group, including the composite', () => {
  const rules = grouped(100, 'a', 'fail,') + grouped(101, 'b', 'fail,') + rule(102, 10, '<if_matched_group>fail</if_matched_group><group>fail,</group>', ' frequency="3"')
  assert.deepEqual(finals(rules, [['a'], ['b'], ['a'], ['b'], ['a'], ['b']]), [100, 101, 102, 101, 100, 102])
  assert.deepEqual(finals(`${rules}${grouped(103, 'c', 'fail,')}`, [['c'], ['c'], ['a'], ['a'], ['a']]), [103, 103, 100, 100, 102])
})

test('a rule that an if_matched_sid names does not feed a group', () => {
  const group = rule(102, 10, '<if_matched_group>fail</if_matched_group>')
  const base = grouped(100, 'a', 'fail,')
  assert.deepEqual(finals(base + group, [['a'], ['a']]), [100, 102])
  const named = base + group + rule(103, 11, '<if_sid>100</if_sid><if_matched_sid>100</if_matched_sid><match>never</match>')
  assert.deepEqual(finals(named, [['a'], ['a']]), [100, 100])
})

test('a rule feeds a group once for each of its placements', () => {
  const two = rule(98, 3, '<match>p</match>', ' noalert="1"') + rule(100, 5, '<if_sid>98,98</if_sid><match>a</match><group>fail,</group>')
  const composite = rule(102, 10, '<if_matched_group>fail</if_matched_group>', ' frequency="4"')
  // Two events with two placements each count as four, so the third event fires already.
  assert.deepEqual(finals(two + composite, times(3, ['pa'])), [100, 100, 102])
  const one = rule(98, 3, '<match>p</match>', ' noalert="1"') + rule(100, 5, '<if_sid>98</if_sid><match>a</match><group>fail,</group>')
  assert.deepEqual(finals(one + composite, times(4, ['pa'])), [100, 100, 100, 102])
})

test('if_matched_regex searches all remembered events of the same type', () => {
  const rules =
    rule(100, 5, '<match>a</match>') + rule(101, 6, '<match>b</match>') + rule(102, 10, '<if_matched_regex>\\d+ go</if_matched_regex><match>now</match>', ' frequency="3"')
  assert.deepEqual(finals(rules, [['a 1 go'], ['b 2 go'], ['now']]), [100, 101, 102])
  assert.deepEqual(finals(rules, [['a 1 go'], ['b x go'], ['now']]), [100, 101, null])
  const other = rules + rule(103, 5, '<category>firewall</category><decoded_as>wall</decoded_as>')
  assert.deepEqual(finals(other, [['a 1 go'], ['wall 2 go'], ['now']]), [100, 103, null])
})

test('an if_matched_sid without an id searches all remembered events', () => {
  const rules = `${rule(99, 3, '')}${rule(100, 5, '<if_sid>99</if_sid><match>a</match>')}${rule(102, 10, '<if_sid>99</if_sid><if_matched_sid></if_matched_sid><match>now</match>')}`
  assert.deepEqual(finals(rules, [['a'], ['now']]), [100, 102])
  assert.deepEqual(finals(rules, [['now'], ['now']]), [99, 102])
})

test('a silenced event is not counted', () => {
  const rules = rule(100, 5, '<match>x</match>', ' ignore="60"') + rule(101, 10, '<if_matched_sid>100</if_matched_sid>', ' frequency="3"')
  assert.deepEqual(finals(rules, times(5, ['x'])), [100, 100, 100, 100, 100])
})

test('an overwritten composite keeps its kind of search, and the new definition decides whether it searches', () => {
  const plain =
    BASE + rule(101, 10, '<if_sid>100</if_sid><match>y</match>') + rule(101, 10, '<if_matched_sid>100</if_matched_sid><match>y</match>', ' frequency="5" overwrite="yes"')
  assert.deepEqual(finals(plain, [['xy']]), [101])
  const was = sid(' frequency="3"') + rule(101, 10, '<match>y</match>', ' overwrite="yes"')
  assert.deepEqual(finals(was, [['xy'], ['x'], ['x'], ['x']]), [101, 100, 100, 100])
})

test('a rule with many placements counts once for each, and is stored once', () => {
  const doubling = Array.from({ length: 14 }, (_, i) => rule(101 + i, 5, `<if_group>g</if_group><match>m${i}</match>`)).join('')
  const composite = rule(200, 6, '<if_sid>100</if_sid><if_matched_group>g</if_matched_group><match>now</match>', ' frequency="9999"')
  const rules = rule(100, 5, '') + doubling + composite
  // Rule 114 has 8,192 placements.
  assert.deepEqual(finals(rules, [['m13'], ['now']]), [114, 100])
  assert.deepEqual(finals(rules, [['m13'], ['m13'], ['now'], ['now']]), [114, 114, 200, 100])
  assert.equal(outcomes(rules, [['m13'], ['m13'], ['now']])[2].previous.length, 11)
})
