/** Walking the rule tree, and the conditions of a rule (BEHAVIOUR.md#rule-matching, #compiled-rules, #order-of-conditions, #ignore). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledRuleset, Moment, Session, SourceFile } from '../../../engine/index.js'
import { compileRuleset, createSession, EventRunner, readLocation } from '../../../engine/index.js'
import type { Outcome } from '../../../engine/index.js'
import { TraceRecorder } from '../../../engine/trace/trace-recorder.js'

const DECODERS = `<decoder name="door"><program_name>^doord</program_name></decoder>
<decoder name="app"><prematch>^app</prematch></decoder>
<decoder name="wall"><prematch>^wall</prematch><type>firewall</type></decoder>
<decoder name="json"><prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`
const CATEGORIES = ['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'ossec']
const TEMPLATES = `<group name="t,">${CATEGORIES.map((word, i) => `<rule id="${i + 1}" level="0" noalert="1"><category>${word}</category><description>t</description></rule>`).join('')}</group>`
const MOMENT: Moment = { seconds: 1000, local: () => ({ timeOfDay: '12:30', weekday: 2 }) }

function compile(rules: string, lists: Record<string, string> = {}, decoders = ''): CompiledRuleset {
  const files: SourceFile[] = [
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS + decoders },
    { filename: '0001.xml', kind: 'rules', scope: 'adhoc', content: TEMPLATES },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: `<group name="g,">${rules}</group>` },
    ...Object.entries(lists).map(([filename, content]): SourceFile => ({ filename, kind: 'lists', scope: 'adhoc', content })),
  ]
  const ruleset = compileRuleset(files)
  assert.equal(ruleset.loads, true, JSON.stringify(ruleset.loadDiagnostics.map(({ code, params }) => [code, params])))
  return ruleset
}

interface Options {
  readonly session?: Session | null
  readonly seconds?: number
  readonly location?: string
}

function run(runner: EventRunner, text: string, { session = null, seconds = MOMENT.seconds, location = 'stdin' }: Options = {}): Outcome {
  const origin = readLocation(location)
  assert.ok(origin !== null)
  return runner.run(text, origin, { ...MOMENT, seconds }, session)
}

const rule = (id: number, level: number, inside: string, attributes = ''): string =>
  `<rule id="${id}" level="${level}"${attributes}>${inside}<description>d${id}</description></rule>`
const ids = (outcome: Outcome): [final: number | null, ...path: number[]] => [outcome.rule?.id ?? null, ...outcome.path.map(({ id }) => id)]
const json = (fields: Record<string, unknown>): string => JSON.stringify(fields)

/** Whether a single rule with these conditions matches. */
function matches(conditions: string, text: string, options: Options = {}): boolean {
  return run(new EventRunner(compile(rule(100, 3, conditions))), text, options).rule?.id === 100
}

const HEADER = 'Nov 17 08:15:30 gate doord[1]: '

type Case = readonly [conditions: string, yes: readonly string[], no: readonly string[]]
const CASES: readonly Case[] = [
  // pattern tags and the text that they examine
  ['<match>^opened</match>', [`${HEADER}OPENED x`, 'opened'], [`${HEADER}x opened`, '']],
  ['<match>op</match><match>en|x</match>', ['an open one', 'x'], ['en', 'op']],
  ['<match negate="yes">a</match>', ['b', ''], ['a']],
  ['<match negate="YES">!a</match>', ['a'], ['b']],
  ['<match>^a</match><match type="pcre2">b$</match>', ['ab'], ['b', 'AB', 'abc']],
  ['<match type="pcre2">^a</match><match>b</match>', ['AB'], ['b', 'xab']],
  ['<regex>^\\d+ x</regex>', ['12 X'], ['x 12 x']],
  ['<regex type="PCRE2">^a+$</regex>', ['aaa'], ['AAA', 'a+']],
  ['<program_name>^doord$</program_name>', [`${HEADER}x`], ['doord', 'x']],
  ['<hostname>^gate$</hostname>', [`${HEADER}x`], ['x', 'Nov 17 08:15:30 other doord: x']],
  ['<hostname>^manager$</hostname>', ['x'], [`${HEADER}x`]],
  ['<location>stdin</location>', ['x'], []],
  ['<user>^bob$</user>', [json({ srcuser: 'bob' }), json({ dstuser: 'bob', srcuser: 'eve' })], [json({ dstuser: 'eve', srcuser: 'bob' }), 'bob']],
  ['<srcport>22</srcport>', [json({ srcport: 2222 })], [json({ srcport: 23 }), json({ dstport: 22 })]],
  ['<action>deny</action>', [json({ action: 'deny' })], [json({ action: 'Deny' }), json({ action: 'denys' }), json({})]],
  ['<action type="osmatch">DENY</action>', [json({ action: 'denys' })], [json({ action: 'den' })]],
  ['<action negate="yes">deny</action>', [json({ action: 'x' })], [json({ action: 'deny' }), json({})]],
  ['<status negate="yes">ok</status>', [json({ status: 'x' }), json({ status: '' })], [json({ status: 'ok' }), json({})]],
  ['<srcgeoip negate="yes">x</srcgeoip>', [], [json({ srcip: '192.0.2.1' }), 'x']],
  // dynamic fields: any case, the first of a name, static names are not visible
  ['<field name="A.b">^x$</field>', [json({ a: { B: 'x' } }), json({ 'a.b': 'x', A: { b: 'y' } })], [json({ 'a.b': 'y', A: { b: 'x' } }), json({ a: 'x' })]],
  ['<field name="a">1</field><field name="a">2</field>', [json({ a: '12' })], [json({ a: '1' }), json({ a: '2' })]],
  ['<field name="a" negate="yes">x</field>', [json({ a: 'y' }), json({ a: '' })], [json({ a: 'x' }), json({ b: 'y' })]],
  ['<field name="hostname">x</field>', [json({ hostname: 'x' })], [`Nov 17 08:15:30 x doord: x`]],
  // addresses
  ['<srcip>192.0.2.1</srcip><srcip>10.0.0.0/8</srcip>', [json({ srcip: '192.0.2.1' }), json({ srcip: '10.1.2.3' })], [json({ srcip: '192.0.2.2' }), json({})]],
  ['<srcip negate="yes">10.0.0.0/8</srcip>', [json({ srcip: '192.0.2.2' }), json({ srcip: 'no address' })], [json({ srcip: '10.1.2.3' }), json({})]],
  ['<srcip negate="yes">10.0.0.0/8</srcip><srcip>192.0.2.2</srcip>', [json({ srcip: '10.1.2.3' })], [json({ srcip: '192.0.2.3' })]],
  // decoder and category
  ['<decoded_as>door</decoded_as>', [`${HEADER}x`], ['x', 'app']],
  ['<category>firewall</category><decoded_as>wall</decoded_as>', ['wall'], ['app']],
  ['<decoded_as>wall</decoded_as>', [], ['wall']],
  // time, weekday, functions
  ['<time>12:30-13</time><weekday>tuesday</weekday>', ['x'], []],
  ['<time>12:31-13</time>', [], ['x']],
  ['<weekday>weekends</weekday>', [], ['x']],
  ['<compiled_rule>check_id_size</compiled_rule>', [json({ id: '1234567890' })], [json({ id: '123456789' }), json({})]],
  ['<compiled_rule>comp_srcuser_dstuser</compiled_rule>', [json({}), json({ srcuser: 'a' }), json({ srcuser: 'a', dstuser: 'a' })], [json({ srcuser: 'a', dstuser: 'b' })]],
  ['<compiled_rule>is_simple_http_request</compiled_rule>', [json({ url: '/a' })], [json({ url: '/a?b' }), json({})]],
  ['<compiled_rule>is_valid_crawler</compiled_rule>', ['66.249.1.1 x', '74.6.1'], ['x 66.249.1.1', '66.250.']],
]

for (const [conditions, yes, no] of CASES) {
  test(`${conditions} matches the right events`, () => {
    const runner = new EventRunner(compile(rule(100, 3, conditions)))
    for (const text of [...yes, ...no]) assert.equal(run(runner, text).rule?.id === 100, yes.includes(text), text)
  })
}

test('maxsize requires a minimum length, in bytes', () => {
  const runner = new EventRunner(compile(rule(100, 3, '<match>x</match>', ' maxsize="5"')))
  assert.deepEqual(
    ['x\xc3\xa93', 'x2345', 'x23456'].map((text) => run(runner, text).rule?.id),
    [undefined, 100, 100],
  )
})

test('the two time functions of Windows texts differ up to the first tab or double blank', () => {
  const log = (target: string, caller: string): string => `Target Account Name: ${target}  Caller User Name: ${caller}  x`
  const name = '<compiled_rule>comp_mswin_targetuser_calleruser_diff</compiled_rule>'
  assert.equal(matches(name, log('bob', 'eve')), true)
  assert.equal(matches(name, log('bob', 'bob')), false)
  assert.equal(matches(name, 'Target Account Name: bob'), false)
})

test('an agent event has the host and the location of its agent', () => {
  const location = '[007] (web1) any->/var/log/x'
  assert.equal(matches('<hostname>^web1$</hostname>', `${HEADER}x`, { location }), true)
  assert.equal(matches('<hostname>gate</hostname>', `${HEADER}x`, { location }), false)
  assert.equal(matches('<location>^(web1) any->/var/log/x$</location>', 'x', { location }), true)
})

const LISTS = { 'etc/l1': 'a:\nbob:boss\n', 'etc/l2': 'b:\n', 'etc/l3': 'c:\n' }

function listed(conditions: string, fields: Record<string, string>): boolean {
  return run(new EventRunner(compile(rule(100, 3, conditions), LISTS)), json(fields)).rule?.id === 100
}

test('all lists are required, an absent field fails every lookup, and "user" uses srcuser first', () => {
  const two = '<list field="srcip">etc/l1</list><list field="dstip">etc/l2</list>'
  assert.equal(listed(two, { srcip: 'a', dstip: 'b' }), true)
  assert.equal(listed(two, { srcip: 'a', dstip: 'a' }), false)
  assert.equal(listed(two, { srcip: 'x', dstip: 'b' }), false)
  assert.equal(listed('<list field="srcip" lookup="not_match_key">etc/l1</list>', { dstip: 'x' }), false)
  assert.equal(listed('<list field="srcip" lookup="NOT_match_key">etc/l1</list>', { srcip: 'x' }), true)
  assert.equal(listed('<list field="user" lookup="match_key_value" check_value="^boss">etc/l1</list>', { srcuser: 'bob', dstuser: 'x' }), true)
  assert.equal(listed('<list field="user">etc/l1</list>', { srcuser: 'x', dstuser: 'bob' }), false)
  assert.equal(listed('<list field="My.Field">etc/l1</list>', { 'my.field': 'a' }), true)
})

test('only the last two of three lists are used', () => {
  const three = '<list field="srcip">etc/l1</list><list field="dstip">etc/l2</list><list field="id">etc/l3</list>'
  assert.equal(listed(three, { srcip: 'WRONG', dstip: 'b', id: 'c' }), true)
  assert.equal(listed(three, { srcip: 'a', dstip: 'WRONG', id: 'c' }), false)
})

test('the first matching sibling is chosen: level 0 first, then falling levels, then load order', () => {
  const rules = rule(100, 3, '') + rule(101, 5, '<match>x</match>') + rule(102, 5, '<match>y</match>') + rule(103, 0, '<match>z</match>')
  const runner = new EventRunner(compile(rules))
  assert.deepEqual(
    ['x', 'xy', 'y', 'xyz', 'w'].map((text) => ids(run(runner, text))),
    [
      [101, 1, 101],
      [101, 1, 101],
      [102, 1, 102],
      [103, 1, 103],
      [100, 1, 100],
    ],
  )
  assert.equal(run(runner, 'xyz').alert, false)
})

test('then depth decides: the deepest match on the first successful path is final', () => {
  const rules =
    rule(100, 9, '<match>a</match>') +
    rule(101, 1, '<if_sid>100</if_sid><match>b</match>') +
    rule(102, 1, '<if_sid>101</if_sid><match>c</match>') +
    rule(103, 5, '<match>c</match>')
  const runner = new EventRunner(compile(rules))
  assert.deepEqual(ids(run(runner, 'abc')), [102, 1, 100, 101, 102])
  assert.deepEqual(ids(run(runner, 'ac')), [100, 1, 100])
  assert.deepEqual(ids(run(runner, 'c')), [103, 1, 103])
})

test('a noalert rule is final only through its children, and otherwise its siblings are tried', () => {
  const rules = rule(100, 9, '<match>a</match>', ' noalert="1"') + rule(101, 5, '<if_sid>100</if_sid><match>b</match>') + rule(102, 3, '<match>a</match>')
  const runner = new EventRunner(compile(rules))
  assert.deepEqual(ids(run(runner, 'ab')), [101, 1, 100, 101])
  assert.deepEqual(ids(run(runner, 'a')), [102, 1, 100, 102])
})

test('an event that matches nothing below its template has no rule', () => {
  const outcome = run(new EventRunner(compile(rule(100, 9, '<match>a</match>'))), 'b')
  assert.deepEqual(ids(outcome), [null, 1])
  assert.deepEqual([outcome.alert, outcome.firedTimes, outcome.description], [false, 0, ''])
})

test('alerts begin at level 3', () => {
  const runner = new EventRunner(compile(rule(102, 2, '<match>a</match>') + rule(103, 3, '<match>b</match>')))
  assert.deepEqual([run(runner, 'a').alert, run(runner, 'b').alert], [false, true])
})

test('firedtimes counts only final matches of the rule, including silenced ones', () => {
  const runner = new EventRunner(compile(rule(100, 3, '') + rule(101, 3, '<if_sid>100</if_sid><match>x</match>', ' ignore="60"')))
  const session = createSession()
  assert.deepEqual(
    ['x', 'y', 'x', 'x', 'y'].map((text) => run(runner, text, { session }).firedTimes),
    [1, 1, 2, 3, 2],
  )
})

test('an ignore window silences events; its end lets two events pass, because it only clears the timer', () => {
  const runner = new EventRunner(compile(rule(100, 3, '', ' ignore="60"')))
  const session = createSession()
  const at = (seconds: number): boolean => {
    const outcome = run(runner, 'x', { session, seconds })
    assert.equal(outcome.rule?.id, 100)
    return outcome.alert
  }
  assert.deepEqual([0, 1, 59, 60, 61, 62, 120, 121].map(at), [true, false, false, true, true, false, false, true])
  assert.equal(session.memory.length, 4)
})

test('check_diff passes if the log of the same host changed, and names the previous log', () => {
  const runner = new EventRunner(compile(rule(100, 3, '<match>x</match><check_diff />')))
  const session = createSession()
  const results = ['x1', 'x1', 'x2', 'x1'].map((text) => run(runner, text, { session })).map(({ rule: final, previousLog }) => [final?.id, previousLog])
  assert.deepEqual(results, [
    [undefined, null],
    [undefined, null],
    [100, 'x1'],
    [100, 'x2'],
  ])
  assert.equal(run(runner, 'Nov 17 08:15:30 other doord: x9', { session }).rule, null)
  assert.equal(run(runner, 'x3').rule, null)
})

test('check_diff fails for logs of 65,536 bytes', () => {
  const runner = new EventRunner(compile(rule(100, 3, '<match>x</match><check_diff />')))
  for (const [length, id] of [
    [65_535, 100],
    [65_536, undefined],
  ] as const) {
    const session = createSession()
    const [, second] = ['a', 'b'].map((end) => run(runner, 'x'.repeat(length - 1) + end, { session }))
    assert.equal(second.rule?.id, id)
  }
})

function described(description: string, text: string): string {
  return run(new EventRunner(compile(`<rule id="100" level="3">${description}</rule>`)), text).description
}

test('placeholders of a description are filled: static names are case-sensitive, dynamic ones are not, absent ones are empty', () => {
  const text = json({ srcip: '192.0.2.1', dstuser: 'du', srcuser: 'su', 'a.b': 'dyn', systemname: 'sys' })
  assert.equal(
    described('<description>s=$(srcip) u=$(user) du=$(dstuser) su=$(srcuser) m=$(missing) a=$(A.B) y=$(system_name) S=$(SrcIP) l=$(location)</description>', text),
    's=192.0.2.1 u= du=du su=su m= a=dyn y=sys S= l=',
  )
  assert.equal(described('<description>$(program_name)@$(hostname)</description>', `${HEADER}x`), 'doord@gate')
  assert.equal(described('<description>$(srcip) $(srcip</description>', text), '192.0.2.1 $(srcip')
  assert.equal(described('<description>$( srcip)</description>', text), '')
})

test('repeated descriptions are joined; the first newline of each becomes a blank', () => {
  assert.equal(described('<description>a\nb\nc</description><description>d\ne</description>', 'x'), 'a b\ncd e')
})

test('rules may be nested without limit', () => {
  const depth = 12_000
  const chain = Array.from({ length: depth }, (_, i) => rule(1000 + i, 3, i === 0 ? '' : `<if_sid>${999 + i}</if_sid>`, i % 2 === 1 ? ' noalert="1"' : ''))
  const last = rule(100, 5, `<if_sid>${999 + depth}</if_sid><match>x</match>`)
  const runner = new EventRunner(compile(chain.join('') + last))
  for (const recorder of [null, new TraceRecorder()]) {
    const origin = readLocation('stdin')
    assert.ok(origin !== null)
    const [found, left] = ['x', 'y'].map((text) => runner.run(text, origin, MOMENT, null, recorder))
    assert.deepEqual([found.rule?.id, found.path.length], [100, depth + 2])
    assert.deepEqual([left.rule?.id, left.path.length], [998 + depth, depth + 1])
  }
})

const FTS = '<decoder name="login"><prematch>^login </prematch><regex offset="after_prematch">^(\\S+) x</regex><order>user</order><fts>name, user</fts></decoder>'

test('an event without a session evaluates if_fts as a new session does: a key remembered by one rule is old for the next', () => {
  const rules = rule(100, 5, '<decoded_as>login</decoded_as><if_fts /><list field="user">etc/l1</list>') + rule(101, 3, '<decoded_as>login</decoded_as><if_fts />')
  const runner = new EventRunner(compile(rules, LISTS, FTS))
  for (const session of [null, createSession()]) assert.equal(run(runner, 'login eve x', { session }).rule, null)
  for (const session of [null, createSession()]) assert.equal(run(runner, 'login bob x', { session }).rule?.id, 100)
})

test('an imported alert shows nothing of the previous event, which may be of another session', () => {
  const alerts = '<decoder name="alerts"><prematch>^Alert Level: </prematch><plugin_decoder>OSSECAlert_Decoder</plugin_decoder></decoder>'
  const rules = rule(100, 5, '<match>a</match>') + rule(101, 10, '<if_matched_sid>100</if_matched_sid>') + rule(102, 5, '<check_diff /><match>b</match>')
  const runner = new EventRunner(compile(rules, {}, alerts))
  const [session, other] = [createSession(), createSession()]
  run(runner, 'a secret', { session })
  assert.deepEqual(run(runner, 'a secret', { session }).previous, ['a secret'])
  const imported = run(runner, 'Alert Level: 5; Rule: 100 - d; Location: h;  log', { session: other })
  assert.deepEqual([imported.rule?.id, imported.path, imported.previous, other.memory[0].mark], [100, [], [], 0])
  run(runner, 'b secret', { session })
  assert.equal(run(runner, 'b other', { session }).previousLog, 'b secret')
  assert.equal(run(runner, 'Alert Level: 5; Rule: 100 - d; Location: h;  log', { session: other }).previousLog, null)
})

test('narrowing many siblings by decoder, field, program and first byte does not change the result', () => {
  const values = Array.from({ length: 30 }, (_, i) => `v${i}`)
  const rules = [
    ...values.map((value, i) => rule(200 + i, 5, `<field name="kind">^${value}$</field>`)),
    ...values.map((value, i) => rule(300 + i, 5, `<match>^${value}</match>`)),
    ...values.map((value, i) => rule(400 + i, 5, `<program_name>^${value}$</program_name><match>m</match>`)),
    rule(500, 6, '<field name="kind">v7</field><match>special</match>'),
    rule(501, 1, ''),
  ].join('')
  const runner = new EventRunner(compile(rules))
  const finals = [
    json({ kind: 'v7' }),
    json({ kind: 'V7' }),
    json({ kind: 'v77' }),
    json({ kind: 'v7', x: 'special' }),
    'v7',
    'V12x',
    '',
    'Nov 17 08:15:30 h v9: m',
    'Nov 17 08:15:30 h v9: x',
    json({}),
  ]
  assert.deepEqual(
    finals.map((text) => run(runner, text).rule?.id),
    [207, 207, 501, 500, 307, 301, 501, 409, 501, 501],
  )
})
