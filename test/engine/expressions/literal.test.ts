/** Searching for a literal by its rarest bytes returns the same result as `indexOf`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Literal } from '../../../engine/expressions/literal.js'
import { scan } from '../../../engine/expressions/window-scan.js'
import { searchedText } from '../../../engine/kernel/searched-text.js'

for (const scanned of [false, true])
  test(`returns the result of indexOf${scanned ? ' in a scanned text' : ''}`, () => {
    const bytes = fc.array(fc.constantFrom('a', 'b', 'q', 'e', '"', '\xff', '\0'), { minLength: scanned ? 192 : 0, maxLength: 250 }).map((all) => all.join(''))
    fc.assert(
      fc.property(bytes, fc.array(fc.constantFrom('a', 'b', 'q', 'e', '"', '\xff'), { minLength: 1, maxLength: 12 }), fc.nat(8), fc.boolean(), (text, literal, from, inside) => {
        const sought = literal.join('')
        const lower = inside ? text.slice(0, 20) + sought + text.slice(20) : text
        const subject = searchedText(lower, lower)
        if (scanned) scan(subject)
        const one = new Literal(sought)
        // A scanned text is searched in another way from the fifth literal on.
        for (let i = 0; i < 6; i++) assert.equal(one.indexIn(subject, from), lower.indexOf(sought, from))
        assert.equal(one.isIn(subject, from), lower.includes(sought, from))
      }),
      { numRuns: 5000 },
    )
  })

test('finds a literal after many places that only begin like its rarest bytes', () => {
  const literal = new Literal('eeqabcdeX'.toLowerCase())
  const decoys = 'eeqabcdey'.repeat(40)
  const indexIn = (text: string): number => literal.indexIn(searchedText(text, text), 0)
  assert.equal(indexIn(`${decoys}eeqabcdex`), decoys.length)
  assert.equal(indexIn(decoys), -1)
})

test('finds literals in texts with more offsets than a scan records, or than it follows', () => {
  for (const pairs of [40_000, 30_000]) {
    const end = 2 * pairs
    const far = `${'ab'.repeat(pairs)}needle${'cd'.repeat(10)}`
    const subject = searchedText(far, far)
    scan(subject)
    for (let i = 0; i < 6; i++)
      assert.deepEqual(
        [
          new Literal('needle').indexIn(subject, 0),
          new Literal('abneed').indexIn(subject, 0),
          new Literal('ababab').indexIn(subject, end - 10),
          new Literal('missing').indexIn(subject, 0),
        ],
        [end, end - 2, end - 10, -1],
      )
  }
})
