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
