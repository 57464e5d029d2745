import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeBytes, quoteJson } from '../../../engine/json/quote.js'
import { fromByteString } from '../../../engine/source/byte-string.js'

test('a quoted text equals the result of JSON.stringify', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `a${String.fromCharCode(unit)}b`
    assert.equal(quoteJson(text), JSON.stringify(text), `unit ${unit.toString(16)}`)
  }
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(quoteJson(text), JSON.stringify(text))))
})

test('escaped bytes equal the result of JSON.stringify for their text, whatever their length', () => {
  const same = (bytes: string): void => assert.equal(`"${escapeBytes(bytes)}"`, JSON.stringify(fromByteString(bytes)))
  for (let byte = 0; byte < 0x100; byte++) for (const length of [0, 1, 30, 31, 32, 33, 200]) same('x'.repeat(length) + String.fromCharCode(byte))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => same(Buffer.from(bytes).toString('latin1'))))
})
