/** Random rulesets and events for property tests: small vocabularies, so that things meet. */
import fc from 'fast-check'
import type { SourceFile } from '#engine'

/** The seven category templates, and a root in each list of decoders: without them nothing loads. */
export const FOUNDATION: readonly SourceFile[] = [
  {
    kind: 'decoders',
    scope: 'default',
    filename: '0001-base.xml',
    content: `<decoder name="sshd"><program_name>^sshd</program_name></decoder>
<decoder name="sshd-fail"><parent>sshd</parent><prematch>^Failed </prematch><regex offset="after_prematch">^(\\S+) for (\\S+) from (\\S+)</regex><order>method, dstuser, srcip</order></decoder>
<decoder name="json"><prematch>^{\\s*"</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>
<decoder name="kv"><prematch>^kv </prematch></decoder>
<decoder name="kv-member"><parent>kv</parent><regex>a=(\\S+)</regex><order>alpha</order></decoder>
<decoder name="kv-member"><parent>kv</parent><regex>b=(\\S+)</regex><order>beta</order></decoder>`,
  },
  {
    kind: 'rules',
    scope: 'default',
    filename: '0001-base.xml',
    content: `<group name="syslog,">${['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'ossec']
      .map((category, index) => `<rule id="${index + 1}" level="0" noalert="1"><category>${category}</category><description>${category} template</description></rule>`)
      .join('')}</group>
<group name="base,"><rule id="100" level="3"><decoded_as>sshd</decoded_as><description>sshd message</description></rule>
<rule id="101" level="5"><if_sid>100</if_sid><match>^Failed</match><description>failed login of $(dstuser)</description><group>authentication_failed,</group></rule>
<rule id="102" level="10" frequency="3" timeframe="60"><if_matched_sid>101</if_matched_sid><same_source_ip /><description>many failed logins</description></rule>
<rule id="103" level="4"><match>error|fail</match><description>trouble</description></rule></group>`,
  },
]

/** Events that reach most of what the random rules ask for. */
export const EVENTS: readonly string[] = [
  'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22',
  'Jan  5 10:11:13 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22',
  'Jan  5 10:11:14 web1 sshd[12]: Failed password for alice from 192.0.2.8 port 22',
  'Jan  5 10:11:15 web1 sshd[12]: Accepted publickey for alice from 192.0.2.8 port 22',
  '{"alpha": "one", "beta": {"gamma": [1, 2]}, "srcip": "192.0.2.9", "user": "bob"}',
  'kv a=one b=two error',
  'kv a=two',
  'no decoder: disk failure',
  '',
]

const ID = fc.integer({ min: 200, max: 215 })
const ANY_ID = fc.oneof(ID, fc.constantFrom(1, 100, 101, 102, 103, 999))
const GROUP = fc.constantFrom('authentication_failed', 'base', 'local', 'nowhere', 'syslog')

const CONDITION = fc.oneof(
  fc.constantFrom('root', '^Failed', 'error|fail', 'port 22$', '!alice', '^no').map((text) => `<match>${text}</match>`),
  fc.constantFrom('\\w+ for \\S+', '^kv \\.+', '\\d+$').map((text) => `<regex>${text}</regex>`),
  fc.constantFrom('one', '^two$', '\\S+').map((text) => `<field name="alpha">${text}</field>`),
  fc.constantFrom('sshd', 'json', 'kv').map((name) => `<decoded_as>${name}</decoded_as>`),
  fc.constantFrom('192.0.2.7', '192.0.2.0/28', '!192.0.2.8').map((text) => `<srcip>${text}</srcip>`),
  fc.constantFrom('^sshd', 'kernel').map((text) => `<program_name>${text}</program_name>`),
  fc.constantFrom('root', 'alice').map((text) => `<user>${text}</user>`),
)

const PARENT = fc.oneof(
  fc.constant(''),
  fc.array(ANY_ID, { minLength: 1, maxLength: 3 }).map((ids) => `<if_sid>${ids.join(', ')}</if_sid>`),
  GROUP.map((group) => `<if_group>${group}</if_group>`),
  fc.integer({ min: 1, max: 12 }).map((level) => `<if_level>${level}</if_level>`),
  ANY_ID.map((id) => `<if_matched_sid>${id}</if_matched_sid>`),
  GROUP.map((group) => `<if_matched_group>${group}</if_matched_group>`),
)

const RULE = fc
  .record({
    id: fc.oneof({ weight: 6, arbitrary: ID }, { weight: 1, arbitrary: ANY_ID }),
    level: fc.integer({ min: 0, max: 14 }),
    overwrite: fc.boolean(),
    noalert: fc.boolean(),
    frequency: fc.constantFrom('', ' frequency="2"', ' frequency="3"'),
    ignore: fc.constantFrom('', '', ' ignore="60"'),
    parent: PARENT,
    conditions: fc.array(CONDITION, { maxLength: 2 }),
    group: GROUP,
  })
  .map(({ id, level, overwrite, noalert, frequency, ignore, parent, conditions, group }) => {
    const matched = parent.includes('if_matched')
    const attributes = `id="${id}" level="${level}"${overwrite && id < 205 ? ' overwrite="yes"' : ''}${noalert && level % 5 === 0 ? ' noalert="1"' : ''}${matched ? frequency : ''}${ignore}`
    return `<rule ${attributes}>${parent}${conditions.join('')}<description>rule ${id}: $(srcip) $(alpha)</description><group>${group},</group></rule>`
  })

const DECODER = fc
  .record({
    name: fc.constantFrom('kv', 'kv-member', 'sshd', 'extra', 'sshd-fail'),
    parent: fc.constantFrom('', 'kv', 'sshd', 'json', 'nothing'),
    field: fc.constantFrom('alpha', 'gamma', 'srcip'),
  })
  .map(({ name, parent, field }) =>
    parent === ''
      ? `<decoder name="${name}"><prematch>^${name} </prematch></decoder>`
      : `<decoder name="${name}"><parent>${parent}</parent><regex>(\\w+)$</regex><order>${field}</order></decoder>`,
  )

const FILE_NAME = fc.constantFrom('0000-early.xml', '0002-a.xml', '0500-b.xml', 'custom.xml', 'local_rules.xml', 'zz.xml')

/** A file of rules, or now and then of decoders. */
export const randomFile: fc.Arbitrary<SourceFile> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ filename: FILE_NAME, rules: fc.array(RULE, { minLength: 1, maxLength: 6 }) })
      .map(({ filename, rules }): SourceFile => ({ kind: 'rules', scope: 'adhoc', filename, content: `<group name="local,">\n${rules.join('\n')}\n</group>` })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ filename: FILE_NAME, decoders: fc.array(DECODER, { minLength: 1, maxLength: 3 }) })
      .map(({ filename, decoders }): SourceFile => ({ kind: 'decoders', scope: 'adhoc', filename, content: decoders.join('\n') })),
  },
)
