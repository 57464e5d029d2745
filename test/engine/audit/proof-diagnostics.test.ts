/** Rules that a proof shows to have no event, as diagnostics; rules that fire have none. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileLayer, compileRuleset, describeDiagnostics, type DiagnosticRecord, diagnosticsWithProofs, type Locale, type SourceFile } from '#engine'
import { PROOF_STEPS } from '../../../engine/audit/proof-diagnostics.js'
import { CannotFireProver } from '../../../engine/generate/cannot-fire.js'
import { FOUNDATION_WITH_LISTS } from '../../support/rulesets.js'

const BASE = compileRuleset(FOUNDATION_WITH_LISTS)
const DECODERS = `<decoder name="gate"><program_name>^gate$</program_name></decoder>
<decoder name="gate-open"><parent>gate</parent><prematch>^open </prematch><regex offset="after_prematch">^by (\\S+) from (\\S+)</regex><order>srcuser, srcip</order></decoder>`

const rule = (id: number, options: string, level = 5): string => `<rule id="${id}" level="${level}">${options}<description>rule ${id}</description></rule>\n`
const GATE = rule(200, '<decoded_as>gate</decoded_as>', 3)

function layer(rules: string): readonly SourceFile[] {
  return [
    { kind: 'decoders', scope: 'custom', filename: 'own_decoders.xml', content: DECODERS },
    { kind: 'rules', scope: 'custom', filename: 'own_rules.xml', content: `<group name="own,">\n${rules}</group>` },
  ]
}

function found(rules: string, locale: Locale = 'en-US'): readonly DiagnosticRecord[] {
  const ruleset = compileLayer(BASE, layer(rules))
  const [before, after] = [ruleset.diagnostics, diagnosticsWithProofs(ruleset)].map((diagnostics) =>
    describeDiagnostics(ruleset, { locale, includeBaseline: false, diagnosticsOf: () => diagnostics }),
  )
  assert.equal(after.ok, before.ok)
  const known = new Set(before.diagnostics.map((one) => JSON.stringify(one)))
  assert.equal(after.diagnostics.filter((one) => known.has(JSON.stringify(one))).length, known.size, 'a proof hides no other diagnostic')
  return after.diagnostics.filter((one) => !known.has(JSON.stringify(one)))
}

describe('diagnostics that need a proof', () => {
  test('name the sibling whose pattern takes all events of a rule', () => {
    const rules = GATE + rule(201, '<if_sid>200</if_sid><match>open by|shut by</match>') + rule(202, '<if_sid>200</if_sid><match>open by root</match>', 4)
    const [{ code, line, related, message, severity }, ...more] = found(rules)
    assert.deepEqual(more, [])
    assert.deepEqual([code, severity, line], ['rule_overlapping_level', 'warning', 4])
    assert.match(message, /^Rule 202 is never reached: rule 201 is tried first/)
    assert.deepEqual(
      related.map((place) => place.line),
      [3],
    )
  })

  test('name the conditions of a path that no text passes together, in both languages', () => {
    const rules = GATE + rule(201, '<if_sid>200</if_sid><user type="pcre2">^[a-f]+$</user>') + rule(202, '<if_sid>201</if_sid><user type="pcre2">^\\d</user>')
    const [{ code, line, message, column }, ...more] = found(rules)
    assert.deepEqual(more, [])
    assert.deepEqual([code, line], ['rule_unreachable', 4])
    assert.ok((column ?? 0) > 1, 'at the condition')
    assert.match(message, /^Rule 202 can never match: no text passes all of these: <user>\^\[a-f\]\+\$<\/user> of rule 201; <user>\^\\d<\/user> of rule 202\.$/)
    assert.match(found(rules, 'pt-BR')[0].message, /^A regra 202 nunca casa: nenhum texto passa em todas estas: .* da regra 201; .* da regra 202\.$/)
  })

  test('leave out what a check has said, what is intended, and rules that fire', () => {
    const fires = GATE + rule(201, '<if_sid>200</if_sid><match>open by root</match>') + rule(202, '<if_sid>200</if_sid><match>open by|shut by</match>', 4)
    assert.deepEqual(found(fires), [])
    // The check compares conditions that are equal.
    assert.deepEqual(found(GATE + rule(201, '<if_sid>200</if_sid><match>open</match>') + rule(202, '<if_sid>200</if_sid><match>open</match>', 4)), [])
    // A rule below replaces the rule.
    assert.deepEqual(found(GATE + rule(201, '<if_sid>200</if_sid><match>open</match>') + rule(202, '<if_sid>201</if_sid><match>open</match>')), [])
  })

  test('are of own content only, and end after a number of steps', () => {
    assert.equal(diagnosticsWithProofs(BASE), BASE.diagnostics)
    const many = GATE + Array.from({ length: 60 }, (_, at) => rule(1000 + at, `<if_sid>200</if_sid><regex type="pcre2">(a|b)*${'(a|b)'.repeat(8)}${at}x\\w+</regex>`)).join('')
    const ruleset = compileLayer(BASE, layer(many))
    const prover = new CannotFireProver(ruleset)
    for (const one of ruleset.rules.inOrder().filter(({ id }) => id >= 1050)) {
      const before = prover.steps
      prover.prove(one)
      const steps = prover.steps - before
      assert.ok(steps > 0 && steps < PROOF_STEPS, `${steps} steps for a rule`)
    }
    assert.ok(diagnosticsWithProofs(ruleset).length >= ruleset.diagnostics.length)
  })
})
