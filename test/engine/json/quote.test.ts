import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { quoteJson } from '../../../engine/json/quote.js'

test('a quoted text equals the result of JSON.stringify', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `a${String.fromCharCode(unit)}b`
    assert.equal(quoteJson(text), JSON.stringify(text), `unit ${unit.toString(16)}`)
  }
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(quoteJson(text), JSON.stringify(text))))
})
