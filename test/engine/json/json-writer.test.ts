/** Written bytes equal those of the texts, whatever they are, and however often the memory grows. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { JsonWriter, jsonBytes } from '../../../engine/json/json-writer.js'
import { fromByteString, toByteString } from '../../../engine/source/byte-string.js'

/** Lengths on both sides of those at which another way of writing is faster. */
const LENGTHS = [0, 1, 23, 24, 25, 39, 40, 41, 127, 128, 129, 300, 70_000]
const CHARS = ['a', '"', '\\', '\x00', '\x1f', '\x7f', '\x80', '\xff', 'é', '漢', '🐙', '\ud800']

const writtenBy = (writer: JsonWriter): string => Buffer.from(writer.written).toString()

test('texts and constants of any length and chars', () => {
  for (const capacity of [0, 64, 100_000]) {
    const writer = new JsonWriter(capacity)
    for (let round = 0; round < 2; round++) {
      let want = ''
      for (const length of LENGTHS) {
        for (const char of CHARS) {
          const text = `${'b'.repeat(length >> 1)}${char}${'c'.repeat(length >> 1)}`
          writer.text(text)
          writer.constant(jsonBytes(text))
          const bytes = jsonBytes(`"${text}"`)
          writer.part({ bytes, start: 1, end: bytes.length - 1 })
          want += `${text}${text}${text}`
        }
      }
      assert.ok(Buffer.from(want).equals(writer.written))
      assert.equal(writer.length, Buffer.byteLength(want))
      writer.clear()
      assert.equal(writer.length, 0)
    }
  }
})

test('the text of any bytes, whole or a part of them', () => {
  const writer = new JsonWriter(16)
  const same = (bytes: string, start: number, end: number): void => {
    writer.clear()
    writer.byte(0x22)
    writer.escaped(bytes, start, end)
    writer.byte(0x22)
    assert.equal(writtenBy(writer), JSON.stringify(fromByteString(bytes.slice(start, end))))
  }
  for (const length of LENGTHS) {
    for (const char of CHARS) {
      const bytes = `${'b'.repeat(length >> 1)}${toByteString(char)}${'c'.repeat(length >> 1)}`
      same(bytes, 0, bytes.length)
      same(`${char}${bytes}"`.replace(/[^\0-\xff]/g, '?'), 1, bytes.length + 1)
    }
  }
  const byteStrings = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 100 }).map((codes) => String.fromCharCode(...codes))
  fc.assert(
    fc.property(byteStrings, fc.nat(100), fc.nat(100), (bytes, a, b) => {
      const [start, end] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)]
      same(bytes, start, end)
    }),
  )
})

test('thousandths as a number is printed', () => {
  const writer = new JsonWriter(1)
  for (let count = 0; count < 2100; count++) {
    writer.clear()
    writer.thousandths(count)
    assert.equal(writtenBy(writer), String(count / 1000))
  }
  writer.clear()
  writer.thousandths(123_456_789_010)
  assert.equal(writtenBy(writer), '123456789.01')
})

test('a copy stays as it is, and the last bytes can be dropped', () => {
  const writer = new JsonWriter(2)
  writer.text('abcdef')
  const copy = writer.copy()
  writer.drop(4)
  writer.text('z')
  assert.equal(writtenBy(writer), 'abz')
  assert.equal(Buffer.from(copy).toString(), 'abcdef')
})

test('a part of a JSON string, with its quotes or without them, is written as it would be escaped, or not at all', () => {
  const pieces = ['a', 'é', '"', '\\', '/', '\b', '\n', '\x01', '\x7f', '\ud83d\ude00']
  const texts = fc.array(fc.constantFrom(...pieces, 'x'.repeat(60)), { maxLength: 12 }).map((some) => some.join(''))
  let written = 0
  fc.assert(
    fc.property(texts, fc.boolean(), fc.boolean(), (text, isQuoted, escapesSlash) => {
      const writer = new JsonWriter(4)
      const json = toByteString(JSON.stringify(text).replaceAll('/', escapesSlash ? '\\/' : '/'))
      const [start, end] = isQuoted ? [0, json.length] : [1, json.length - 1]
      const want = JSON.stringify(isQuoted ? `"${text}"` : text).slice(1, -1)
      if (!writer.partOfString(json, start, end)) return assert.equal(writer.length, 0)
      written++
      assert.equal(writtenBy(writer), want)
    }),
  )
  assert.ok(written > 0)
})

test('bytes that were written before, and the rest of a constant', () => {
  const writer = new JsonWriter(8)
  writer.constant(jsonBytes('",a'), 2)
  writer.constant(jsonBytes(`"${'x'.repeat(100)}`), 1)
  writer.again(0, 3)
  assert.equal(writtenBy(writer), `a${'x'.repeat(100)}axx`)
})

test('memory beyond the capacity is not kept', () => {
  const writer = new JsonWriter(10)
  writer.text('x'.repeat(1000))
  assert.ok(writer.written.buffer.byteLength >= 1000)
  writer.clear()
  assert.equal(writer.written.buffer.byteLength, 10)
})
