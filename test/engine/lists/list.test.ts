/** CDB lists (BEHAVIOUR.md#list-lines, #list-look-ups). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileOsMatch } from '../../../engine/expressions/osmatch/osmatch.js'
import type { Lookup } from '../../../engine/lists/list.js'
import { compileList, LOOKUPS, lookUp, parseListLine } from '../../../engine/lists/list.js'
import { toByteString } from '../../../engine/source/byte-string.js'

const LINES: readonly (readonly [line: string, key: string | null, value?: string])[] = [
  ['key:value', 'key', 'value'],
  ['key:', 'key', ''],
  [' key : value ', ' key ', ' value '],
  ['a:b:c', 'a', 'b:c'],
  [':value', '', 'value'],
  ['nocolon', null],
  ['', null],
  ['# comment: kept', '# comment', ' kept'],
  // quoted keys
  ['"a:b":v', 'a:b', 'v'],
  ['dropped "a:b" also: v', 'a:b', ' v'],
  ['"a:b', null],
  ['"a" b', null],
  ['"":v', '', 'v'],
  // quoted values
  ['plain: x "val" junk', 'plain', 'val'],
  ['"a":"b:c"', 'a', 'b:c'],
  ['plain:"val', null],
  [`k:${'v'.repeat(65_533)}`, 'k', 'v'.repeat(65_533)],
  [`k:${'v'.repeat(65_534)}`, null],
]

for (const [line, key, value] of LINES) {
  test(`the line ${JSON.stringify(line.slice(0, 30))} (${line.length} bytes) ${key === null ? 'is skipped' : 'is an entry'}`, () => {
    assert.deepEqual(parseListLine(line), key === null ? null : { key, value })
  })
}

const LIST = compileList('etc/lists/x', toByteString('10.0.0.1:alpha\r\n192.168.:private\n\n192.168.5.:five\nnocolon\ndup:first\rdup:second\nmüll:tonne\n.:dot'))

test('the first of equal keys is found; lines end with CR or LF; keys are bytes and case-sensitive', () => {
  assert.equal(LIST.path, 'etc/lists/x')
  assert.deepEqual(
    [...LIST.entries],
    [
      ['10.0.0.1', 'alpha'],
      ['192.168.', 'private'],
      ['192.168.5.', 'five'],
      ['dup', 'first'],
      ['m\xc3\xbcll', 'tonne'],
      ['.', 'dot'],
    ],
  )
  assert.equal(lookUp(LIST, 'match_key', 'DUP', null), false)
})

type Row = readonly [value: string, ...answers: (0 | 1)[]]
/** Results in the order of LOOKUPS: match_key, its negation, value ^alpha, address, its negation, address value five. */
const TABLE: readonly Row[] = [
  ['10.0.0.1', 1, 0, 1, 1, 0, 1],
  ['192.168.5.5', 0, 1, 0, 1, 0, 0],
  ['192.168.7.7', 0, 1, 0, 1, 0, 1],
  ['192.168.', 1, 0, 0, 1, 0, 1],
  ['192.168.5', 0, 1, 0, 1, 0, 1],
  ['192.16', 0, 1, 0, 0, 1, 1],
  ['8.8.8.8', 0, 1, 0, 0, 1, 1],
  ['.x', 0, 1, 0, 1, 0, 1],
  ['', 0, 1, 0, 0, 1, 1],
]

function check(pattern: string): Parameters<typeof lookUp>[3] {
  const outcome = compileOsMatch(pattern)
  assert.ok(outcome.ok)
  return outcome.expression
}

const PATTERNS: Partial<Record<Lookup, string>> = { match_key_value: '^alpha', address_match_key_value: 'five' }

for (const [value, ...answers] of TABLE) {
  test(`${JSON.stringify(value)} is looked up in six ways`, () => {
    assert.deepEqual(
      LOOKUPS.map((lookup) => (lookUp(LIST, lookup, value, PATTERNS[lookup] === undefined ? null : check(PATTERNS[lookup])) ? 1 : 0)),
      answers,
    )
  })
}

test('without check_value match_key_value never passes and address_match_key_value always does', () => {
  assert.equal(lookUp(LIST, 'match_key_value', 'dup', null), false)
  for (const value of ['10.0.0.1', '192.168.5.5', 'x']) assert.equal(lookUp(LIST, 'address_match_key_value', value, null), true)
})

test('check_value ignores case and may be negated', () => {
  assert.equal(lookUp(LIST, 'match_key_value', 'dup', check('^FIRST$')), true)
  assert.equal(lookUp(LIST, 'match_key_value', 'dup', check('!first')), false)
  assert.equal(lookUp(LIST, 'match_key_value', 'dup', check('!second')), true)
})

test('an address is looked up only by prefixes as long as some key, so a text of dots takes no longer than another', () => {
  const list = compileList('l', '9.:nine\n1.1.1.:ones\nx:other\n')
  assert.deepEqual([...list.prefixLengths], [2, 6])
  const dots = '1.'.repeat(32_000)
  for (let i = 0; i < 300; i++) assert.equal(lookUp(list, 'address_match_key', dots, null), true)
  assert.equal(lookUp(list, 'address_match_key', `2.${dots}`, null), false)
})
