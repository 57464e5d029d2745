import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { CompiledRuleset, SourceFile } from '../../../engine/index.js'
import { compileLayer, compileRuleset, createSession, EventRunner, readLocation, toByteString } from '../../../engine/index.js'
import type { RuleNode } from '../../../engine/rules/compiled-rule.js'
import { EVENTS, FOUNDATION, randomFile } from '../../support/rulesets.js'

const RUNS = 300

/** Everything that a caller can tell two compiled rulesets apart by. */
function portrait(ruleset: CompiledRuleset): unknown {
  const listed = (nodes: readonly RuleNode[]): unknown[] =>
    nodes.map(({ rule, children }) => [rule.id, rule.level, rule.definition.source.filename, rule.definition.span.line, listed(children)])
  return {
    hash: ruleset.hash,
    loads: ruleset.loads,
    counts: ruleset.counts,
    diagnostics: ruleset.diagnostics.map(({ code, filename, span, params, suggestion, cause }) => [code, filename, span?.line, params, suggestion, cause?.code]),
    dropped: [...ruleset.dropped.keys()].sort(),
    lost: ruleset.lost.map(({ id, source, line }) => [id, source.filename, line]),
    decoders: [...ruleset.decoders.programRoots, ...ruleset.decoders.plainRoots].map(({ definition, children }) => [
      definition.name,
      children.map((child) => [child.definition.name, child.definition.source.filename, child.continues]),
    ]),
    tree: listed(ruleset.rules.top),
    largestFrequency: ruleset.rules.largestFrequency,
  }
}

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

test('a layer gives what compiling everything at once gives', () => {
  const base = compileRuleset(FOUNDATION)
  assert.ok(base.loads, JSON.stringify(base.diagnostics.map(({ code, params }) => [code, params])))
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 4 }), (files: SourceFile[]) => {
      const layered = compileLayer(base, files)
      const whole = compileRuleset([...FOUNDATION, ...files])
      assert.deepEqual(portrait(layered), portrait(whole))
      if (layered.loads) assert.deepEqual(answers(layered), answers(whole))
    }),
    { numRuns: RUNS },
  )
})

test('a layer on a layer gives what compiling everything at once gives', () => {
  const base = compileRuleset(FOUNDATION)
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 2 }), fc.array(randomFile, { minLength: 1, maxLength: 2 }), (first, second) => {
      const layered = compileLayer(compileLayer(base, first), second)
      const whole = compileRuleset([...FOUNDATION, ...first, ...second])
      assert.deepEqual(portrait(layered), portrait(whole))
      if (layered.loads) assert.deepEqual(answers(layered), answers(whole))
    }),
    { numRuns: RUNS },
  )
})

test('a layer leaves its base as it was', () => {
  const base = compileRuleset(FOUNDATION)
  const before = [portrait(base), answers(base)]
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 3 }), (files) => {
      compileLayer(base, files)
      assert.deepEqual([portrait(base), answers(base)], before)
    }),
    { numRuns: 100 },
  )
})
