import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMatchResult } from '../../../engine/expressions/expression.js'
import { compilePcre2, type Pcre2Engine, type Pcre2Expression } from '../../../engine/expressions/pcre2/compile.js'
import { COMPILED, PLAIN } from '../../../engine/kernel/kernel.js'
import { foldCase } from '../../../engine/source/byte-string.js'

const ENGINES: readonly Pcre2Engine[] = ['native', 'linear', 'backtrack']

function compiled(pattern: string): Pcre2Expression {
  const outcome = compilePcre2(pattern)
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.error.message)
  return outcome.expression
}

/** Returns the result of a search: end, then the groups; null for no match. */
function report(found: boolean, text: string, result: { end: number; count: number; bounds: number[] }): unknown[] | null {
  if (!found) return null
  const groups = Array.from({ length: result.count }, (_, i) => text.slice(result.bounds[2 * i], result.bounds[2 * i + 1]))
  return [result.end, ...groups]
}

type Case = readonly [pattern: string, text: string, expected: readonly unknown[] | null]

const CASES: readonly Case[] = [
  // literals, bytes, escapes
  ['foo', 'a foo', [4]],
  ['FOO', 'foo', null],
  ['(?i)foo', 'a FOO', [4]],
  ['\\.\\<\\_', '.<_', [2]],
  ['.', '\xe9', [0]],
  ['\\w', '\xe9', null],
  ['(?i)\xe9', '\xc9', null],
  ['\\x41\\x{42}\\103\\o{104}', 'ABCD', [3]],
  ['\\Qa.b\\E+', 'a.bb', [3]],
  ['a.c', 'a\nc', null],
  ['(?s)a.c', 'a\nc', [2]],
  ['\\N\\h\\v', 'a\t\x0b', [2]],
  ['\\R', '\r\n', [1]],
  // repetitions that PCRE2 makes possessive, although they could give back what follows
  ['.*\\R', 'a\r', null],
  ['.+?(\\R)', 'a\r\nb', [2, '\n']],
  ['(.*)(?:\\R)+', 'a\r', null],
  ['(?:.*|b)\\R', 'a\r', null],
  ['.*\\R?\\R', 'a\r', null],
  ['\\S+\\h', 'a\xa0', null],
  ['\\h*\\S', '\xa0', null],
  ['\\R?\\s', '\n', null],
  // and those that it does not
  ['(.+?)\\R', 'a\r\nb', [2, 'a']],
  ['(?:.)*\\R', 'a\r', [1]],
  ['.*(?:\\R|b)', 'a\r', [1]],
  ['.*(?=\\R)', 'a\r', [0]],
  ['[^\\n]*\\R', 'a\r', [1]],
  ['(?s).*\\R', 'a\r', [1]],
  ['(.*)\\R(?1)', 'a\r', [1, 'a']],
  ['(*NO_AUTO_POSSESS).*\\R', 'a\r', [1]],
  // what may stand before the sign of a mode
  ['^a?(?#c)+a', 'a', null],
  ['(?x)^(a+ # c\n ?)', 'aa', [0, 'a']],
  ['^(a+\\Q\\E\\E?)', 'aa', [0, 'a']],
  ['\\R\\n', '\r\n', null],
  ['\\X\\X', '\r\nx', [2]],
  ['\\p{Lu}\\p{^Lu}', 'Aa', [1]],
  ['\\p{L}', '\xe9', [0]],
  ['(*UCP)\\w', '\xe9', [0]],
  ['(?i)(*F)|\\p{Lu}', 'a', null],
  // classes
  ['[]a]+', 'x]a]', [3]],
  ['[^]a]', ']ab', [2]],
  ['[a-c-]+', 'b-c', [2]],
  ['(?i)[^a]', 'Aab', [2]],
  ['(?i)[[:upper:]]', 'a', [0]],
  ['[[:^alpha:][:digit:]]', 'a1', [1]],
  // anchors
  ['a$', 'a\n', [0]],
  ['a\\z', 'a\n', null],
  ['a\\Z', 'a\n', [0]],
  ['$', 'ab', [1]],
  ['^', 'ab', [-1]],
  ['(?m)^b', 'a\nb', [2]],
  ['(?m)a$', 'a\nb', [0]],
  ['(?m)a\n^', 'a\n', null],
  ['\\Gb', 'ab', null],
  ['\\bfoo\\b', 'a foo', [4]],
  ['\\Boo', 'foo', [2]],
  // quantifiers
  ['a{2,3}', 'aaaa', [2]],
  ['a{2,}?', 'aaaa', [1]],
  ['(?U)a+', 'aaa', [0]],
  ['(?U)a+?', 'aaa', [2]],
  ['a++a', 'aaa', null],
  ['a{,2}', 'aa{,2}', [5]],
  // groups
  ['(a)(b)?(c)', 'xac', [2, 'a', '', 'c']],
  ['(a)(b)?', 'ac', [0, 'a']],
  ['(a)|(b)', 'b', [0, '', 'b']],
  ['((a)|(b))+', 'ab', [1, 'b', 'a', 'b']],
  ['(?:a(\\d)?)+', 'a1a', [2, '1']],
  ['(a?)*', 'aa', [1, '']],
  ['(a|b*)*', 'ab', [1, '']],
  ['(a*)+', 'b', [-1, '']],
  ['(|a)+', 'aa', [-1, '']],
  ['(?|(a)|(b))c', 'bc', [1, 'b']],
  ['(?n)(a)(?<x>b)', 'ab', [1, 'b']],
  ['(a)\\1', 'aab', [1, 'a']],
  ['(?i)(a)\\1', 'aA', [1, 'a']],
  ['(a)?\\1b', 'b', null],
  ['(?<x>a)\\k<x>', 'aa', [1, 'a']],
  ['(?J)(?:(?<x>a)|(?<x>b))\\k<x>', 'bb', [1, '', 'b']],
  ['(a\\1?){3}', 'aaaaaa', [5, 'aaa']],
  ['(?>a+)b', 'aab', [2]],
  ['(?>a|ab)c', 'abc', null],
  // lookaround
  ['a(?=b)', 'acab', [2]],
  ['a(?!b)', 'abac', [2]],
  ['(?<=a)b', 'bab', [2]],
  ['(?<!a)b', 'abb', [2]],
  ['(?<=a|bc)d', 'bcd', [2]],
  ['(?=(a))ab', 'ab', [1, 'a']],
  ['(?!(a))b', 'b', [0]],
  ['(?=a+)(*F)|(?*a+)aab', 'aab', [2]],
  // conditionals and calls
  ['(a)?(?(1)b|c)', 'c', [0]],
  ['(?<q>")?x(?(<q>)"|!)', '"x"', [2, '"']],
  ['(?(?=a)ab|cd)', 'cd', [1]],
  ['(?(DEFINE)(?<d>\\d+))(?&d)-(?&d)', '12-34', [4]],
  ['\\((?:[^()]|(?R))*\\)', 'x(a(b)c)', [7]],
  ['^(.)(?:(?R)|.?)\\1$', 'aba', [2, 'a']],
  ['(a|b(?1)c)d', 'bacd', [3, 'bac']],
  ['(?R)', 'a', null],
  // verbs
  ['a+(*COMMIT)b|c', 'aac', null],
  ['(*COMMIT)b', 'ab', [1]],
  ['a+(*PRUNE)b|aac', 'aac', null],
  ['aa(*SKIP)b|a', 'aac', null],
  ['(?:a(*THEN)x|ab)', 'ab', [1]],
  ['a(*ACCEPT)b', 'ac', [0]],
  ['(a(*ACCEPT)b)c', 'a', [0, 'a']],
  ['a\\Kb', 'ab', [1]],
  // start of pattern
  ['(*CRLF)a.b', 'a\nb', [2]],
  ['(*CR)a$', 'a\r', [0]],
  ['(*ANYCRLF)(?m)^b', 'a\rb', [2]],
  ['(*NOTEMPTY)a*', 'b', null],
  ['(*NOTEMPTY_ATSTART)a*', 'ba', [1]],
  ['(*LIMIT_MATCH=0)a', 'a', null],
  ['(*UTF)^.$', '\xc3\xa9', [1]],
  ['(*UTF8)^.$', '\xc3\xa9', [1]],
  ['(*UTF)(?i)\xc3\xa9', '\xc3\x89', [1]],
  ['(*UTF).', '\xe9', null],
  ['(*UTF)(?<=\xc3\xa9)x', '\xc3\xa9x', [2]],
]

for (const [pattern, text, expected] of CASES) {
  test(`${JSON.stringify(pattern)} on ${JSON.stringify(text)}`, () => {
    const expression = compiled(pattern)
    const result = createMatchResult()
    assert.deepEqual(report(expression.search(text, foldCase(text), 0, result), text, result), expected)
    assert.equal(expression.test(text, foldCase(text), 0), expected !== null)
    for (const kernel of [PLAIN, COMPILED]) {
      const found = kernel === null ? null : expression.searchWith(kernel, text, result)
      if (found !== null) assert.deepEqual(report(found, text, result), expected, 'the kernel')
    }
    for (const engine of ENGINES) {
      const found = expression.searchWith(engine, text, result)
      if (found !== null) assert.deepEqual(report(found, text, result), expected, engine)
      const matched = expression.testWith(engine, text)
      if (matched !== null) assert.equal(matched, expected !== null, engine)
    }
  })
}

test('the subject begins at `from`, and offsets are absolute', () => {
  const result = createMatchResult()
  const text = 'xyab'
  assert.ok(compiled('^(a)?b?').search(text, text, 2, result))
  assert.deepEqual([result.end, result.bounds.slice(0, 2)], [3, [2, 3]])
  assert.equal(compiled('(?<=y)a').test(text, text, 2), false)
  assert.equal(compiled('\\Ba').test(text, text, 2), false)
  assert.ok(compiled('q?').search(text, text, 2, result))
  assert.equal(result.end, 1)
})
