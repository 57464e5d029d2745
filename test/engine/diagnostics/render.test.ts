import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Collector } from '../../../engine/diagnostics/collector.js'
import { renderDiagnostic } from '../../../engine/diagnostics/render.js'
import { SourceText } from '../../../engine/source/source-text.js'

/** Returns the rendered diagnostic about the first occurrence of `part` in `content`, without its hint. */
function rendered(content: string, part: string, color = false): string {
  const file = new SourceText({ filename: 'a.xml', kind: 'rules', scope: 'adhoc', content })
  const start = Buffer.byteLength(content.slice(0, content.indexOf(part)))
  const span = file.span(start, start + Buffer.byteLength(part))
  const diagnostic = new Collector().add('rule_if_sid_empty', { file, span }, { id: 7 })
  return renderDiagnostic(diagnostic, content.split('\n')[span.line - 1], 'en-US', { color })
    .split('\n')
    .slice(2, -1)
    .join('\n')
}

test('a diagnostic is rendered with all its parts', () => {
  const file = new SourceText({ filename: 'a.xml', kind: 'rules', scope: 'adhoc', content: '<group>\n  <if_sid></if_sid>\n' })
  const related = [{ filename: 'b.xml', span: file.span(0, 7) }]
  const diagnostic = new Collector().add('rule_if_sid_empty', { file, span: file.span(10, 27) }, { id: 100001 }, { related })
  assert.equal(
    renderDiagnostic(diagnostic, '  <if_sid></if_sid>', 'en-US'),
    [
      'error[rule_if_sid_empty]: The <if_sid> of rule 100001 is empty.',
      '  --> a.xml:2:3',
      '  |',
      '2 |   <if_sid></if_sid>',
      '  |   ^^^^^^^^^^^^^^^^^',
      '  = hint: Write the id of the parent, or remove the element to place the rule under its category. Wazuh silently drops this rule: it loads everything else, and the detection is missing.',
      '  = see also: b.xml:1:1',
    ].join('\n'),
  )
})

test('a diagnostic without a place is rendered, in Portuguese', () => {
  const file = { filename: 'a.xml', kind: 'rules', scope: 'adhoc' } as const
  const diagnostic = new Collector().add('xml_empty_file', { file, span: null }, {})
  assert.equal(
    renderDiagnostic(diagnostic, null, 'pt-BR'),
    [
      'aviso[xml_empty_file]: O arquivo não tem nenhum elemento que o Wazuh possa carregar.',
      '  --> a.xml',
      '  = dica: Adicione ao menos um <group> com uma regra, ou um <decoder>; ou apague o arquivo.',
    ].join('\n'),
  )
})

test('carets are under the characters, not the bytes', () => {
  assert.equal(rendered('descrição: é€😀 <x>', '<x>'), ['  |', '1 | descrição: é€😀 <x>', `  | ${' '.repeat(15)}^^^`].join('\n'))
})

test('tabs before and inside the span do not shift the carets', () => {
  assert.equal(rendered('\tab\tcd ef', 'b\tc'), ['  |', '1 |     ab    cd ef', '  |      ^^^^^^'].join('\n'))
})

test('a long line is shown around the span', () => {
  const lines = rendered(`${'a'.repeat(500)}<x>${'b'.repeat(500)}`, '<x>').split('\n')
  assert.equal(lines[1], `1 | …${'a'.repeat(20)}<x>${'b'.repeat(97)}…`)
  assert.equal(lines[2], `  | ${' '.repeat(21)}^^^`)
})

test('a span over several lines is marked to the end of its first line, with its end position', () => {
  assert.equal(rendered('ab <rule>\n  x\n</rule>', '<rule>\n  x\n</rule>'), ['  |', '1 | ab <rule>', '  |    ^^^^^^ … 3:8'].join('\n'))
})

test('an empty span still gets a caret', () => {
  assert.equal(rendered('ab', ''), ['  |', '1 | ab', '  | ^'].join('\n'))
})

test('control characters of a file do not reach the terminal', () => {
  const text = rendered('\x1b[31m<x>\r', '<x>')
  assert.equal(text, ['  |', '1 | ␛[31m<x>', '  |      ^^^'].join('\n'))
})

test('severity and frame are coloured only on request', () => {
  assert.ok(rendered('ab', 'a', true).includes('\x1b[1;31m^\x1b[0m'))
  assert.ok(!rendered('ab', 'a').includes('\x1b'))
})
