import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { CompiledRuleset, SourceFile } from '../../../engine/index.js'
import { compileLayer, compileRuleset, createSession, EventRunner, readLocation, toByteString } from '../../../engine/index.js'
import { portrait } from '../../support/portrait.js'
import { runs } from '../../support/runs.js'
import { EVENTS, FOUNDATION, FOUNDATION_WITH_LISTS, faultyFile, randomFile } from '../../support/rulesets.js'

const RUNS = runs(60, 300)

function answers(ruleset: CompiledRuleset): unknown[] {
  const runner = new EventRunner(ruleset)
  const session = createSession()
  const origin = readLocation('stdin')
  assert.ok(origin !== null)
  return [...EVENTS, ...EVENTS, ...EVENTS].map((text, index) => {
    const moment = { seconds: 1000 + index, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
    const { event, rule, description, firedTimes, path, alert, previous } = runner.run(toByteString(text), origin, moment, session)
    return [event.decoder?.name, event.statics, event.names, event.values, rule?.id, rule?.level, description, firedTimes, path.map(({ id }) => id), alert, previous]
  })
}

test('a layer gives the same result as compiling everything at once', () => {
  const base = compileRuleset(FOUNDATION_WITH_LISTS)
  assert.ok(base.loads, JSON.stringify(base.diagnostics.map(({ code, params }) => [code, params])))
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 4 }), (files: SourceFile[]) => {
      const layered = compileLayer(base, files)
      const whole = compileRuleset([...FOUNDATION_WITH_LISTS, ...files])
      assert.deepEqual(portrait(layered), portrait(whole))
      if (layered.loads) assert.deepEqual(answers(layered), answers(whole))
    }),
    { numRuns: RUNS },
  )
})

test('a layer on a layer gives the same result as compiling everything at once', () => {
  const base = compileRuleset(FOUNDATION_WITH_LISTS)
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 2 }), fc.array(randomFile, { minLength: 1, maxLength: 2 }), (first, second) => {
      const layered = compileLayer(compileLayer(base, first), second)
      const whole = compileRuleset([...FOUNDATION_WITH_LISTS, ...first, ...second])
      assert.deepEqual(portrait(layered), portrait(whole))
      if (layered.loads) assert.deepEqual(answers(layered), answers(whole))
    }),
    { numRuns: RUNS },
  )
})

test('a layer of faulty content has the same diagnostics as compiling everything at once', () => {
  const base = compileRuleset(FOUNDATION)
  fc.assert(
    fc.property(fc.array(faultyFile, { minLength: 1, maxLength: 2 }), fc.array(fc.oneof(faultyFile, randomFile), { maxLength: 2 }), (first, second) => {
      const layered = compileLayer(compileLayer(base, first), second)
      assert.deepEqual(portrait(layered), portrait(compileRuleset([...FOUNDATION, ...first, ...second])))
      const below = compileRuleset([...FOUNDATION, ...first])
      assert.deepEqual(portrait(layered), portrait(compileLayer(below, second)))
    }),
    { numRuns: RUNS },
  )
})

test('a layer may hide what a rule of its faulty base lacks', () => {
  const rule = (end: string): string => `\n<group name="local,">\n<rule id="200" level="5"><if_group>rare</if_group><description>Faulty.</description>${end}\n</group>`
  const [layered, whole] = bothWays([adhoc('rules', '0000-early.xml', rule('</rule>'))], [adhoc('rules', 'local_rules.xml', rule(''))])
  assert.deepEqual(portrait(layered), portrait(whole))
})

test('a layer may have the decoder that a duplicate rule of its base requires', () => {
  const base = compileRuleset(FOUNDATION)
  const file = (kind: 'rules' | 'decoders', content: string): SourceFile => ({ kind, scope: 'adhoc', filename: '0002-a.xml', content })
  const rules = file('rules', '<group name="local,"><rule id="1" level="5"><decoded_as>extra</decoded_as></rule></group>')
  for (const content of ['<decoder name="extra"></decoder>', '<decoder name="extra"><program_name>^extra$</program_name></decoder>']) {
    const decoders = file('decoders', content)
    assert.deepEqual(portrait(compileLayer(compileLayer(base, [rules]), [decoders])), portrait(compileRuleset([...FOUNDATION, rules, decoders])))
  }
})

test('a layer does not change its base', () => {
  const base = compileRuleset(FOUNDATION_WITH_LISTS)
  const before = [portrait(base), answers(base)]
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 3 }), (files) => {
      compileLayer(base, files)
      assert.deepEqual([portrait(base), answers(base)], before)
    }),
    { numRuns: runs(25, 100) },
  )
})

/** Returns the layer's files on the foundation, compiled in layers and at once. */
function bothWays(...parts: SourceFile[][]): [layered: CompiledRuleset, whole: CompiledRuleset] {
  const layered = parts.reduce((below, files) => compileLayer(below, files), compileRuleset(FOUNDATION))
  return [layered, compileRuleset([...FOUNDATION, ...parts.flat()])]
}

const adhoc = (kind: SourceFile['kind'], filename: string, content: string): SourceFile => ({ kind, scope: 'adhoc', filename, content })

test('a list in a layer restores a rule even if another rule has taken its id meanwhile', () => {
  const rules = `<group name="g,"><rule id="300" level="3"><list field="srcip">etc/lists/late</list><description>listed</description></rule>
<rule id="300" level="8"><description>taken</description></rule></group>`
  const [layered, whole] = bothWays([adhoc('rules', 'zz.xml', rules)], [adhoc('lists', 'etc/lists/late', 'a:')])
  assert.equal(whole.rules.find(300)?.level, 3)
  assert.deepEqual(portrait(layered), portrait(whole))
})

test('the suggested parent does not depend on the layers', () => {
  const roots = '<decoder name="gate1"><prematch>^g1</prematch></decoder><decoder name="gate2"><program_name>^g2</program_name></decoder>'
  const [layered, whole] = bothWays([adhoc('decoders', 'y.xml', roots)], [adhoc('decoders', 'z.xml', '<decoder name="c"><parent>gate3</parent><prematch>x</prematch></decoder>')])
  assert.equal(whole.loadDiagnostics.find(({ code }) => code === 'decoder_missing_parent')?.suggestion, 'gate1')
  assert.deepEqual(portrait(layered), portrait(whole))
})

test('diagnostics in two files with one name are in the order of the files', () => {
  const first = adhoc('decoders', 'z.xml', '<decoder name="kv"><prematch>^kv2</prematch></decoder>\n<decoder name="a"><parent>kv</parent><prematch>x</prematch></decoder>')
  const second = adhoc('decoders', 'z.xml', '<decoder name="b"></decoder>\n<decoder name="c"><parent>kv</parent><prematch>x</prematch></decoder>')
  const [layered, whole] = bothWays([first], [second])
  const ambiguous = whole.diagnostics.filter(({ code }) => code === 'decoder_parent_ambiguous')
  assert.deepEqual(
    ambiguous.map(({ params }) => params.decoder),
    ['a', 'c'],
  )
  assert.deepEqual(portrait(layered), portrait(whole))
})
