import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, wordsOf } from '../../../engine/kernel/last-bytes.js'

const LENGTHS = [0, 1, 24, 25, 511, 512, 513, 65_536, 65_537, 200_000]

test('returns the bytes of a text and a NUL after them, for texts of any length in any order', () => {
  for (const length of [...LENGTHS, ...LENGTHS.toReversed()]) {
    const text = 'a\xff0B'.repeat(length / 4 + 1).slice(0, length)
    const bytes = bytesOf(text)
    assert.equal(Buffer.from(bytes.subarray(0, length)).toString('latin1'), text)
    assert.equal(bytes[length], 0)
    assert.equal(wordsOf(text).buffer, bytes.buffer)
  }
})

test('the bytes of a log stay valid while those of short texts are requested', () => {
  const log = 'log '.repeat(200)
  const bytes = bytesOf(log)
  bytesOf('a short text')
  assert.equal(bytesOf(log), bytes)
  assert.equal(Buffer.from(bytes.subarray(0, log.length)).toString('latin1'), log)
})
