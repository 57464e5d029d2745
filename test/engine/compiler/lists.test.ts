/** Lists of a ruleset: which list a rule finds by its name, alone and in layers (BEHAVIOUR.md#list-names). */
import assert from 'node:assert/strict'
import test from 'node:test'
import { type CompiledRuleset, canLayerOn, compileLayer, compileRuleset, EventRunner, readLocation, type SourceFile, toByteString } from '../../../engine/index.js'
import { EVENTS, FOUNDATION_WITH_LISTS } from '../../support/rulesets.js'

const FAILED_LOGIN = EVENTS[0]
const list = (filename: string, content: string, scope: SourceFile['scope'] = 'adhoc'): SourceFile => ({ kind: 'lists', scope, filename, content })
const using = (name: string, filename = 'zz.xml'): SourceFile => ({
  kind: 'rules',
  scope: 'adhoc',
  filename,
  content: `<group name="own,"><rule id="200" level="9"><if_sid>103</if_sid><list field="srcip">${name}</list><description>listed</description></rule></group>`,
})

function ruleOf(ruleset: CompiledRuleset, event = FAILED_LOGIN): number | undefined {
  const origin = readLocation('stdin')
  assert.ok(origin !== null)
  return new EventRunner(ruleset).run(toByteString(event), origin, { seconds: 1000, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }, null).rule?.id
}

const base = compileRuleset(FOUNDATION_WITH_LISTS)
const bothWays = (...files: SourceFile[]): CompiledRuleset[] => [compileLayer(base, files), compileRuleset([...FOUNDATION_WITH_LISTS, ...files])]
const codesOf = (ruleset: CompiledRuleset): string[] =>
  ruleset.diagnostics.filter(({ scope, kind }) => scope === 'adhoc' && kind === 'lists').map(({ code, filename }) => `${code} ${filename}`)

test('rules of a layer find its lists, and those of the base', () => {
  for (const ruleset of bothWays(using('etc/lists/mine'), list('etc/lists/mine', '192.0.2.7:x'))) assert.equal(ruleOf(ruleset), 200)
  for (const ruleset of bothWays(using('etc/lists/watched'))) assert.equal(ruleOf(ruleset), 200)
})

test('a list of a layer replaces that of the base, also for rules of the base, without compiling the base again', () => {
  const other = [list('etc/lists/watched', '203.0.113.9:x')]
  assert.ok(canLayerOn(base, other))
  assert.equal(ruleOf(base), 110)
  for (const ruleset of bothWays(...other)) {
    assert.equal(ruleOf(ruleset), 103)
    assert.equal(ruleOf(ruleset, FAILED_LOGIN.replace('192.0.2.7', '203.0.113.9')), 110)
    assert.deepEqual(codesOf(ruleset), ['list_replaces etc/lists/watched'])
  }
  assert.equal(ruleOf(base), 110)
})

test('a list restores the rules of the base that were dropped because it was missing', () => {
  const wanted = [list('etc/lists/wanted', '192.0.2.7:')]
  assert.ok(base.dropped.has(111) && !canLayerOn(base, wanted))
  assert.equal(canLayerOn(base, [list('etc/lists/wanted.cdb', '')]), false)
  for (const ruleset of bothWays(...wanted)) assert.equal(ruleOf(ruleset), 111)
  // The overwrite of rule 110 also needs the list.
  for (const ruleset of bothWays(list('etc/lists/own', '192.0.2.7:'))) assert.equal(ruleset.rules.find(110)?.level, 8)
})

test('the name may end in .cdb, in the rule and in the name of the list', () => {
  for (const [written, filename] of [
    ['etc/lists/mine', 'etc/lists/mine'],
    ['etc/lists/mine.cdb', 'etc/lists/mine'],
    ['etc/lists/mine', 'etc/lists/mine.cdb'],
    ['etc/lists/mine.cdb', 'etc/lists/mine.cdb'],
  ])
    for (const ruleset of bothWays(using(written), list(filename, '192.0.2.7:'))) assert.equal(ruleOf(ruleset), 200, `${written} ${filename}`)
})

test('any other difference drops the rule, and the diagnostic suggests the similar list', () => {
  for (const name of ['etc/lists/Mine', 'etc/lists/mine ', 'lists/mine'])
    for (const ruleset of bothWays(using(name), list('etc/lists/mine', '192.0.2.7:'))) assert.equal(ruleset.rules.find(200), undefined, name)
  const [layered] = bothWays(using('etc/lists/mime'), list('etc/lists/mine', '192.0.2.7:'))
  const found = layered.diagnostics.find(({ code, scope }) => code === 'rule_list_not_loaded' && scope === 'adhoc')
  assert.equal(found?.suggestion, 'etc/lists/mine')
})

test('names are bytes, so any character is allowed', () => {
  for (const ruleset of bothWays(using('etc/lists/usuários'), list('etc/lists/usuários', '192.0.2.7:'))) {
    assert.equal(ruleOf(ruleset), 200)
    assert.deepEqual(codesOf(ruleset), [])
  }
  const [layered] = bothWays(using('etc/lists/usuarios'), list('etc/lists/usuários', '192.0.2.7:'))
  assert.equal(layered.diagnostics.find(({ code, scope }) => code === 'rule_list_not_loaded' && scope === 'adhoc')?.suggestion, 'etc/lists/usuários')
})

test('the last of several lists with one name is used, in any layers', () => {
  const lists = [list('etc/lists/mine.cdb', '192.0.2.1:'), list('etc/lists/mine', '192.0.2.7:'), list('etc/lists/mine.cdb', '192.0.2.2:')]
  const used = (files: readonly SourceFile[]): number | undefined => ruleOf(compileRuleset([...FOUNDATION_WITH_LISTS, ...files, using('etc/lists/mine')]))
  assert.equal(used(lists.slice(0, 2)), 200)
  assert.equal(used(lists), 110)
  const layered = compileLayer(compileLayer(base, lists.slice(0, 1)), [lists[1], using('etc/lists/mine')])
  assert.equal(ruleOf(layered), 200)
  assert.equal(layered.hash, compileRuleset([...FOUNDATION_WITH_LISTS, ...lists.slice(0, 2), using('etc/lists/mine')]).hash)
  assert.deepEqual(codesOf(layered), ['list_duplicate_name etc/lists/mine.cdb', 'list_name_style etc/lists/mine.cdb'])
  assert.equal(layered.counts.lists, base.counts.lists + 1)
})

test('the hash covers names, content and scope of lists, and not their order', () => {
  const [a, b] = [list('etc/lists/x/names', 'a:'), list('etc/lists/y/names', 'b:')]
  const hashOf = (...files: SourceFile[]): string => compileLayer(base, files).hash
  assert.equal(hashOf(a, b), hashOf(b, a))
  const others = [hashOf(a), hashOf(a, b), hashOf(a, { ...b, content: 'b:1' }), hashOf(a, { ...b, scope: 'custom' }), hashOf(a, { ...b, filename: 'etc/lists/z/names' })]
  assert.equal(new Set(others).size, others.length)
})
