/** What hints say unasked about the caller's own content: which mistake keeps an event from it, and nothing where it is right. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  compileLayer,
  compileRuleset,
  createSession,
  EventRunner,
  type Locale,
  type LogtestOptions,
  runLogtest,
  type Session,
  type SourceFile,
  ToldTips,
} from '../../../engine/index.js'
import { MOMENT } from '../logtest/small-ruleset.js'

const BASE_DECODERS = `
<decoder name="gatekeeper"><program_name>^gatekeeperd$</program_name></decoder>
<decoder name="gatekeeper-pass"><parent>gatekeeper</parent><prematch>^pass </prematch><regex offset="after_prematch">^(\\S+) at (\\S+)</regex><order>srcuser, srcip</order></decoder>
<decoder name="dated"><prematch>^\\d+-\\d+-\\d+ \\d+:\\d+:\\d+ </prematch></decoder>
<decoder name="dated-row"><parent>dated</parent><prematch offset="after_parent">^row </prematch><regex offset="after_prematch">^(\\d+)</regex><order>row</order></decoder>
<decoder name="any-program"><program_name></program_name><prematch>^%FIREHOSE</prematch></decoder>
<decoder name="json"><prematch>^{\\s*"</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`

const BASE_RULES = `<group name="base,">
<rule id="1" level="0" noalert="1"><category>syslog</category><description>syslog</description></rule>
<rule id="200" level="0" noalert="1"><decoded_as>gatekeeper</decoded_as><description>gatekeeper</description></rule>
<rule id="201" level="6"><if_sid>200</if_sid><match>refused</match><description>refused</description><group>refusals,</group></rule>
<rule id="202" level="8"><if_sid>201</if_sid><match>twice</match><description>refused twice</description></rule>
<rule id="203" level="0"><if_sid>200</if_sid><match>heartbeat</match><description>heartbeat</description></rule>
<rule id="204" level="5"><if_sid>200</if_sid><match>granted</match><description>granted</description></rule>
<rule id="205" level="11" frequency="6" timeframe="60"><if_matched_sid>201</if_matched_sid><same_srcip /><description>many refusals</description></rule>
</group>`

const BASE = compileRuleset([
  { filename: '0010-decoders.xml', kind: 'decoders', scope: 'default', content: BASE_DECODERS },
  { filename: '0010-rules.xml', kind: 'rules', scope: 'default', content: BASE_RULES },
])

const header = (program: string, text: string): string => `Nov 17 08:15:30 gate ${program}: ${text}`

interface Case {
  /** What an author believes wrongly. */
  readonly name: string
  readonly rules?: string
  readonly decoders?: string
  readonly events: readonly string[]
  readonly location?: string
  /** Without a session. */
  readonly apart?: true
  /** The hints of the last event have these texts. */
  readonly told: readonly RegExp[]
  /** No hint of any event has these. */
  readonly untold?: readonly RegExp[]
}

function runnerOf({ rules = '', decoders = '' }: Pick<Case, 'rules' | 'decoders'>): EventRunner {
  const files: SourceFile[] = []
  if (decoders !== '') files.push({ filename: 'own-decoders.xml', kind: 'decoders', scope: 'adhoc', content: decoders })
  if (rules !== '') files.push({ filename: 'own-rules.xml', kind: 'rules', scope: 'adhoc', content: `<group name="own,">${rules}</group>` })
  const ruleset = compileLayer(BASE, files)
  assert.equal(ruleset.loads, true, ruleset.diagnostics.map(({ code }) => code).join())
  return new EventRunner(ruleset)
}

function insightsOf(runner: EventRunner, event: string, session: Session | null, more: Partial<LogtestOptions> & { readonly location?: string } = {}): readonly string[] {
  const { location, ...options } = more
  return runLogtest(runner, { event, log_format: 'auto', ...(location === undefined ? {} : { location }) }, MOMENT, session, { trace: true, locale: 'en-US', ...options }).insights
}

const OWN = /^(?:Your|O seu|A sua) /

const WRONG: readonly Case[] = [
  {
    name: 'a prematch names the program, which the header has',
    decoders:
      '<decoder name="pump"><program_name>^pumpd$</program_name><prematch>pumpd: </prematch><plugin_decoder offset="after_prematch">JSON_Decoder</plugin_decoder></decoder>',
    events: [header('pumpd', '{"bar":3}')],
    told: [/decoder "pump".*"pumpd: ".*with the header.*"\{"bar":3\}"/],
    untold: [/JSON_Decoder/],
  },
  {
    name: 'a prematch begins with the date of the header',
    decoders: '<decoder name="pump"><prematch>^\\w\\w\\w \\d\\d \\d\\d:\\d\\d:\\d\\d \\S+ pressure</prematch></decoder>',
    events: ['Nov 17 08:15:30 gate pressure 3 bar'],
    told: [/decoder "pump" does not match.*with the header.*get "pressure 3 bar"/],
  },
  {
    name: 'the regex of a decoder begins with the date of the header',
    decoders:
      '<decoder name="pump"><program_name>^pumpd$</program_name></decoder><decoder name="pump-bar"><parent>pump</parent><regex>^\\S+ \\d+ \\S+ \\S+ pumpd: bar (\\d+)</regex><order>bar</order></decoder>',
    events: [header('pumpd', 'bar 3')],
    told: [/"pump-bar" was chosen.*only with the header/],
  },
  {
    name: 'a rule matches the program, which the header has',
    rules: '<rule id="100001" level="5"><match>pumpd: stopped</match><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    told: [/rule 100001.*"pumpd: stopped".*removes the header/],
  },
  {
    name: 'a decoder without program_name is for events with a program',
    decoders: '<decoder name="pump"><prematch>^pressure </prematch></decoder>',
    events: [header('pumpd', 'pressure 3')],
    told: [/decoder "pump" is not tried.*no <program_name>.*"pumpd"/],
  },
  {
    name: 'a decoder with program_name is for lines without a header',
    decoders: '<decoder name="pump"><program_name>^pumpd$</program_name></decoder>',
    events: ['gate pumpd[42]: pressure 3'],
    told: [/decoder "pump" needs a program name/],
    untold: [/looks like the program/],
  },
  {
    name: 'the prematch of a decoder differs from the log',
    decoders: '<decoder name="pump"><program_name>^pumpd$</program_name><prematch>^valve \\d+ is shut</prematch></decoder>',
    events: [header('pumpd', 'valve 3 was shut')],
    told: [/decoder "pump" comes nearest.*up to "valve 3 " \(character 8 of "valve 3 was shut"\); then "is shut"/],
    untold: [/Decoders with a matching <program_name>/],
  },
  {
    name: 'a decoder of the base matches first',
    decoders: '<decoder name="pump"><prematch>^\\d+-\\d+-\\d+ \\d+:\\d+:\\d+ pump </prematch></decoder>',
    events: ['2026-11-17 08:15:30 pump on'],
    told: [/decoder "pump" matches this log too, but "dated" \(0010-decoders\.xml\) is loaded before it/],
    untold: [/none of its 1 children/],
  },
  {
    name: 'a child of the base matches first',
    decoders: '<decoder name="gatekeeper-vip"><parent>gatekeeper</parent><prematch>^pass vip</prematch><regex offset="after_prematch">^(\\d+)</regex><order>vip</order></decoder>',
    events: [header('gatekeeperd', 'pass vip7 at 192.0.2.7')],
    told: [/decoder "gatekeeper-vip" matches this log too, but its sibling "gatekeeper-pass"/],
  },
  {
    name: 'a child of the base after its parent matches first',
    decoders:
      '<decoder name="dated-vip"><parent>dated</parent><prematch offset="after_parent">^row 7</prematch><regex offset="after_prematch">^(\\d+)</regex><order>vip</order></decoder>',
    events: ['2026-11-17 08:15:30 row 77'],
    told: [/decoder "dated-vip" matches this log too, but its sibling "dated-row"/],
  },
  {
    name: 'a rule of the base has a higher level',
    rules: '<rule id="100001" level="3"><if_sid>200</if_sid><match>refused</match><description>a</description></rule>',
    events: [header('gatekeeperd', 'refused twice')],
    told: [/rule 100001 \(level 3\) would match too, but rule 201 \(level 6\) is tried before it, because its level is higher.*Rule 202 below that one answers/],
  },
  {
    name: 'a rule of the base has level 0',
    rules: '<rule id="100001" level="12"><if_sid>200</if_sid><match>heartbeat lost</match><description>a</description></rule>',
    events: [header('gatekeeperd', 'heartbeat lost')],
    told: [/rule 100001 \(level 12\) would match too, but rule 203 \(level 0\) is tried before it, because level 0 is tried first/],
  },
  {
    name: 'a rule of the base has the same level',
    rules: '<rule id="100001" level="6"><if_sid>200</if_sid><match>refused</match><description>a</description></rule>',
    events: [header('gatekeeperd', 'refused')],
    told: [/rule 100001.*rule 201 \(level 6\) is tried before it, because it is loaded earlier/],
  },
  {
    name: 'the parent of a rule is overtaken',
    rules:
      '<rule id="100001" level="0" noalert="1"><if_sid>200</if_sid><match>refused</match><match>never</match><description>a</description></rule><rule id="100002" level="5"><if_sid>204</if_sid><match>granted</match><description>a</description></rule>',
    events: [header('gatekeeperd', 'refused, then granted')],
    told: [/rule 100002 \(level 5\) would match too, but rule 201 \(level 6\) is tried before its ancestor 204/],
  },
  {
    name: 'status switches a rule on',
    rules: '<rule id="100001" level="5"><program_name>^pumpd$</program_name><match>stopped</match><status>enabled</status><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    told: [/rule 100001.*<status> tests the field "status".*does not switch/],
    untold: [/Decoders? with/],
  },
  {
    name: 'status switches a rule on, below an own rule',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description></rule><rule id="100002" level="5"><if_sid>100001</if_sid><match>stopped</match><status>on</status><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    told: [/rule 100002.*<status> tests.*Rule 100001 \(level 3\) answers/],
  },
  {
    name: 'no decoder sets the field of a rule',
    rules: '<rule id="100001" level="5"><if_sid>204</if_sid><url>/door</url><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    told: [/rule 100001.*"url", which the event does not have\. No decoder of this event sets it\. Rule 204 \(level 5\) answers/],
  },
  {
    name: 'a word is mistyped',
    rules: '<rule id="100001" level="9"><if_sid>204</if_sid><match>granted acess to</match><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted access to bob')],
    told: [/rule 100001.*up to "granted ac" \(character 10\).*Rule 204/],
  },
  {
    name: 'the only condition of the only rule that is near does not match',
    decoders: '<decoder name="pump"><program_name>^pumpd$</program_name></decoder>',
    rules: '<rule id="100001" level="9"><decoded_as>pump</decoded_as><match>^valve open</match><description>a</description></rule>',
    events: [header('pumpd', 'valve shut')],
    told: [/rule 100001 comes nearest.*up to "valve " \(character 6\); then "open" does not fit/],
  },
  {
    name: 'same_field names a value of the header',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><same_field>hostname</same_field><description>a</description></rule>',
    events: [header('pumpd', 'stopped'), header('pumpd', 'stopped')],
    told: [/rule 100002 never counts.*"hostname".*value of the header/],
    untold: [/more/],
  },
  {
    name: 'same_srcuser names a field that the events lack, without a session',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><same_srcuser /><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    apart: true,
    told: [/rule 100002 never counts.*"srcuser"/],
    untold: [/fires at number/],
  },
  {
    name: 'different_field has the same value',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9" frequency="4" timeframe="60"><if_matched_sid>100001</if_matched_sid><same_field>src</same_field><different_field>port</different_field><description>a</description></rule>',
    events: ['{"src":"a","port":"1"}', '{"src":"a","port":"1"}', '{"src":"a","port":"1"}'],
    told: [/rule 100002 does not count 2 of the 2 earlier events within 60 seconds: their "port" has the same value, "1"/],
    untold: [/\d more/],
  },
  {
    name: 'different_srcuser has the same value',
    rules:
      '<rule id="100001" level="3"><if_sid>204</if_sid><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><different_srcuser /><description>a</description></rule>',
    events: [header('gatekeeperd', 'pass bob at 192.0.2.7 granted'), header('gatekeeperd', 'pass bob at 192.0.2.8 granted')],
    told: [/rule 100002 does not count 1 of the 1.*"srcuser" has the same value, "bob"/],
    untold: [/\d more/],
  },
  {
    name: 'events of several agents are counted together',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><description>a</description></rule>',
    events: [header('pumpd', 'stopped'), `[007] (FAR) any->/var/log/x\n${header('pumpd', 'stopped')}`],
    told: [/rule 100002 does not count 1 earlier events of another agent; <global_frequency \/>/],
  },
  {
    name: 'a member of a counted group is counted by its id',
    rules: '<rule id="100001" level="12" frequency="3" timeframe="60"><if_matched_group>refusals</if_matched_group><description>a</description></rule>',
    events: [header('gatekeeperd', 'refused')],
    told: [/rule 100001 counts the group "refusals", but not this event: rule 205 counts rule 201/],
  },
  {
    name: 'a rule silences the host of a header',
    rules: '<rule id="100001" level="0"><if_sid>204</if_sid><hostname>^gate$</hostname><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    told: [/rule 100001 depends on <hostname> "\^gate\$"\. Here the host is "gate".*name of the agent/],
  },
  {
    name: 'a rule names the host of a header, and the event is of an agent',
    rules: '<rule id="100001" level="0"><if_sid>204</if_sid><hostname>^gate$</hostname><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    location: '[021] (FAR-W9) any->/var/log/x',
    told: [/rule 100001 fails only at <hostname>.*here "FAR-W9"/],
  },
  {
    name: 'a rule names a location, and the test has none',
    rules: '<rule id="100001" level="9"><if_sid>204</if_sid><location>/var/log/door</location><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    told: [/rule 100001 fails only at <location> "\/var\/log\/door"\. Here the location is "stdin"/],
  },
  {
    name: 'a rule is for the night',
    rules: '<rule id="100001" level="9"><if_sid>204</if_sid><time>6 pm - 8 am</time><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    told: [/rule 100001 depends on the clock: <time>.*Tuesday, 23:59/],
  },
  {
    name: 'a rule is for other days',
    rules: '<rule id="100001" level="9"><if_sid>204</if_sid><weekday>weekends</weekday><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    told: [/rule 100001 fails only because of the clock: <weekday>/],
  },
  {
    name: 'a rule tests a member of an array',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9"><if_sid>100001</if_sid><field name="Items.kind">nut</field><description>a</description></rule>',
    events: ['{"items":[{"kind":"nut"}]}'],
    told: [/rule 100002 tests the field "Items\.kind", but "items" is a JSON array/],
  },
  {
    name: 'a rule tests one value of an array',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9"><if_sid>100001</if_sid><field name="tags">^B2$</field><description>a</description></rule>',
    events: ['{"tags":["A1","B2"]}'],
    told: [/rule 100002 tests the field "tags", which is a JSON array.*matches "B2" alone/],
  },
  {
    name: 'a rule has one backslash where the value has two',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9"><if_sid>100001</if_sid><field name="path">Tools\\\\sync.exe$</field><description>a</description></rule>',
    events: [JSON.stringify({ path: 'C:\\\\Tools\\\\sync.exe' })],
    told: [/rule 100002 fails at the backslashes of the field "path"/],
  },
  {
    name: 'a prematch begins with the host of the header',
    decoders: '<decoder name="pump"><prematch>^gate pumpd: stopped</prematch></decoder>',
    events: [header('pumpd', 'stopped')],
    told: [/decoder "pump" is not tried.*no <program_name>.*without the header/],
  },
  {
    name: 'a program_name has a typing error',
    decoders: '<decoder name="pump"><program_name>^pumppd$</program_name></decoder>',
    events: [header('pumpd', 'stopped')],
    told: [/decoder "pump" is not tried: its <program_name> "\^pumppd\$" does not match "pumpd"/],
    untold: [/there is none/],
  },
  {
    name: 'a program_name has the colon of the header',
    decoders: '<decoder name="pump"><program_name>^pumpd:</program_name></decoder>',
    events: [header('pumpd', 'stopped')],
    told: [/decoder "pump" is not tried.*a program name ends before "\[" and ":"/],
  },
  {
    name: 'a prematch is for this log, and the program_name is not',
    decoders: '<decoder name="pump"><program_name>^kiln$</program_name><prematch>^pressure</prematch></decoder>',
    events: [header('pumpd', 'pressure 3 bar')],
    told: [/decoder "pump" is not tried: its <program_name> "\^kiln\$" does not match "pumpd"/],
  },
  {
    name: 'the text of a match is on a line of its own',
    rules: '<rule id="100001" level="5"><program_name>^pumpd$</program_name><match>\n    ^stopped\n  </match><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    told: [/rule 100001 comes nearest.*"\\n {4}\^stopped\\n {2}" does not match.*line breaks and indentation/],
  },
  {
    name: 'a rule names a member of stored alerts',
    rules: '<rule id="100001" level="9"><if_sid>204</if_sid><field name="predecoder.hostname">gate</field><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    told: [/rule 100001 comes nearest.*Only stored alerts have "predecoder\.hostname".*rules test it with <hostname>/],
  },
  {
    name: 'several conditions fail, one of them at a similar name',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9"><if_sid>100001</if_sid><field name="sizes">^3$</field><match>other</match><description>a</description></rule>',
    events: ['{"size":"3"}'],
    told: [/rule 100002 requires the field "sizes", which this event does not have\. It does have "size"/],
  },
  {
    name: 'an array is compared without its white space',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9"><if_sid>100001</if_sid><field name="tags">"A1","B2"</field><description>a</description></rule>',
    events: ['{"tags":["A1","B2"]}'],
    told: [/rule 100002 tests the field "tags", which is a JSON array, and Wazuh rewrites its text/],
  },
  {
    name: 'same_field names a built-in field',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><same_field>srcip</same_field><description>a</description></rule>',
    events: [header('pumpd', 'x'), header('pumpd', 'x')],
    told: [/rule 100002 never counts.*not built in, and "srcip" is one that is\. Write <same_srcip \/>/],
    untold: [/\d more/],
  },
  {
    name: 'same_field names a member of an array',
    rules:
      '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><same_field>items.kind</same_field><description>a</description></rule>',
    events: ['{"items":[{"kind":"nut"}]}', '{"items":[{"kind":"nut"}]}'],
    told: [/rule 100002 never counts.*"items" is a JSON array/],
  },
  {
    name: 'a rule below the counted one answers',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_sid>100001</if_matched_sid><description>a</description></rule><rule id="100003" level="5"><if_sid>100001</if_sid><match>^stopped</match><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    told: [/rule 100002 counts rule 100001, but not this event: rule 100003, below it, answers/],
    untold: [/\d more/],
  },
  {
    name: 'a rule below the counted member of a group answers',
    rules:
      '<rule id="100001" level="3"><program_name>^pumpd$</program_name><description>a</description><group>flow,</group></rule><rule id="100002" level="9" frequency="3" timeframe="60"><if_matched_group>flow</if_matched_group><description>a</description></rule><rule id="100003" level="5"><if_sid>100001</if_sid><match>^stopped</match><description>a</description></rule>',
    events: [header('pumpd', 'stopped')],
    told: [/rule 100002 counts the group "flow", which rule 100001 has, but not this event: rule 100003/],
  },
  {
    name: 'a description names a member of an array',
    rules: '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a $(items.kind)</description></rule>',
    events: ['{"items":[{"kind":"nut"}]}'],
    told: [/"items" is a JSON array/],
  },
  {
    name: 'a plugin has an offset without a prematch',
    decoders:
      '<decoder name="pump"><prematch>^PUMP </prematch></decoder><decoder name="pump-json"><parent>pump</parent><plugin_decoder offset="after_parent">JSON_Decoder</plugin_decoder></decoder>',
    events: ['PUMP {"bar":3}'],
    told: [/gets the log from its beginning, "PUMP \{.*offset="after_parent" has no effect without a <prematch>/],
  },
  {
    name: 'a prematch takes the brace of the object',
    decoders: '<decoder name="pump"><prematch>^PUMP {</prematch><plugin_decoder offset="after_prematch">JSON_Decoder</plugin_decoder></decoder>',
    events: ['PUMP {"bar":3}'],
    told: [/the <prematch> before it has taken the "\{"/],
  },
  {
    name: 'a location is that of a file on the manager',
    rules: '<rule id="100001" level="9"><if_sid>204</if_sid><location>^/var/log/door</location><description>a</description></rule>',
    events: [header('gatekeeperd', 'granted')],
    location: '/var/log/door',
    told: [/rule 100001 depends on <location> "\^\/var\/log\/door", which fits "\/var\/log\/door" but not the location of an agent's event/],
  },
]

describe('a mistake is named', () => {
  for (const each of WRONG) {
    test(each.name, () => {
      const runner = runnerOf(each)
      for (const locale of ['en-US', 'pt-BR'] satisfies Locale[]) {
        const session = each.apart === true ? null : createSession()
        const all = each.events.map((event) => {
          const [location, text] = event.includes('\n') ? event.split('\n') : [each.location, event]
          return insightsOf(runner, text, session, { locale, ...(location === undefined ? {} : { location }) })
        })
        const last = all.at(-1) ?? []
        if (locale === 'pt-BR') {
          assert.ok(
            last.some((text) => OWN.test(text) || /casa com a linha junto|só casa com a linha|^A descrição da regra 1000|lê JSON, mas/.test(text)),
            last.join('\n'),
          )
          continue
        }
        for (const words of each.told)
          assert.ok(
            last.some((text) => words.test(text)),
            last.join('\n'),
          )
        for (const words of each.untold ?? []) assert.ok(!all.flat().some((text) => words.test(text)), all.flat().join('\n'))
      }
    })
  }
})

/** Content without a fault, with events that it is for and events that it is not for. */
const RIGHT = {
  decoders: `
<decoder name="pump"><program_name>^pumpd$</program_name></decoder>
<decoder name="pump-valve"><parent>pump</parent><prematch>^valve </prematch><regex offset="after_prematch">^(\\d+) (\\w+)</regex><order>valve, action</order></decoder>
<decoder name="gatekeeper-key"><parent>gatekeeper</parent><prematch>^key </prematch><regex offset="after_prematch">^(\\S+)</regex><order>key</order></decoder>`,
  rules: `
<rule id="100001" level="3"><decoded_as>pump</decoded_as><description>pump</description></rule>
<rule id="100002" level="7"><if_sid>100001</if_sid><action>shut</action><description>valve shut</description></rule>
<rule id="100003" level="10" frequency="3" timeframe="60"><if_matched_sid>100002</if_matched_sid><same_field>valve</same_field><description>a valve shuts often</description></rule>
<rule id="100004" level="0"><if_sid>201</if_sid><srcip>192.0.2.0/24</srcip><description>scanner</description></rule>
<rule id="100005" level="9"><if_sid>204</if_sid><match>granted to root</match><description>root</description></rule>
<rule id="100006" level="12"><if_group>refusals</if_group><match>for the vault</match><description>vault</description></rule>
<rule id="100007" level="3"><decoded_as>json</decoded_as><field name="orchard">\\.+</field><description>orchard</description></rule>
<rule id="100008" level="9"><if_sid>100007</if_sid><field name="frost">^true$</field><description>frost</description></rule>`,
}

const RIGHT_EVENTS = [
  header('pumpd', 'valve 3 shut'),
  header('pumpd', 'valve 3 open'),
  header('pumpd', 'pressure low'),
  header('gatekeeperd', 'pass bob at 192.0.2.7 refused'),
  header('gatekeeperd', 'pass bob at 198.51.100.7 refused'),
  header('gatekeeperd', 'refused twice'),
  header('gatekeeperd', 'refused for the vault'),
  header('gatekeeperd', 'granted to root'),
  header('gatekeeperd', 'granted to bob'),
  header('gatekeeperd', 'key K7 granted'),
  header('gatekeeperd', 'heartbeat'),
  header('otherd', 'something else'),
  '{"orchard":"north","trees":[1,2]}',
  '{"meadow":"south","tags":["a"]}',
  '2026-11-17 08:15:30 row 7',
  'a line without any header',
]

test('content without a fault has no hint about it, whatever the events are', () => {
  const runner = runnerOf(RIGHT)
  const session = createSession()
  for (const event of RIGHT_EVENTS) {
    const told = insightsOf(runner, event, session).filter((text) => OWN.test(text))
    assert.deepEqual(told, [], event)
  }
})

test('a file has each hint a few times, and an own rule that is right none', () => {
  const runner = runnerOf({ rules: '<rule id="100001" level="3"><if_sid>200</if_sid><match>refused</match><description>a</description></rule>' })
  const told = new ToldTips()
  let count = 0
  for (let i = 0; i < 50; i++) count += insightsOf(runner, header('gatekeeperd', `refused ${i}`), null, { told }).filter((text) => OWN.test(text)).length
  assert.equal(count, 3)
})

test('hints name what a reader can set: members of a request, or options of the command line', () => {
  const runner = runnerOf({ rules: '<rule id="100001" level="3"><if_sid>204</if_sid><hostname>gate</hostname><description>a</description></rule>' })
  const of = (event: string, caller: NonNullable<LogtestOptions['caller']>): string => insightsOf(runner, event, null, { caller }).join('\n')
  const refused = header('gatekeeperd', 'pass bob at 192.0.2.7 refused')
  assert.match(of(refused, 'service'), /same session_id/)
  assert.match(of(refused, 'json-lines'), /same session_id/)
  assert.match(of(refused, 'command-line'), /--session/)
  assert.match(of(header('gatekeeperd', 'granted'), 'command-line'), /set --location to/)
  assert.match(of(header('gatekeeperd', 'granted'), 'service'), /set location to/)
})

test("the operator's content is not the caller's own, except on the command line", () => {
  const content = '<group name="own,"><rule id="100001" level="3"><if_sid>200</if_sid><match>refused</match><description>a</description></rule></group>'
  const runner = new EventRunner(compileLayer(BASE, [{ filename: 'own-rules.xml', kind: 'rules', scope: 'custom', content }]))
  const told = (caller: NonNullable<LogtestOptions['caller']>): boolean => insightsOf(runner, header('gatekeeperd', 'refused'), null, { caller }).some((text) => OWN.test(text))
  assert.deepEqual([told('service'), told('command-line'), told('json-lines')], [false, true, true])
})

test('decoders that take any program are not counted as those of the program', () => {
  const [told] = insightsOf(new EventRunner(BASE), header('pumpd', 'stopped'), null)
  assert.match(told, /only decoders with a <program_name> that matches it can be chosen, and there is none/)
})

test('a countdown names what must be equal, and what differs', () => {
  const runner = new EventRunner(BASE)
  const session = createSession()
  insightsOf(runner, header('gatekeeperd', 'pass bob at 192.0.2.7 refused'), session)
  const told = insightsOf(runner, header('gatekeeperd', 'pass bob at 192.0.2.8 refused'), session)
  assert.ok(
    told.some((text) => /Rule 205 counts events like this one: 5 more with the same "srcip" in this session.*\(an earlier one has another "srcip"\)/.test(text)),
    told.join('\n'),
  )
  // The event has no address, so rule 205 never counts one like it.
  assert.ok(!insightsOf(runner, header('gatekeeperd', 'refused'), session).some((text) => /Rule 205/.test(text)))
})

test('a field that different_field lacks is named, and no built-in one', () => {
  const rules =
    '<rule id="100001" level="3"><decoded_as>json</decoded_as><description>a</description></rule><rule id="100002" level="9" frequency="4" timeframe="60"><if_matched_sid>100001</if_matched_sid><different_field>port</different_field><different_field>srcip</different_field><description>a</description></rule>'
  const told = insightsOf(runnerOf({ rules }), '{"srcip":"192.0.2.7","size":"3"}', createSession()).join('\n')
  assert.match(told, /Rule 100002 counts events like this one: 3 more in this session within 60 seconds, and it fires\. It compares "port" as well/)
})

test('a container of the base is told of', () => {
  assert.match(insightsOf(new EventRunner(BASE), header('gatekeeperd', 'shut'), null).join('\n'), /Rule 200 matches, but has noalert="1".*none of its 3 children matches/)
})

test('no field is called one of stored alerts if a decoder sets it', () => {
  const decoders = '<decoder name="kiln"><prematch>^kiln </prematch><regex offset="after_prematch">^(\\S+)</regex><order>location</order></decoder>'
  const rules = '<rule id="100001" level="9"><if_sid>204</if_sid><field name="location">north</field><description>a</description></rule>'
  assert.doesNotMatch(insightsOf(runnerOf({ decoders, rules }), header('gatekeeperd', 'granted'), null).join('\n'), /stored alerts/)
})

test('a date that is not only a date is told of', () => {
  const runner = new EventRunner(BASE)
  const told = (event: string): boolean => insightsOf(runner, event, null).some((text) => /for the date of a header/.test(text))
  for (const event of [
    'Nov 17 08:15:30 gate pumpd: x',
    'Nov  7 08:15:30 gate pumpd: x',
    'Mär 07 08:15:30 gate pumpd: x',
    '2026-11-17 08:15:30,123 gate pumpd: x',
    '2026-11-17T08:15:30+01:00 gate pumpd: x and more',
    '2026-11-17T08:15:30.123+01:00 gate pumpd: x',
    '2026-11-17T08:15:30.123456+01:00 gate pumpd: x',
    '2026 Nov 17 08:15:30 gate pumpd: x',
    '2026-11-17 08:15:30.123456+0100 gate pumpd: x',
    'Mon Nov 17 08:15:30 2026 1 192.0.2.7 x',
    '11/17-08:15:30.123456  [**] x',
    '11/17/2026-08:15:30.123456  [**] x',
    '[Mon Nov 17 08:15:30 2026] [warn] x',
    '{"a":"b"}',
    'plain',
  ]) {
    assert.equal(told(event), false, event)
  }
  for (const event of ['2026-11-17 08:15:30,Gate north opened', '2026-11-17 08:15:30,12 gate opened it', 'abc de fg:hi:jk lmn opq', '[Mon Nov 17 08:15:30 2026]x [warn] x'])
    assert.equal(told(event), true, event)
})
