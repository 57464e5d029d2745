/** The search for lines in a text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findLines, LineNumbers } from '../../../engine/merge/line-search.js'

test('finds the first place at or after a line', () => {
  const lines = fc.array(fc.constantFrom('a', 'b'), { maxLength: 24 })
  fc.assert(
    fc.property(lines, fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 8 }), fc.nat(4), (text, wanted, from) => {
      const numbers = new LineNumbers()
      const expected = text.findIndex((_, index) => index >= from && wanted.every((line, offset) => text[index + offset] === line))
      assert.equal(findLines(numbers.of(text.join('\n')), numbers.of(`${wanted.join('\n')}\n`), from), expected)
    }),
    { numRuns: 1000 },
  )
})

test('finds lines that repeat their own beginning', () => {
  const numbers = new LineNumbers()
  const search = (text: string, wanted: string): number => findLines(numbers.of([...text].join('\n')), numbers.of([...wanted].join('\n')), 0)
  assert.equal(search('aabaabaaa', 'aabaaa'), 3)
  assert.equal(search('abacabadabacabac', 'abacabac'), 8)
  assert.equal(search('aaaaaaab', 'aaab'), 4)
})
