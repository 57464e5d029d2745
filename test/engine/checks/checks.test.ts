import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DIAGNOSTICS } from '../../../engine/diagnostics/codes.js'
import type { Diagnostic } from '../../../engine/diagnostics/diagnostic.js'
import { compileLayer, compileRuleset } from '../../../engine/compiler/compile.js'
import type { FileKind, SourceFile } from '../../../engine/source/source-file.js'
import type { CheckCase, Content } from './cases.js'
import { BASE, CASES } from './cases.js'

const ENGINE = new URL('../../../../engine/', import.meta.url).pathname

/** Codes that no compilation of files can give, and who does. */
const GIVEN_ELSEWHERE: Readonly<Record<string, string>> = {
  file_unreadable: 'whoever reads files from disk',
  list_file_missing: 'whoever reads ossec.conf',
  rule_id_outside_project_range: 'needs the settings of a project',
  rule_element_order: 'needs the settings of a project',
  rule_level_vs_group: 'needs the classification of a project; no table of ours fits the shipped rules',
  rule_ignore_too_many_fields: 'cannot occur in 4.14.7; kept for other checkers',
  rule_untested: 'whoever runs the cases of a project',
  rule_without_negative_case: 'whoever runs the cases of a project',
  case_expectation_impossible: 'whoever runs the cases of a project',
  suppression_unused: 'whoever filters findings',
  engine_step_limit: 'the matcher, while an event runs',
  engine_timeout: 'the workers',
  engine_memory_limit: 'the workers',
  engine_internal_error: 'the workers',
  custom_content_stale: 'the workers',
  custom_content_left_out: 'the workers',
  session_lost: 'the workers',
  ruleset_loaded: 'whoever presents the answer',
  session_refused: 'whoever opens a session',
}

function filesOf(content: Content): SourceFile[] {
  const { rules, decoders, files, rawRules } = typeof content === 'string' ? { rules: content, decoders: undefined, files: undefined, rawRules: undefined } : content
  const custom = (kind: FileKind, text: string): SourceFile => ({ filename: 'custom.xml', kind, scope: 'custom', content: text })
  return [
    ...(decoders === undefined ? [] : [custom('decoders', decoders)]),
    ...(rules === undefined ? [] : [custom('rules', `<group name="test,">${rules}</group>`)]),
    ...(rawRules === undefined ? [] : [custom('rules', rawRules)]),
    ...(files ?? []),
  ]
}

function findingsOf({ code }: CheckCase, content: Content): Diagnostic[] {
  // The one code that needs a ruleset without the other kind of root.
  if (typeof content !== 'string' && content.decoders === 'ONLY') {
    return compileRuleset([{ filename: 'custom.xml', kind: 'decoders', scope: 'custom', content: '<decoder name="a"><prematch>a</prematch></decoder>' }]).diagnostics.filter(
      (found) => found.code === code,
    )
  }
  return compileLayer(compileRuleset(BASE), filesOf(content)).diagnostics.filter((found) => found.code === code && found.scope === 'custom')
}

for (const each of CASES) {
  test(`${each.code}: found where it is, and not where it isn't`, () => {
    const [first] = findingsOf(each, each.wrong)
    assert.ok(first !== undefined, 'the wrong content does not give it')
    assert.equal(first.span?.line ?? null, each.line === undefined ? 1 : each.line)
    assert.deepEqual(findingsOf(each, each.right), [], 'the right content gives it')
  })
}

test('the base of the cases has no findings of its own', () => {
  assert.deepEqual(compileRuleset(BASE).diagnostics, [])
})

test('a layer says the same whether it was compiled on its base or together with it', () => {
  const base = compileRuleset(BASE)
  for (const { wrong } of CASES) {
    if (typeof wrong !== 'string' && wrong.decoders === 'ONLY') continue
    const files = filesOf(wrong)
    assert.deepEqual(compileLayer(base, files).diagnostics, compileRuleset([...BASE, ...files]).diagnostics)
  }
})

test('what stands on a base never changes what is said of the base', () => {
  const base = compileRuleset(BASE)
  for (const { wrong } of CASES) {
    if (typeof wrong !== 'string' && wrong.decoders === 'ONLY') continue
    assert.deepEqual(
      compileLayer(base, filesOf(wrong)).diagnostics.filter(({ scope }) => scope === 'default'),
      base.diagnostics,
    )
  }
})

test('every code is given by something', () => {
  const sources = readdirSync(ENGINE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && !path.includes('diagnostics/codes'))
  const text = sources.map((path) => readFileSync(join(ENGINE, path), 'utf8')).join('\n')
  const silent = Object.keys(DIAGNOSTICS).filter((code) => !text.includes(`'${code}'`))
  assert.deepEqual(silent.sort(), Object.keys(GIVEN_ELSEWHERE).sort())
})

test('many siblings with equal conditions are not compared each with each', () => {
  const count = 5000
  const rules = Array.from(
    { length: count },
    (_, index) => `<rule id="${100_100 + index}" level="5"><if_sid>501</if_sid><match>same</match><description>Test.</description></rule>`,
  )
  const layer = compileLayer(compileRuleset(BASE), filesOf(rules.join('\n')))
  let reads = 0
  for (let index = 0; index < count; index++) {
    const [{ rule }] = layer.rules.placements(100_100 + index)
    for (const property of ['id', 'conditions'] as const) {
      const { [property]: value } = rule
      Object.defineProperty(rule, property, {
        get() {
          reads++
          return value
        },
      })
    }
  }
  assert.equal(layer.diagnostics.filter(({ code }) => code === 'rule_overlapping_level').length, count - 1)
  // Comparing each with each reads every rule some thousand times.
  assert.ok(reads > count && reads < 200 * count, `${reads} reads`)
})
