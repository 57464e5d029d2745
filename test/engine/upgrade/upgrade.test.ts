/** What an upgrade of the base breaks in own content: one case for each finding, and the same content on a base that did not change it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  applyReplacements,
  checkUpgrade,
  compileLayer,
  compileRuleset,
  fromByteString,
  type SourceFile,
  toByteString,
  type UpgradeCode,
  type UpgradeFinding,
  type UpgradeReport,
} from '#engine'

const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-closed"><parent>gate</parent><prematch>^CLOSED </prematch><regex offset="after_prematch">^(\\S+):(\\d+) to (\\S+)</regex><order>srcip, srcport, place</order></decoder>
<decoder name="lamp"><prematch>^LAMP </prematch></decoder>
<decoder name="lamp-user"><parent>lamp</parent><regex>by=(\\S+) code=(\\d+)</regex><order>person, status</order></decoder>
<decoder name="other"><prematch>^OTHER </prematch></decoder>`
const TEMPLATE = '<group name="syslog,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>Template.</description></rule></group>'
const RULES = `<rule id="200" level="3"><decoded_as>gate</decoded_as><description>gate</description></rule>
<rule id="201" level="5"><if_sid>200</if_sid><match>CLOSED</match><description>closed</description><group>closing,</group></rule>
<rule id="202" level="4"><if_sid>200</if_sid><match>OPENED|OPEN</match><description>opened</description><mitre><id>T1001</id></mitre></rule>
<rule id="210" level="2"><decoded_as>lamp</decoded_as><description>lamp</description></rule>
<rule id="211" level="6"><if_sid>210</if_sid><match>broken|dark</match><description>lamp broken</description></rule>`
const LIST: SourceFile = { kind: 'lists', scope: 'default', filename: 'etc/lists/places', content: 'cellar:\nroof:\n' }

interface Base {
  readonly rules?: string
  readonly decoders?: string
  readonly lists?: readonly SourceFile[]
}

function files({ rules = RULES, decoders = DECODERS, lists = [LIST] }: Base): SourceFile[] {
  return [
    { kind: 'decoders', scope: 'default', filename: '0010-decoders.xml', content: decoders },
    { kind: 'rules', scope: 'default', filename: '0010-template.xml', content: TEMPLATE },
    { kind: 'rules', scope: 'default', filename: '0020-rules.xml', content: `<group name="base,">\n${rules}\n</group>` },
    ...lists,
  ]
}

interface Own {
  readonly rules?: string
  readonly decoders?: string
}

function own({ rules, decoders }: Own): SourceFile[] {
  return [
    ...(decoders === undefined ? [] : [{ kind: 'decoders', scope: 'custom', filename: 'own_decoders.xml', content: decoders } as const]),
    ...(rules === undefined ? [] : [{ kind: 'rules', scope: 'custom', filename: 'own_rules.xml', content: `<group name="own,">\n${rules}\n</group>` } as const]),
  ]
}

function upgrade(content: Own, to: Base, events: readonly string[] = [], from: Base = {}): UpgradeReport {
  const [before, after] = [compileRuleset(files(from)), compileRuleset(files(to))]
  assert.ok(before.loads && after.loads)
  const ownFiles = own(content)
  const report = checkUpgrade({
    old: { base: before, own: compileLayer(before, ownFiles) },
    now: { base: after, own: compileLayer(after, ownFiles) },
    compile: (changed) => compileLayer(after, changed),
    events: events.map((event, index) => ({ file: 'events.log', line: index + 1, events: [{ event, log_format: 'syslog' }] })),
    locale: 'en-US',
    mayGoOn: () => true,
  })
  // What a merge makes is what its edits say.
  for (const { file, content: merged } of report.merged) {
    const edits = report.findings.filter((finding) => finding.file === file.filename).flatMap((finding) => finding.edits)
    assert.equal(merged, fromByteString(applyReplacements(toByteString(file.content), edits)))
  }
  return report
}

const codes = ({ findings }: UpgradeReport): UpgradeCode[] => findings.map(({ code }) => code)
const rule = (options: string, id = 100100, level = 8, attributes = ''): string => `<rule id="${id}" level="${level}"${attributes}>${options}<description>own</description></rule>`
const changed = (text: string, from: string, to: string): string => {
  assert.ok(text.includes(from), from)
  return text.replace(from, to)
}
const rules = (from: string, to: string): Base => ({ rules: changed(RULES, from, to) })
const decoders = (from: string, to: string): Base => ({ decoders: changed(DECODERS, from, to) })
const without = (id: number): Base => ({ rules: RULES.replace(new RegExp(`<rule id="${id}".*</rule>\n`), '') })

function only(report: UpgradeReport, code: UpgradeCode): UpgradeFinding {
  const found = report.findings.filter((finding) => finding.code === code)
  assert.equal(found.length, 1, `${code} of ${codes(report).join()}`)
  return found[0]
}

interface Case {
  readonly code: UpgradeCode
  readonly own: Own
  readonly to: Base
  /** What the texts say. */
  readonly says: RegExp
  /** The own file after a merge has this. */
  readonly merged?: RegExp
  readonly line?: number
}

const CASES: readonly Case[] = [
  { code: 'parent_gone', own: { rules: rule('<if_sid>202</if_sid><match>late</match>') }, to: without(202), says: /Rule 202 of <if_sid> no longer exists/ },
  { code: 'parent_gone', own: { rules: rule('<if_matched_sid>202</if_matched_sid>', 100100, 8, ' frequency="3" timeframe="60"') }, to: without(202), says: /<if_matched_sid>/ },
  {
    code: 'parent_renumbered',
    own: { rules: rule('\n<if_sid>201, 202</if_sid><match>late</match>') },
    to: rules('<rule id="202"', '<rule id="302"'),
    says: /rule 302 has the same conditions/,
    merged: /<if_sid>201, 302<\/if_sid>/,
    line: 3,
  },
  {
    code: 'parent_moved',
    own: { rules: rule('<if_sid>202</if_sid><match>late</match>') },
    to: rules('level="4"><if_sid>200</if_sid>', 'level="4"><if_sid>201</if_sid>'),
    says: /was below 1 > 200 and is now below 1 > 200 > 201/,
  },
  {
    code: 'decoder_gone',
    own: { rules: rule('<decoded_as>lamp</decoded_as>') },
    to: { decoders: changed(DECODERS, /<decoder name="lamp">.*\n.*/.exec(DECODERS)?.[0] ?? '', ''), rules: RULES.replace(/<rule id="210"[\s\S]*/, '') },
    says: /"lamp" no longer exists, so Wazuh refuses to start/,
  },
  {
    code: 'decoder_renamed',
    own: { rules: rule('<decoded_as>lamp</decoded_as><match>late</match>') },
    to: { decoders: DECODERS.replace('name="lamp"', 'name="light"').replace('<parent>lamp<', '<parent>light<'), rules: RULES.replace('>lamp</decoded_as>', '>light</decoded_as>') },
    says: /The decoder "light" is the same/,
    merged: /<decoded_as>light<\/decoded_as>/,
  },
  {
    code: 'decoder_renamed',
    own: { decoders: '<decoder name="lamp-own"><parent>lamp</parent><prematch>own</prematch></decoder>' },
    to: { decoders: DECODERS.replace('name="lamp"', 'name="light"').replace('<parent>lamp<', '<parent>light<'), rules: RULES.replace('>lamp</decoded_as>', '>light</decoded_as>') },
    says: /The decoder "light" is the same/,
    merged: /<parent>light<\/parent>/,
  },
  {
    code: 'decoder_moved',
    own: { rules: rule('<decoded_as>lamp</decoded_as><match>late</match>') },
    to: {
      decoders: DECODERS.replace(
        '<decoder name="lamp"><prematch>',
        '<decoder name="bulb"><prematch>^L</prematch></decoder><decoder name="lamp"><parent>bulb</parent><prematch>',
      ).replace(/\n<decoder name="lamp-user".*/, ''),
    },
    says: /was below no decoder and is now below bulb/,
  },
  {
    code: 'id_taken',
    own: { rules: rule('<if_sid>200</if_sid><match>late</match>', 100000) },
    to: { rules: `${RULES}\n${rule('<if_sid>200</if_sid><match>early</match>', 100000)}` },
    says: /a rule 100000 of its own.* such as 100001/,
  },
  {
    code: 'overwrite_takes_new',
    own: { rules: rule('<if_sid>200</if_sid><match>late</match>', 100000, 8, ' overwrite="yes"') },
    to: { rules: `${RULES}\n${rule('<if_sid>200</if_sid><match>early</match>', 100000)}` },
    says: /replaces a new rule of Wazuh: own/,
  },
  { code: 'overwrite_target_gone', own: { rules: rule('<if_sid>200</if_sid><match>OPENED</match>', 202, 9, ' overwrite="yes"') }, to: without(202), says: /nothing to overwrite/ },
  {
    code: 'decoder_taken',
    own: { decoders: '<decoder name="pump"><prematch>^PUMP own</prematch></decoder>' },
    to: { decoders: `${DECODERS}\n<decoder name="pump"><prematch>^PUMP </prematch></decoder>` },
    says: /has a decoder "pump", too/,
  },
  {
    code: 'group_gone',
    own: { rules: rule('<if_group>closing</if_group><match>late</match>') },
    to: rules('<group>closing,</group>', ''),
    says: /No rule has the group "closing"/,
  },
  {
    code: 'group_gone',
    own: { rules: rule('<if_matched_group>closing</if_matched_group>', 100100, 8, ' frequency="3" timeframe="60"') },
    to: rules('<group>closing,</group>', ''),
    says: /<if_matched_group>/,
  },
  {
    code: 'group_changed',
    own: { rules: rule('<if_group>closing</if_group><match>late</match>') },
    to: rules('<description>opened</description>', '<description>opened</description><group>closing,</group>'),
    says: /Gone: none. New: 202/,
  },
  { code: 'list_gone', own: { rules: rule('<if_sid>201</if_sid><list field="place">etc/lists/places</list>') }, to: { lists: [] }, says: /etc\/lists\/places/ },
  {
    code: 'field_gone',
    own: { rules: rule('<if_sid>201</if_sid><field name="place">cellar</field>') },
    to: decoders('<order>srcip, srcport, place</order>', '<order>srcip, srcport</order>'),
    says: /sets the field "place" any more/,
  },
  {
    code: 'field_gone',
    own: { rules: rule('<if_sid>201</if_sid><srcip>203.0.113.7</srcip>') },
    to: decoders('<order>srcip, srcport, place</order>', '<order>address, srcport, place, more</order>'),
    says: /"srcip"/,
  },
  {
    code: 'field_renamed',
    own: { rules: rule('<if_sid>201</if_sid><field name="place">cellar</field>') },
    to: decoders('srcport, place<', 'srcport, room<'),
    says: /sets the field "room" where it set "place"/,
    merged: /<field name="room">cellar/,
  },
  {
    code: 'field_renamed',
    own: { rules: rule('<if_matched_sid>201</if_matched_sid><same_field>place</same_field>', 100100, 8, ' frequency="3" timeframe="60"') },
    to: decoders('srcport, place<', 'srcport, room<'),
    says: /"room"/,
    merged: /<same_field>room</,
  },
  {
    code: 'field_renamed',
    own: { rules: rule('<if_sid>201</if_sid><list field="place">etc/lists/places</list>') },
    to: decoders('srcport, place<', 'srcport, room<'),
    says: /"room"/,
    merged: /<list field="room">/,
  },
  {
    code: 'field_renamed',
    own: { rules: '<rule id="100100" level="8"><if_sid>201</if_sid><match>late</match><description>at $(place) of $(place)</description></rule>' },
    to: decoders('srcport, place<', 'srcport, room<'),
    says: /\$\(place\) is empty/,
    merged: /at \$\(room\) of \$\(room\)</,
  },
  {
    code: 'field_renamed',
    own: { rules: rule('<if_sid>201</if_sid><srcip>203.0.113.7</srcip>') },
    to: decoders('<order>srcip,', '<order>address,'),
    says: /"address" where it set "srcip"/,
  },
  {
    code: 'field_partly_renamed',
    own: { rules: rule('<if_sid>200</if_sid><field name="place">cellar</field>') },
    to: decoders(
      'srcport, place</order></decoder>',
      'srcport, room</order></decoder>\n<decoder name="gate-moved"><parent>gate</parent><prematch>^MOVED </prematch><regex offset="after_prematch">(\\S+)</regex><order>place</order></decoder>',
    ),
    says: /which other decoders still set/,
  },
]

describe('what an upgrade breaks', () => {
  for (const { code, own: content, to, says, merged, line } of CASES) {
    test(`${code}: ${content.rules ?? content.decoders}`, () => {
      const report = upgrade(content, to)
      const { effect, advice, line: at, file, edits } = only(report, code)
      assert.match(`${effect} ${advice}`, says)
      assert.equal(at, line ?? (content.rules === undefined ? 1 : 2))
      assert.match(file, /^own_/)
      assert.equal(edits.length > 0, merged !== undefined)
      if (merged !== undefined) assert.match(report.merged[0].content, merged)
      assert.deepEqual(codes(upgrade(content, {})), [])
    })
  }

  test('says why Wazuh does not start, and runs nothing then', () => {
    const content = { decoders: '<decoder name="lamp-own"><parent>lamp</parent><prematch>own</prematch></decoder>', rules: rule('<if_sid>211</if_sid><match>late</match>') }
    const moved = '<decoder name="bulb"><prematch>^L</prematch></decoder><decoder name="lamp"><parent>bulb</parent><prematch>'
    const report = upgrade(content, { decoders: changed(DECODERS, '<decoder name="lamp"><prematch>', moved).replace(/\n<decoder name="lamp-user".*/, '') })
    assert.equal(report.own, null)
    const { severity, file, effect } = only(report, 'not_loaded')
    assert.deepEqual([severity, file], ['error', 'own_decoders.xml'])
    assert.match(effect, /would not start: .*"lamp"/)
  })

  test('a rule that Wazuh drops for what is new is named once', () => {
    const report = upgrade({ rules: rule('<if_sid>202</if_sid><match>late</match>') }, without(202))
    assert.deepEqual(codes(report), ['parent_gone'])
    const [{ witness, old, new: now }] = report.findings
    assert.deepEqual([witness?.events.length, old?.rule_id, now?.rule_id], [1, '100100', '200'])
  })
})

describe('an overwrite of a rule that the new ruleset changed', () => {
  const overwritten = (options: string, level = 9): Own => ({
    rules: `  <rule id="202" level="${level}" overwrite="yes">\n    ${options}\n    <description>opened</description>\n  </rule>`,
  })
  const same = '<if_sid>200</if_sid>\n    <match>OPENED|OPEN</match>\n    <mitre><id>T1001</id></mitre>'

  test('keeps both intents', () => {
    const report = upgrade(overwritten(same), rules('<match>OPENED|OPEN</match>', '<match>OPENED</match><user>ana</user>'))
    const { severity, options, proposal } = only(report, 'overwrite_behind')
    assert.equal(severity, 'warning')
    assert.deepEqual(
      options.map(({ option, taken }) => [option, taken]),
      [
        ['match', 'upstream'],
        ['user', 'upstream'],
      ],
    )
    assert.match(proposal ?? '', /^<rule id="202" level="9" overwrite="yes">[\s\S]*<match>OPENED<\/match>[\s\S]*\n {4}<user>ana<\/user>\n {2}<\/rule>$/)
    assert.ok(report.merged[0].content.includes(proposal ?? '-'))
  })

  test('joins words, takes over attributes, and removes what is gone', () => {
    const report = upgrade(
      overwritten('<if_sid>200</if_sid>\n    <match>OPENED|OPEN</match>\n    <mitre><id>T1001</id><id>T2002</id></mitre>\n    <group>mine,</group>'),
      rules(
        'level="4"><if_sid>200</if_sid><match>OPENED|OPEN</match><description>opened</description><mitre><id>T1001</id></mitre>',
        'level="4" maxsize="3"><if_sid>200</if_sid><description>opened</description><mitre><id>T3003</id></mitre><group>theirs,</group>',
      ),
    )
    const { options, proposal } = only(report, 'overwrite_behind')
    assert.deepEqual(options.map(({ option, taken }) => [option, taken]).sort(), [
      ['@maxsize', 'upstream'],
      ['group', 'both'],
      ['match', 'upstream'],
      ['mitre', 'both'],
    ])
    assert.match(
      proposal ?? '',
      /<rule id="202" level="9" overwrite="yes" maxsize="3">\n {4}<if_sid>200<\/if_sid>\n {4}<mitre><id>T2002<\/id><id>T3003<\/id><\/mitre>\n {4}<group>mine,theirs,<\/group>/,
    )
  })

  test('is a conflict where both changed one option', () => {
    const report = upgrade(overwritten(same.replace('OPENED|OPEN', 'OPENED late')), rules('<match>OPENED|OPEN</match>', '<match>OPENED</match><user>ana</user>'))
    const { options, effect, edits, proposal } = only(report, 'overwrite_conflict')
    assert.match(effect, /differently: match\./)
    assert.deepEqual(
      options.map(({ option, taken }) => [option, taken]),
      [
        ['match', 'own'],
        ['user', 'upstream'],
      ],
    )
    assert.match(proposal ?? '', /OPENED late[\s\S]*<user>ana/)
    assert.deepEqual([edits, report.merged], [[], []])
  })

  test('is only a note for labels, and none for what it has as well', () => {
    assert.equal(only(upgrade(overwritten(same), rules('<id>T1001</id>', '<id>T1002</id>')), 'overwrite_behind').severity, 'info')
    assert.deepEqual(codes(upgrade(overwritten(same.replace('OPENED|OPEN', 'OPENED')), rules('<match>OPENED|OPEN</match>', '<match>OPENED</match>'))), [])
    assert.deepEqual(codes(upgrade(overwritten(same), rules('OPENED|OPEN', 'OPEN|OPENED'))), [])
  })
})

describe('behaviour', () => {
  const late = { rules: rule('<if_sid>201</if_sid><match>late</match>') }
  const CLOSED = 'Jan  5 10:11:12 web1 gate: CLOSED 203.0.113.7:22 to cellar late'

  test('an own rule that another rule takes events from has an event that shows it', () => {
    const report = upgrade(late, { rules: `${RULES}\n<rule id="220" level="12"><if_sid>201</if_sid><match>late</match><description>late</description></rule>` })
    const { witness, old, new: now, item, line } = only(report, 'behaviour')
    assert.deepEqual([item, line, old?.rule_id, now?.rule_id], [{ rule_id: '100100' }, 2, '100100', '220'])
    assert.match(witness?.events[0].event ?? '', /late/)
    assert.equal(report.own?.differ, 1)
  })

  test('a parent that another level or label has changes nothing below it', () => {
    const report = upgrade(late, rules('<description>closed</description>', '<description>gate closed</description>'))
    assert.deepEqual([codes(report), report.own?.differ], [[], 0])
  })

  test('events whose rule changes are named by their lines', () => {
    const report = upgrade(late, rules('<match>CLOSED</match>', '<match>CLOSED by hand</match>'), ['Jan  5 10:11:12 web1 gate: idle', CLOSED])
    const { file, line, old, new: now } = only(report, 'event_changed')
    assert.deepEqual([file, line, old?.rule_id, now?.rule_id], ['events.log', 2, '100100', '200'])
    assert.deepEqual(codes(upgrade(late, {}, [CLOSED])), [])
  })
})

test('merges of one file hold together, and one that makes an error is not offered', () => {
  const both = upgrade(
    { rules: `${rule('<if_sid>202</if_sid><match>late</match>')}\n${rule('<if_sid>201</if_sid><field name="place">cellar</field>', 100101)}` },
    { rules: RULES.replace('id="202"', 'id="302"'), decoders: changed(DECODERS, 'srcport, place<', 'srcport, room<') },
  )
  assert.match(both.merged[0].content, /<if_sid>302<[\s\S]*<field name="room">/)
  const variable = upgrade({ rules: `<var name="PARENT">202</var>\n${rule('<if_sid>$PARENT</if_sid><match>late</match>')}` }, rules('<rule id="202"', '<rule id="302"'))
  assert.deepEqual([only(variable, 'parent_renumbered').edits, variable.merged], [[], []])
})
