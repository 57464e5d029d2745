/** What two rulesets do differently: one edit of each kind, refactorings, and random edits against random events. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  alertChanges,
  type BehaviourComparison,
  type BehaviourEvent,
  behaviourRecord,
  type CompiledRuleset,
  compareBehaviour,
  compileLayer,
  compileRuleset,
  observeLast,
  RuleAuditor,
  type SourceFile,
} from '#engine'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '#workers'
import { PatternCache } from '../../../engine/generate/text-tests.js'
import { hasOtherPart, isDifferent } from '../../../engine/diff/compare-behaviour.js'
import { shrinkEvents } from '../../../engine/diff/shrink.js'
import { Side } from '../../../engine/diff/side.js'
import { toSourceFile } from '../../parity/random/content.js'
import { Random } from '../../parity/random/random.js'
import { makeContent } from '../../parity/random/ruleset.js'
import { HOSTILE_EDITS } from '../../support/hostile-edits.js'
import { runs } from '../../support/runs.js'
import { makeDense, makeSequence } from './dense-content.js'

const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-closed"><parent>gate</parent><prematch>^CLOSED </prematch><regex offset="after_prematch">^(\\S+):(\\d+) to (\\S+)</regex><order>srcip, srcport, dstip</order></decoder>
<decoder name="lamp"><prematch>^LAMP </prematch></decoder>
<decoder name="lamp-user"><parent>lamp</parent><regex>by=(\\S+) code=(\\d+)</regex><order>user, status</order></decoder>
<decoder name="pump"><prematch>^PUMP </prematch></decoder>`
const TEMPLATE = '<group name="syslog,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>Template.</description></rule></group>'
const RULES = `<rule id="200" level="3"><decoded_as>gate</decoded_as><description>gate</description></rule>
<rule id="201" level="5"><if_sid>200</if_sid><match>CLOSED</match><description>closed</description><group>closing,</group></rule>
<rule id="202" level="7"><if_sid>201</if_sid><srcip>203.0.113.0/24</srcip><description>closed for a watched address</description></rule>
<rule id="203" level="10" frequency="4" timeframe="60"><if_matched_sid>201</if_matched_sid><same_srcip /><description>often closed</description></rule>
<rule id="210" level="2"><decoded_as>lamp</decoded_as><description>lamp</description></rule>
<rule id="211" level="6"><if_sid>210</if_sid><match>broken|dark</match><description>lamp broken</description></rule>
<rule id="212" level="6"><if_sid>210</if_sid><match>dark</match><description>lamp dark</description></rule>
<rule id="213" level="8"><if_sid>210</if_sid><time>9:00 - 17:00</time><match>open</match><description>lamp open</description></rule>
<rule id="214" level="9"><if_sid>210</if_sid><list field="user" lookup="match_key">etc/lists/users</list><description>lamp of a watched user</description></rule>
<rule id="215" level="7"><if_group>closing</if_group><match>twice</match><description>closed twice</description></rule>
<rule id="220" level="4"><decoded_as>json</decoded_as><field name="pump.state">^stopped$</field><description>pump</description></rule>`

interface Parts {
  readonly rules?: string
  readonly decoders?: string
  readonly list?: string
}

function content({ rules = RULES, decoders = DECODERS, list = 'bruno:\nroot:\n' }: Parts = {}): CompiledRuleset {
  const files: SourceFile[] = [
    {
      kind: 'decoders',
      scope: 'custom',
      filename: 'decoders.xml',
      content: `${decoders}\n<decoder name="json"><prematch>^{\\s*"</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`,
    },
    { kind: 'rules', scope: 'custom', filename: '0-template.xml', content: TEMPLATE },
    { kind: 'rules', scope: 'custom', filename: 'rules.xml', content: `<group name="own,">${rules}</group>` },
    { kind: 'lists', scope: 'custom', filename: 'etc/lists/users', content: list },
  ]
  const ruleset = compileRuleset(files)
  assert.ok(ruleset.loads)
  return ruleset
}

const rules = (from: string, to: string): Parts => {
  assert.ok(RULES.includes(from), from)
  return { rules: RULES.replace(from, to) }
}
const decoders = (from: string, to: string): Parts => {
  assert.ok(DECODERS.includes(from), from)
  return { decoders: DECODERS.replace(from, to) }
}
const compare = (after: CompiledRuleset, before = content()): BehaviourComparison => compareBehaviour(before, after, { mayGoOn: () => true })

function itemOf({ items }: BehaviourComparison, name: string) {
  const found = items.find((item) => item.name === name)
  assert.ok(found !== undefined, `${name} in ${items.map((item) => item.name).join(', ')}`)
  return behaviourRecord(found)
}

/** Every witness was run: both rulesets still give the shown answers, which differ. */
function assertReplayed(comparison: BehaviourComparison, before: CompiledRuleset, after: CompiledRuleset): void {
  for (const item of comparison.items) {
    const record = behaviourRecord(item)
    assert.equal(record.result === 'differs', record.witness !== null)
    if (record.witness === null) continue
    const [old, now] = [observeLast(before, record.witness.events), observeLast(after, record.witness.events)]
    if (record.old !== null) assert.deepEqual(record.old, old)
    else assert.equal(old.rule_id, null)
    if (record.new !== null) assert.deepEqual(record.new, now)
    else assert.equal(now.rule_id, null)
    for (const other of record.more) {
      const last = [before, after].map((ruleset) => observeLast(ruleset, other.witness.events))
      assert.deepEqual([other.old?.rule_id ?? null, other.new?.rule_id ?? null], [last[0].rule_id, last[1].rule_id])
      assert.notDeepEqual([other.old, other.new], [record.old, record.new])
    }
    assert.ok(JSON.stringify(record.old) !== JSON.stringify(record.new) || record.alert?.old !== record.alert?.new, `${item.kind} ${item.name}`)
  }
}

/** Edits after which the named item differs; the answers name the rules of the last event. */
const EDITS: Readonly<Record<string, readonly [after: Parts, item: string, old: string | null, now: string | null]>> = {
  'a word that is gone': [rules('broken|dark', 'broken'), '211', '211', '212'],
  'a word that is new': [rules('<match>dark</match>', '<match>dark|dim</match>'), '212', '210', '212'],
  'another level': [rules('id="202" level="7"', 'id="202" level="9"'), '202', '202', '202'],
  'a rule that is gone': [rules(/<rule id="214".*\n/.exec(RULES)?.[0] ?? '', ''), '214', '214', '210'],
  'a rule that is new': [
    rules('</rule>\n<rule id="220"', '</rule>\n<rule id="216" level="7"><if_sid>210</if_sid><match>loose</match><description>lamp loose</description></rule>\n<rule id="220"'),
    '216',
    '210',
    '216',
  ],
  'an order of siblings': [{ rules: RULES.replace(/(<rule id="211".*\n)(<rule id="212".*\n)/, '$2$1') }, '212', '211', '212'],
  'a smaller network': [rules('203.0.113.0/24', '203.0.113.0/25'), '202', '202', '201'],
  'another count': [rules('frequency="4"', 'frequency="6"'), '203', '203', '201'],
  'another timeframe': [rules('timeframe="60"', 'timeframe="120"'), '203', '201', '203'],
  'events that need not be of one address': [rules('<same_srcip />', ''), '203', '201', '203'],
  'another time of day': [rules('9:00 - 17:00', '9:00 - 18:00'), '213', '210', '213'],
  'an entry of a list': [{ list: 'bruno:\n' }, '214', '214', '210'],
  'a group that another rule looks for': [rules('<group>closing,</group>', ''), '215', '215', '201'],
  'silence after a first alert': [rules('id="201" level="5"', 'id="201" level="5" ignore="60"'), '201', '201', '201'],
  'another field of a decoder': [decoders('user, status', 'user, extra'), 'lamp-user', '210', '210'],
  'a pattern of a decoder': [decoders('code=(\\d+)', 'code=(\\w+)'), 'lamp-user', '210', '210'],
  'another beginning of a decoder': [decoders('^LAMP ', '^LAMPS '), 'lamp', '210', null],
  'a field of JSON': [rules('^stopped$', '^stopped$|^stuck$'), '220', null, '220'],
}

describe('an event for a difference', () => {
  for (const [form, [after, name, old, now]] of Object.entries(EDITS)) {
    test(form, () => {
      const [before, changed] = [content(), content(after)]
      const comparison = compare(changed, before)
      const record = itemOf(comparison, name)
      assert.equal(record.result, 'differs')
      // A difference of decoding may show with any rule that reads the event.
      if (!name.startsWith('lamp') || now === null) assert.deepEqual([record.old?.rule_id ?? null, record.new?.rule_id ?? null], [old, now])
      assertReplayed(comparison, before, changed)
    })
  }

  test('is found for each way in which a rule differs: what it loses, and what it gains', () => {
    const shown = rules('broken|dark', 'broken').rules ?? ''
    const [before, after] = [content({ rules: shown }), content({ rules: shown.replace('<match>dark</match>', '<match>dim</match>') })]
    const comparison = compare(after, before)
    const { old, new: now, more } = itemOf(comparison, '212')
    assert.deepEqual([{ old, new: now }, ...more].map((each) => `${each.old?.rule_id} ${each.new?.rule_id}`).toSorted(), ['210 212', '212 210'])
    const { lost, gained } = alertChanges(comparison.items.filter(({ name }) => name === '212'))
    assert.deepEqual([lost, gained], [['212'], ['212']])
  })

  test('is found for what a change touches, with the chain that leads there', () => {
    const comparison = compare(content(rules('broken|dark', 'broken')))
    assert.deepEqual(itemOf(comparison, '212').cause, [
      { rule_id: '211', link: 'changed' },
      { rule_id: '212', link: 'sibling' },
    ])
    const silenced = itemOf(compare(content(rules('id="201" level="5"', 'id="201" level="5" ignore="60"'))), '203')
    assert.equal(silenced.result, 'differs')
    assert.deepEqual(silenced.cause.at(-1), { rule_id: '203', link: 'counts' })
  })

  test('names a field with another name, and the rules that read it', () => {
    const own = { rules: RULES.replace('<match>dark</match>', '<status>7</status>') }
    const record = itemOf(compare(content({ ...own, ...decoders('user, status', 'user, extra_data') }), content(own)), 'lamp-user')
    assert.deepEqual(record.lost_fields, [{ name: 'status', renamed: 'extra_data', readers: ['212'] }])
  })

  test('is a case of the caller, where that shows it', () => {
    const events: BehaviourEvent[] = [{ event: 'LAMP is dark in room 4711', log_format: 'syslog' }]
    const comparison = compareBehaviour(content(), content(rules('broken|dark', 'broken')), { mayGoOn: () => true, seeds: [events] })
    assert.equal(itemOf(comparison, '211').witness?.events[0].event, 'LAMP dark')
  })
})

const REFACTORINGS: Readonly<Record<string, readonly [before: Parts, after: Parts, item: string]>> = {
  'a description': [{}, rules('>lamp broken<', '>lamp out of order<'), '211'],
  'alternatives in another order': [{}, rules('broken|dark', 'dark|broken'), '211'],
  'another dialect': [{}, rules('<match>broken|dark</match>', '<match type="pcre2">(?i)dark|broken</match>'), '211'],
  'a common end of alternatives': [
    rules('<match>broken|dark</match>', '<regex type="pcre2">opened|closed</regex>'),
    rules('<match>broken|dark</match>', '<regex type="pcre2">(?:open|clos)ed</regex>'),
    '211',
  ],
  'a group that nothing looks for': [{}, rules('<description>lamp broken</description>', '<description>lamp broken</description><group>light,</group>'), '211'],
  'a rule that another one hides': [{}, rules(/<rule id="212".*\n/.exec(RULES)?.[0] ?? '', ''), '212'],
  'a program name in other words': [{}, decoders('<program_name>^gate$</program_name>', '<program_name type="pcre2">(?i)^gate\\z</program_name>'), 'gate'],
}

describe('the proof that nothing is different', () => {
  for (const [form, [before, after, name]] of Object.entries(REFACTORINGS)) {
    test(form, () => {
      const comparison = compare(content(after), content(before))
      const { result, proven } = itemOf(comparison, name)
      assert.deepEqual({ result, proven }, { result: 'equal', proven: true })
      assert.ok(comparison.items.every((item) => item.result !== 'differs'))
    })
  }

  test('is at the edge of a network and of a time frame, also where siblings take what is composed', () => {
    const base = compileRuleset(readRulesetFolder(REFERENCE_RULESET_DIR, 'default'))
    const own = (network: string, timeframe: number): CompiledRuleset =>
      compileLayer(base, [
        {
          kind: 'rules',
          scope: 'custom',
          filename: 'own.xml',
          content: `<group name="own,"><rule id="100100" level="10"><if_sid>5710</if_sid><srcip>${network}</srcip><description>watched</description></rule>
<rule id="100101" level="12" frequency="3" timeframe="${timeframe}"><if_matched_sid>100100</if_matched_sid><description>often</description></rule></group>`,
        },
      ])
    const answersOf = (after: CompiledRuleset): unknown[] =>
      compareBehaviour(own('203.0.113.0/24', 60), after, { mayGoOn: () => true }).items.map((item) => {
        const { old, new: now } = behaviourRecord(item)
        return [item.name, old?.rule_id, now?.rule_id]
      })
    assert.deepEqual(answersOf(own('203.0.113.0/23', 60)), [
      ['100100', '5710', '100100'],
      ['100101', '5710', '100101'],
      ['5710', '5710', '100100'],
    ])
    assert.deepEqual(answersOf(own('203.0.113.0/24', 61))[0], ['100101', '100100', '100101'])
    assert.deepEqual(answersOf(own('203.0.113.0/24', 59))[0], ['100101', '100101', '100100'])
  })

  /** Each changes one rule, and the description of rule 300; only the first change alters answers, among them those of rule 300. */
  const REACHED: Readonly<Record<string, readonly [from: string, to: string, rules: string, events: readonly string[]]>> = {
    'what is tried behind a rule': [
      'glows',
      'glow',
      '<rule id="301" level="6"><if_sid>210</if_sid><match>glows</match><description>x</description></rule><rule id="300" level="5"><if_sid>210</if_sid><match>now</match><description>a</description></rule>',
      ['LAMP glow now'],
    ],
    'what is tried behind a rule that alerts for none of its own': [
      'glows',
      'glow',
      '<rule id="301" level="6" noalert="1"><if_sid>210</if_sid><match>now</match><description>x</description></rule><rule id="302" level="6"><if_sid>301</if_sid><match>glows</match><description>x</description></rule><rule id="300" level="5"><if_sid>210</if_sid><match>now</match><description>a</description></rule>',
      ['LAMP glow now'],
    ],
    'what is tried behind a composite': [
      'glows',
      'glow',
      '<rule id="301" level="6"><if_sid>210</if_sid><match>glows</match><description>x</description></rule><rule id="302" level="8" frequency="2" timeframe="60"><if_sid>210</if_sid><match>now</match><if_matched_sid>301</if_matched_sid><description>x</description></rule><rule id="300" level="5"><if_sid>210</if_sid><match>now</match><description>a</description></rule>',
      ['LAMP glow', 'LAMP now'],
    ],
    'what counts all events': [
      'level="6"',
      'level="0"',
      '<rule id="301" level="6"><if_sid>210</if_sid><match>glow</match><description>x</description></rule><rule id="300" level="8" frequency="2" timeframe="60"><if_matched_regex>glow</if_matched_regex><match>now</match><description>a</description></rule>',
      ['LAMP glow', 'LAMP now'],
    ],
    'what counts events that another composite marks': [
      'frequency="3"',
      'frequency="9"',
      '<rule id="301" level="6"><if_sid>210</if_sid><match>glow</match><description>x</description></rule><rule id="302" level="8" frequency="3" timeframe="60"><if_sid>210</if_sid><match>now</match><if_matched_sid>301</if_matched_sid><description>x</description></rule><rule id="300" level="7" frequency="3" timeframe="60"><if_sid>220</if_sid><if_matched_sid>301</if_matched_sid><description>a</description></rule>',
      ['LAMP glow', 'LAMP glow', 'LAMP now', '{"pump":{"state":"stopped"}}'],
    ],
  }
  for (const [form, [from, to, added, events]] of Object.entries(REACHED)) {
    test(`is not given to ${form}`, () => {
      assert.ok(added.includes(from))
      const [before, after] = [content({ rules: RULES + added }), content({ rules: RULES + added.replace(from, to).replace('>a<', '>b<') })]
      const sequence = events.map((event): BehaviourEvent => ({ event, log_format: event.startsWith('{') ? 'json' : 'syslog' }))
      const [old, now] = [before, after].map((ruleset) => new Side(ruleset, new PatternCache()).run(sequence).at(-1))
      assert.ok(old !== undefined && now !== undefined && isDifferent(old, now) && hasOtherPart({ kind: 'rule', name: '300' }, old, now))
      const { result, proven } = itemOf(compare(after, before), '300')
      assert.ok(result === 'differs' || !proven)
    })
  }

  test('is not needed for the same content', () => assert.deepEqual(compare(content()).items, []))

  test('is not given where the texts are not the same', () => {
    for (const to of ['broken|darkness', 'broken|dar', 'broken|dark|dim', '^broken|dark'])
      assert.equal(itemOf(compare(content(rules('broken|dark', to))), '211').result, 'differs', to)
  })
})

/** Questions whether there is time, in one search. */
const HOSTILE_STEPS = 300
const RUNS_OF_STEP = 30
const RULES_AUDITED = 20
/** Verdicts that have events which were run. */
const RUN: readonly string[] = ['fires', 'shadowed']
const HOSTILE_SIZES: Readonly<Record<string, number>> = {
  'nested repetitions': 8,
  'bounded repetitions': 24,
  'many alternatives': 400,
  'a chain of parents': 60,
  'composites that count composites': 30,
  'many siblings': 1_000,
  'many keys': 10_000,
}

describe('the search', () => {
  test('says what it did not look at when the time is over', () => {
    const { items, complete } = compareBehaviour(content(), content(rules('broken|dark', 'broken')), { mayGoOn: () => false })
    assert.equal(complete, false)
    assert.deepEqual([...new Set(items.map(({ result, reason }) => `${result} ${reason}`))], ['unknown deadline'])
  })

  test('has the same result each time', () => {
    const after = content(rules('broken|dark', 'broken'))
    assert.deepEqual(compare(after), compare(after))
  })

  test('is bounded for hostile content', () => {
    const hostile = (pattern: string): Parts => rules('<match>broken|dark</match>', `<regex type="pcre2">${pattern}</regex>`)
    for (const [one, other] of [
      ['(a+)+$', '(a+)+b$'],
      ['(?:(?:a|aa)*)*b$', '(?:(?:a|ab)*)*b$'],
      ['(a{1,60}){1,60}b', '(a{1,60}){1,61}b'],
      [`(?:${'x|'.repeat(900)}y)+$`, `(?:${'x|'.repeat(900)}z)+$`],
    ]) {
      const { runs, complete } = compare(content(hostile(other)), content(hostile(one)))
      assert.ok(complete)
      // Each changed item has 3,000 runs, and each of the others 250.
      assert.ok(runs < 20_000, `${one}: ${runs}`)
    }
  })

  test('ends within its steps for hostile edits, and says what is partial', () => {
    const base: SourceFile[] = content().files.flatMap(({ file }) => (file.filename === 'rules.xml' ? [] : [file]))
    for (const [kind, size] of Object.entries(HOSTILE_SIZES)) {
      const { before, after } = HOSTILE_EDITS[kind](size)
      const [old, now] = [before, after].map((files) => compileRuleset([...base, ...files]))
      assert.ok(old.loads && now.loads, kind)
      let steps = 0
      const { items, more, complete, runs: ran } = compareBehaviour(old, now, { mayGoOn: () => steps++ < HOSTILE_STEPS })
      // After the last step nothing is searched; each of what is left is asked for once or twice.
      assert.ok(ran <= HOSTILE_STEPS * RUNS_OF_STEP, `${kind}: ${ran} runs`)
      const partial = items.filter(({ result, reason }) => result === 'unknown' && reason === 'deadline')
      assert.equal(complete, partial.length === 0 && steps <= HOSTILE_STEPS, `${kind}: ${steps} steps`)
      assert.ok(complete || partial.length + more > 0, kind)
      const late = new RuleAuditor(now, { locale: 'en-US', mayGoOn: () => false })
      for (const rule of now.rules.inOrder().slice(0, RULES_AUDITED)) assert.ok(!RUN.includes(late.audit(rule).verdict), kind)
    }
  })

  test('is bounded for many siblings', () => {
    const many = Array.from(
      { length: 3_000 },
      (_, index) => `<rule id="${1000 + index}" level="4"><if_sid>210</if_sid><match>word${index}</match><description>x</description></rule>`,
    ).join('\n')
    let steps = 0
    const mayGoOn = (): boolean => steps++ < 2_000
    const { items, more, complete } = compareBehaviour(content({ rules: RULES + many }), content({ rules: `${RULES.replace('broken|dark', 'broken')}${many}` }), { mayGoOn })
    assert.ok(!complete)
    assert.ok(more > 0)
    assert.ok(items.length < 2_100)
  })
})

/** Seeds of random contents; each takes some tenths of a second. */
const SEEDS = runs(12, 400)
/** Seeds of contents of a small vocabulary; the last ones once had no event for a difference. */
const DENSE_SEEDS = [...Array.from({ length: runs(4, 600) }, (_, index) => index + 1), 99, 287, 540, 611]
/** Random events, in sequences, that are run on both sides for an edit without a difference. */
const FUZZ = 10_000
/** The same for an edit with differences, against what is proven to be equal. */
const FUZZ_OF_PROOFS = 1_000

describe('random edits of random rulesets', () => {
  test('have a witness, or random events find no difference either', (context) => {
    const found = { differs: 0, equal: 0, unknown: 0 }
    let fuzzed = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const made = makeContent(seed)
      const random = new Random(seed)
      const files = made.files.map(toSourceFile)
      const before = compileRuleset(files)
      const changed = editOf(random, files)
      if (!before.loads || changed === null) continue
      // Changed texts are no proof that a rule's events are those of before.
      const edited = changed.map((file) => ({ ...file, content: file.content.replaceAll(/<description>(?=[pft$])/g, '<description>also ') }))
      const after = compileRuleset(edited)
      if (!after.loads) continue
      const comparison = compareBehaviour(before, after, { mayGoOn: () => true })
      assertReplayed(comparison, before, after)
      for (const { result } of comparison.items) found[result]++
      const events = made.sessions.flatMap((session) => session.events)
      const sequence = (): BehaviourEvent[] =>
        random.times(1, 5, (): BehaviourEvent => {
          const { event, log_format, location } = random.pick(events)
          return { event, log_format, location, advance: random.pick([0, 1, 5, 60, 360]) }
        })
      if (assertFuzzAgrees(`seed ${seed}`, comparison, before, after, sequence)) fuzzed++
    }
    context.diagnostic(`items ${JSON.stringify(found)}, edits that were fuzzed ${fuzzed}`)
    assert.ok(found.differs > 0)
  })

  test('have a witness, or random events find no difference either, where most rules compete for the same events', () => {
    let differ = 0
    for (const seed of DENSE_SEEDS) {
      const random = new Random(seed)
      const { before: files, after: edited, edit } = makeDense(random, random.between(1, 2))
      const [before, after] = [compileRuleset(files), compileRuleset(edited)]
      if (!before.loads || !after.loads) continue
      const comparison = compareBehaviour(before, after, { mayGoOn: () => true })
      assertReplayed(comparison, before, after)
      if (comparison.items.some(({ result }) => result === 'differs')) differ++
      assertFuzzAgrees(`seed ${seed}: ${edit}`, comparison, before, after, () => makeSequence(random))
    }
    assert.ok(differ > 0)
  })
})

/** Runs random events where no difference was found, or something is proven. Returns whether there was anything to run them for. */
function assertFuzzAgrees(name: string, { items }: BehaviourComparison, before: CompiledRuleset, after: CompiledRuleset, sequence: () => readonly BehaviourEvent[]): boolean {
  const isQuiet = items.every(({ result }) => result !== 'differs')
  const proven = items.filter((item) => item.proven && item.result === 'equal')
  if (!isQuiet && proven.length === 0) return false
  const [old, now] = [new Side(before, new PatternCache()), new Side(after, new PatternCache())]
  for (let count = 0; count < (isQuiet ? FUZZ : FUZZ_OF_PROOFS); ) {
    const events = sequence()
    count += events.length
    const [olds, nows] = [old.run(events), now.run(events)]
    for (const [at, one] of olds.entries()) {
      if (!isDifferent(one, nows[at])) continue
      const shown = JSON.stringify(events.slice(0, at + 1))
      assert.ok(!isQuiet, `${name}: ${shown}`)
      for (const item of proven) assert.ok(!hasOtherPart(item, one, nows[at]), `${name}: ${item.kind} ${item.name}: ${shown}`)
    }
  }
  return true
}

/** Leaves out a line or a number of one file, or changes a level. Null: the file has none. */
function editOf(random: Random, files: readonly SourceFile[]): SourceFile[] | null {
  const file = random.pick(files.filter(({ kind, filename }) => kind === 'rules' && !filename.startsWith('0001')))
  if (file === undefined) return null
  const places = [...file.content.matchAll(/<(match|regex|user|srcip|field|program_name|list|if_sid|group)\b[^>]*>[^<]*<\/\1>|level="\d+"|frequency="\d+"/g)]
  if (places.length === 0) return null
  const { 0: text, index } = random.pick(places)
  const other = text.startsWith('level') ? 'level="7"' : text.startsWith('frequency') ? 'frequency="5"' : ''
  return files.map((each) => (each === file ? { ...file, content: file.content.slice(0, index) + other + file.content.slice(index + text.length) } : each))
}

test('names in an event that is shrunk change nothing beside it', () => {
  const event = '{"a":1,"constructor":{"polluted":true,"prototype":{"polluted":true}}}'
  const [shrunk] = shrinkEvents([{ event, log_format: 'json' }], ([each]) => each.event.includes('prototype'), { trials: 100, characters: false })
  assert.deepEqual(JSON.parse(shrunk.event), { constructor: { prototype: { polluted: true } } })
  assert.deepEqual([Reflect.get({}, 'polluted'), Reflect.get(Object, 'polluted')], [undefined, undefined])
})
