/** Linking decoders (BEHAVIOUR.md#decoder-linking). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledRuleset } from '../../../engine/index.js'
import { compileRuleset } from '../../../engine/index.js'

const BASE = '<decoder name="p"><program_name>^p$</program_name></decoder><decoder name="app"><prematch>^app</prematch></decoder>'
const compile = (content: string): CompiledRuleset => compileRuleset([{ filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content }])
const child = (inside: string, parent = 'app'): string => `<decoder name="c"><parent>${parent}</parent>${inside}</decoder>`
const REGEX = '<regex>(a)</regex><order>a</order>'

const ERRORS: readonly (readonly [why: string, decoders: string, code: string])[] = [
  ['a parent must exist', BASE + child(REGEX, 'nope'), 'decoder_missing_parent'],
  ['a parent is written in its case', BASE + child(REGEX, 'APP'), 'decoder_missing_parent'],
  [
    'a parent must be loaded before',
    `<decoder name="p"><program_name>^p$</program_name></decoder>${child(REGEX)}<decoder name="app"><prematch>^app</prematch></decoder>`,
    'decoder_parent_loaded_later',
  ],
  ['a child is no parent', `${BASE}${child(REGEX)}<decoder name="d"><parent>c</parent>${REGEX}</decoder>`, 'decoder_parent_is_child'],
  ['a later member has no prematch', BASE + child(REGEX) + child(`<prematch>x</prematch>${REGEX}`), 'decoder_sibling_prematch'],
  ['every member extracts something', BASE + child('<prematch>x</prematch>') + child(REGEX), 'decoder_sibling_duplicate'],
  ['after_regex needs an earlier member', BASE + child('<regex offset="after_regex">(a)</regex><order>a</order>'), 'decoder_offset_anchor_missing'],
  ['there must be roots with a program', '<decoder name="app"><prematch>^app</prematch></decoder>', 'decoder_list_empty'],
  ['and roots without', '<decoder name="p"><program_name>^p$</program_name></decoder>', 'decoder_list_empty'],
]

for (const [why, decoders, code] of ERRORS) {
  test(why, () => {
    const ruleset = compile(decoders)
    assert.equal(ruleset.loads, false)
    assert.ok(ruleset.loadDiagnostics.some((diagnostic) => diagnostic.code === code))
  })
}

test('a child is placed under every root of its parent name that is loaded so far', () => {
  const { decoders } = compile(`${BASE}<decoder name="app"><program_name>^a$</program_name></decoder>${child(REGEX)}<decoder name="app"><prematch>^x</prematch></decoder>`)
  assert.deepEqual(
    decoders.plainRoots.map(({ children }) => children.length),
    [1, 0],
  )
  assert.equal(decoders.plainRoots[0].children[0], decoders.programRoots[1].children[0])
  assert.equal(decoders.plainRoots[0].children[0].name, 'app')
})

test('all members of a family except the last continue', () => {
  const { decoders } = compile(BASE + child(REGEX) + child(REGEX) + child(REGEX))
  assert.deepEqual(
    decoders.plainRoots[0].children.map(({ continues }) => continues),
    [true, true, false],
  )
})
