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

/** On top of it: a rule that uses a list, one that is overwritten by a rule whose list is not there, and one whose own list is not there. */
export const FOUNDATION_WITH_LISTS: readonly SourceFile[] = [
  ...FOUNDATION,
  {
    kind: 'rules',
    scope: 'default',
    filename: '0001-lists.xml',
    content: `<group name="lists,">
<rule id="110" level="6"><if_sid>103</if_sid><list field="srcip" lookup="address_match_key">etc/lists/watched</list><description>watched address</description></rule>
<rule id="110" level="8" overwrite="yes"><if_sid>103</if_sid><list field="srcip">etc/lists/own</list><description>own address</description></rule>
<rule id="111" level="7"><if_sid>103</if_sid><list field="srcip">etc/lists/wanted</list><description>wanted address</description></rule></group>`,
  },
  { kind: 'lists', scope: 'default', filename: 'etc/lists/watched', content: '192.0.2.7:base\n10.:base\n' },
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
  fc
    .tuple(fc.constantFrom('srcip', 'user', 'alpha'), fc.constantFrom('watched', 'wanted', 'own'), fc.constantFrom('match_key', 'not_match_key', 'address_match_key'))
    .map(([field, name, lookup]) => `<list field="${field}" lookup="${lookup}">etc/lists/${name}</list>`),
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

const LIST = fc.record({
  filename: fc.constantFrom('etc/lists/watched', 'etc/lists/wanted', 'etc/lists/own', 'etc/lists/own.cdb'),
  lines: fc.array(fc.constantFrom('192.0.2.7:a', '192.0.2.:b', '192.0.2.9:', 'root:a', 'one:a', 'no line'), { maxLength: 3 }),
})

/** A file of rules, or now and then of decoders, or a list. */
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
  { weight: 1, arbitrary: LIST.map(({ filename, lines }): SourceFile => ({ kind: 'lists', scope: 'adhoc', filename, content: lines.join('\n') })) },
)

/** Options of a rule: right ones, wrong ones, and such that leave the rest of the file in doubt. */
const FAULTY_OPTION = fc.constantFrom(
  ...['<match>^Failed</match>', '<regex type="pcre2">a[</regex>', '<match type="pcre2">a(</match>', '<time>99</time>', '<weekday>thurs</weekday>', '<srcip>10.0.0.</srcip>'],
  ...['<if_sid>100</if_sid>', '<if_sid>201, 202</if_sid>', '<if_sid>200</if_sid>', '<if_sid>x</if_sid>', '<if_sid></if_sid>', '<if_sid>999998</if_sid>', '<if_level>x</if_level>'],
  ...['<if_group>local</if_group>', '<if_group>rare</if_group>', '<if_group>nowhere</if_group>', '<group>rare,</group>', '<gruop>rare,</gruop>', '<if_level>12</if_level>'],
  ...['<if_matched_sid>101</if_matched_sid>', '<if_matched_sid>201</if_matched_sid>', '<if_matched_sid>x</if_matched_sid>', '<if_matched_group>rare</if_matched_group>'],
  ...['<same_srcip />', '<same_srcpi />', '<bogus>x</bogus>', '<mach>x</mach>', '<field name="srcip">a(</field>', '<field>a</field>', '<field name="alpha">a</field>'],
  ...['<decoded_as>sshd</decoded_as>', '<decoded_as>nosuch</decoded_as>', '<decoded_as>extra</decoded_as>', '<category>ids</category>', '<category>x</category>'],
  ...['<list field="user">etc/lists/none</list>', '<options>x</options>', '<mitre><x>T1110</x></mitre>', '<description>again</description>', '<match>$X</match>'],
  ...['<match>not closed', '</match>', '<match>a</mach>', '<field name=alpha>a</field>', '<!-- comment -->', 'text'],
)

const usually = <T>(right: T, wrong: readonly T[]): fc.Arbitrary<T> => fc.oneof({ weight: 9, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) })

const FAULTY_RULE = fc
  .record({
    id: fc.oneof({ weight: 8, arbitrary: ANY_ID.map((id) => `id="${id}"`) }, { weight: 1, arbitrary: fc.constantFrom('', 'id="x"', 'idd="203"', 'id=204') }),
    level: usually('level="5"', ['', 'level="17"', 'level="x"', 'levl="3"', 'level=5']),
    more: usually('', [' overwrite="yes"', ' overwrite="maybe"', ' frequency="3" timeframe="9"', ' frequency="1"', ' noalert="1"', ' bogus="1"', ' ignore="9']),
    options: fc.array(FAULTY_OPTION, { maxLength: 4 }),
    description: usually('<description>Faulty.</description>', ['', '<descripton>Faulty.</descripton>']),
    end: usually('</rule>', ['', '</rul>', '</rule></rule>']),
    tag: usually('rule', ['ruel', 'thing']),
  })
  .map(({ id, level, more, options, description, end, tag }) => `<${tag} ${id} ${level}${more}>${options.join('')}${description}${tag === 'rule' ? end : `</${tag}>`}`)

const FAULTY_DECODER = fc
  .record({
    name: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('name="extra"', 'name="kv-member"', 'name="sshd"') },
      { weight: 1, arbitrary: fc.constantFrom('nam="extra"', 'status="x" name="extra"', '') },
    ),
    options: fc.array(
      fc.constantFrom(
        ...['<parent>kv</parent>', '<parent>extra</parent>', '<parent>kv-member</parent>', '<parent>nothing</parent>', '<prematch>^x</prematch>', '<prematch>(</prematch>'],
        ...[
          '<program_name>^extra$</program_name>',
          '<regex>(\\d)</regex>',
          '<regex offset="after_regex">(\\d)</regex>',
          '<order>alpha</order>',
          '<order>a,,b</order>',
          '<oder>id</oder>',
        ],
        ...[
          '<fts>name,id</fts>',
          '<type>x</type>',
          '<type>ids</type>',
          '<plugin_decoder>x</plugin_decoder>',
          '<use_own_name>true</use_own_name>',
          '<zzz>a</zzz>',
          '<prematch>not closed',
        ],
      ),
      { maxLength: 4 },
    ),
    end: usually('</decoder>', ['', '</decode>']),
  })
  .map(({ name, options, end }) => `<decoder ${name}>${options.join('')}${end}`)

/** A file with any number of faults, most of them of rules. */
export const faultyFile: fc.Arbitrary<SourceFile> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        filename: FILE_NAME,
        before: usually('', ['<?xml version="1.0"?>', '<var name="X">x</var>', '<var nam="X">x</var>', '<rule id="205" level="3"><match>x</match></rule>', '<decoder name="x" />']),
        head: usually('<group name="local,">', ['<group>', '<group nam="local,">', '<group name="local,"', '<gruop name="local,">', '']),
        rules: fc.array(FAULTY_RULE, { maxLength: 5 }),
        end: usually('</group>', ['', '</group></group>', '</grup>', '<!-- no end']),
      })
      .map(({ filename, before, head, rules, end }): SourceFile => ({ kind: 'rules', scope: 'adhoc', filename, content: [before, head, ...rules, end].join('\n') })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ filename: FILE_NAME, decoders: fc.array(FAULTY_DECODER, { minLength: 1, maxLength: 4 }) })
      .map(({ filename, decoders }): SourceFile => ({ kind: 'decoders', scope: 'adhoc', filename, content: decoders.join('\n') })),
  },
)
