/** The order in which files load (BEHAVIOUR.md#load-order). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseName, inLoadOrder } from '../../../engine/source/load-order.js'
import type { FileKind } from '../../../engine/source/source-file.js'

const file = (kind: FileKind, filename: string, mark = 0): { kind: FileKind; filename: string; mark: number } => ({ kind, filename, mark })

test('all decoders load before all lists, and those before all rules', () => {
  const files = [file('rules', 'a'), file('lists', 'b'), file('decoders', 'c')]
  assert.deepEqual(
    inLoadOrder(files).map(({ kind }) => kind),
    ['decoders', 'lists', 'rules'],
  )
})

test('within a kind the base name decides in byte order, whatever the directory', () => {
  const names = ['ruleset/rules/0010-b.xml', 'etc/rules/local_rules.xml', 'etc/rules/0005-x.xml', 'Z.xml', '100-a.xml', 'ruleset/rules/0100-c.xml']
  assert.deepEqual(
    inLoadOrder(names.map((name) => file('rules', name))).map(({ filename }) => filename),
    ['etc/rules/0005-x.xml', 'ruleset/rules/0010-b.xml', 'ruleset/rules/0100-c.xml', '100-a.xml', 'Z.xml', 'etc/rules/local_rules.xml'],
  )
})

test('equal base names keep the order in which they are passed', () => {
  const files = [file('rules', 'z.xml'), file('rules', 'x/a.xml', 1), file('rules', 'b/a.xml', 2), file('rules', 'a.xml', 3)]
  assert.deepEqual(
    inLoadOrder(files).map(({ mark }) => mark),
    [1, 2, 3, 0],
  )
})

test('the input is not changed, sorted or not', () => {
  const files = [file('rules', 'b'), file('rules', 'a')]
  assert.notEqual(inLoadOrder(files), files)
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ['b', 'a'],
  )
  const sorted = [file('rules', 'a'), file('rules', 'b')]
  assert.notEqual(inLoadOrder(sorted), sorted)
  assert.deepEqual(inLoadOrder(sorted), sorted)
  assert.deepEqual(inLoadOrder([]), [])
})

test('the base name is the part after the last slash', () => {
  assert.deepEqual(['a.xml', 'etc/rules/a.xml', '/a', 'etc/'].map(baseName), ['a.xml', 'a.xml', 'a', ''])
})
