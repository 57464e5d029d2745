/** Witnesses of rules: what fires is run again here, and what cannot fire has the conflict that is written into the rules. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type CompiledRuleset,
  compileRuleset,
  createSession,
  EventRunner,
  parseIniSuite,
  runCase,
  runIniCase,
  runLogtest,
  type SourceFile,
  WITNESS_EPOCH,
  WitnessFinder,
  type WitnessEventRecord,
  type WitnessRecord,
  witnessCases,
  witnessSection,
} from '#engine'
import { PatternCache } from '../../../engine/generate/text-tests.js'
import { FIRST_EFFORT, FULL_EFFORT, RuleSearch } from '../../../engine/generate/rule-search.js'
import { FOUNDATION_WITH_LISTS } from '../../support/rulesets.js'

const UTC = (seconds: number) => ({
  seconds,
  local: () => {
    const date = new Date(seconds * 1000)
    return { timeOfDay: date.toISOString().slice(11, 16), weekday: date.getUTCDay() }
  },
})

const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-open"><parent>gate</parent><prematch>^open </prematch><regex offset="after_prematch">^(\\d-\\d+) by (\\S+) from (\\S+)</regex><order>id, srcuser, srcip</order></decoder>
<decoder name="lamp"><prematch>^[lamp] </prematch></decoder>
<decoder name="late"><prematch>^[lamp] off </prematch><regex offset="after_prematch">(\\w+)</regex><order>status</order></decoder>
<decoder name="pairs"><prematch>^date=\\S+ dev=</prematch></decoder>
<decoder name="pairs-member"><parent>pairs</parent><regex>user="(\\.*)"|user=(\\S+)</regex><order>srcuser</order></decoder>
<decoder name="pairs-member"><parent>pairs</parent><regex>act=(\\w+)</regex><order>action</order></decoder>
<decoder name="gate2"><prematch>^G2: </prematch></decoder>
<decoder name="gate-id"><parent>gate2</parent><prematch offset="after_parent">^y-</prematch><regex offset="after_parent">^(\\S+) </regex><order>id</order></decoder>`

function compiled(rules: string): CompiledRuleset {
  const own: SourceFile[] = [
    { kind: 'decoders', scope: 'custom', filename: 'own_decoders.xml', content: DECODERS },
    { kind: 'rules', scope: 'custom', filename: 'own_rules.xml', content: `<group name="own,">${rules}</group>` },
  ]
  const ruleset = compileRuleset([...FOUNDATION_WITH_LISTS, ...own])
  assert.ok(ruleset.loads)
  return ruleset
}

function find(ruleset: CompiledRuleset, id: number, near = false): WitnessRecord {
  const rule = ruleset.rules.find(id)
  assert.ok(rule !== undefined)
  return new WitnessFinder(ruleset, { locale: 'en-US', near, mayGoOn: () => true }).find(rule)
}

/** The final rule of the last event, as a caller that reads the record runs it. */
function finalRule(ruleset: CompiledRuleset, events: readonly WitnessEventRecord[], managerName = 'any'): string | undefined {
  const runner = new EventRunner(ruleset, { managerName })
  const session = createSession()
  let seconds = WITNESS_EPOCH
  let id: string | undefined
  for (const { event, log_format, location, advance = 1 } of events) {
    seconds += advance
    id = runLogtest(runner, { event, log_format, ...(location === undefined ? {} : { location }) }, UTC(seconds), session, { trace: false, locale: 'en-US' }).rule?.id
  }
  return id
}

const rule = (id: number, options: string, attributes = 'level="9"'): string => `<rule id="${id}" ${attributes}>${options}<description>rule ${id}</description></rule>`
const GATE = rule(200, '<decoded_as>gate</decoded_as>', 'level="3"')

/** The rule 201 fires. */
const FIRES: Readonly<Record<string, string>> = {
  'a location': rule(201, '<location>^/srv/doors.log$</location><match>stuck</match>'),
  'the location of an agent': rule(201, '<location>->EventLog$</location><match>stuck</match>'),
  'a path in a Windows event': rule(
    201,
    '<category>ossec</category><decoded_as>windows_eventchannel</decoded_as><field name="win.eventdata.image" type="pcre2">^C:\\\\\\\\Windows\\\\\\\\.+\\.exe$</field>',
  ),
  'the log of a Windows event': rule(201, '<category>ossec</category><decoded_as>windows_eventchannel</decoded_as><match>Service42</match>'),
  'a value with a blank, which only the first form of the decoder reads whole': rule(201, '<decoded_as>pairs</decoded_as><user>alice cooper</user><action>deny</action>'),
  'a time of day': rule(201, '<match>stuck</match><time>02:10 - 02:20</time>'),
  'a weekday and a time': rule(201, '<match>stuck</match><weekday>sunday</weekday><time>4 am - 5 am</time>'),
  'events of an address':
    GATE +
    rule(202, '<if_sid>200</if_sid><match>^open</match>', 'level="5"') +
    rule(201, '<if_matched_sid>202</if_matched_sid><same_srcip />', 'level="10" frequency="4" timeframe="60"'),
  'a rule that is silenced after it fired':
    GATE +
    rule(202, '<if_sid>200</if_sid><match>^open</match>', 'level="5" ignore="20"') +
    rule(201, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="4" timeframe="300"'),
  'a rule that counts in a longer time than another':
    GATE +
    rule(202, '<if_sid>200</if_sid><match>^open</match>', 'level="5"') +
    rule(203, '<if_matched_sid>202</if_matched_sid>', 'level="12" frequency="4" timeframe="20"') +
    rule(201, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="4" timeframe="200"'),
  'a rule that another one does not let count, unless the users are equal':
    GATE +
    rule(202, '<if_sid>200</if_sid><match>^open</match>', 'level="5"') +
    rule(203, '<if_matched_sid>202</if_matched_sid><different_srcuser />', 'level="12" frequency="3" timeframe="200"') +
    rule(201, '<if_matched_sid>202</if_matched_sid><same_srcip />', 'level="10" frequency="6" timeframe="200"'),
}

/** The rule 201 cannot fire. */
const CANNOT: Readonly<Record<string, readonly [code: string, says: RegExp, rules: string]>> = {
  'conditions on one text': ['conditions_exclude', /<match>\^door<\/match> of rule 201.*\^gate \\d/s, rule(201, '<match>^door</match><regex>^gate \\d</regex>')],
  'a condition and one of its parent': [
    'conditions_exclude',
    /rule 202/,
    rule(202, '<decoded_as>json</decoded_as><url>^/a</url>') + rule(201, '<if_sid>202</if_sid><url>^/b</url>'),
  ],
  'a prematch and a field that begins at its end': ['conditions_exclude', /decoder "gate-id"/, rule(201, '<decoded_as>gate2</decoded_as><id>^x-</id>')],
  'a sibling with the same condition': ['sibling_always_first', /rule 202/, rule(202, '<match>stuck</match>', 'level="9"') + rule(201, '<match>stuck</match>', 'level="9"')],
  'a sibling with a wider condition': ['sibling_always_first', /rule 202/, rule(202, '<match>stuck</match>', 'level="9"') + rule(201, '<match>door is stuck</match>', 'level="5"')],
  'two siblings for either value': [
    'sibling_always_first',
    /rule 202.*rule 203|rule 203.*rule 202/s,
    GATE +
      rule(202, '<if_sid>200</if_sid><user>^root$</user>') +
      rule(203, '<if_sid>200</if_sid><user negate="yes">^root$</user>') +
      rule(201, '<if_sid>200</if_sid><user type="osregex">\\.+</user>', 'level="4"'),
  ],
  'children for every event': ['child_always_matches', /rule 202/, rule(201, '<match>stuck</match>') + rule(202, '<if_sid>201</if_sid>', 'level="3"')],
  'a decoder that an earlier one hides': ['decoder_never_chosen', /decoder "lamp", which is tried earlier/, rule(201, '<decoded_as>late</decoded_as><status>on</status>')],
  'a field that no decoder sets': ['field_never_decoded', /"colour"/, GATE + rule(201, '<if_sid>200</if_sid><field name="colour">red</field>')],
  'a list whose keys are others': [
    'list_excludes',
    /etc\/lists\/watched/,
    rule(201, '<decoded_as>json</decoded_as><url>^nowhere$</url><list field="url" lookup="match_key">etc/lists/watched</list>'),
  ],
  'a module of the manager': ['decoder_of_manager', /syscheck_deleted/, rule(201, '<category>ossec</category><decoded_as>syscheck_deleted</decoded_as>')],
  'two decoders': ['decoders_exclude', /rule 200; rule 201/, GATE + rule(201, '<if_sid>200</if_sid><decoded_as>json</decoded_as>')],
  'no fts in the decoder': ['fts_never', /<if_fts>/, GATE + rule(201, '<if_sid>200</if_sid><if_fts />')],
  'a count of a rule of level 0': [
    'source_never_stored',
    /rule 202/,
    rule(202, '<match>stuck</match>', 'level="0"') + rule(201, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="4"'),
  ],
  'a count of level 0': ['level_zero_counts_nothing', /Rule 201/, rule(202, '<match>stuck</match>') + rule(201, '<if_matched_sid>202</if_matched_sid>', 'level="0" frequency="4"')],
  'a count that another one ends earlier': [
    'other_counts_first',
    /Rule 203/,
    rule(202, '<match>stuck</match>') +
      rule(201, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="8"') +
      rule(203, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="6"'),
  ],
  'more events than are stored': [
    'source_ignored',
    /rule 202/,
    rule(202, '<match>stuck</match>', 'level="9" ignore="100"') + rule(201, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="8" timeframe="60"'),
  ],
  noalert: ['noalert', /noalert/, rule(201, '<match>stuck</match>', 'level="9" noalert="1"')],
}
describe('witnesses of rules', () => {
  for (const [form, rules] of Object.entries(FIRES)) {
    test(form, () => {
      const ruleset = compiled(rules)
      const record = find(ruleset, 201, true)
      assert.equal(record.status, 'fires', JSON.stringify(record))
      assert.deepEqual([finalRule(ruleset, record.events), finalRule(ruleset, record.events, 'other'), record.reason], ['201', '201', null])
      for (const near of record.near) assert.equal(finalRule(ruleset, near.events) ?? null, near.rule_id)
      assert.ok(record.near.length > 0 && record.near.every(({ rule_id }) => rule_id !== '201'))
    })
  }

  for (const [form, [code, says, rules]] of Object.entries(CANNOT)) {
    test(`proven not to fire: ${form}`, () => {
      const ruleset = compiled(rules)
      const target = ruleset.rules.find(201)
      assert.ok(target !== undefined)
      for (const locale of ['en-US', 'pt-BR'] as const) {
        const { status, events, reason } = new WitnessFinder(ruleset, { locale, near: false, mayGoOn: () => true }).find(target)
        assert.deepEqual([status, reason?.code, events], ['cannot_fire', code, []])
        if (locale === 'en-US') assert.match(reason?.text ?? '', says)
      }
    })
  }

  test('each condition of the rule has its own near event', () => {
    const ruleset = compiled(GATE + rule(201, '<if_sid>200</if_sid><match>^open</match><id>^4-17$</id><srcip>192.0.2.0/24</srcip>'))
    const { near } = find(ruleset, 201, true)
    assert.deepEqual(
      near.map(({ option, rule_id }) => [option, rule_id]),
      [
        ['id', '200'],
        ['match', '200'],
        ['srcip', '200'],
      ],
    )
    assert.match(near[0].events[0].event, /^.*gate\[2201\]: open /)
  })

  test('does not depend on the rules that were asked for before', () => {
    const ruleset = compiled(
      Object.values(FIRES).slice(0, 1).join('') + rule(210, '<match>alpha</match>') + rule(211, '<regex>^\\w+ \\d+$</regex>') + rule(212, '<decoded_as>pairs</decoded_as>'),
    )
    const finder = new WitnessFinder(ruleset, { locale: 'en-US', near: true, mayGoOn: () => true })
    for (const id of [212, 210, 201, 211]) {
      const target = ruleset.rules.find(id)
      assert.ok(target !== undefined)
      assert.deepEqual(finder.find(target), find(ruleset, id, true))
    }
  })

  test('become cases of suites that pass', () => {
    const ruleset = compiled(Object.values(FIRES)[7])
    const runner = new EventRunner(ruleset)
    const record = find(ruleset, 201, true)
    const cases = witnessCases(runner, record, 'en-US')
    assert.equal(cases.length, 1 + record.near.length)
    assert.deepEqual(
      cases[0].events?.map(({ at }) => at),
      [1, 2, 3, 4],
    )
    for (const one of cases) assert.ok(runCase(runner, one, UTC(WITNESS_EPOCH), 'en-US').passed)
    const section = witnessSection(runner, record, 'en-US')
    assert.ok(section !== null)
    const [read] = parseIniSuite(section).cases
    assert.ok(runIniCase(runner, read, UTC(WITNESS_EPOCH), 'en-US').passed)
    assert.equal(witnessSection(runner, find(compiled(Object.values(FIRES)[0]), 201), 'en-US'), null)
  })

  test('hostile content ends at the limits of a search', () => {
    const hostile = [
      '<regex type="pcre2">^((a{1,20}){1,20}){1,5}$</regex><regex type="pcre2">b{50}</regex>',
      '<regex type="pcre2">(.*){50}(.*)x</regex><match>!x</match>',
      `<regex type="pcre2">^(?:${'ab|'.repeat(300)}cd)+$</regex><regex type="pcre2">(?:x|y){40}z</regex>`,
      '<regex>^(\\S+)(\\S+)(\\S+)(\\S+)(\\S+)\\d\\d\\d$</regex><match>z$</match>',
      '<regex type="pcre2">(?=.*a{30})(?=.*b{30})(?=.*c{30})(?!.*d)^\\w{20}$</regex>',
    ]
    const ruleset = compiled(
      hostile.map((options, index) => rule(300 + index, options)).join('') +
        Array.from({ length: 150 }, (_, index) => rule(400 + index, `<match>w${index}|q${index}</match>`, 'level="10"')).join(''),
    )
    for (const index of hostile.keys()) {
      const target = ruleset.rules.find(300 + index)
      assert.ok(target !== undefined)
      for (const effort of [FIRST_EFFORT, FULL_EFFORT]) {
        const cache = new PatternCache()
        const search = new RuleSearch({ runner: new EventRunner(ruleset), moment: UTC(WITNESS_EPOCH), cache, eventsLimit: 10, mayGoOn: () => true }, target, effort)
        search.run()
        const { runs, compositions } = search.spent
        assert.ok(runs <= effort.runs + 100 && compositions <= effort.compositions && cache.budget.steps >= 0, `${runs} runs, ${compositions} compositions`)
      }
      const { status } = find(ruleset, 300 + index, true)
      assert.ok(status === 'cannot_fire' || status === 'unknown' || status === 'fires')
    }
  })
})
