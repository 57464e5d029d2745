/** Searching for a literal by its rarest bytes returns the same result as `indexOf`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Literal } from '../../../engine/expressions/literal.js'
import { scan } from '../../../engine/expressions/window-scan.js'

for (const scanned of [false, true])
  test(`returns the result of indexOf${scanned ? ' in a scanned text' : ''}`, () => {
    const bytes = fc.array(fc.constantFrom('a', 'b', 'q', 'e', '"', '\xff', '\0'), { minLength: scanned ? 150 : 0, maxLength: 250 }).map((all) => all.join(''))
    fc.assert(
      fc.property(bytes, fc.array(fc.constantFrom('a', 'b', 'q', 'e', '"', '\xff'), { minLength: 1, maxLength: 12 }), fc.nat(8), fc.boolean(), (text, literal, from, inside) => {
        const sought = literal.join('')
        const lower = inside ? text.slice(0, 20) + sought + text.slice(20) : text
        if (scanned) scan(lower)
        assert.equal(new Literal(sought).indexIn(lower, from), lower.indexOf(sought, from))
        assert.equal(new Literal(sought).isIn(lower, from), lower.includes(sought, from))
      }),
      { numRuns: 5000 },
    )
  })

test('finds a literal after many places that only begin like its rarest bytes', () => {
  const literal = new Literal('eeqabcdeX'.toLowerCase())
  const decoys = 'eeqabcdey'.repeat(40)
  assert.equal(literal.indexIn(`${decoys}eeqabcdex`, 0), decoys.length)
  assert.equal(literal.indexIn(decoys, 0), -1)
})

test('finds literals after the last place that a scan records', () => {
  const far = `${'ab'.repeat(40_000)}needle${'cd'.repeat(10)}`
  scan(far)
  assert.deepEqual(
    [new Literal('needle').indexIn(far, 0), new Literal('abneed').indexIn(far, 0), new Literal('abab').indexIn(far, 79_990), new Literal('missing').indexIn(far, 0)],
    [80_000, 79_998, 79_990, -1],
  )
})
