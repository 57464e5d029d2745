/** The bounds of patterns, by which conditions are proven to exclude each other: no text that an expression accepts is outside, none that it refuses is inside. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compileExpression } from '../../../engine/expressions/compile.js'
import type { Dialect } from '../../../engine/expressions/expression.js'
import { boundsOf } from '../../../engine/expressions/pattern-bounds.js'
import { isNegated } from '../../../engine/expressions/pattern-nodes.js'
import { TextAutomaton } from '../../../engine/generate/text-automaton.js'
import { foldCase } from '../../../engine/source/byte-string.js'

const OSREGEX = ['a', 'b', ' ', '1', '\\d', '\\w', '\\s', '\\S', '\\.', '\\d+', '\\w+', '\\S+', '\\.+', '\\d*', '\\w*', '\\S*', '\\.*', ':', '(a)', '(\\d+)']
const PCRE2 = [
  'a',
  'b',
  ' ',
  '\\d',
  '\\w',
  '.',
  '[ab1]',
  '[^a]',
  'a+',
  '\\w*',
  '.+?',
  '(?:a|b1)',
  '(a|b)?',
  '\\ba',
  'b\\b',
  '(?:ab){1,3}',
  '(?=a)',
  '(?!b)',
  '\\S++',
  '(?>a+)',
  '(?i:A)',
]
const OSMATCH = ['a', 'ab', '1', 'a b', ':']

const patternOf = (items: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom('', '', '^'), fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '$')), {
      minLength: 1,
      maxLength: 2,
    })
    .map((alternatives) => alternatives.map(([start, parts, end]) => `${start}${parts.join('')}${end}`).join('|'))
const PATTERN: fc.Arbitrary<readonly [Dialect, string]> = fc.oneof(
  patternOf(OSREGEX).map((pattern) => ['osregex', pattern] as const),
  patternOf(PCRE2).map((pattern) => ['pcre2', pattern] as const),
  patternOf(OSMATCH).map((pattern) => ['osmatch', pattern] as const),
)
const TEXT = fc.array(fc.constantFrom('a', 'b', ' ', '1', '2', ':', 'A', 'x', '-', '\n'), { maxLength: 8 }).map((bytes) => bytes.join(''))

describe('the bounds of patterns', () => {
  test('enclose what the expression accepts', () => {
    let known = 0
    fc.assert(
      fc.property(PATTERN, fc.array(TEXT, { minLength: 12, maxLength: 12 }), ([dialect, pattern], texts) => {
        const outcome = compileExpression(dialect, pattern, false)
        if (!outcome.ok) return
        const { upper, lower } = boundsOf(outcome.expression)
        const atMost = upper === null ? null : TextAutomaton.of([{ node: upper }])
        const atLeast = lower === null ? null : TextAutomaton.of([{ node: lower }])
        if (atMost !== null) known++
        for (const text of texts) {
          const accepts = outcome.expression.test(text, foldCase(text), 0) !== isNegated(outcome.expression)
          assert.ok(!accepts || atMost?.accepts(text) !== false, `${pattern} accepts ${JSON.stringify(text)}, which its upper bound does not`)
          assert.ok(accepts || atLeast?.accepts(text) !== true, `${pattern} refuses ${JSON.stringify(text)}, which its lower bound does not`)
        }
      }),
      { numRuns: 1_500, seed: 36 },
    )
    assert.ok(known > 1_200, `${known} patterns have an upper bound`)
  })
})
