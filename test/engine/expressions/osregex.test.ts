/** OSRegex: syntax, unusual results and recorded vectors (BEHAVIOUR.md#osregex-syntax, #osregex-matching). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMatchResult } from '../../../engine/expressions/expression.js'
import type { OsRegexExpression } from '../../../engine/expressions/osregex/osregex.js'
import { compileOsRegex } from '../../../engine/expressions/osregex/osregex.js'
import { foldCase, toByteString } from '../../../engine/source/byte-string.js'

function compiled(pattern: string, options: { capturing?: boolean; caseSensitive?: boolean } = { capturing: true }): OsRegexExpression {
  const outcome = compileOsRegex(pattern, options)
  assert.ok(outcome.ok, pattern)
  return outcome.expression
}

/** Returns the end and the groups, or null. */
function search(expression: OsRegexExpression, text: string, from = 0): { end: number; groups: string[] } | null {
  const result = createMatchResult()
  if (!expression.search(text, foldCase(text), from, result)) return null
  return { end: result.end, groups: Array.from({ length: result.count }, (_, i) => text.slice(result.bounds[2 * i], result.bounds[2 * i + 1])) }
}

/** `end` null: no match; undefined: the specification does not state it. */
type Case = readonly [pattern: string, text: string, end: number | null | undefined, groups?: readonly string[]]

const CASES: readonly Case[] = [
  // quantifiers and look-ahead (BEHAVIOUR.md#osregex-results)
  ['(\\.+)o', 'foo boo', undefined, ['f']],
  ['for (\\.+) from (\\S+)', 'for invalid user bob from here from 1.2.3.4 port', undefined, ['invalid user bob', 'here']],
  ['\\w+b$', 'aabb', null],
  ['\\w*b$', 'aabb', undefined],
  ['\\w+ab', 'aaab', null],
  ['\\w*ab', 'aaab', undefined],
  ['a(\\d*)b', 'ab', undefined, ['']],
  ['\\w*a\\.*c\\.*a\\S*c\\S*a$', 'acacaa', null],
  // reported end (BEHAVIOUR.md#osregex-results)
  ['lo world', 'hello world now', 10],
  ['\\d+', 'ab 12 x', 5],
  ['\\d+', 'ab 12', 3],
  ['(\\d+)', '12 x', 0, ['12']],
  ['(\\S+) (\\S+)', 'ab cd ef', 3, ['ab', 'cd']],
  ['\\S+\\s\\S+', 'ab cd ef', 5],
  ['a=(\\S+) ', 'a=12 b', 4, ['12']],
  ['x\\d*', 'xy', 0],
  ['\\d*', 'abc', -1],
  ['a=(\\S+) (\\d+)', 'a=xy 12', 5, ['xy', '12']],
  // groups (BEHAVIOUR.md#osregex-results)
  ['(\\w+)(\\d+)', 'ab12', null],
  ['(\\w+)(\\d+)', 'ab(12', undefined, ['ab']],
  ['()', 'a', null],
  ['(\\d+)\\s*', '123', undefined, ['']],
  ['(\\d+)\\s*', '1', undefined, ['1']],
  ['(\\d+)\\s*', '123 x', undefined, ['123']],
  ['x=(\\w*),y=(\\w*)', 'x=,y=', undefined, ['']],
  // alternatives, in pattern order over the whole text (BEHAVIOUR.md#osregex-matching)
  ['(\\w+) |(\\d+);', '12;', undefined, ['12']],
  ['(a)x|(b)y', 'by ax', 4, ['a']],
  ['^a|b$', 'ba', null],
  ['zz|', 'b', 0],
  // a group in any alternative has all of them capture, which accepts more at the end of the text (BEHAVIOUR.md#osregex-matching)
  ['(a)x|b\\s*\\d*', 'b', 0],
  ['b\\s*\\d*', 'b', null],
  ['(a)x|\\w*\\p*', '', 0],
  // loose acceptance (BEHAVIOUR.md#osregex-results)
  ['\\.+\\s\\d', 'ab x', 3],
  ['(\\.*)\\d+', '=user', 4, ['=user']],
  ['^\\d*$', '', 0],
  ['$', '', 0],
  ['$', 'a', null],
  // anchors, escapes, literals
  ['a$b', 'a$b', 2],
  ['(a$)', 'a$', 1, ['a$']],
  ['(^a)', '^a', 1, ['^a']],
  ['a^', 'a^', 1],
  ['a\\$', 'a$', 1],
  ['a+', 'aa', null],
  ['a+', 'a+', 1],
  ['\\w++', 'ab+', 2],
  ['a.b', 'axb', null],
  ['a?[b]{2}', 'a?[b]{2}', 7],
  ['FOO', 'a foO', 4],
  ['\\s', '\t', null],
  ['\\W', '\xe9', 0],
  ['\\.', '\xe9', 0],
  ['\xe9', '\xe9', null],
  ['x|\xe9', 'ax', 1],
  // recorded vectors
  ['^a\\s(\\w+)\\p\\s*\\S+|\\s*', ' to -', 1, []],
  ['\\( to \\s+(\\d)"|\\d+', '[1 2;[1 2ip=x-y', 2, []],
  ['(\\.*)\\w+\\p*|\\.* $', '10.0.0.1id=', 3, ['']],
  ['^\\d*a(\\S*)\\t\\.*', 'alice', 4, ['lice']],
  ['^\\S+\\D+\\t\\p*$', 'x-y', 2, []],
  ['\\.+\\t\\p*(\\.+)$', 'to|:  [-\t', 8, []],
  ['(\\w+ \\d+)\\w\\s', '22user7[221 210.0.0.1', 14, ['221 2']],
  ['(\\S+)\\.*(\\.*)a', '10.0.0.1x-ya', 11, ['1', '.0.0.1x-y']],
  ['(\\.*)(\\.*)(\\.+)$', '\t\tabc', null],
  ['(\\w*)$', '-bob,id=abcuserx-ybob', null],
  ['\\d+\\p*\\w+\\D+', 'ab12=', null],
  ['(\\w+)(\\S*)', '=frombobx', null],
]

for (const [pattern, text, end, groups] of CASES) {
  test(`${JSON.stringify(pattern)} on ${JSON.stringify(text)} ${end === null ? 'does not match' : 'matches'}`, () => {
    const expression = compiled(pattern)
    const found = search(expression, text)
    assert.equal(expression.test(text, foldCase(text), 0), found !== null)
    if (end === null) return assert.equal(found, null)
    assert.ok(found !== null)
    if (end !== undefined) assert.equal(found.end, end)
    assert.deepEqual(found.groups, groups ?? [])
    // The prefilters are necessary for a match.
    const lower = foldCase(text)
    const { prefilter, firstBytes } = expression
    if (prefilter !== null) assert.ok(prefilter.kind === 'exact' ? prefilter.values.includes(lower) : prefilter.values.some((value) => lower.includes(value)))
    if (firstBytes !== null && text !== '') assert.equal(firstBytes[text.charCodeAt(0)], 1)
  })
}

const DIGITS = '0123456789'
const WORD = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-@`
const without = (excluded: string): string => ALL.filter((byte) => !excluded.includes(byte)).join('')
const ALL = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
const CLASSES: readonly (readonly [letter: string, bytes: string])[] = [
  ['d', DIGITS],
  ['D', without(DIGITS)],
  ['w', WORD],
  ['W', without(WORD)],
  ['s', ' '],
  ['S', without(' ')],
  ['t', '\t'],
  ['p', '!"#$%&\'()*+,-.:;<=>?[]{|}'],
  ['.', ALL.join('')],
  ['(', '('],
  [')', ')'],
  ['\\', '\\'],
  ['$', '$'],
  ['<', '<'],
  ['|', '|'],
]

for (const [letter, bytes] of CLASSES) {
  test(`the escape \\${letter} matches exactly its bytes`, () => {
    const expression = compiled(`^\\${letter}$`)
    assert.deepEqual(
      ALL.filter((byte) => search(expression, byte) !== null),
      [...bytes].sort(),
    )
  })
}

test('every other escape is an error with its position', () => {
  for (const byte of ALL) {
    if (CLASSES.some(([letter]) => letter === byte)) continue
    const outcome = compileOsRegex(`ab\\${byte}`)
    assert.deepEqual(outcome.ok ? null : [outcome.error.code, outcome.error.offset], ['bad_escape', 2], JSON.stringify(byte))
  }
})

test('an invalid escape is reported with its character', () => {
  for (const character of ['q', 'é', '€', '🔥']) {
    const outcome = compileOsRegex(toByteString(`ab\\${character}c`))
    assert.equal(outcome.ok ? null : outcome.error.message, `"\\${character}" is no escape of OS_Regex`)
  }
})

const ERRORS: readonly (readonly [pattern: string, code: string, offset: number])[] = [
  ['ab\\', 'bad_escape', 2],
  ['a\\\\\\', 'bad_escape', 3],
  ['((a))', 'bad_parentheses', 1],
  ['a)', 'bad_parentheses', 1],
  ['x(a', 'bad_parentheses', 1],
  ['(a|b)', 'bad_parentheses', 2],
  ['a'.repeat(20_481), 'pattern_too_long', 20_480],
]

for (const [pattern, code, offset] of ERRORS) {
  test(`the pattern ${JSON.stringify(pattern.slice(0, 10))} is refused with ${code}`, () => {
    const outcome = compileOsRegex(pattern)
    assert.deepEqual(outcome.ok ? null : [outcome.error.code, outcome.error.offset], [code, offset])
  })
}

test('a pattern of 20480 bytes, an empty one and empty alternatives are accepted', () => {
  for (const pattern of ['a'.repeat(20_480), '', '|', '^|$', '\\(']) assert.equal(compileOsRegex(pattern).ok, true)
  assert.deepEqual(search(compiled(''), ''), { end: 0, groups: [] })
})

test('captures that were not requested are not reported, and the matcher then accepts an extra closing mark', () => {
  const plain = compiled('(\\d+) x', {})
  assert.deepEqual(search(plain, '12 x'), { end: 3, groups: [] })
  assert.equal(plain.capturing, false)
  assert.equal(compiled('\\d+').capturing, false)
})

test('a case-sensitive capital never matches, because the text is folded anyway', () => {
  const options = { caseSensitive: true }
  assert.equal(search(compiled('aB', options), 'aB'), null)
  assert.deepEqual(search(compiled('ab', options), 'AB'), { end: 1, groups: [] })
})

test('a search from an offset treats that offset as the start, and reports absolute offsets', () => {
  assert.deepEqual(search(compiled('^(b)c'), 'abc', 1), { end: 2, groups: ['b'] })
  assert.equal(search(compiled('^(b)c'), 'abc', 0), null)
  assert.equal(search(compiled('a'), 'abc', 1), null)
  assert.deepEqual(search(compiled('\\d*'), 'abc', 1), { end: 0, groups: [] })
})

test('an expression returns the same result again after it ran on other texts', () => {
  const expression = compiled('u=(\\S+) from (\\S+)')
  const first = search(expression, 'u=bob from x y')
  search(expression, 'nothing of the kind')
  search(expression, 'u=alice from')
  assert.deepEqual(search(expression, 'u=bob from x y'), first)
  assert.deepEqual(first?.groups, ['bob', 'x'])
})

test('exact texts and required literals are known before a search', () => {
  assert.deepEqual(compiled('^Door$|^lamp$').prefilter, { kind: 'exact', values: ['door', 'lamp'] })
  assert.deepEqual(compiled('\\d+ failed login').prefilter, { kind: 'contains', values: [' failed login'] })
  assert.equal(compiled('abc|\\d+').prefilter, null)
})

test('captures that end before they begin end the search, with and without groups', () => {
  for (const [pattern, input] of [
    ['\\s*(\\p*)$|', '-b '],
    ['\\s*(\\p*)$|\\w+', 'a '],
  ]) {
    const outcome = compileOsRegex(pattern, { capturing: true })
    assert.ok(outcome.ok)
    assert.equal(outcome.expression.search(input, input, 0, createMatchResult()), false)
    assert.equal(outcome.expression.test(input, input, 0), false)
  }
})
