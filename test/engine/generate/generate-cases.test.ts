/** Cases that are made from rules alone: for each form of condition, and for rules of the reference. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CaseChain, compileRuleset, EventRunner, generateCases, runCase, type SourceFile } from '#engine'
import { FOUNDATION_WITH_LISTS } from '../../support/rulesets.js'

const MOMENT = { seconds: 1_795_000_000, local: () => ({ timeOfDay: '11:06', weekday: 3 }) }

const DECODERS = `<decoder name="fw"><program_name>^fw$</program_name></decoder>
<decoder name="fw-drop"><parent>fw</parent><prematch>^DROP </prematch><regex offset="after_prematch">^(\\S+):(\\d+) to (\\S+)</regex><order>srcip, srcport, dstip</order></decoder>
<decoder name="access"><prematch type="pcre2">^\\S+ \\S+ \\[\\d{2}/[A-Z][a-z]{2}/\\d{4}\\] "</prematch></decoder>
<decoder name="access-request"><parent>access</parent><regex type="pcre2">^(\\S+) \\S+ \\[[^\\]]+\\] "([A-Z]+) (\\S+)(?: HTTP/[\\d.]+)?" (\\d{3})(?: (\\S+))?$</regex><order>srcip, protocol, url, id, agent</order></decoder>
<decoder name="mark"><prematch>^MARK </prematch></decoder>
<decoder name="mark-one"><parent>mark</parent><regex>code "(\\d+)" |state=(\\w+);</regex><order>status</order></decoder>
<decoder name="fw-user"><parent>fw</parent><regex type="pcre2">user=(?:local|domain)/(\\w+) id=(\\d{3})$</regex><order>user, id</order></decoder>`

/** Each rule is generated for alone, on top of the foundation. */
const RULES: Readonly<Record<string, string>> = {
  'a word of the log': '<match>disk is full</match>',
  'an anchored word': '<match>^Service stopped</match>',
  'OSRegex with classes': '<regex>^job \\d+ failed: \\.+$</regex>',
  'PCRE2 with alternatives and a class': '<regex type="pcre2">(?i)^(?:alpha|beta)-[0-9a-f]{8} (?!ok)\\w+</regex>',
  'a program name': '<program_name>^backupd$</program_name><match>incomplete</match>',
  'a parent and a field of its decoder': '<if_sid>103</if_sid><user>^root$</user>',
  'a decoder and an address': '<decoded_as>fw</decoded_as><srcip>192.0.2.0/24</srcip>',
  'a negated address': '<decoded_as>fw</decoded_as><srcip negate="yes">203.0.113.0/24</srcip>',
  'a user and an id of PCRE2 groups': '<decoded_as>fw</decoded_as><user>admin</user><id>^4</id>',
  'fields of JSON at paths':
    '<decoded_as>json</decoded_as><field name="aws.eventName">^DeleteTrail$</field><field name="aws.userIdentity.type" type="pcre2">^(Root|IAMUser)$</field>',
  'a negated field, which has to be there': '<decoded_as>json</decoded_as><field name="state" negate="yes">^ok$</field>',
  'a list': '<decoded_as>json</decoded_as><list field="srcip" lookup="address_match_key">etc/lists/watched</list>',
  'two conditions on one field': '<decoded_as>json</decoded_as><url>wp-</url><url>.php</url>',
  'a prematch and a regex on one text': '<decoded_as>access</decoded_as><url type="pcre2">(?i)(?:union(?:\\s|%20)+select)</url><id>^5|^4</id>',
  'a group that is optional': '<decoded_as>access</decoded_as><field name="agent">^curl</field>',
  'a group of the second alternative of OSRegex': '<decoded_as>mark</decoded_as><status>^down$</status>',
  'looks ahead': '<regex type="pcre2">^(?=.*\\bdisk\\b)(?!.*test)\\w+ (?=full)\\w+</regex>',
  'a Windows event':
    '<category>ossec</category><decoded_as>windows_eventchannel</decoded_as><field name="win.system.eventID">^4625$</field><field name="win.eventdata.targetUserName">admin</field>',
  'words as they are written': '<match>Accepted Certificate</match>',
  'text beyond ASCII': '<regex type="pcre2">^Zugriff für Ändern$</regex><program_name>dienst</program_name>',
}
const COMPOSITES: Readonly<Record<string, string>> = {
  'repeated events of one address':
    '<rule id="201" level="9" frequency="4" timeframe="60"><if_matched_sid>200</if_matched_sid><same_srcip /><description>many</description></rule>',
  'different ports':
    '<rule id="201" level="9" frequency="3" timeframe="60"><if_matched_sid>200</if_matched_sid><same_srcip /><different_srcport /><description>scan</description></rule>',
  'a group': '<rule id="201" level="9" frequency="4" timeframe="60"><if_matched_group>drops</if_matched_group><description>many</description></rule>',
}

function generate(rules: string) {
  const own: SourceFile[] = [
    { kind: 'decoders', scope: 'adhoc', filename: 'own_decoders.xml', content: DECODERS },
    { kind: 'rules', scope: 'adhoc', filename: 'own_rules.xml', content: `<group name="own,">${rules}</group>` },
  ]
  const ruleset = compileRuleset([...FOUNDATION_WITH_LISTS, ...own])
  assert.ok(ruleset.loads)
  const runner = new EventRunner(ruleset)
  return { runner, ...generateCases(runner, MOMENT, { scopes: ['adhoc'], limit: 10, locale: 'en-US', mayGoOn: () => true }) }
}

describe('cases made from rules', () => {
  for (const [form, conditions] of Object.entries(RULES)) {
    test(form, () => {
      const { cases, runner, withoutCase } = generate(`<rule id="200" level="12">${conditions}<description>own</description></rule>`)
      assert.deepEqual([cases.map(({ expected_rule }) => expected_rule), withoutCase], [['200'], []])
      const report = runCase(runner, cases[0], MOMENT, 'en-US')
      assert.ok(report.passed, JSON.stringify(report.checks))
    })
  }

  for (const [form, composite] of Object.entries(COMPOSITES)) {
    test(`rules that count: ${form}`, () => {
      const base = '<rule id="200" level="5"><decoded_as>fw</decoded_as><match>^DROP</match><description>drop</description><group>drops,</group></rule>'
      const { cases, runner } = generate(base + composite)
      const counted = cases.find(({ expected_rule }) => expected_rule === '201')
      assert.ok(counted !== undefined && (counted.events?.length ?? 0) > 1)
      assert.ok(runCase(runner, counted, MOMENT, 'en-US').passed)
    })
  }

  test('a case sets the clock where its rule reads it', () => {
    const { cases, runner } = generate(
      '<rule id="200" level="5"><match>lamp broken</match><description>any time</description></rule><rule id="201" level="6"><match>door opened</match><weekday>mon, tue, wed, thu, fri, sat, sun</weekday><description>any day</description></rule>',
    )
    assert.deepEqual(
      cases.map(({ expected_rule, now }) => [expected_rule, now !== undefined]),
      [
        ['200', false],
        ['201', true],
      ],
    )
    assert.equal(new CaseChain(runner, MOMENT, 'en-US', false).run(cases[1]).depends_on_clock, false)
  })

  test('a rule that nothing can fire has none, and the others still have theirs', () => {
    const { cases, withoutCase } = generate(
      '<rule id="200" level="5"><match>abc</match><match>!abc</match><regex>^x$</regex><description>never</description></rule><rule id="201" level="5"><match>reachable words</match><description>yes</description></rule>',
    )
    assert.deepEqual([withoutCase, cases.map(({ expected_rule }) => expected_rule)], [[200], ['201']])
  })

  test('an event that another rule would take lacks what that rule needs', () => {
    const { cases } = generate(
      '<rule id="200" level="3"><decoded_as>fw</decoded_as><match>^DROP</match><description>drop</description></rule><rule id="201" level="9"><if_sid>200</if_sid><srcip>203.0.113.0/24</srcip><description>documentation</description></rule>',
    )
    assert.deepEqual(
      cases.map(({ expected_rule }) => expected_rule),
      ['200', '201'],
    )
  })

  test('stops when the time is over', () => {
    const ruleset = compileRuleset(FOUNDATION_WITH_LISTS)
    const { cases, untried } = generateCases(new EventRunner(ruleset), MOMENT, { scopes: ['default'], limit: 10, locale: 'en-US', mayGoOn: () => false })
    assert.deepEqual([cases.length, untried > 5], [0, true])
  })
})
