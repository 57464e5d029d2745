/** Comparison of two contents for people: new and gone diagnostics, and lists with limits. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { compareContents, compileRuleset, type ContentSemantics, describeLists, type DiagnosticRecord, type SemanticItem } from '../../../engine/index.js'

const diagnostic = (message: string, line: number, more: Partial<DiagnosticRecord> = {}): DiagnosticRecord => ({
  severity: 'warning',
  source: 'rules',
  code: 'rule_parent_missing',
  message,
  filename: 'project_rules.xml',
  line,
  column: 1,
  end_line: line,
  end_column: 2,
  hint: '',
  evidence: null,
  source_scope: 'adhoc',
  engine_effect: 'none',
  suggestion: null,
  related: [],
  cause: null,
  more: 0,
  ...more,
})
const content = (more: Partial<ContentSemantics>): ContentSemantics => ({ diagnostics: [], rules: [], decoders: [], lists: [], ...more })
const messages = (before: readonly DiagnosticRecord[], after: readonly DiagnosticRecord[]): readonly string[] =>
  compareContents(content({ diagnostics: before }), content({ diagnostics: after }), 100).introduced.items.map(({ message }) => message)

test('a diagnostic that moved is not new, even if its message names a line', () => {
  assert.deepEqual(messages([diagnostic('a', 1)], [diagnostic('a', 9)]), [])
  assert.deepEqual(messages([diagnostic('in use (project_rules.xml:3).', 4)], [diagnostic('in use (project_rules.xml:13).', 14)]), [])
})

test('of equal diagnostics only those beyond the previous number are new', () => {
  assert.deepEqual(messages([diagnostic('a', 1)], [diagnostic('a', 1), diagnostic('a', 2), diagnostic('a', 3)]), ['a', 'a'])
  assert.deepEqual(messages([diagnostic('a', 1), diagnostic('a', 2), diagnostic('a', 3)], [diagnostic('a', 1)]), [])
})

test('a diagnostic with another code, file or message is another diagnostic', () => {
  for (const other of [diagnostic('b', 1), diagnostic('a', 1, { code: 'rule_parent_self' }), diagnostic('a', 1, { filename: 'project_decoders.xml' })])
    assert.deepEqual(messages([diagnostic('a', 1)], [other]), [other.message])
})

test('the worst diagnostics are first, and those of one severity keep their order', () => {
  const after = [diagnostic('i', 1, { severity: 'info' }), diagnostic('w1', 2), diagnostic('e', 3, { severity: 'error' }), diagnostic('w2', 4)]
  assert.deepEqual(messages([], after), ['e', 'w1', 'w2', 'i'])
})

test('a diagnostic that is new in one direction is gone in the other', () => {
  const { introduced, resolved } = compareContents(content({ diagnostics: [diagnostic('a', 1)] }), content({ diagnostics: [diagnostic('b', 1)] }), 100)
  assert.deepEqual([introduced.items.map(({ message }) => message), resolved.items.map(({ message }) => message)], [['b'], ['a']])
})

test('only a diagnostic that hides a rule is shadowing', () => {
  const after = ['rule_overlapping_level', 'decoder_unreachable', 'decoder_shadowed'].map((code) => diagnostic(code, 1, { code }))
  assert.deepEqual(
    compareContents(content({}), content({ diagnostics: after }), 100).shadowed.items.map(({ code }) => code),
    ['rule_overlapping_level', 'decoder_shadowed'],
  )
})

test('lists are compared by the results of their look-ups', () => {
  const describe = (...lists: readonly (readonly [name: string, text: string])[]) => {
    const files = lists.map(([filename, text]) => ({ filename, kind: 'lists', scope: 'adhoc', content: text }) as const)
    return content({ lists: describeLists(compileRuleset([{ filename: 'etc/lists/base', kind: 'lists', scope: 'default', content: 'x:' }, ...files]), 'adhoc') })
  }
  const compare = (before: ContentSemantics, after: ContentSemantics) => compareContents(before, after, 7).lists
  const old = describe(['etc/lists/stays', 'a:1\nb:2\n'], ['etc/lists/goes', 'a:'], ['etc/lists/changes', 'a:1\nb:2\nc:3'])
  assert.deepEqual(old.lists.map(({ name }) => name).sort(), ['etc/lists/changes', 'etc/lists/goes', 'etc/lists/stays'])
  assert.deepEqual(compare(old, old), { added: [], removed: [], changed: [] })
  const now = describe(
    ['etc/lists/stays.cdb', 'no entry\r\nb:"2"\n"a":1\nb:never found\n'],
    ['etc/lists/changes', 'b:2\nc:4\nd:\ne:'],
    ['etc/lists/comes', 'a:\nb:'],
    ['etc/lists/base', 'y:'],
  )
  assert.deepEqual(compare(old, now), {
    added: [
      { name: 'etc/lists/base', entries: 1 },
      { name: 'etc/lists/comes', entries: 2 },
    ],
    removed: [{ name: 'etc/lists/goes', entries: 1 }],
    changed: [{ name: 'etc/lists/changes', added: 2, removed: 1, changed: 1 }],
  })
})

test('lists are cut at the limit, counts are not', () => {
  const item = (index: number, match: string): SemanticItem => ({ name: String(index), label: 'd', line: index + 1, options: { match }, siblings: ['1 500'] })
  const rules = (match: string, from: number): SemanticItem[] => Array.from({ length: 50 }, (_, index) => item(from + index, match))
  const { rules: compared } = compareContents(content({ rules: [...rules('a', 0), ...rules('a', 100)] }), content({ rules: [...rules('b', 0), ...rules('a', 200)] }), 7)
  assert.deepEqual([compared.added.count, compared.removed.count, compared.changed.count], [50, 50, 50])
  assert.deepEqual([compared.added.items.length, compared.removed.items.length, compared.changed.items.length], [7, 7, 7])
  assert.deepEqual(compared.changed.items[0], { item: { name: '0', label: 'd', line: 1, options: {}, siblings: [] }, changes: ['match'] })
})

test('diagnostics that are only counted are compared by their number, and a new one of them is shown', () => {
  const shown = (message: string, more: number) => diagnostic(more === 0 ? message : `${message} And ${more} more of this kind.`, 1, { more })
  const compared = (before: readonly DiagnosticRecord[], after: readonly DiagnosticRecord[]) => {
    const { introduced, resolved } = compareContents(content({ diagnostics: before }), content({ diagnostics: after }), 100)
    return [introduced, resolved].map(({ count, items }) => [count, items.map(({ message, more }) => [message, more])])
  }
  assert.deepEqual(compared([shown('a', 7)], [shown('a', 7)]), [
    [0, []],
    [0, []],
  ])
  assert.deepEqual(compared([shown('a', 0)], [shown('a', 7)]), [
    [7, [['a And 6 more of this kind.', 6]]],
    [0, []],
  ])
  assert.deepEqual(compared([shown('a', 7)], [shown('a', 6), diagnostic('b', 2)]), [
    [1, [['b', 0]]],
    [1, [['a', 0]]],
  ])
  assert.deepEqual(compared([], [shown('a', 7)]), [
    [8, [['a And 7 more of this kind.', 7]]],
    [0, []],
  ])
})
