/** Verdicts on rules that were written for each of them; events are run again here. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  auditLost,
  type AuditRecord,
  canNeverFire,
  type CompiledRuleset,
  compileRuleset,
  createSession,
  EventRunner,
  RuleAuditor,
  runLogtest,
  type SourceFile,
  WITNESS_EPOCH,
} from '#engine'
import { FOUNDATION_WITH_LISTS } from '../../support/rulesets.js'

const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-open"><parent>gate</parent><prematch>^open </prematch><regex offset="after_prematch">^by (\\S+) from (\\S+)</regex><order>srcuser, srcip</order><fts>name, srcuser</fts></decoder>`

const rule = (id: number, options: string, attributes = 'level="9"'): string => `<rule id="${id}" ${attributes}>${options}<description>rule ${id}</description></rule>`
const GATE = rule(200, '<decoded_as>gate</decoded_as>', 'level="3"')
const OPEN = GATE + rule(202, '<if_sid>200</if_sid><match>^open</match>', 'level="5"')

function compiled(rules: string): CompiledRuleset {
  const own: SourceFile[] = [
    { kind: 'decoders', scope: 'custom', filename: 'own_decoders.xml', content: DECODERS },
    { kind: 'rules', scope: 'custom', filename: 'own_rules.xml', content: `<group name="own,">${rules}</group>` },
  ]
  const ruleset = compileRuleset([...FOUNDATION_WITH_LISTS, ...own])
  assert.ok(ruleset.loads)
  return ruleset
}

function audited(rules: string, id = 201, mayGoOn = (): boolean => true): AuditRecord {
  const ruleset = compiled(rules)
  const found = ruleset.rules.find(id)
  assert.ok(found !== undefined)
  return new RuleAuditor(ruleset, { locale: 'en-US', mayGoOn }).audit(found)
}

/** The final rule of the last event, as a caller that reads the record runs it. */
function finalRule(rules: string, { events }: AuditRecord): string | undefined {
  const runner = new EventRunner(compiled(rules), { managerName: 'any' })
  const session = createSession()
  let seconds = WITNESS_EPOCH
  let id: string | undefined
  for (const { event, log_format, location, advance = 1 } of events) {
    seconds += advance
    const date = new Date(seconds * 1000)
    const moment = { seconds, local: () => ({ timeOfDay: date.toISOString().slice(11, 16), weekday: date.getUTCDay() }) }
    id = runLogtest(runner, { event, log_format, ...(location === undefined ? {} : { location }) }, moment, session, { trace: false, locale: 'en-US' }).rule?.id
  }
  return id
}

/** Rule 201 fires under these conditions. */
const CONDITIONS: Readonly<Record<string, readonly [codes: readonly string[], says: RegExp, rules: string]>> = {
  'events that are counted': [
    ['counts'],
    /^rule 202 fired 3 times in the 60 s before it, with the same srcip$/,
    OPEN + rule(201, '<if_matched_sid>202</if_matched_sid><same_srcip />', 'level="10" frequency="4" timeframe="60"'),
  ],
  'a child of a rule that counts': [
    ['counts'],
    /^rule 202 fired 3 times/,
    OPEN + rule(203, '<if_matched_sid>202</if_matched_sid>', 'level="10" frequency="4"') + rule(201, '<if_sid>203</if_sid><match>by root</match>'),
  ],
  'a value that is new': [['first_time'], /<fts>/, GATE + rule(201, '<if_sid>200</if_sid><if_fts />')],
  'a list': [['list'], /^list etc\/lists\/watched has an entry for user$/, OPEN + rule(201, '<if_sid>202</if_sid><list field="user" lookup="match_key">etc/lists/watched</list>')],
  'a time': [['clock'], /<time>02:10 - 02:20<\/time>/, rule(201, '<match>stuck</match><time>02:10 - 02:20</time>')],
  'a place': [['location'], /\/srv\/doors\.log/, rule(201, '<location>^/srv/doors.log$</location><match>stuck</match>')],
  'silence after it fired': [['ignore'], /the 60 s before/, rule(201, '<match>stuck</match>', 'level="9" ignore="60"')],
}

describe('verdicts', () => {
  test('a rule fires on a single event', () => {
    const rules = OPEN + rule(201, '<if_sid>202</if_sid><match>by root</match>')
    const record = audited(rules)
    const { verdict, filename, line, level, description, conditions, reason, final_rule } = record
    assert.deepEqual([verdict, filename, line, level, description, conditions, reason, final_rule], ['fires', 'own_rules.xml', 1, 9, 'rule 201', [], null, '201'])
    assert.deepEqual([finalRule(rules, record), canNeverFire(record)], ['201', false])
  })

  for (const [name, [codes, says, rules]] of Object.entries(CONDITIONS)) {
    test(`a rule fires only with ${name}`, () => {
      const record = audited(rules)
      assert.deepEqual([record.verdict, record.conditions.map(({ code }) => code), finalRule(rules, record), canNeverFire(record)], ['only_if', codes, '201', false])
      assert.match(record.conditions[0].text, says)
    })
  }

  test('a sibling takes every event, and one of them is shown', () => {
    const rules = OPEN + rule(203, '<if_sid>202</if_sid><match>by root</match>') + rule(201, '<if_sid>202</if_sid><match>by root from</match>', 'level="5"')
    const record = audited(rules)
    assert.deepEqual([record.verdict, record.shadowed_by, record.by_child, record.final_rule, canNeverFire(record)], ['shadowed', ['203'], false, '203', true])
    assert.equal(finalRule(rules, record), '203')
    assert.match(record.events[0].event, /by root from/)
  })

  test('a rule of level 0 whose events go to its children is not to be acted on', () => {
    const grouping = (level: number): AuditRecord => audited(rule(201, '<match>stuck</match>', `level="${level}"`) + rule(203, '<if_sid>201</if_sid>', 'level="4"'))
    assert.deepEqual([grouping(0).verdict, grouping(0).by_child, canNeverFire(grouping(0))], ['shadowed', true, false])
    assert.equal(canNeverFire(grouping(4)), true)
  })

  test('a rule with excluding conditions is unreachable, with the proof', () => {
    const record = audited(OPEN + rule(201, '<if_sid>202</if_sid><match>^closed</match>'))
    assert.deepEqual([record.verdict, record.reason?.code, record.events, canNeverFire(record)], ['unreachable', 'conditions_exclude', [], true])
  })

  test('what the content does not meet as it is has no event', () => {
    const list = audited(rule(201, '<decoded_as>json</decoded_as><url>^nowhere$</url><list field="url" lookup="match_key">etc/lists/watched</list>'))
    const module = audited(rule(201, '<category>ossec</category><decoded_as>syscheck_deleted</decoded_as>'))
    for (const [record, code] of [
      [list, 'list_entry'],
      [module, 'manager_module'],
    ] as const)
      assert.deepEqual([record.verdict, record.conditions.map((one) => one.code), record.events, canNeverFire(record)], ['only_if', [code], [], false])
  })

  test('a rule with noalert says so, and one that was not tried is unknown', () => {
    const silent = audited(rule(201, '<match>stuck</match>', 'level="3" noalert="1"'))
    assert.deepEqual([silent.verdict, canNeverFire(silent)], ['noalert', false])
    const late = audited(OPEN, 202, () => false)
    assert.deepEqual([late.verdict, late.reason?.code, canNeverFire(late)], ['unknown', 'time_limit', false])
  })

  test('a dropped rule has the diagnostic of the loader, also beside a rule with its id', () => {
    const ruleset = compiled(OPEN + rule(202, '<match>again</match>', 'level="7"') + rule(201, '<if_sid>299</if_sid>'))
    const records = ruleset.lost.filter(({ source }) => source.scope === 'custom').map((lost) => auditLost(lost, 'en-US'))
    assert.deepEqual(
      records.map(({ rule_id, verdict, level, reason }) => [rule_id, verdict, level, reason?.code]),
      [
        ['202', 'dropped', 7, 'rule_duplicate_id'],
        ['201', 'dropped', 9, 'rule_parent_missing'],
      ],
    )
    assert.match(records[1].reason?.text ?? '', /^own_rules\.xml:1: .*299/)
    assert.ok(records.every(canNeverFire))
  })
})
