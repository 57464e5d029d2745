import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Collector, EVIDENCE_LIMIT, type Extra, KIND_LIMIT, OWNER_LIMIT, PARAM_LIMIT, RELATED_LIMIT } from '../../../engine/diagnostics/collector.js'
import { countOf } from '../../../engine/diagnostics/diagnostic.js'
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

test('a hundred of one kind are kept for an owner, a thousand in all; the others are counted by file', () => {
  const files = [source('a.xml'), source('b.xml'), source('c.xml')]
  const collector = new Collector(files)
  let made = 0
  const text = (): string => `${++made}`
  const add = (code: 'rule_orphan' | 'rule_level_missing', file: SourceText, owner: object, extra: Extra = {}) =>
    collector.add(code, { file, span: file.span(0, 1), owner, evidence: text }, { id: 1 }, { ...extra, suggestion: text })
  const one = {}
  for (let count = 0; count < OWNER_LIMIT + 50; count++) add('rule_orphan', files[0], one)
  for (let count = 0; count < 2 * KIND_LIMIT; count++) add('rule_orphan', files[1], {})
  for (let count = 0; count < 3; count++) add('rule_orphan', files[2], {})
  const found = collector.list()
  const moreOf = (filename: string) => {
    const own = found.filter((diagnostic) => diagnostic.filename === filename)
    return [own.length, own.filter(({ more }) => more > 0).map(({ more }) => more), countOf(own)]
  }
  assert.deepEqual(moreOf('a.xml'), [OWNER_LIMIT, [50], OWNER_LIMIT + 50])
  const kept = KIND_LIMIT - OWNER_LIMIT
  assert.deepEqual(moreOf('b.xml'), [kept, [2 * KIND_LIMIT - kept], 2 * KIND_LIMIT])
  // The first one of a file is kept at any rate.
  assert.deepEqual(moreOf('c.xml'), [1, [2], 3])
  // What is only counted costs no text.
  assert.equal(made, 2 * found.length)
  // Another code, severity, or consequence is another kind.
  const before = countOf(found)
  const cause = add('rule_level_missing', files[0], one)
  for (const extra of [{}, { unread: true }, { severity: 'error' }, { cause }] as const) add('rule_orphan', files[0], one, extra)
  assert.equal(collector.list().length, found.length + 4)
  assert.equal(countOf(collector.list()), before + 5)
})

test('a diagnostic that is only counted is returned with its own place and values, because others may follow from it', () => {
  const file = source('a.xml')
  const collector = new Collector([file])
  for (let id = 0; id < 2 * OWNER_LIMIT; id++) {
    const { params, span, more } = collector.add('rule_orphan', { file, span: file.span(0, 1 + (id % 8)) }, { id })
    assert.deepEqual([params.id, span?.end, more], [id, 1 + (id % 8), 0])
  }
  assert.equal(collector.count('rule_orphan', file), true)
  assert.equal(collector.count('rule_id_missing', file), false)
  assert.equal(countOf(collector.list()), 2 * OWNER_LIMIT + 1)
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
