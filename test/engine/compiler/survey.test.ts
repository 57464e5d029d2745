/** Diagnostics of faulty content: everything that can be known, nothing twice, and the consequences of a fault under that fault. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type Diagnostic, effectOf } from '../../../engine/diagnostics/diagnostic.js'
import { compileLayer, compileRuleset } from '../../../engine/compiler/compile.js'
import type { SourceFile } from '../../../engine/source/source-file.js'
import { BASE } from '../../support/case-folders.js'
import { runs } from '../../support/runs.js'
import { FOUNDATION, faultyFile, randomFile } from '../../support/rulesets.js'
import { SURVEY_CASES, type SurveyCase } from './survey-cases.js'

const base = compileRuleset(BASE)

function filesOf({ decoders, rules, files = [] }: SurveyCase): SourceFile[] {
  const custom = { filename: 'custom.xml', scope: 'custom' } as const
  return [
    ...(decoders === undefined ? [] : [{ ...custom, kind: 'decoders' as const, content: decoders }]),
    ...(rules === undefined ? [] : [{ ...custom, kind: 'rules' as const, content: rules }]),
    ...files,
  ]
}

function placeOf({ filename, kind, span, code }: Diagnostic): string {
  return `${filename === 'custom.xml' ? kind : filename}${span === null ? '' : `:${span.line}:${span.column}`} ${code}`
}

function tell(files: readonly SourceFile[]): string[] {
  return compileLayer(base, files).diagnostics.map((one) => placeOf(one) + (one.cause === null ? '' : ` < ${placeOf(one.cause)}`))
}

for (const one of SURVEY_CASES) {
  test(`all diagnostics in one run: ${one.name}`, () => {
    const files = filesOf(one)
    assert.deepEqual(tell(files), one.told)
    assert.equal(compileLayer(base, files).loads, one.loads)
    assert.deepEqual(compileLayer(base, files).diagnostics, compileRuleset([...BASE, ...files]).diagnostics)
    if (one.mend === undefined) return
    const [wrong, right] = one.mend
    const mended = files.map((file) => ({ ...file, content: file.content.replace(wrong, right) }))
    assert.deepEqual(
      tell(mended),
      one.told.filter((told) => told !== one.told[0] && !told.endsWith(` < ${one.told[0]}`)),
    )
  })
}

const RUNS = runs(100, 400)

/** Returns the subjects of the diagnostics. */
function keysOf(diagnostics: readonly Diagnostic[]): Set<string> {
  return new Set(diagnostics.map((one) => `${one.kind} ${one.filename} ${one.span?.start} ${one.code}`))
}

test("diagnostics agree with Wazuh's behaviour, and every cause is reported itself", () => {
  const foundation = compileRuleset(FOUNDATION)
  fc.assert(
    fc.property(fc.array(faultyFile, { minLength: 1, maxLength: 3 }), (files) => {
      const { loads, diagnostics } = compileLayer(foundation, files)
      assert.equal(
        diagnostics.some((one) => effectOf(one) === 'refuse'),
        !loads,
      )
      for (const { cause } of diagnostics) assert.ok(cause === null || (diagnostics.includes(cause) && cause.cause === null))
    }),
    { numRuns: RUNS },
  )
})

/**
 * Whether the first rule of an id is lost as a consequence of another fault: then the second one is no duplicate. Every rule of these files is on a separate
 * line.
 */
function isSecondOfLost({ code, params }: Diagnostic, diagnostics: readonly Diagnostic[]): boolean {
  return (
    code === 'rule_duplicate_id' && diagnostics.some((one) => one.cause !== null && one.params.id === params.id && one.filename === params.file && one.span?.line === params.line)
  )
}

test('the survey finds everything that the loader finds, except consequences of other faults', () => {
  const foundation = compileRuleset(FOUNDATION)
  /** Codes of the loader for a rule or decoder that lacks another one. The survey knows better if that one is only faulty. */
  const lacks = /_(?:missing|missing_parent|partly_missing|loaded_later|unknown|unreachable|dropped|self|cycle|is_child)$|^decoder_list_empty$/
  fc.assert(
    fc.property(fc.array(faultyFile, { minLength: 1, maxLength: 3 }), (files) => {
      const ruleset = compileLayer(foundation, files)
      const told = keysOf(ruleset.diagnostics)
      for (const diagnostic of ruleset.loadDiagnostics) {
        const [key] = keysOf([diagnostic])
        assert.ok(told.has(key) || lacks.test(diagnostic.code) || isSecondOfLost(diagnostic, ruleset.diagnostics), key)
      }
    }),
    { numRuns: RUNS },
  )
})

test('content without a fault is not surveyed', () => {
  const foundation = compileRuleset(FOUNDATION)
  assert.equal(foundation.surveyed(), foundation)
  fc.assert(
    fc.property(randomFile, (file) => {
      const layer = compileLayer(foundation, [file])
      assert.equal(
        layer.surveyed() === layer,
        layer.loadDiagnostics.every(({ severity }) => severity !== 'error'),
      )
    }),
    { numRuns: 100 },
  )
})
