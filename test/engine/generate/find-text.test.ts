/** Texts found for patterns: the expressions themselves accept them, and no pattern takes long. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileExpression } from '../../../engine/expressions/compile.js'
import type { Dialect } from '../../../engine/expressions/expression.js'
import type { Node } from '../../../engine/expressions/pcre2/ast.js'
import { setOf } from '../../../engine/expressions/pcre2/byte-set.js'
import { findText } from '../../../engine/generate/find-text.js'
import { TextAutomaton } from '../../../engine/generate/text-automaton.js'
import { PatternCache, patternsOf } from '../../../engine/generate/text-tests.js'
import { foldCase } from '../../../engine/source/byte-string.js'

type Pattern = readonly [dialect: Dialect, pattern: string, negate?: boolean]

/** Patterns that one text has to have at once, or must not have. */
const TOGETHER: Readonly<Record<string, readonly Pattern[]>> = {
  'anchors on both sides': [
    ['osmatch', '^begin'],
    ['osmatch', 'end$'],
    ['osregex', '\\d+'],
  ],
  'the case of letters': [
    ['osmatch', 'Failed Password'],
    ['pcre2', 'User'],
  ],
  'an exclusion': [
    ['pcre2', '^\\w+ failed'],
    ['osmatch', 'e failed|a failed', true],
  ],
  'a negated list': [
    ['osmatch', '!root|admin'],
    ['pcre2', '^user=\\w{3,}$'],
  ],
  'a repetition that stops early': [['osregex', '^(\\S+) to (\\S+):(\\d+)$']],
  'word boundaries': [
    ['pcre2', '\\bfoo\\b'],
    ['pcre2', '\\bbar\\B'],
  ],
  'overlapping patterns': [
    ['pcre2', '^[^"]*"[A-Z]{3} /\\S+" \\d{3}'],
    ['pcre2', '"(?:GET|PUT) [^"]*\\.php" 4'],
    ['osregex', '" 404 \\S+$'],
  ],
  'a reference to a group': [['pcre2', '^(ab)-\\1$']],
  'looks behind': [
    ['pcre2', '(?<=:)x(?<!y)z'],
    ['pcre2', '^\\w+:'],
  ],
}
/** Patterns that are large, ambiguous, or match nothing. */
const HOSTILE: readonly string[] = [
  '(a+)+$',
  '((a{1,60}){1,60}){1,60}',
  '(?:(?:a|aa)*)*b$',
  '(?=a)b',
  '(.*){50}(.*)x',
  '[^\\x00-\\xff]',
  '(?:a?){64}a{64}',
  `(?:${'x|'.repeat(900)}y)+$`,
]

describe('texts found for patterns', () => {
  for (const [form, patterns] of Object.entries(TOGETHER)) {
    test(form, () => {
      const cache = new PatternCache()
      const expressions = patterns.map(([dialect, pattern, negate = false]) => {
        const outcome = compileExpression(dialect, pattern, false)
        assert.ok(outcome.ok)
        return { expression: outcome.expression, negate }
      })
      const all = expressions.map(({ expression, negate }) => patternsOf(cache, expression, negate))
      const text = findText(
        all.flatMap(({ wanted }) => wanted),
        all.flatMap(({ unwanted }) => unwanted),
        new PatternCache().budget,
      )
      assert.ok(text !== null)
      for (const { expression, negate } of expressions) assert.notEqual(expression.test(text, foldCase(text), 0), negate, `${expression.pattern} on ${text}`)
    })
  }

  test('bytes that a pattern tells apart stay apart, however many sets it has', () => {
    const set = (has: (byte: number) => boolean): Node => ({ kind: 'set', set: setOf(has) })
    const bytes = Array.from({ length: 250 }, (_, index) => index + 1)
    const single: Node = { kind: 'sequence', items: bytes.map((byte) => set((other) => other === byte)) }
    // Each of the other sets splits nearly all classes, if each split made a new one: there would be more than 16 bits can number.
    const others: Node = { kind: 'sequence', items: Array.from({ length: 263 }, (_, index) => set((byte) => byte !== 100 && byte !== 1 + (index % 90))) }
    const automaton = TextAutomaton.of([{ node: { kind: 'alternation', branches: [others, single] } }], true)
    assert.ok(automaton !== null)
    assert.equal(new Set(bytes.map((byte) => automaton.classes[byte])).size, bytes.length)
    assert.ok(automaton.classCount <= 257)
  })

  test('hostile patterns are answered', () => {
    for (const pattern of HOSTILE) {
      const outcome = compileExpression('pcre2', pattern, false)
      if (!outcome.ok) continue
      const { wanted, unwanted } = patternsOf(new PatternCache(), outcome.expression, false)
      const text = findText(wanted, unwanted, new PatternCache().budget)
      assert.ok(text === null || text.length < 5_000)
    }
  })
})
