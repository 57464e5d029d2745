import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DIAGNOSTIC_AREAS, DIAGNOSTICS, type DiagnosticCode, type DiagnosticEntry, entryOf } from '../../../engine/diagnostics/codes.js'
import { SPEC } from '../../parity/conformance.js'

/** The specification of the codes. It is not part of the project, so a checkout without it passes too. */
const SPECIFICATION = join(SPEC, 'diagnostics.md')

const ENTRIES: readonly (readonly [string, DiagnosticEntry])[] = (Object.keys(DIAGNOSTICS) as DiagnosticCode[]).map((code) => [code, entryOf(code)])

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
}

/** Returns the codes of the table's first column; `a_b_missing / _empty` stands for a_b_missing and a_b_empty. */
function specifiedCodes(markdown: string): string[] {
  const codes: string[] = []
  let full = ''
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('| `')) continue
    for (const [, name] of line.split('|')[1].matchAll(/`([a-z_0-9]+)`/g)) {
      if (!name.startsWith('_')) full = name
      codes.push(name.startsWith('_') ? full.slice(0, full.lastIndexOf('_')) + name : name)
    }
  }
  return codes
}

test('every code of the specification is in the registry', { skip: existsSync(SPECIFICATION) ? false : 'the specification pages (../shared/spec) are not here' }, () => {
  const specified = specifiedCodes(readFileSync(SPECIFICATION, 'utf8'))
  assert.ok(specified.length > 150, `only ${specified.length} codes found in the specification`)
  assert.ok(specified.includes('rule_description_empty'))
  assert.deepEqual(
    specified.filter((code) => !Object.hasOwn(DIAGNOSTICS, code)),
    [],
  )
})

test('no code is in two areas', () => {
  const listed = Object.values(DIAGNOSTIC_AREAS).flatMap((area) => Object.keys(area))
  assert.equal(new Set(listed).size, listed.length)
  assert.deepEqual(new Set(listed), new Set(Object.keys(DIAGNOSTICS)))
})

test('codes are lower case words joined by underscores', () => {
  for (const [code] of ENTRIES) assert.match(code, /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/)
})

test('both languages use the same placeholders, in the message and in the hint', () => {
  for (const [code, entry] of ENTRIES) {
    const { 'en-US': en, 'pt-BR': pt } = entry.texts
    assert.deepEqual(new Set(placeholders(pt.message)), new Set(placeholders(en.message)), code)
    assert.deepEqual(new Set(placeholders(pt.hint)), new Set(placeholders(en.hint)), code)
  }
})

test('every message is a whole sentence, and a title is not', () => {
  for (const [code, entry] of ENTRIES) {
    const { 'en-US': en, 'pt-BR': pt } = entry.texts
    for (const texts of [en, pt]) {
      assert.match(texts.message, /[.]$/, code)
      assert.match(texts.hint, /[.]$/, code)
      assert.match(texts.doc, /[.]$/s, code)
      assert.doesNotMatch(texts.title, /[.]$/, code)
      assert.ok(texts.title.length <= 60, `${code}: ${texts.title}`)
      assert.ok(!texts.message.includes('\n') && !texts.hint.includes('\n'), code)
    }
    assert.notEqual(en.message, pt.message, code)
    assert.notEqual(en.doc, pt.doc, code)
  }
})

test('a code for which Wazuh refuses, drops or crashes is an error', () => {
  for (const [code, { severity, effect }] of ENTRIES) {
    // Harmless in some files and refused in others, where the compiler raises it to an error.
    if (code === 'xml_empty_file') assert.equal(severity, 'warning')
    else if (effect === 'refuse' || effect === 'drop' || effect === 'crash') assert.equal(severity, 'error', code)
  }
})

test('a code that Wazuh accepts is not an error, except for failures of a run', () => {
  for (const [code, { severity, effect, source }] of ENTRIES) {
    if (severity === 'error' && effect === 'none') assert.ok(source === 'session' || code.startsWith('engine_'), code)
  }
})

test('every code that drops a rule has a message number, so that people can find it in their log', () => {
  for (const [code, { effect, engineNumbers }] of ENTRIES) if (effect === 'drop') assert.ok(engineNumbers.length > 0, code)
})
