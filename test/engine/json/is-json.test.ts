/** The verdict on a text, compared with that of `JSON.parse`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJson } from '../../../engine/json/is-json.js'
import { toByteString } from '../../../engine/source/byte-string.js'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Compares the verdicts, and returns them. */
function verdict(text: string): boolean {
  const expected = parses(text)
  assert.equal(isJson(toByteString(text)), expected, JSON.stringify(text))
  return expected
}

const PIECES = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\t', '\n', '\r', '\0', '\v', '\x1f', '\x7f', '\xa0'],
  ...['"a"', '"":', '"b":1,', '"\\u00e9"', '"\\ud800"', '"\\n\\\\\\""', '"\\x"', '"\\u12g4"', '"x\x01"', '"é€😀"', '"\ud800"'],
  ...['-', '0', '01', '7', '1.5', '.', 'e', 'E+3', '1e5', '-0', 'true', 'false', 'null', 'tru', '{}', '[]', '{"a":[{}]}'],
  `"${'y'.repeat(9)}"`,
  `"${'z'.repeat(600)}"`,
]

/** A sequence that is the same in each run. */
function numbers(): (limit: number) => number {
  let state = 1
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
}

test('is that of JSON.parse for sequences of tokens', () => {
  const next = numbers()
  let valid = 0
  for (let i = 0; i < 200_000; i++) {
    const text = Array.from({ length: 1 + next(6) }, () => PIECES[next(PIECES.length)]).join('')
    if (verdict(i % 2 === 0 ? text : `{"k":${text}}`)) valid++
  }
  assert.ok(valid > 10_000, `${valid} are valid`)
})

test('is that of JSON.parse for objects with one error', () => {
  const next = numbers()
  const whole = JSON.stringify({ 'a"\\/\u2028': [1, -2.5e-7, true, null, {}, [], ''], é: { 'event type': 'x\ty', n: 'C:\\Windows\\\\\r\n' }, z: 'w'.repeat(100) })
  assert.ok(verdict(whole))
  for (let i = 0; i < 20_000; i++) {
    const at = next(whole.length)
    const cut = next(3)
    verdict(`${whole.slice(0, at)}${PIECES[next(PIECES.length)]}${whole.slice(at + cut)}`)
    verdict(whole.slice(0, at))
  }
})

test('needs no stack for nested values', () => {
  const depth = 200_000
  assert.ok(isJson('['.repeat(depth) + ']'.repeat(depth)))
  assert.ok(isJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`))
  assert.ok(!isJson('['.repeat(depth)))
  assert.ok(!isJson(`${'['.repeat(depth)}${']'.repeat(depth - 1)}}`))
})
