/** JSON to fields (BEHAVIOUR.md#json-decoder). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlattenOptions } from '../../../engine/json/flattener.js'
import { unescapeJson } from '../../../engine/json/escapes.js'
import { FlatFields } from '../../../engine/json/flat-fields.js'
import { flattenJson } from '../../../engine/json/flatten.js'
import { quote } from '../../../engine/json/print-array.js'
import { JsonPath } from '../../../engine/json/paths.js'

const DEFAULT: FlattenOptions = { nulls: 'string', arrays: 'array' }
const root = JsonPath.root({ find: () => -1, statics: new Map([['srcip', 0]]) })

/** Returns names and values, or null. */
function flat(text: string, options = DEFAULT, from = 0): [string, string][] | null {
  const fields = new FlatFields()
  if (!flattenJson(text, from, root, options, fields)) {
    assert.equal(fields.count, 0)
    return null
  }
  fields.fill()
  return Array.from({ length: fields.count }, (_, i) => [fields.paths[i].full, fields.valueAt(i, text)])
}

const value = (text: string, options = DEFAULT): string | undefined => flat(`{"a":${text}}`, options)?.[0]?.[1]

const VALUES: readonly (readonly [json: string, text: string])[] = [
  ['"x"', 'x'],
  ['""', ''],
  ['"\\b\\f\\n\\r\\t\\"\\\\\\/"', '\b\f\n\r\t"\\/'],
  ['"\\u00e9\\ud83d\\ude00"', '\xc3\xa9\xf0\x9f\x98\x80'],
  ['"a\\u0000b"', 'a'],
  // \u without four digits is the character 0, and still takes four bytes
  ['"a\\u12 4b"', 'a'],
  ['"a\\u-001b"', 'a'],
  ['"a\\uzzzz"', 'a'],
  ['"a\\u123\\q"', 'a'],
  ['"a\\u12\\"4b"', 'a'],
  ['"\\u12\\q"', ''],
  ['"\x01\n\xff"', '\x01\n\xff'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  // numbers
  ['1', '1'],
  ['-7', '-7'],
  ['1.0', '1'],
  ['1e2', '100'],
  ['-0.0', '0'],
  ['01', '1'],
  ['1.', '1'],
  ['1.5', '1.500000'],
  ['2147483647', '2147483647'],
  ['2147483648', '2147483648.000000'],
  ['-2147483648', '-2147483648'],
  ['3000000000', '3000000000.000000'],
  ['1e999', 'inf'],
  ['-1e999', '-inf'],
  ['1e70', (BigInt(1e70).toString() + '.000000').slice(0, 63)],
  // arrays as cJSON prints them
  ['[]', '[]'],
  ['[1, 2]', '[1, 2]'],
  ['[ "a/\\u00e9" , true,null,[ ] ]', '["a/\xc3\xa9", true, null, []]'],
  ['["\\"\\\\\\n\\u0001"]', '["\\"\\\\\\n\\u0001"]'],
  ['[2.5, 3000000000, 1e20, 1e999, 1e2]', '[2.5, 3000000000, 1e+20, null, 100]'],
  ['[1, {"x": 1}]', '[1, {\n\t\t"x":\t1\n\t}]'],
  ['[{"x":{"y":[{}]},"z":2}]', '[{\n\t\t"x":\t{\n\t\t\t"y":\t[{\n\t\t\t\t}]\n\t\t},\n\t\t"z":\t2\n\t}]'],
  ['[{}]', '[{\n\t}]'],
]

for (const [json, text] of VALUES) test(`${JSON.stringify(json)} is the value ${JSON.stringify(text)}`, () => assert.equal(value(json), text))

const CSV: readonly (readonly [json: string, text: string | undefined])[] = [
  ['["a","b"]', 'a,b'],
  ['["a\\"b", 1.5, true, false, null]', 'a"b,1.500000,true,false,null'],
  ['[1,{}]', '1,'],
  ['[{},1]', '1'],
  ['[1,[2],3]', '1,3'],
  ['[]', undefined],
  ['[{}]', undefined],
  [`["${'x'.repeat(65_536)}"]`, 'x'.repeat(65_536)],
  [`["${'x'.repeat(65_537)}"]`, undefined],
]

for (const [json, text] of CSV) test(`${JSON.stringify(json.slice(0, 40))} (${json.length}) as csv`, () => assert.equal(value(json, { nulls: 'string', arrays: 'csv' }), text))

test('nulls and arrays can be discarded', () => {
  assert.deepEqual(flat('{"a":null,"b":[null],"c":1}', { nulls: 'discard', arrays: 'discard' }), [['c', '1']])
  assert.deepEqual(flat('{"a":null,"b":[null]}', { nulls: 'discard', arrays: 'array' }), [['b', '[null]']])
})

test('names are joined by dots, in source order, duplicates and empty names included', () => {
  assert.deepEqual(flat('{"x":{"":1,"a.b":{"c":2}},"x":3,"e":{},"":4}'), [
    ['x.', '1'],
    ['x.a.b.c', '2'],
    ['x', '3'],
    ['', '4'],
  ])
})

test('names are unescaped, and a remembered order of members is only a hint', () => {
  for (const [text, names] of [
    ['{"a":1,"b":2}', ['a', 'b']],
    ['{"b":1,"a":2}', ['b', 'a']],
    ['{"a":1,"ab":2}', ['a', 'ab']],
    ['{"\\u0061":1,"b\\n":2}', ['a', 'b\n']],
    ['{"a":1,"b":2}', ['a', 'b']],
  ] as const) {
    assert.deepEqual(
      flat(text)?.map(([name]) => name),
      names,
    )
  }
})

test('a name with \\u without four digits ends there, and the object goes on', () => {
  assert.deepEqual(flat('{"ab\\u 01fcd":1,"e":{"\\uxxxxf":2},"g":"\\u+00Ah","i":["\\u____j","k"]}'), [
    ['ab', '1'],
    ['e.', '2'],
    ['g', ''],
    ['i', '["", "k"]'],
  ])
})

test('text around the first object has no effect', () => {
  assert.deepEqual(flat('\xef\xbb\xbf \x01{ "a"\t:\n1 } rest {'), [['a', '1']])
  assert.deepEqual(flat('log: {"a":1}', DEFAULT, 5), [['a', '1']])
  assert.deepEqual(flat('{}'), [])
})

const BROKEN = [
  '',
  '[1]',
  '"x"',
  '1',
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1',
  '{"a":1,}',
  '{a:1}',
  '{"a":1 "b":2}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":True}',
  '{"a":[1,]}',
  '{"a":[1}',
  '{"a":"x}',
]
const BAD_STRINGS = ['\\x', '\\u12', '\\u12g', '\\u-001\\q', '\\u-001\\ude00', '\\ud800', '\\ude00', '\\ud800\\u0041', '\\ud800\\u00zz', '\\']

for (const text of [...BROKEN, ...BAD_STRINGS.map((inside) => `{"ok":1,"a":"${inside}"}`), ...BAD_STRINGS.map((inside) => `{"a":["${inside}"]}`)]) {
  test(`${JSON.stringify(text)} has no fields`, () => assert.equal(flat(text), null))
}

test('nesting has a limit, in objects and arrays', () => {
  const objects = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
  const arrays = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  for (const make of [objects, arrays]) {
    assert.notEqual(flat(make(1000)), null)
    assert.equal(flat(make(1001)), null)
  }
})

test('a printed string escapes quotes, backslashes and control bytes, nothing else', () => {
  assert.equal(quote('"\\/\b\f\n\r\t\x01\x1f\x7f\xff'), '"\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xff"')
})

test('a string longer than the kept buffer is unescaped like a short one', () => {
  assert.equal(unescapeJson(`"${'x'.repeat(20_000)}\\n"`, 1, 20_003), `${'x'.repeat(20_000)}\n`)
})

test('the end of a string is found at every offset, and never behind the text', () => {
  // Bytes that differ from a quote or a backslash by one bit, and bytes with the top bit.
  const near = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter((char) => char !== '"' && char !== '\\' && char !== '\0')
  for (let before = 0; before < 8; before++) {
    const blanks = ' '.repeat(before)
    for (const char of near) {
      const text = `${char}${char}x${char}`
      assert.deepEqual(flat(`{${blanks}"a":"${text}","b":"${text}\\\\${text}"}`), [
        ['a', text],
        ['b', `${text}\\${text}`],
      ])
    }
    flat(`{"a":"${'"'.repeat(40)}`)
    assert.equal(flat(`{${blanks}"a":"open`), null)
    assert.equal(flat(`{${blanks}"a":"open\\`), null)
  }
  const long = 'x'.repeat(70_001)
  assert.deepEqual(
    flat(`{"a":"${long}","b":"${long}\\n"}`)?.map(([, text]) => text.length),
    [70_001, 70_002],
  )
  assert.equal(flat(`{"a":"${long}`), null)
})
