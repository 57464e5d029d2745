/** OSMatch (BEHAVIOUR.md#osmatch). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMatchResult } from '../../../engine/expressions/expression.js'
import type { OsMatchExpression, OsMatchOptions } from '../../../engine/expressions/osmatch/osmatch.js'
import { compileOsMatch } from '../../../engine/expressions/osmatch/osmatch.js'
import { foldCase } from '../../../engine/source/byte-string.js'

function compiled(pattern: string, options: OsMatchOptions = {}): OsMatchExpression {
  const outcome = compileOsMatch(pattern, options)
  assert.ok(outcome.ok)
  return outcome.expression
}

const CASES: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  // forms
  ['foo', ['foo', 'a FOO b'], ['fo', '']],
  ['^foo', ['foo', 'FOOd'], ['a foo', 'fo']],
  ['foo$', ['foo', 'a Foo'], ['foo b', 'oo']],
  ['^foo$', ['foo', 'FOO'], ['foo ', ' foo', 'foofoo']],
  ['^$', [''], ['a']],
  ['', ['', 'a'], []],
  ['^', ['', 'a'], []],
  ['$', ['', 'a'], []],
  // alternatives: every bar separates, an empty alternative is always true
  ['a|b', ['xa', 'bx'], ['c']],
  ['a|', ['c', ''], []],
  ['|a', ['c', ''], []],
  ['a\\|b', ['a\\', 'b'], ['a|c', 'a']],
  ['^a|b$', ['ax', 'xb'], ['xa', 'bx']],
  // negation of the whole list
  ['!a|b', ['c', ''], ['a', 'xb']],
  ['!', [], ['a', '']],
  ['!!a', ['a', ''], ['x!a']],
  ['a|!b', ['!b', 'a'], ['b']],
  // no escapes, no wildcards
  ['a.b', ['a.b'], ['axb']],
  ['\\d\\<*', ['\\d\\<*'], ['1<', '1']],
  ['a^b$c', ['a^b$c'], ['abc']],
  // quirk: a high byte never matches in the plain form, and exactly in the anchored ones
  ['\xe9', [], ['\xe9', 'x\xe9x']],
  ['a\xe9|b', ['b'], ['a\xe9']],
  ['^\xe9', ['\xe9t\xe9'], ['\xc9']],
  ['\xe9$', ['t\xe9'], ['t\xc9']],
  ['^t\xe9$', ['T\xe9'], ['T\xc9']],
]

for (const [pattern, yes, no] of CASES) {
  test(`${JSON.stringify(pattern)} matches the right texts`, () => {
    const expression = compiled(pattern)
    for (const text of [...yes, ...no]) {
      const lower = foldCase(text)
      const expected = yes.includes(text)
      assert.equal(expression.test(text, lower, 0), expected, JSON.stringify(text))
      if (!expected) continue
      const { prefilter, firstBytes } = expression
      if (prefilter !== null) assert.ok(prefilter.kind === 'exact' ? prefilter.values.includes(lower) : prefilter.values.some((value) => lower.includes(value)))
      if (firstBytes !== null && text !== '') assert.equal(firstBytes[text.charCodeAt(0)], 1)
    }
  })
}

test('no group and no end is reported', () => {
  const result = createMatchResult()
  assert.equal(compiled('b').search('abc', 'abc', 1, result), true)
  assert.deepEqual([result.end, result.count], [1, 0])
})

test('a search from an offset treats that offset as the start', () => {
  for (const [pattern, expected] of [
    ['^bc', true],
    ['a', false],
    ['^bc$', true],
    ['abc$', false],
    ['bc$', true],
    ['^abc$', false],
  ] as const) {
    assert.equal(compiled(pattern).test('abc', 'abc', 1), expected, pattern)
  }
})

test('a case-sensitive capital never matches in the plain form, and anchored forms ignore case', () => {
  const options = { caseSensitive: true }
  assert.equal(compiled('aB', options).test('aB', 'ab', 0), false)
  assert.equal(compiled('^aB', options).test('AB', 'ab', 0), true)
})

test('the only error is a pattern over 20480 bytes, including its !', () => {
  assert.equal(compileOsMatch('(a\\').ok, true)
  assert.equal(compileOsMatch('a'.repeat(20_480)).ok, true)
  const outcome = compileOsMatch(`!${'a'.repeat(20_480)}`)
  assert.deepEqual(outcome.ok ? null : [outcome.error.code, outcome.error.offset], ['pattern_too_long', 20_480])
})

test('prefilters are necessary conditions: exact only if all alternatives are, absent for negated or always true patterns', () => {
  assert.deepEqual(compiled('^A$|^b$').prefilter, { kind: 'exact', values: ['a', 'b'] })
  assert.deepEqual(compiled('^A$|b').prefilter, { kind: 'contains', values: ['a', 'b'] })
  assert.equal(compiled('!a').prefilter, null)
  assert.equal(compiled('a|').prefilter, null)
  assert.equal(compiled('!^a').firstBytes, null)
  assert.deepEqual(
    [...(compiled('^a|^:').firstBytes?.entries() ?? [])].filter(([, possible]) => possible === 1).map(([byte]) => String.fromCharCode(byte)),
    [':', 'A', 'a'],
  )
})
