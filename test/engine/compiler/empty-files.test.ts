import assert from 'node:assert/strict'
import test from 'node:test'
import type { SourceFile } from '../../../engine/index.js'
import { compileRuleset, describeDiagnostics } from '../../../engine/index.js'
import { FOUNDATION } from '../../support/rulesets.js'

const COMMENT = '<!-- nothing yet -->'

const EMPTY_FILES: readonly { filename: string; kind: SourceFile['kind']; content: string; loads: boolean; severity: string }[] = [
  { filename: 'local_rules.xml', kind: 'rules', content: '', loads: true, severity: 'warning' },
  { filename: 'local_rules.xml', kind: 'rules', content: COMMENT, loads: false, severity: 'error' },
  { filename: 'own.xml', kind: 'decoders', content: '', loads: false, severity: 'error' },
  { filename: 'own.xml', kind: 'decoders', content: COMMENT, loads: false, severity: 'error' },
  { filename: 'local_decoder.xml', kind: 'decoders', content: '', loads: true, severity: 'warning' },
]

for (const { filename, kind, content, loads, severity } of EMPTY_FILES) {
  test(`${kind} file ${filename} with ${content === '' ? 'no byte' : 'only a comment'}: ${severity}`, () => {
    const ruleset = compileRuleset([...FOUNDATION, { filename, kind, scope: 'custom', content }])
    assert.equal(ruleset.loads, loads)
    const found = ruleset.diagnostics.filter(({ code }) => code === 'xml_empty_file')
    assert.deepEqual(
      found.map((diagnostic) => [diagnostic.severity, diagnostic.filename]),
      [[severity, filename]],
    )
    const [told] = describeDiagnostics(ruleset, { locale: 'en-US', includeBaseline: false }).diagnostics.filter(({ code }) => code === 'xml_empty_file')
    assert.equal(told.engine_effect, loads ? 'none' : 'refuse')
  })
}
