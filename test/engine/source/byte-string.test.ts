import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareBytes, cutAtNul, foldCase, fromByteString, isAscii, toByteString } from '../../../engine/source/byte-string.js'

const LONG = 'a'.repeat(40)

test('a byte string has one char for each UTF-8 byte', () => {
  for (const [text, bytes] of [
    ['', ''],
    ['abc', 'abc'],
    ['é', '\xc3\xa9'],
    [`${LONG}€`, `${LONG}\xe2\x82\xac`],
    ['😀', '\xf0\x9f\x98\x80'],
  ] as const) {
    assert.equal(toByteString(text), bytes)
    assert.equal(fromByteString(bytes), text)
  }
})

test('a text with few or many chars beyond ASCII has its UTF-8 bytes', () => {
  const char = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('a', 'B', ' ') },
    { weight: 2, arbitrary: fc.constantFrom('\x80', 'é', 'ÿ') },
    fc.constantFrom('Ā', 'ǩ', '€', '\ud83d', '\ude00'),
  )
  fc.assert(
    fc.property(fc.array(char, { maxLength: 200 }), (chars) => {
      const text = chars.join('')
      assert.equal(toByteString(text), Buffer.from(text, 'utf8').toString('latin1'))
    }),
    { numRuns: 2000 },
  )
})

test('bytes that are not UTF-8 become replacement characters', () => {
  assert.equal(fromByteString('a\xffb'), 'a\ufffdb')
  assert.equal(fromByteString(`${LONG}\xe2\x82`), `${LONG}\ufffd`)
})

test('ASCII is detected in short and long texts, at any place', () => {
  for (const length of [0, 1, 24, 25, 60]) {
    assert.equal(isAscii('\x7f'.repeat(length)), true)
    for (const at of [0, length >> 1, length]) assert.equal(isAscii('a'.repeat(at) + '\x80' + 'a'.repeat(length - at)), false)
  }
})

test('only A to Z are folded', () => {
  const all = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('')
  assert.equal(
    foldCase(all),
    all.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32)),
  )
})

test('folding keeps lengths and equals folding byte by byte', () => {
  const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 50 }).map((codes) => String.fromCharCode(...codes))
  fc.assert(fc.property(bytes, (text) => assert.equal(foldCase(text), [...text].map((char) => (char >= 'A' && char <= 'Z' ? char.toLowerCase() : char)).join(''))))
})

test('a text ends at its first NUL', () => {
  assert.deepEqual(['a\0b\0c', '\0', 'ab', ''].map(cutAtNul), ['a', '', 'ab', ''])
})

test('names are ordered by bytes, not by UTF-16 units or language', () => {
  assert.deepEqual(['b', 'B', 'a', '_', '0100', '20', '\u{1f600}', '\uffee', 'é'].sort(compareBytes), ['0100', '20', 'B', '_', 'a', 'b', 'é', '\uffee', '\u{1f600}'])
  assert.equal(compareBytes('a', 'a'), 0)
})
