/** Comparison of contents by meaning: every changed option is reported, and differences of spelling are not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareSemantics, compileRuleset, describeSemantics, type RulesetSemantics, type SourceFile } from '../../../engine/index.js'
import { DECODER_OPTIONS } from '../../../engine/decoders/options/index.js'
import { RULE_ATTRIBUTES } from '../../../engine/rules/attributes.js'
import { RULE_OPTIONS } from '../../../engine/rules/options/index.js'

const BASE: readonly SourceFile[] = [
  {
    filename: '0001-decoders.xml',
    kind: 'decoders',
    scope: 'default',
    content:
      '<decoder name="base"><program_name>^base</program_name></decoder><decoder name="sshd"><program_name>^sshd</program_name></decoder><decoder name="plain"><prematch>^plain</prematch></decoder>',
  },
  {
    filename: '0001-rules.xml',
    kind: 'rules',
    scope: 'default',
    content: `<group name="base,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>syslog</description></rule>
<rule id="2" level="0" noalert="1"><category>firewall</category><description>firewall</description></rule>
<rule id="5710" level="5"><decoded_as>base</decoded_as><description>base</description><group>authentication_failed,</group></rule>
<rule id="5716" level="7"><if_sid>5710</if_sid><match>x</match><description>base</description></rule>
<rule id="5717" level="2"><if_sid>5710</if_sid><match>y</match><description>base</description></rule></group>`,
  },
  { filename: 'etc/lists/blocked-networks', kind: 'lists', scope: 'default', content: '10.:x\n' },
  { filename: 'etc/lists/other', kind: 'lists', scope: 'default', content: '10.:x\n' },
]

function semanticsOf({ rules = '', decoders = '' }: { readonly rules?: string; readonly decoders?: string }): RulesetSemantics & { readonly loads: boolean } {
  const own: SourceFile[] = []
  if (decoders !== '') own.push({ filename: 'project_decoders.xml', kind: 'decoders', scope: 'adhoc', content: decoders })
  if (rules !== '') own.push({ filename: 'project_rules.xml', kind: 'rules', scope: 'adhoc', content: rules })
  const ruleset = compileRuleset([...BASE, ...own])
  return { ...describeSemantics(ruleset), loads: ruleset.loads }
}

const group = (...rules: readonly string[]): string => `<group name="own,">${rules.join('')}</group>`
const rule = (options: string, attributes = 'level="5"', id = 100100): string => `<rule id="${id}" ${attributes}><description>d</description>${options}</rule>`
const child = (options: string, more = '<order>user</order>'): string =>
  `<decoder name="own"><prematch>^own</prematch></decoder><decoder name="own-child"><parent>own</parent><regex>(\\S+)</regex>${more}${options}</decoder>`

/** Returns the names of the changes of the one rule. */
function ruleChanges(before: string, after: string): readonly string[] {
  const sides = [before, after].map((rules) => semanticsOf({ rules }))
  for (const [index, side] of sides.entries()) assert.equal(side.loads, true, `does not load: ${[before, after][index]}`)
  const { added, removed, changed } = compareSemantics(sides[0], sides[1]).rules
  assert.deepEqual([added, removed], [[], []])
  return changed.flatMap(({ changes }) => changes)
}

function decoderChanges(before: string, after: string): readonly string[] {
  const sides = [before, after].map((decoders) => semanticsOf({ decoders }))
  for (const [index, side] of sides.entries()) assert.equal(side.loads, true, `does not load: ${[before, after][index]}`)
  const { added, removed, changed } = compareSemantics(sides[0], sides[1]).decoders
  assert.deepEqual([added, removed], [[], []])
  return changed.flatMap(({ changes }) => changes)
}

describe('rules compared by what they mean', () => {
  /** Tags that Wazuh reads and ignores. */
  const WITHOUT_EFFECT = ['ignore', 'check_if_ignored', 'same_agent', 'not_same_agent']
  /** Tags whose example needs more content around it. */
  const AROUND: Readonly<Record<string, string>> = { if_matched_regex: '<if_sid>5710</if_sid>' }

  test('report every added tag, under the name as written', () => {
    for (const { name, part, examples, instead } of RULE_OPTIONS) {
      const example = examples[0].xml
      if (name === 'description') continue
      const isComparison = part === 'correlation' && !name.startsWith('if_matched')
      const around = isComparison || name === 'if_fts' ? '<if_sid>5710</if_sid><if_matched_sid>5716</if_matched_sid>' : (AROUND[name] ?? '')
      const [before, after] = [around, around + example].map((options) => group(rule(options, 'level="5" frequency="2" timeframe="60"')))
      const expected = WITHOUT_EFFECT.includes(name) ? [] : [instead ?? name]
      assert.deepEqual(ruleChanges(before, after), expected, name)
    }
  })

  test('report every tag whose content changes', () => {
    const pairs: readonly (readonly [tag: string, before: string, after: string])[] = [
      ['if_sid', '<if_sid>5710</if_sid>', '<if_sid>5710, 5716</if_sid>'],
      ['if_level', '<if_level>5</if_level>', '<if_level>7</if_level>'],
      ['if_group', '<if_group>base</if_group>', '<if_group>authentication_failed</if_group>'],
      ['if_matched_sid', '<if_matched_sid>5710</if_matched_sid>', '<if_matched_sid>5716</if_matched_sid>'],
      ['if_matched_group', '<if_matched_group>base</if_matched_group>', '<if_matched_group>authentication_failed</if_matched_group>'],
      ['if_matched_regex', '<if_sid>5710</if_sid><if_matched_regex>^a</if_matched_regex>', '<if_sid>5710</if_sid><if_matched_regex>^b</if_matched_regex>'],
      ['srcip', '<srcip>10.0.0.0/8</srcip>', '<srcip>10.0.0.0/9</srcip>'],
      ['srcip', '<srcip>10.0.0.0/8</srcip>', '<srcip negate="yes">10.0.0.0/8</srcip>'],
      ['dstip', '<dstip>10.0.0.1</dstip>', '<dstip>10.0.0.1</dstip><dstip>10.0.0.2</dstip>'],
      ['decoded_as', '<decoded_as>base</decoded_as>', '<decoded_as>sshd</decoded_as>'],
      ['category', '<category>syslog</category>', '<category>firewall</category>'],
      ['time', '<time>6 pm - 8 am</time>', '<time>6 pm - 9 am</time>'],
      ['weekday', '<weekday>monday</weekday>', '<weekday>monday, friday</weekday>'],
      ['list', '<list field="srcip">etc/lists/other</list>', '<list field="dstip">etc/lists/other</list>'],
      ['list', '<list field="srcip">etc/lists/other</list>', '<list field="srcip" lookup="not_match_key">etc/lists/other</list>'],
      ['list', '<list field="srcip">etc/lists/other</list>', '<list field="srcip">etc/lists/blocked-networks</list>'],
      [
        'list',
        '<list field="user" lookup="match_key_value" check_value="a">etc/lists/other</list>',
        '<list field="user" lookup="match_key_value" check_value="b">etc/lists/other</list>',
      ],
      ['compiled_rule', '<compiled_rule>check_id_size</compiled_rule>', '<compiled_rule>is_valid_crawler</compiled_rule>'],
      ['field', '<field name="a">^1$</field>', '<field name="b">^1$</field>'],
      ['field', '<field name="a">^1$</field>', '<field name="a">^2$</field>'],
      ['field', '<field name="a">1</field>', '<field name="a" type="pcre2">1</field>'],
      ['field', '<field name="a">1</field>', '<field name="a" negate="yes">1</field>'],
      ['match', '<match>fail</match>', '<match>failed</match>'],
      ['match', '<match>fail</match>', '<match>!fail</match>'],
      ['match', '<match>fail</match>', '<match negate="yes">fail</match>'],
      ['match', '<match>fail</match>', '<match type="pcre2">fail</match>'],
      ['regex', '<regex>fail</regex>', '<regex>Fail</regex>'],
      ['regex', '<regex>a|b</regex>', '<regex>b|a</regex>'],
      ['action', '<action>deny</action>', '<action>drop</action>'],
      ['group', '<group>a,</group>', '<group>a,b,</group>'],
      ['mitre', '<mitre><id>T1110</id></mitre>', '<mitre><id>T1110</id><id>T1078</id></mitre>'],
      ['mitre', '<mitre><id>T1110</id></mitre>', '<mitre><tacticID>TA0006</tacticID><techniqueID>T1110</techniqueID></mitre>'],
      ['info', '<info type="link">https://a.example</info>', '<info type="link">https://b.example</info>'],
      ['info', '<info type="link">https://a.example</info>', '<info>https://a.example</info>'],
      ['cve', '<cve>2021-1</cve>', '<cve>2021-2</cve>'],
      ['options', '<options>no_log</options>', '<options>no_full_log</options>'],
      ['same_field', '<if_matched_sid>5716</if_matched_sid><same_field>a</same_field>', '<if_matched_sid>5716</if_matched_sid><same_field>b</same_field>'],
      ['different_field', '<if_matched_sid>5716</if_matched_sid><different_field>a</different_field>', '<if_matched_sid>5716</if_matched_sid><different_field>b</different_field>'],
    ]
    for (const [tag, before, after] of pairs) assert.deepEqual(ruleChanges(group(rule(before)), group(rule(after))), [tag], `${before} → ${after}`)
  })

  test('report every attribute, the description and the enclosing group', () => {
    const composite = '<if_matched_sid>5716</if_matched_sid>'
    const values: Readonly<Record<string, readonly [string, string]>> = {
      level: ['level="5"', 'level="6"'],
      maxsize: ['level="5"', 'level="5" maxsize="10"'],
      frequency: ['level="5" frequency="3"', 'level="5" frequency="4"'],
      timeframe: ['level="5" timeframe="60"', 'level="5" timeframe="61"'],
      ignore: ['level="5"', 'level="5" ignore="60"'],
      overwrite: ['level="5"', 'level="5" overwrite="yes"'],
      noalert: ['level="5"', 'level="5" noalert="1"'],
      accuracy: ['level="5"', 'level="5" accuracy="0"'],
    }
    for (const { name } of RULE_ATTRIBUTES) {
      if (name === 'id') continue
      const [before, after] = values[name]
      assert.deepEqual(ruleChanges(group(rule(composite, before)), group(rule(composite, after))), [name])
    }
    assert.deepEqual(ruleChanges(group(rule('')), group(rule('<description>more</description>'))), ['description'])
    assert.deepEqual(ruleChanges(group(rule('')), '<group name="other,"><rule id="100100" level="5"><description>d</description></rule></group>'), ['group'])
    assert.deepEqual(ruleChanges(group(rule('<match>a</match><user>root</user>')), group(rule('<match>b</match>', 'level="6"'))), ['level', 'match', 'user'])
  })

  test('do not report differences of spelling', () => {
    const pairs: readonly (readonly [before: string, after: string])[] = [
      [rule('<match>a</match><user>root</user>'), rule('\n  <!-- why -->\n  <user>root</user>\n\n  <match>a</match>\n')],
      ['<rule id="100100" level="5"><description>d</description></rule>', "<rule  level='5'   id='100100' ><description>d</description></rule>"],
      [
        '<rule id="100100" level="5"><description>d</description></rule>',
        '<rule id="100100" level="05" timeframe="360" ignore="0" noalert="0" accuracy="1" overwrite="no"><description>d</description></rule>',
      ],
      [rule('<if_sid>5710,5716</if_sid>'), rule('<if_sid>5716,  5710</if_sid>')],
      [rule('<if_sid>5710</if_sid>'), rule('<if_sid>05710</if_sid>')],
      [rule('<if_group>base|authentication_failed</if_group>'), rule('<if_group>authentication_failed|BASE</if_group>')],
      [rule('<if_level>7</if_level>'), rule('<if_level>07</if_level>')],
      [rule('<group>a,b,</group>'), rule('<group>b,</group><group>a</group>')],
      [rule('<match>a|b</match>'), rule('<match>B|</match><match>a</match>')],
      [rule('<match>a</match>'), rule('<MATCH type="osmatch" negate="no">a</MATCH>')],
      [rule('<regex>a</regex>'), rule('<regex type="OSRegex">a</regex>')],
      [rule('<srcip>10.0.0.0/8</srcip><srcip>::1</srcip>'), rule('<srcip>0:0::1</srcip><srcip>10.0.0.0/255.0.0.0</srcip>')],
      [rule('<field name="a">1</field><field name="b">2</field>'), rule('<field type="osregex" name="B">2</field><field name="A">1</field>')],
      [rule('<weekday>weekends</weekday>'), rule('<weekday>sun, saturday</weekday>')],
      [rule('<time>6 pm - 8:30 am</time>'), rule('<time>18:00 - 8:30</time>')],
      [rule('<category>syslog</category>'), rule('')],
      [rule('<list field="srcip">etc/lists/other</list>'), rule('<list lookup="match_key" field=" srcip">etc/lists/other.cdb</list>')],
      [rule('<mitre><id>T1110</id><id>T1078</id></mitre>'), rule('<mitre><id>T1078</id></mitre><mitre><id>T1110</id></mitre>')],
      [rule('<options>no_log</options><options>no_ar</options>'), rule('<options>no_ar</options><options>no_log</options>')],
      [rule('<info>a</info><info>b</info>'), rule('<info type="text">ab</info>')],
      [rule('<if_matched_sid>5716</if_matched_sid><same_source_ip /><not_same_user />'), rule('<if_matched_sid>5716</if_matched_sid><different_user /><same_srcip></same_srcip>')],
      [rule('<if_matched_sid>5716</if_matched_sid><not_same_field>A</not_same_field>'), rule('<if_matched_sid>5716</if_matched_sid><different_field>a</different_field>')],
      [rule('<description>more</description>'), '<rule id="100100" level="5"><description>dmore</description></rule>'],
    ]
    for (const [before, after] of pairs) assert.deepEqual(ruleChanges(group(before), group(after)), [], `${before} → ${after}`)
    const written = group(rule('<match>10.1.1.1</match>'))
    assert.deepEqual(ruleChanges(written, `<var name="HOST">10.1.1.1</var>${group(rule('<match>$HOST</match>'))}`), [])
  })

  test('report a changed variable in every rule that uses it', () => {
    const using = (value: string): string => `<var name="HOST">${value}</var>${group(rule('<match>$HOST</match>'), rule('<user>x</user>', 'level="5"', 100101))}`
    const { changed } = compareSemantics(semanticsOf({ rules: using('10.1.1.1') }), semanticsOf({ rules: using('10.1.1.2') })).rules
    assert.deepEqual(
      changed.map(({ after, changes }) => [after.name, changes]),
      [['100100', ['match']]],
    )
  })

  test('report new and removed rules, by id', () => {
    const comparison = compareSemantics(
      semanticsOf({ rules: group(rule('<match>a</match>', 'level="5"', 100100), rule('<match>b</match>', 'level="5"', 100101)) }),
      semanticsOf({ rules: group(rule('<match>b</match>', 'level="5"', 100101), rule('<match>c</match>', 'level="5"', 100102)) }),
    ).rules
    assert.deepEqual([comparison.added.map(({ name }) => name), comparison.removed.map(({ name }) => name), comparison.changed], [['100102'], ['100100'], []])
  })

  test('report only the rule that moved among siblings of its level', () => {
    const [a, b, c, d] = [100101, 100102, 100103, 100104].map((id) => rule(`<match>${id}</match>`, 'level="5"', id))
    const moves = (before: readonly string[], after: readonly string[]): readonly (readonly string[])[] =>
      compareSemantics(semanticsOf({ rules: group(...before) }), semanticsOf({ rules: group(...after) })).rules.changed.map(({ after: { name }, changes }) => [name, ...changes])
    assert.deepEqual(moves([a, b, c, d], [d, a, b, c]), [['100104', 'position']])
    assert.deepEqual(moves([a, b, c, d], [a, c, d]), [])
    assert.deepEqual(moves([a, b], [a, rule('<match>x</match>', 'level="5"', 100110), b]), [])
    // If they are never compared with each other, their order has no effect.
    const high = rule('<match>h</match>', 'level="9"', 100109)
    assert.deepEqual(moves([high, a, b], [a, b, high]), [])
    const elsewhere = rule('<if_sid>5710</if_sid>', 'level="5"', 100108)
    assert.deepEqual(moves([elsewhere, a], [a, elsewhere]), [])
  })

  test('omit what Wazuh ignores', () => {
    const lost = semanticsOf({ rules: group(rule('<if_sid>99999</if_sid>')) })
    assert.deepEqual(lost.rules, [])
    const unreadable = semanticsOf({ rules: '<group name="own,"><rule' })
    assert.deepEqual([unreadable.loads, unreadable.rules], [false, []])
  })

  test('treat an overwritten rule of the base as one of the content', () => {
    const overwrite = (level: number): string =>
      group(`<rule id="5716" level="${level}" overwrite="yes"><if_sid>5710</if_sid><match>x</match><description>base</description></rule>`)
    assert.deepEqual(ruleChanges(overwrite(7), overwrite(8)), ['level'])
    assert.deepEqual(
      compareSemantics(semanticsOf({}), semanticsOf({ rules: overwrite(7) })).rules.added.map(({ name }) => name),
      ['5716'],
    )
  })

  test('are plain data, equal on every call', () => {
    const rules = group(rule('<match>a</match><mitre><id>T1110</id></mitre>'))
    const semantics = semanticsOf({ rules })
    assert.deepEqual(structuredClone(semantics), semanticsOf({ rules }))
    for (const { options } of semantics.rules) for (const value of Object.values(options)) assert.ok(value.length <= 44, value)
  })
})

describe('decoders compared by what they mean', () => {
  test('report every added tag', () => {
    const plugin = '<decoder name="own"><prematch>^own</prematch></decoder><decoder name="own-child"><parent>own</parent><prematch>a</prematch>'
    const examples: Readonly<Record<string, readonly [string, string]>> = {
      parent: ['<decoder name="own"><prematch>^own</prematch></decoder>', '<decoder name="own"><parent>plain</parent><prematch>^own</prematch></decoder>'],
      program_name: ['<decoder name="own"><prematch>^own</prematch></decoder>', '<decoder name="own"><program_name>^own</program_name><prematch>^own</prematch></decoder>'],
      prematch: [child(''), child('<prematch>^x</prematch>')],
      regex: [child(''), child('<regex>y</regex>')],
      order: [child('', '<order>user</order>'), child('', '<order>srcuser</order>')],
      plugin_decoder: [`${plugin}</decoder>`, `${plugin}<plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`],
      ftscomment: [child('<fts>name</fts>'), child('<fts>name</fts><ftscomment>first</ftscomment>')],
    }
    for (const { name, examples: ours } of DECODER_OPTIONS) {
      const [before, after] = examples[name] ?? [child(''), child(ours[0].xml)]
      assert.deepEqual(decoderChanges(before, after), [name], name)
    }
  })

  test('report every tag whose content changes', () => {
    const pairs: readonly (readonly [tag: string, before: string, after: string])[] = [
      ['prematch', child('<prematch>^x</prematch>'), child('<prematch offset="after_parent">^x</prematch>')],
      ['prematch', child('<prematch>^x</prematch>'), child('<prematch type="pcre2">^x</prematch>')],
      ['regex', child('<regex>y</regex>'), child('<regex>z</regex>')],
      ['order', child('', '<order>user, srcip</order>'), child('', '<order>srcip, user</order>')],
      ['order', child('', '<order>door.name</order>'), child('', '<order>Door.name</order>')],
      ['fts', child('<fts>name</fts>'), child('<fts>name, location</fts>')],
      ['type', child('<type>firewall</type>'), child('<type>ids</type>')],
      ['json_array_structure', child('<json_array_structure>csv</json_array_structure>'), child('<json_array_structure>array</json_array_structure>')],
    ]
    for (const [tag, before, after] of pairs) assert.deepEqual(decoderChanges(before, after), [tag], `${before} → ${after}`)
  })

  test('do not report differences of spelling', () => {
    const pairs: readonly (readonly [before: string, after: string])[] = [
      [child('<prematch>^x</prematch>'), child('\n<!-- why -->\n<prematch  type="osregex">^x</prematch>\n')],
      [child('<type>syslog</type>'), child('')],
      [child('', '<order>user,srcip</order>'), child('', '<order>dstuser,  srcip</order>')],
      [child('<fts>name, user</fts>'), child('<fts>dstuser, name</fts>')],
      [child('<json_null_field>string</json_null_field>'), child('')],
      ['<decoder name="own"><program_name>a|b</program_name></decoder>', '<decoder name="own"><program_name>B|a</program_name></decoder>'],
    ]
    for (const [before, after] of pairs) assert.deepEqual(decoderChanges(before, after), [], `${before} → ${after}`)
  })

  test('distinguish decoders with one name', () => {
    const family = (...patterns: readonly string[]): string =>
      `<decoder name="own"><prematch>^own</prematch></decoder>${patterns.map((pattern) => `<decoder name="part"><parent>own</parent><regex>${pattern}(\\d)</regex><order>id</order></decoder>`).join('')}`
    const compare = (before: string, after: string) => compareSemantics(semanticsOf({ decoders: before }), semanticsOf({ decoders: after })).decoders
    const one = compare(family('a', 'b', 'c'), family('a', 'x', 'c'))
    assert.deepEqual([one.added, one.removed, one.changed.map(({ after, changes }) => [after.name, after.line, changes])], [[], [], [['part', 1, ['regex']]]])
    const gone = compare(family('a', 'b', 'c'), family('a', 'c'))
    assert.deepEqual([gone.added.length, gone.removed.length, gone.changed.length], [0, 1, 0])
    const moved = compare(family('a', 'b', 'c'), family('b', 'c', 'a'))
    assert.deepEqual(
      moved.changed.map(({ changes }) => changes),
      [['position']],
    )
  })

  test('compare many decoders with one name in linear time', () => {
    const many = Array.from({ length: 3000 }, () => '<decoder name="same"><prematch>^x</prematch></decoder>').join('')
    const semantics = semanticsOf({ decoders: many })
    const { added, removed, changed } = compareSemantics(semantics, semantics).decoders
    assert.deepEqual([semantics.decoders.length, added, removed, changed], [3000, [], [], []])
  })
})
