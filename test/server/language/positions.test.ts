/** Bytes of the engine and UTF-16 units of the protocol, also for letters of two to four bytes, halves of pairs, and each kind of line end. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toByteString } from '../../../engine/index.js'
import { Positions } from '../../../server/language/text/positions.js'
import { runs } from '../../support/runs.js'

describe('positions', () => {
  it('count an emoji as two units and four bytes', () => {
    const text = '<a>é🚪</a>\n<b/>'
    const positions = new Positions(text)
    const start = toByteString(text).indexOf('</a>')
    assert.deepEqual(positions.positionAt(positions.offsetOfByte(start)), { line: 0, character: 6 })
    assert.equal(positions.byteOfOffset(6), start)
    assert.deepEqual(positions.rangeOfBytes({ start: start + 5, end: start + 9 }), { start: { line: 1, character: 0 }, end: { line: 1, character: 4 } })
  })

  it('end lines at each of the three line ends', () => {
    const positions = new Positions('a\r\nb\rc\nd')
    assert.deepEqual(
      [0, 3, 5, 7, 8].map((offset) => positions.positionAt(offset)),
      [
        { line: 0, character: 0 },
        { line: 1, character: 0 },
        { line: 2, character: 0 },
        { line: 3, character: 0 },
        { line: 3, character: 1 },
      ],
    )
    assert.deepEqual([positions.offsetAt({ line: 0, character: 99 }), positions.offsetAt({ line: 9, character: 0 }), positions.offsetAt({ line: -1, character: 5 })], [1, 8, 0])
  })

  it('agree with the UTF-8 form of any text, at each unit', () => {
    const piece = fc.oneof(fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '€', '🚪', '\u{10ffff}', '\ud83d', '\udeaa', '\u0000'), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const text = pieces.join('')
        const positions = new Positions(text)
        for (let offset = 0; offset <= text.length; offset++) {
          const isInPair = offset > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(offset - 1, offset + 1))
          const byte = positions.byteOfOffset(offset)
          if (isInPair) continue
          assert.equal(byte, toByteString(text.slice(0, offset)).length)
          assert.equal(positions.offsetOfByte(byte), offset)
          const position = positions.positionAt(offset)
          const isInLineEnd = text[offset - 1] === '\r' && text[offset] === '\n'
          if (!isInLineEnd) assert.equal(positions.offsetAt(position), offset)
        }
      }),
      { numRuns: runs(60, 2000) },
    )
  })
})
