/** Catalogs of rulesets that are small enough to count by hand, and properties of every catalog. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  compileLayer,
  compileRuleset,
  decoderCatalog,
  type DecoderCatalogItem,
  pageOfDecoders,
  pageOfRules,
  ruleCatalog,
  type RuleCatalogItem,
  type RuleSelection,
  type SourceFile,
} from '../../../engine/index.js'
import { FOUNDATION, randomFile } from '../../support/rulesets.js'

const BASE: readonly SourceFile[] = [
  {
    kind: 'decoders',
    scope: 'default',
    filename: '0001-base.xml',
    content: '<decoder name="sshd"><program_name>^sshd</program_name></decoder>\n<decoder name="kv"><prematch>^kv </prematch></decoder>',
  },
  {
    kind: 'rules',
    scope: 'default',
    filename: '0001-base.xml',
    content: `<group name="templates,">
<rule id="1" level="0" noalert="1"><category>syslog</category><description>syslog</description></rule>
<rule id="2" level="0" noalert="1"><category>firewall</category><description>firewall</description></rule>
</group>
<group name="base,">
<rule id="100" level="3"><decoded_as>sshd</decoded_as><description>sshd message</description></rule>
<rule id="101" level="5"><if_sid>100</if_sid><match>^Failed</match><description>failed login</description><group>authentication_failed,gdpr_IV_35.7.d,</group></rule>
<rule id="102" level="5"><if_sid>100</if_sid><match>^Invalid</match><description>invalid user</description><group>authentication_failed,</group></rule>
</group>`,
  },
]

/** Returns the rules of the base with one more file, which begins with a group. */
function rulesOf(content: string): ReadonlyMap<string, RuleCatalogItem> {
  const items = ruleCatalog(compileRuleset([...BASE, { kind: 'rules', scope: 'adhoc', filename: 'own.xml', content: `<group name="own,">\n${content}\n</group>` }]))
  return new Map(items.map((item) => [item.rule_id, item]))
}

const dependsOn = (items: ReadonlyMap<string, RuleCatalogItem>, id: number): readonly string[] | undefined => items.get(String(id))?.depends_on

describe('the rule catalog', () => {
  test('counts parents that a rule names, by id, by group or by level', () => {
    const items = rulesOf(`
<rule id="100001" level="5"><if_sid>101, 102</if_sid><description>two parents</description></rule>
<rule id="100002" level="5"><if_group>authentication_failed</if_group><description>of a group</description></rule>
<rule id="100003" level="6"><if_level>5</if_level><description>of a level</description></rule>
<rule id="100004" level="6"><if_sid>1</if_sid><match>x</match><description>a template, by name</description></rule>
<rule id="100005" level="6"><match>y</match><description>below its category</description></rule>
<rule id="100006" level="6"><category>firewall</category><match>y</match><description>below its category</description></rule>`)
    assert.deepEqual(dependsOn(items, 100001), ['101', '102'])
    assert.deepEqual(dependsOn(items, 100002), ['101', '102'])
    // Level 0 counts as the highest, so the templates are included (BEHAVIOUR.md#sibling-order).
    assert.deepEqual(dependsOn(items, 100003), ['1', '2', '101', '102', '100001', '100002'])
    assert.deepEqual(dependsOn(items, 100004), ['1'])
    assert.deepEqual(dependsOn(items, 100005), [])
    assert.deepEqual(dependsOn(items, 100006), [])
    assert.deepEqual(
      [1, 2, 100, 101, 102, 100001].map((id) => items.get(String(id))?.dependent_rule_count),
      [2, 1, 2, 3, 3, 1],
    )
    for (const { dependency_count, depends_on } of items.values()) assert.equal(dependency_count, depends_on.length)
  })

  test('counts a parent once, even if it has several places', () => {
    const items = rulesOf(`
<rule id="100001" level="5"><if_sid>101,102</if_sid><description>in two places</description></rule>
<rule id="100002" level="5"><if_sid>100001</if_sid><description>below both</description></rule>`)
    assert.deepEqual(dependsOn(items, 100002), ['100001'])
    assert.equal(items.get('100001')?.dependent_rule_count, 1)
  })

  test('counts the rules that a composite counts', () => {
    const items = rulesOf(`
<rule id="100001" level="10" frequency="3" timeframe="60"><if_matched_sid>101</if_matched_sid><description>of one rule</description></rule>
<rule id="100002" level="10" frequency="3" timeframe="60"><if_sid>100</if_sid><if_matched_sid>101</if_matched_sid><description>of one rule, below another</description></rule>
<rule id="100003" level="10" frequency="3" timeframe="60"><if_matched_group>authentication_failed</if_matched_group><same_srcip /><description>of a group</description></rule>
<rule id="100004" level="10" frequency="3" timeframe="60"><if_sid>100</if_sid><if_matched_group>authentication_failed</if_matched_group><description>of a group, below another</description></rule>
<rule id="100005" level="10" frequency="3" timeframe="60"><if_sid>100</if_sid><if_matched_regex>refused</if_matched_regex><description>of a text</description></rule>`)
    assert.deepEqual(dependsOn(items, 100001), ['101'])
    assert.deepEqual(dependsOn(items, 100002), ['100', '101'])
    assert.deepEqual(dependsOn(items, 100003), ['101', '102'])
    assert.deepEqual(dependsOn(items, 100004), ['100', '101', '102'])
    assert.deepEqual(dependsOn(items, 100005), ['100'])
    for (const id of [100001, 100002, 100003, 100004, 100005]) {
      const { uses_frequency, uses_correlation } = items.get(String(id)) as RuleCatalogItem
      assert.deepEqual([uses_frequency, uses_correlation], [true, true], String(id))
    }
    assert.deepEqual([items.get('101')?.uses_frequency, items.get('101')?.uses_correlation], [false, false])
  })

  test('shows an overwritten rule in its original place with its new content', () => {
    const items = rulesOf(`
<rule id="100001" level="10" frequency="3" timeframe="60"><if_matched_sid>101</if_matched_sid><description>often</description></rule>
<rule id="101" level="9" overwrite="yes"><match>Failed password</match><description>mine</description><group>changed,</group><mitre><id>T1110.001</id></mitre></rule>
<rule id="100002" level="4" overwrite="yes"><match>new</match><description>overwrites nothing</description></rule>`)
    assert.deepEqual([...items.keys()], ['1', '2', '100', '101', '102', '100001', '100002'])
    assert.deepEqual(items.get('101'), {
      rule_id: '101',
      level: 9,
      description: 'mine',
      groups: ['own', 'changed'],
      decoded_as: null,
      source_file: 'own.xml',
      source_line: 4,
      source_scope: 'adhoc',
      overwrites: { source_file: '0001-base.xml', source_line: 7, source_scope: 'default' },
      dependency_count: 1,
      depends_on: ['100'],
      dependent_rule_count: 1,
      field_matcher_count: 0,
      uses_frequency: false,
      uses_correlation: false,
      noalert: false,
      attack_ids: ['T1110.001'],
    })
    assert.equal(items.get('100002')?.overwrites, null)
    assert.equal(items.get('102')?.overwrites, null)
  })

  test('reports that a composite overwritten by a rule without search counts nothing', () => {
    const items = rulesOf(`
<rule id="100001" level="10" frequency="3" timeframe="60"><if_sid>100</if_sid><if_matched_group>authentication_failed</if_matched_group><description>often</description></rule>
<rule id="100001" level="10" overwrite="yes"><match>often</match><description>once</description></rule>`)
    assert.deepEqual(dependsOn(items, 100001), ['100'])
    assert.equal(items.get('100001')?.uses_correlation, false)
    assert.equal(items.get('100001')?.overwrites?.source_file, 'own.xml')
  })

  test('counts only conditions on fields that decoders set', () => {
    const items = rulesOf(`
<rule id="100001" level="3"><match>a</match><regex>b</regex><program_name>c</program_name><hostname>d</hostname><description>none</description></rule>
<rule id="100002" level="3"><user>a</user><srcip>192.0.2.1</srcip><action>b</action><field name="x.y">c</field><field name="z">d</field><description>five</description></rule>
<rule id="100003" level="3" frequency="2" timeframe="60"><if_matched_sid>100</if_matched_sid><same_field>x.y</same_field><description>compares only</description></rule>`)
    assert.deepEqual(
      [100001, 100002, 100003].map((id) => items.get(String(id))?.field_matcher_count),
      [0, 5, 0],
    )
  })

  test('lists only items of the requested scopes, with the counts of the whole', () => {
    const own: SourceFile = {
      kind: 'rules',
      scope: 'adhoc',
      filename: 'own.xml',
      content: '<group name="own,"><rule id="100001" level="5"><if_sid>101</if_sid><description>mine</description></rule></group>',
    }
    const ruleset = compileLayer(compileRuleset(BASE), [own])
    assert.deepEqual(
      ruleCatalog(ruleset, new Set(['adhoc'])).map(({ rule_id, dependency_count }) => [rule_id, dependency_count]),
      [['100001', 1]],
    )
    const shipped = ruleCatalog(ruleset, new Set(['default']))
    assert.deepEqual(
      shipped.map(({ rule_id }) => rule_id),
      ['1', '2', '100', '101', '102'],
    )
    assert.equal(shipped.find(({ rule_id }) => rule_id === '101')?.dependent_rule_count, 1)
  })

  test('is the same for a layer as for everything compiled at once, and is consistent', () => {
    const base = compileRuleset(FOUNDATION)
    fc.assert(
      fc.property(fc.array(randomFile, { minLength: 1, maxLength: 3 }), (files) => {
        const layered = compileLayer(base, files)
        const items = ruleCatalog(layered)
        assert.deepEqual(items, ruleCatalog(compileRuleset([...FOUNDATION, ...files])))
        assert.deepEqual(decoderCatalog(layered), decoderCatalog(compileRuleset([...FOUNDATION, ...files])))
        for (const { rule_id, dependent_rule_count } of items) assert.equal(items.filter(({ depends_on }) => depends_on.includes(rule_id)).length, dependent_rule_count, rule_id)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the decoder catalog', () => {
  const RULES = `
<rule id="100001" level="3"><decoded_as>gate</decoded_as><description>by the name of the root</description></rule>
<rule id="100002" level="3"><decoded_as>gate-own</decoded_as><description>by its own name</description></rule>
<rule id="100003" level="3"><category>firewall</category><decoded_as>wall</decoded_as><description>in the tree of its type</description></rule>
<rule id="100004" level="3"><decoded_as>moat</decoded_as><description>in another tree</description></rule>
<rule id="100005" level="3"><if_sid>100001</if_sid><decoded_as>gate</decoded_as><description>once more</description></rule>
<rule id="100006" level="3"><decoded_as>gate-mute</decoded_as><description>a name that nothing reports under</description></rule>`

  const DECODERS = `<decoder name="gate"><prematch>^gate </prematch></decoder>
<decoder name="gate-open"><parent>gate</parent><prematch offset="after_parent">^open </prematch><regex offset="after_prematch">^(\\S+) (\\S+)</regex><order>user, room</order><fts>name, user, location</fts></decoder>
<decoder name="gate-open"><parent>gate</parent><regex>at (\\S+)</regex><order>when</order></decoder>
<decoder name="gate-own"><parent>gate</parent><prematch>shut</prematch><use_own_name>true</use_own_name></decoder>
<decoder name="gate-wall"><parent>gate</parent><prematch>wall</prematch><type>firewall</type></decoder>
<decoder name="gate-mute"><parent>gate</parent><use_own_name>true</use_own_name><regex>(\\d+)</regex><order>id</order></decoder>
<decoder name="wall"><prematch>^wall </prematch><type>firewall</type></decoder>
<decoder name="moat"><prematch>^moat </prematch><type>firewall</type></decoder>`

  const decodersOf = (decoders: string): readonly DecoderCatalogItem[] =>
    decoderCatalog(
      compileRuleset([
        ...BASE,
        { kind: 'decoders', scope: 'adhoc', filename: 'own.xml', content: decoders },
        { kind: 'rules', scope: 'adhoc', filename: 'own.xml', content: `<group name="own,">${RULES}</group>` },
      ]),
    ).filter(({ source_scope }) => source_scope === 'adhoc')

  test('has roots, children and families, and the name that rules use for each', () => {
    const items = decodersOf(DECODERS)
    assert.deepEqual(
      items.map(({ name, source_line, child_count, chain_depth, referenced_rule_count, reachable_from_rule }) => [
        name,
        source_line,
        child_count,
        chain_depth,
        referenced_rule_count,
        reachable_from_rule,
      ]),
      [
        ['gate', 1, 5, 0, 2, true],
        ['gate-open', 2, 0, 1, 2, true],
        // The first member of the family reports its results.
        ['gate-open', 3, 0, 1, 2, true],
        ['gate-own', 4, 0, 1, 1, true],
        // Reported as `gate`, but has another type: the rules that ask for it are in the tree of syslog.
        ['gate-wall', 5, 0, 1, 2, false],
        // It has no prematch, so its parent reports.
        ['gate-mute', 6, 0, 1, 2, true],
        ['wall', 7, 0, 0, 1, true],
        ['moat', 8, 0, 0, 1, false],
      ],
    )
    const [, open, more] = items
    assert.deepEqual([open.parent, open.order, open.has_regex], ['gate', ['user', 'room'], true])
    assert.deepEqual([...open.fts_fields].sort(), ['dstuser', 'location', 'name'])
    assert.deepEqual([more.order, more.fts_fields, items[0].has_regex, items[0].order, items[0].parent], [['when'], [], false, [], null])
  })

  test('lists a decoder that could not be linked as one that no rule reaches', () => {
    const lost = decodersOf(`${DECODERS}\n<decoder name="lost"><parent>nowhere</parent><prematch>x</prematch></decoder>`).at(-1)
    assert.deepEqual([lost?.name, lost?.parent, lost?.chain_depth, lost?.referenced_rule_count, lost?.reachable_from_rule], ['lost', 'nowhere', 1, 0, false])
  })
})

describe('a page of a catalog', () => {
  const PAGE = { sort: 'load_order', order: 'asc', limit: 50, offset: 0 } as const
  const items = [
    ...rulesOf(`
<rule id="100010" level="12"><decoded_as>kv</decoded_as><description>Data Exfiltration</description><mitre><id>T1110</id></mitre></rule>
<rule id="100009" level="12"><if_sid>100010</if_sid><match>x</match><description>of the one before</description><mitre><id>T1110.001</id><id>T1041</id></mitre></rule>
<rule id="100011" level="0"><if_sid>100010</if_sid><match>y</match><description>silent</description><mitre><id>T11100</id></mitre></rule>`).values(),
  ]
  const ids = (selection: Partial<RuleSelection>): readonly string[] => pageOfRules(items, { ...PAGE, ...selection }).items.map(({ rule_id }) => rule_id)

  test('contains the rules that pass every filter', () => {
    assert.deepEqual(ids({ ids: [101, 2, 999] }), ['2', '101'])
    assert.deepEqual(ids({ levels: [5, 5] }), ['101', '102'])
    assert.deepEqual(ids({ levels: [3, 5] }), ['100', '101', '102'])
    assert.deepEqual(ids({ group: 'authentication_failed' }), ['101', '102'])
    assert.deepEqual(ids({ group: 'authentication' }), [])
    assert.deepEqual(ids({ group: 'gdpr_IV_35.7.d' }), ['101'])
    assert.deepEqual(ids({ attackId: 't1110' }), ['100010', '100009'])
    assert.deepEqual(ids({ attackId: 'T1110.001' }), ['100009'])
    assert.deepEqual(ids({ decodedAs: 'kv' }), ['100010'])
    assert.deepEqual(ids({ sourceFile: '0001-base.xml', levels: [0, 0] }), ['1', '2'])
    assert.deepEqual(ids({ dependsOn: 100010 }), ['100009', '100011'])
    assert.deepEqual(ids({ search: 'EXFIL' }), ['100010'])
    assert.deepEqual(ids({ search: '10001' }), ['100010', '100011'])
    assert.deepEqual(ids({ search: 'templates' }), ['1', '2'])
    assert.deepEqual(ids({ search: 'silent', levels: [1, 16] }), [])
  })

  test('sorts by any column, equal ones in load order, and returns the page', () => {
    assert.deepEqual(ids({ order: 'desc' })[0], '100011')
    assert.deepEqual(ids({ sort: 'rule_id' }), ['1', '2', '100', '101', '102', '100009', '100010', '100011'])
    assert.deepEqual(ids({ sort: 'level', order: 'desc' }), ['100010', '100009', '101', '102', '100', '1', '2', '100011'])
    assert.deepEqual(ids({ sort: 'decoded_as' }).slice(-2), ['100010', '100'])
    assert.deepEqual(ids({ sort: 'noalert', order: 'desc' }).slice(0, 2), ['1', '2'])
    const { items: second, total } = pageOfRules(items, { ...PAGE, sort: 'rule_id', limit: 3, offset: 3 })
    assert.deepEqual([second.map(({ rule_id }) => rule_id), total], [['101', '102', '100009'], 8])
    assert.deepEqual(pageOfRules(items, { ...PAGE, offset: 100 }), { items: [], total: 8 })
  })

  test('distinguishes root decoders from children', () => {
    const decoders = decoderCatalog(compileRuleset(FOUNDATION))
    const names = (selection: object): readonly string[] => pageOfDecoders(decoders, { ...PAGE, ...selection }).items.map(({ name }) => name)
    assert.deepEqual(names({ parent: null }), ['sshd', 'json', 'kv'])
    assert.deepEqual(names({ parent: 'kv' }), ['kv-member', 'kv-member'])
    assert.deepEqual(names({ name: 'kv' }), ['kv'])
    assert.deepEqual(names({ search: 'SSH' }), ['sshd', 'sshd-fail'])
    assert.deepEqual(names({ sourceFile: 'other.xml' }), [])
    assert.deepEqual(names({ sort: 'name', order: 'desc', limit: 2 }), ['sshd-fail', 'sshd'])
    assert.deepEqual(names({ sort: 'parent' }).slice(0, 3), ['sshd', 'json', 'kv'])
  })
})
