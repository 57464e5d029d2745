/** Running decoders (BEHAVIOUR.md#offsets, #choice-of-decoders, #reported-decoder). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DecoderDefinition } from '../../../engine/event/decoder.js'
import { compileRuleset, EventRunner, readLocation, STATIC_FIELDS } from '../../../engine/index.js'
import { TraceRecorder } from '../../../engine/trace/trace-recorder.js'

const REST = '<decoder name="zz"><program_name>^zz$</program_name></decoder><decoder name="zz"><prematch>^zz$</prematch></decoder>'
const RULES = '<group name="g"><rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule></group>'

/** Returns the reported name and the fields. */
function decode(decoders: string, text: string, recorder: TraceRecorder | null = null): [name: string | null, fields: Record<string, string>] {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: decoders + REST },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: RULES },
  ])
  assert.equal(ruleset.loads, true, JSON.stringify(ruleset.loadDiagnostics.map(({ code }) => code)))
  const origin = readLocation('x')
  assert.ok(origin !== null)
  const { event } = new EventRunner(ruleset).run(text, origin, { seconds: 0, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }, null, recorder)
  const fields: Record<string, string> = {}
  STATIC_FIELDS.forEach((name, i) => {
    const value = event.statics[i]
    if (value !== undefined) fields[name] = value
  })
  event.names.forEach((name, i) => (fields[name] ??= event.valueAt(i)))
  return [event.decoder?.name ?? null, fields]
}

const APP = '<decoder name="app"><prematch>^app </prematch></decoder>'
const KV = `${APP}<decoder name="app-kv"><parent>app</parent><prematch offset="after_parent">^kv </prematch><regex offset="after_prematch">u=(\\S+) </regex><order>user</order></decoder>
<decoder name="app-kv"><parent>app</parent><regex offset="after_regex">^ip=(\\S+)</regex><order>srcip</order></decoder>`
const child = (inside: string, name = 'c'): string => `<decoder name="${name}"><parent>app</parent>${inside}</decoder>`

const CASES: readonly (readonly [why: string, decoders: string, text: string, name: string | null, fields: Record<string, string>])[] = [
  ['a family runs member by member', KV, 'app kv u=bob ip=1.2.3.4', 'app', { dstuser: 'bob', srcip: '1.2.3.4' }],
  ['a family whose prematch fails is left as a whole', KV, 'app xx u=bob ip=1.2.3.4', 'app', {}],
  [
    'a regex that fails does not end the family',
    `${APP}${child('<regex>a=(\\d+) </regex><order>a</order>')}${child('<regex>b=(\\d+) </regex><order>b</order>')}`,
    'app b=1 ',
    'app',
    { b: '1' },
  ],
  ['the first root that matches wins', `${APP}<decoder name="app2"><prematch>^app x</prematch></decoder>`, 'app x', 'app', {}],
  ['no root, no decoder', APP, 'other', null, {}],
  [
    'a root with children does not run its own regex',
    `<decoder name="app"><prematch>^app </prematch><regex>(\\w+) </regex><order>a</order></decoder>${child('<prematch>never</prematch>')}`,
    'app x',
    'app',
    {},
  ],
  ['a child without prematch hides later ones', `${APP}${child('<regex>a=(\\d+) </regex><order>a</order>')}${child('<prematch>b</prematch>', 'd')}`, 'app b', 'app', {}],
  ['use_own_name counts for a child with prematch', `${APP}${child('<use_own_name>true</use_own_name><prematch>b</prematch>')}`, 'app b', 'c', {}],
  ['but not for one without', `${APP}${child('<use_own_name>true</use_own_name><regex>(b)</regex><order>b</order>')}`, 'app b', 'app', { b: 'b' }],
  [
    'groups of a pcre2 prematch are left over',
    '<decoder name="app"><prematch type="pcre2">^(x)</prematch><regex type="pcre2">a(b)?</regex><order>first</order></decoder>',
    'x a',
    'app',
    { first: 'x' },
  ],
  ['an osregex in between empties them', '<decoder name="app"><prematch type="pcre2">^(x)</prematch><regex>a</regex><order>first</order></decoder>', 'x a', 'app', {}],
  ['an empty program name selects the list of programs', `<decoder name="any"><program_name></program_name></decoder>${APP}`, 'Nov 17 08:15:30 h : app x', 'any', {}],
]

test('a full event ends at the first regex that would add fields, and not at one that finds nothing', () => {
  const family = (regex: string): string =>
    `${APP}${child('<plugin_decoder offset="after_parent">JSON_Decoder</plugin_decoder><prematch>{</prematch>')}${child(`<regex>${regex}</regex><order>srcuser</order>`)}${child('<plugin_decoder>PF_Decoder</plugin_decoder>')}`
  const event = (count: number): string => `app {${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}} (m) pass in: 192.0.2.1 > 192.0.2.2: udp`
  const found = (regex: string, count: number): unknown[] => {
    const { srcuser, srcip } = decode(family(regex), event(count))[1]
    return [srcuser, srcip]
  }
  assert.deepEqual(
    [found('(pass)', 255), found('(pass)', 256), found('(drop)', 256)],
    [
      ['pass', '192.0.2.1'],
      [undefined, undefined],
      [undefined, '192.0.2.1'],
    ],
  )
})

for (const [why, decoders, text, name, fields] of CASES) test(why, () => assert.deepEqual(decode(decoders, text), [name, fields]))

test('unused groups of a program name go to later decoders, with and without a recorder', () => {
  const leaves = '<decoder name="a"><program_name type="pcre2">^(ap)p</program_name><prematch type="pcre2">^never</prematch></decoder>'
  const takes = `<decoder name="b"><program_name>^app</program_name></decoder><decoder name="c"><parent>b</parent><regex type="pcre2">go</regex><order>x</order></decoder>`
  const text = 'Nov 17 08:15:30 h app: go'
  const cases: readonly (readonly [between: string, fields: Record<string, string>])[] = [
    ['', { x: 'ap' }],
    ['<decoder name="d"><program_name>^other</program_name></decoder>', { x: 'ap' }],
    ['<decoder name="d"><program_name type="osregex">^other</program_name></decoder>', {}],
    ['<decoder name="d"><program_name>^app</program_name><prematch>^never</prematch></decoder>', {}],
  ]
  for (const [between, fields] of cases) {
    for (const recorder of [null, new TraceRecorder()]) assert.deepEqual(decode(leaves + between + takes, text, recorder), ['b', fields])
  }
})

test('an fts whose words are all ignored counts as none', () => {
  const decoder = (inside: string): DecoderDefinition['fts'] | undefined => {
    const ruleset = compileRuleset([
      { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: `<decoder name="d"><prematch>^d</prematch>${inside}</decoder>${REST}` },
      { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: RULES },
    ])
    return ruleset.loads ? ruleset.decoders.plainRoots[0].definition.fts : undefined
  }
  assert.equal(decoder('<fts>word</fts><regex>(a)</regex><order>word</order>'), null)
  assert.equal(decoder('<fts>word</fts>'), null)
  assert.equal(decoder('<fts>name</fts>'), undefined)
  assert.deepEqual(decoder('<fts>name</fts><fts>word</fts><regex>(a)</regex><order>word</order>')?.name, true)
})
