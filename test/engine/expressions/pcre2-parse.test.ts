import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'

/** Returns the error message, or null if the pattern compiles. */
function refusal(pattern: string): string | null {
  const outcome = compilePcre2(pattern)
  return outcome.ok ? null : outcome.error.message
}

const ACCEPTED = [
  'a{,3}',
  'a{',
  'x{1',
  'a{ 1}',
  ']',
  '}',
  '[]a]',
  '[^]a]',
  '[a-]',
  '[-a]',
  '[a\\-z]',
  '[\\d-]',
  '[a-c-e]',
  '[--a]',
  '[:alpha]',
  '[[:^space:]]',
  '[[:<:]]a[[:>:]]',
  '[\\8]',
  '\\<',
  '\\_',
  '\\ca',
  '\\x',
  '\\x{41}',
  '\\o{101}',
  '\\18',
  '\\N{3}',
  '\\Qa(b\\Ec',
  '\\Qunclosed',
  'a\\Q\\E*',
  'a(?#c)*',
  '(?x) a * # end',
  '(?=a)*',
  '(?!a){2}',
  '(?<=a|bc)d',
  '(?<=a{2})b',
  '(?<=(a)\\1)b',
  '(?<=^)a',
  '(?<n>a)(?P=n)(?P>n)(?&n)\\k{n}\\g{n}\\g<n>',
  '(?|(?<n>a)|(?<n>b))',
  '(?J)(?<n>a)|(?<n>b)',
  '(?(1)a|b)(c)',
  '(?(<n>)a)(?<n>b)',
  '(?(R)a)',
  '(?(DEFINE)(a))(?1)',
  '(?(VERSION>=10.4)a|b)',
  '(?(?=a)a|b)',
  '(a)(?-1)',
  '(?+1)(a)',
  '(?^i:a)',
  '(?i-s:a)',
  '(?xx)[a b]',
  '(*ACCEPT)?',
  '(*UTF)(*UCP)a',
  '(*ANYCRLF)(*LIMIT_MATCH=10)a',
  '(*MARK:x)(*SKIP:x)(*THEN)(*PRUNE)(*COMMIT)(*F)',
  '(*pla:a)(*atomic:b)(?*c)',
  '\\p{L}\\pN\\P{Lu}\\p{^Greek}\\p{Script=Latin}',
  '(?C1)a',
]

for (const pattern of ACCEPTED) test(`accepts ${pattern}`, () => assert.equal(refusal(pattern), null))

const REFUSED: readonly (readonly [pattern: string, message: string])[] = [
  ['(', 'missing closing parenthesis'],
  [')', 'unmatched closing parenthesis'],
  ['*a', 'quantifier does not follow a repeatable item'],
  ['a|+', 'quantifier does not follow a repeatable item'],
  ['a{2}{3}', 'quantifier does not follow a repeatable item'],
  ['^*', 'quantifier does not follow a repeatable item'],
  ['\\b+', 'quantifier does not follow a repeatable item'],
  ['(?i)*', 'quantifier does not follow a repeatable item'],
  ['a{2,1}', 'numbers out of order in {} quantifier'],
  ['[a', 'missing terminating ] for character class'],
  ['[]', 'missing terminating ] for character class'],
  ['[z-a]', 'range out of order in character class'],
  ['[\\d-z]', 'invalid range in character class'],
  ['[a-\\w]', 'invalid range in character class'],
  ['[[:digit:]-z]', 'invalid range in character class'],
  ['[[:nope:]]', 'unknown POSIX class name'],
  ['[:alpha:]', 'POSIX named classes are supported only within a class'],
  ['[[.a.]]', 'POSIX collating elements are not supported'],
  ['[\\B]', 'escape sequence is invalid in character class'],
  ['\\', '\\ at end of pattern'],
  ['\\i', 'unrecognized character follows \\'],
  ['\\u0041', 'PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u'],
  ['\\x{100}', 'character code point value in \\x{} or \\o{} is too large'],
  ['\\400', 'octal value is greater than \\377 in 8-bit non-UTF-8 mode'],
  ['\\1', 'reference to non-existent subpattern'],
  ['(?2)(a)', 'reference to non-existent subpattern'],
  ['\\p{Nope}', 'unknown property after \\P or \\p'],
  ['(?<n', 'syntax error in subpattern name (missing terminator?)'],
  ['(?<1>a)', 'subpattern name must start with a non-digit'],
  ['(?<n>a)(?<n>b)', 'two named subpatterns have the same name (PCRE2_DUPNAMES not set)'],
  ['(?z)', 'unrecognized character after (? or (?-'],
  ['(?<=a*)b', 'lookbehind assertion is not fixed length'],
  ['(?<=x(?:a|bc))d', 'lookbehind assertion is not fixed length'],
  ['(?=a\\K)', '\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)'],
  ['(?(1)a|b|c)(d)', 'conditional subpattern contains more than two branches'],
  ['(*NOPE)', '(*VERB) not recognized or malformed'],
  ['a(*UTF)', '(*VERB) not recognized or malformed'],
  ['(*MARK)', '(*MARK) must have an argument'],
]

for (const [pattern, message] of REFUSED) test(`refuses ${pattern}`, () => assert.equal(refusal(pattern), message))

test('an error has its position in the pattern', () => {
  const outcome = compilePcre2('abc[z-a]')
  assert.deepEqual(outcome, { ok: false, error: { code: 'pcre2_syntax', offset: 7, message: 'range out of order in character class' } })
})

test('groups nested deeper than 250 are refused, 250 are accepted', () => {
  assert.equal(refusal('('.repeat(250) + ')'.repeat(250)), null)
  assert.equal(refusal('('.repeat(251) + ')'.repeat(251)), 'parentheses are too deeply nested')
})

const LIMITS: readonly (readonly [what: string, within: string, beyond: string, message: string])[] = [
  ['the name of a group', `(?<${'n'.repeat(32)}>a)`, `(?<${'n'.repeat(33)}>a)`, 'subpattern name is too long (maximum 32 code units)'],
  ['the name of a verb', `(*MARK:${'n'.repeat(255)})`, `(*MARK:${'n'.repeat(256)})`, 'name is too long in (*MARK), (*PRUNE), (*SKIP), or (*THEN)'],
  ['a count', 'a{65535}', 'a{65536}', 'number too big in {} quantifier'],
  ['a lookbehind', '(?<=a{65535})b', '(?<=a{65535}a)b', 'lookbehind assertion is too long'],
  ['the compiled pattern', 'a'.repeat(32_764), 'a'.repeat(32_765), 'regular expression is too large'],
]

for (const [what, within, beyond, message] of LIMITS) {
  test(`${what} has a limit`, () => assert.deepEqual([refusal(within), refusal(beyond)], [null, message]))
}

test('the number of a group has a limit', () => {
  assert.deepEqual(['\\g{65535}', '\\g{65536}'].map(refusal), ['reference to non-existent subpattern', 'number is too big'])
})

test('constructs that the matcher cannot run are refused at compilation', () => {
  const outcome = compilePcre2('(*UTF)\\X')
  assert.equal(outcome.ok ? null : outcome.error.code, 'pcre2_too_complex')
})
