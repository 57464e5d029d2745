import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Collector, EVIDENCE_LIMIT, PARAM_LIMIT, RELATED_LIMIT } from '../../../engine/diagnostics/collector.js'
import type { FileKind } from '../../../engine/source/source-file.js'
import { SourceText } from '../../../engine/source/source-text.js'

function source(filename: string, kind: FileKind = 'rules'): SourceText {
  return new SourceText({ filename, kind, scope: 'adhoc', content: 'line one\nline two\nline three\n' })
}

test('diagnostics are in the load order of their files: decoders, lists, rules, each by name', () => {
  const collector = new Collector()
  const files = [source('b.xml'), source('a.xml'), source('etc/lists/z', 'lists'), source('z.xml', 'decoders')]
  for (const file of files) collector.add('xml_bom', { file, span: file.span(0, 1) }, {})
  assert.deepEqual(
    collector.list().map(({ filename }) => filename),
    ['z.xml', 'etc/lists/z', 'a.xml', 'b.xml'],
  )
})

test('diagnostics of a file are ordered by line, column, severity, then discovery', () => {
  const collector = new Collector()
  const file = source('a.xml')
  collector.add('rule_id_missing', { file, span: file.span(12, 14) }, {})
  collector.add('xml_bom', { file, span: file.span(9, 10) }, {})
  collector.add('rule_no_condition', { file, span: file.span(9, 10) }, { id: 1 })
  collector.add('rule_orphan', { file, span: file.span(9, 10) }, { id: 1 })
  collector.add('rule_level_missing', { file, span: file.span(9, 10) }, { id: 1 })
  collector.add('xml_empty_file', { file, span: null }, {})
  assert.deepEqual(
    collector.list().map(({ code }) => code),
    ['xml_empty_file', 'rule_level_missing', 'rule_no_condition', 'xml_bom', 'rule_orphan', 'rule_id_missing'],
  )
})

test('no diagnostic is omitted, and each is read a bounded number of times', () => {
  const collector = new Collector()
  const file = source('a.xml')
  const count = 100_000
  let reads = 0
  const span = (line: number) => ({
    start: 0,
    end: 1,
    get line() {
      reads++
      return line
    },
    column: 1,
    endLine: line,
    endColumn: 2,
  })
  for (let i = 0; i < count; i++) collector.add('rule_orphan', { file, span: span(i) }, { id: i })
  assert.equal(collector.list().length, count)
  assert.ok(reads <= count * 2 * Math.ceil(Math.log2(count)), `${reads} reads`)
})

test('evidence is cut to a number of bytes without splitting a character', () => {
  const collector = new Collector()
  const file = source('a.xml')
  const { evidence } = collector.add('xml_bom', { file, span: null, evidence: 'é€😀'.repeat(200) }, {})
  assert.ok(evidence !== null && Buffer.byteLength(evidence) <= EVIDENCE_LIMIT && Buffer.byteLength(evidence) > EVIDENCE_LIMIT - 4)
  assert.ok('é€😀'.repeat(200).startsWith(evidence) && isWhole(evidence))
  assert.equal(collector.add('xml_bom', { file, span: null, evidence: 'short' }, {}).evidence, 'short')
})

test('long values and long lists of places are cut', () => {
  const collector = new Collector()
  const file = source('a.xml')
  const related = Array.from({ length: 50 }, () => ({ filename: 'a.xml', span: file.span(0, 1) }))
  const diagnostic = collector.add('decoder_empty', { file, span: null }, { decoder: '😀'.repeat(500) }, { related })
  assert.ok(String(diagnostic.params.decoder).length <= PARAM_LIMIT + 1 && isWhole(String(diagnostic.params.decoder)))
  assert.equal(diagnostic.related.length, RELATED_LIMIT)
})

test('the cause of a diagnostic is the root of the chain', () => {
  const collector = new Collector()
  const file = source('a.xml')
  const root = collector.add('rule_list_not_loaded', { file, span: null }, { id: 1, value: 'x' })
  const child = collector.add('rule_parent_dropped', { file, span: null }, { id: 2, parent: 1 }, { cause: root })
  const grandchild = collector.add('rule_parent_dropped', { file, span: null }, { id: 3, parent: 2 }, { cause: child })
  assert.equal(grandchild.cause, root)
})

/** Whether no surrogate pair of a text is split: half a pair does not survive UTF-8. */
function isWhole(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text
}
