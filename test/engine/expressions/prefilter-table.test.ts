/** One scan that excludes patterns: it may only err towards "may match". */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Event } from '../../../engine/event/event.js'
import type { Prefilter } from '../../../engine/expressions/expression.js'
import { PrefilterScanner, PrefilterTable } from '../../../engine/expressions/prefilter-table.js'

const contains = (...values: string[]): Prefilter => ({ kind: 'contains', values })

/** Asks so often that the text is scanned. */
function scanned(table: PrefilterTable, text: string): PrefilterScanner {
  const scanner = new PrefilterScanner(table)
  scanner.begin(new Event(text, 0))
  for (let i = 0; i < 4 && table.size > 0; i++) scanner.mayMatch(0)
  return scanner
}

test('prefilters that windows cannot find have no number', () => {
  const table = new PrefilterTable()
  for (const prefilter of [null, contains(), contains('abcd'), contains('long enough', 'abcd'), { kind: 'exact', values: ['abcde'] } as const])
    assert.equal(table.intern(prefilter), -1)
  assert.equal(table.size, 0)
})

test('equal prefilters share a number, others get the next', () => {
  const table = new PrefilterTable()
  assert.deepEqual(
    [table.intern(contains('failed')), table.intern(contains('accepted')), table.intern(contains('failed')), table.intern(contains('failed', 'accepted'))],
    [0, 1, 0, 2],
  )
})

test('a layer continues the numbers of its base, knows its prefilters, and does not change it', () => {
  const base = new PrefilterTable()
  base.intern(contains('failed'))
  const layer = new PrefilterTable(base)
  assert.deepEqual([layer.intern(contains('accepted')), layer.intern(contains('failed'))], [1, 0])
  assert.deepEqual([base.size, layer.size], [1, 2])
  const scanner = scanned(layer, 'accepted or failed')
  assert.deepEqual([scanner.mayMatch(0), scanner.mayMatch(1)], [true, true])
  scanner.begin(new Event('failed only', 0))
  for (let i = 0; i < 4; i++) scanner.mayMatch(0)
  assert.deepEqual([scanner.mayMatch(0), scanner.mayMatch(1)], [true, false])
})

test('literals that exceed the capacity of a table have no prefilter', () => {
  const table = new PrefilterTable()
  const many = contains(...Array.from({ length: 65_000 }, (_, i) => `word ${i}`))
  assert.equal(table.intern(many), 0)
  assert.equal(table.intern(contains('one more')), -1)
})

test('the first look-ups are answered without a scan, then the text is scanned', () => {
  const table = new PrefilterTable()
  const prefilter = table.intern(contains('failed'))
  const scanner = new PrefilterScanner(table)
  scanner.begin(new Event('accepted', 0))
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => scanner.mayMatch(prefilter)),
    [true, true, false, false, false],
  )
  scanner.begin(new Event('also accepted', 0))
  assert.equal(scanner.mayMatch(prefilter), false, 'after many questions about the last text that began so')
  scanner.begin(new Event('it failed', 0))
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => scanner.mayMatch(prefilter)),
    [true, true, true, true, true],
  )
})

test('a pattern without a prefilter may always match, and a text shorter than a window contains none', () => {
  const table = new PrefilterTable()
  const prefilter = table.intern(contains('failed'))
  const scanner = scanned(table, 'abc')
  assert.equal(scanner.mayMatch(-1), true)
  assert.equal(scanner.mayMatch(prefilter), false)
  scanner.begin(new Event('', 0))
  for (let i = 0; i < 3; i++) scanner.mayMatch(prefilter)
  assert.equal(scanner.mayMatch(prefilter), false)
})

test('a literal is found at even and odd offsets, in long texts, and after more scans than the marks can number', () => {
  const table = new PrefilterTable()
  const prefilter = table.intern(contains('needle', 'another one'))
  const [only, other] = [table.intern(contains('needle')), table.intern(contains('haystack'))]
  const scanner = scanned(table, 'x')
  for (const place of [0, 1, 2, 3, 65_529, 65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 65_536, 65_537, 140_001]) {
    scanner.begin(new Event(`${'.'.repeat(place)}needle${'.'.repeat(place % 5)}`, 0))
    for (let i = 0; i < 3; i++) scanner.mayMatch(only)
    assert.deepEqual([scanner.mayMatch(prefilter), scanner.mayMatch(only), scanner.mayMatch(other)], [true, true, false], `at ${place}`)
  }
  scanner.begin(new Event('.haystack', 0))
  for (let i = 0; i < 4; i++) scanner.mayMatch(only)
  for (let round = 0; round < 70_000; round++) {
    scanner.begin(new Event(`.${round}`, 0))
    scanner.mayMatch(only)
    if (scanner.mayMatch(other)) assert.fail(`marks of another scan count in round ${round}`)
    for (let i = 0; i < 3; i++) scanner.mayMatch(only)
  }
})

test('a text that contains a literal is never excluded, whatever its bytes', () => {
  const text = fc.array(fc.constantFrom('a', 'b', ':', '\xff', '\x80', '\0'), { maxLength: 30 }).map((bytes) => bytes.join(''))
  const literal = fc.array(fc.constantFrom('a', 'b', ':', '\xff', '\x80', '\0'), { minLength: 5, maxLength: 9 }).map((bytes) => bytes.join(''))
  fc.assert(
    fc.property(
      fc.array(fc.array(literal, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      fc.array(literal, { maxLength: 3 }),
      fc.array(text, { maxLength: 4 }),
      (base, layer, texts) => {
        const below = new PrefilterTable()
        for (const values of base) below.intern(contains(...values))
        const table = new PrefilterTable(below)
        const all = [...base, ...layer.map((value) => [value])].map((values) => ({ values, prefilter: table.intern(contains(...values)) }))
        const scanner = new PrefilterScanner(table)
        for (const lower of [...texts, ...texts.map((one) => one + base[0][0])]) {
          scanner.begin(new Event(lower, 0))
          for (let round = 0; round < 2; round++) {
            for (const { values, prefilter } of all) if (!scanner.mayMatch(prefilter)) assert.ok(values.every((value) => !lower.includes(value)))
          }
        }
      },
    ),
  )
})
