/** Placement of rules, and what an overwrite keeps (BEHAVIOUR.md#rule-placement). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledRuleset } from '../../../engine/index.js'
import { compileLayer, compileRuleset } from '../../../engine/index.js'

const DECODERS = '<decoder name="p"><program_name>^p$</program_name></decoder><decoder name="app"><prematch>^app</prematch></decoder>'
const TOP = '<rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule>'
const rule = (id: number, level: number, inside = '', attributes = ''): string => `<rule id="${id}" level="${level}"${attributes}>${inside}<description>d${id}</description></rule>`

function compile(rules: string): CompiledRuleset {
  return compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: `<group name="g,">${TOP}${rules}</group>` },
  ])
}

/** Returns the parent of each placement. */
const parents = (ruleset: CompiledRuleset, id: number): (number | undefined)[] => ruleset.rules.placements(id).map((node) => ruleset.rules.parentOf(node)?.rule.id)
const children = ({ rules }: CompiledRuleset): number[] => rules.top[0].children.map((node) => node.rule.id)

const PLACES: readonly (readonly [why: string, inside: string, parents: readonly number[]])[] = [
  ['by category without any parent tag', '', [1]],
  ['by ids', '<if_sid>100, 101</if_sid>', [100, 101]],
  ['ids of two tags are joined', '<if_sid>1</if_sid><if_sid>01</if_sid>', [101]],
  ['a trailing separator also places by category', '<if_sid>100,</if_sid>', [100, 1]],
  ['id 0 places by category', '<if_sid>0</if_sid>', [1]],
  ['if_sid beats if_level and if_group', '<if_group>x</if_group><if_level>5</if_level><if_sid>100</if_sid>', [100]],
  ['by level, where 0 counts as the highest', '<if_level>5</if_level>', [1, 101]],
  ['by group', '<if_group>^g,FAIL</if_group>', [101]],
  ['a composite by its group, also where it names an id as well', '<if_matched_group>^g,FAIL</if_matched_group><if_matched_sid>100</if_matched_sid>', [101]],
  ['a composite by its id', '<if_matched_sid>100</if_matched_sid>', [100]],
  ['a missing id of several', '<if_sid>999 101</if_sid>', [101]],
  ['none at all', '<if_sid>999</if_sid>', []],
  ['below itself, where it stands by then', '<if_sid>100, 200, 101</if_sid>', [100, 200, 101]],
  ['below itself twice', '<if_sid>100, 101, 200, 200</if_sid>', [100, 101, 200, 200, 200, 200]],
  ['below itself before it stands anywhere', '<if_sid>200, 100</if_sid>', [100]],
  ['below one parent twice', '<if_sid>100, 100</if_sid>', [100, 100]],
  ['by a level of more than 32 bits', '<if_level>4294967301</if_level>', [1, 101]],
]
const TWO = rule(100, 3, '<match>a</match>') + rule(101, 5, '<match>b</match><group>fail,</group>')

for (const [why, inside, expected] of PLACES) test(`a rule is placed: ${why}`, () => assert.deepEqual(parents(compile(TWO + rule(200, 3, inside)), 200), expected))

test('siblings are ordered by falling level, level 0 first, equal ones in load order, accuracy 0 last', () => {
  assert.deepEqual(children(compile(rule(10, 3) + rule(11, 5) + rule(12, 5) + rule(13, 0) + rule(14, 16, '', ' accuracy="0"') + rule(15, 1))), [13, 11, 12, 10, 15, 14])
})

test('an overwrite keeps placements and order, and replaces conditions', () => {
  const ruleset = compile(`${TWO}${rule(101, 1, '<if_sid>100</if_sid><match>z</match>', ' overwrite="yes"')}`)
  assert.deepEqual(children(ruleset), [101, 100])
  assert.equal(ruleset.rules.find(101)?.level, 1)
  assert.ok(ruleset.loadDiagnostics.some(({ code }) => code === 'rule_overwrite_ignored_option'))
})

test('a duplicate id without overwrite is dropped', () => {
  const ruleset = compile(rule(100, 5) + rule(100, 9))
  assert.equal(ruleset.rules.find(100)?.level, 5)
  assert.deepEqual([ruleset.loads, ruleset.loadDiagnostics[0].code], [true, 'rule_duplicate_id'])
})

test('a layer can add to a rule at the maximum depth', () => {
  const depth = 20_000
  const chain = Array.from({ length: depth }, (_, i) => rule(1000 + i, 3, i === 0 ? '' : `<if_sid>${999 + i}</if_sid>`))
  const layer = compileLayer(compile(chain.join('')), [
    { filename: 'z.xml', kind: 'rules', scope: 'adhoc', content: `<group name="g,">${rule(100, 3, `<if_sid>${999 + depth}</if_sid>`)}</group>` },
  ])
  assert.deepEqual(parents(layer, 100), [999 + depth])
})

test('parents of two tags that become one number are reported as glued', () => {
  const glued = (inside: string) => compile(TWO + rule(200, 3, inside)).loadDiagnostics.filter(({ code }) => code === 'rule_if_sid_repeated_tag')
  assert.deepEqual(
    glued('<if_sid>100</if_sid><if_sid>101</if_sid>').map(({ params }) => params.value),
    ['100101'],
  )
  assert.equal(glued('<if_group>a</if_group><if_group>b</if_group>').length, 1)
  for (const right of [
    '<if_sid>100,</if_sid><if_sid>101</if_sid>',
    '<if_sid>100</if_sid><if_sid> 101</if_sid>',
    '<if_group>a</if_group><if_group>|b</if_group>',
    '<if_sid>100, 101</if_sid>',
  ])
    assert.deepEqual(glued(right), [], right)
})

/** Returns the conditions of rule 200 by their tags, after these overwrites of it. */
const conditionsOf = (first: string, ...overwrites: readonly string[]): string[] => {
  const ruleset = compile(TWO + rule(200, 3, `<if_sid>100</if_sid>${first}`) + overwrites.map((inside) => rule(200, 3, inside, ' overwrite="yes"')).join(''))
  assert.equal(ruleset.loads, true)
  return ruleset.rules.find(200)?.conditions.map(({ option }) => option.name) ?? []
}

test('an overwrite keeps the GeoIP conditions of the first definition, which apply beside some other tags only', () => {
  const [geoip, user] = ['<srcgeoip>BR</srcgeoip>', '<user>a</user>']
  assert.deepEqual(conditionsOf(geoip), ['srcgeoip'])
  assert.deepEqual(conditionsOf(geoip, '<match>a</match>'), ['match'])
  assert.deepEqual(conditionsOf(geoip, user), ['user', 'srcgeoip'])
  assert.deepEqual(conditionsOf(geoip, '<match>a</match>', user), ['user', 'srcgeoip'])
  assert.deepEqual(conditionsOf(geoip, '<check_diff /><match>a</match>'), ['match', 'srcgeoip'])
  assert.deepEqual(conditionsOf('<match>a</match>', geoip + user), ['user'])
  const lost = compile(TWO + rule(200, 3, `<if_sid>100</if_sid>${geoip}`) + rule(200, 3, user, ' overwrite="yes"')).loadDiagnostics
  assert.deepEqual(lost, [])
  assert.equal(compile(rule(200, 3, '<match>a</match>') + rule(200, 3, '<srcgeoip type="pcre2">(a</srcgeoip>', ' overwrite="yes"')).loads, false)
})

test('what an overwrite says of its parents is compared with the first definition', () => {
  const composite = (id: number, overwrite = ' overwrite="yes"'): string => rule(200, 9, `<if_matched_sid>${id}</if_matched_sid>`, ` frequency="3" timeframe="60"${overwrite}`)
  const ignored = (...ids: readonly number[]): unknown[] =>
    compile(TWO + composite(100, '') + ids.map((id) => composite(id)).join('')).loadDiagnostics.map(({ code, params }) => [code, params.value, params.original])
  const found = ['rule_overwrite_ignored_option', '101', '100']
  assert.deepEqual(ignored(100), [])
  assert.deepEqual(ignored(101, 101), [found, found])
  assert.deepEqual(ignored(101, 100), [found])
})

test('a top-level id that is repeated with overwrite adds a rule, and changes nothing of the first one', () => {
  const ruleset = compile(
    `${TWO}${rule(9, 3, '<match>a</match>')}${rule(9, 4, '<if_matched_sid>100</if_matched_sid>', ' frequency="3" timeframe="60" overwrite="yes"')}${rule(200, 3, '<if_level>4</if_level>')}`,
  )
  const placed = ruleset.rules.top.map(({ rule: { id, index, search, conditions } }) => [id, index, search?.kind, conditions.length])
  assert.deepEqual(placed, [
    [1, 0, undefined, 0],
    [9, 4, 'rule', 0],
    [9, 3, undefined, 1],
  ])
  assert.deepEqual(
    ruleset.rules.inOrder().map(({ id, search }) => [id, search?.kind]),
    [[1], [100], [101], [9], [9, 'rule'], [200]].map(([id, kind]) => [id, kind]),
  )
  assert.deepEqual(parents(ruleset, 200), [1, 101, 9])
})

test('groups are compared without the case of A to Z only', () => {
  assert.deepEqual(parents(compile(rule(100, 3, '<group>GRÁ,</group>') + rule(200, 3, '<if_group>grÁ,</if_group>')), 200), [100])
  // The first bytes of both letters differ as `Ã` and `ã` do in Latin-1.
  assert.deepEqual(parents(compile(rule(100, 3, '<group>\u3040,</group>') + rule(200, 3, '<if_group>\u00c1</if_group>')), 200), [])
  assert.deepEqual(parents(compile(rule(100, 3, '<group>\u3044,</group>') + rule(200, 3, '<if_group>\u00c1\u0084</if_group>')), 200), [])
})

test('ids of more than 32 bits are reported', () => {
  const wrapped = (inside: string): unknown[] =>
    compile(TWO + rule(200, 3, inside, ' frequency="3"'))
      .loadDiagnostics.filter(({ code }) => code === 'rule_number_wrapped')
      .map(({ params: { name, value, read } }) => [name, value, read])
  const matched = '<if_matched_sid>4294967396</if_matched_sid>'
  assert.deepEqual(wrapped(matched), [['if_matched_sid', '4294967396', 100]])
  assert.deepEqual(wrapped(`<if_sid>101, 4294967396</if_sid>${matched}`), [
    ['if_sid', '4294967396', 100],
    ['if_matched_sid', '4294967396', 100],
  ])
  assert.deepEqual(wrapped('<if_sid>000100,</if_sid><if_matched_sid>100</if_matched_sid>'), [])
})
