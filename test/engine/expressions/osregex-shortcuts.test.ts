/** The shortcuts of OSRegex, which are literals, first bytes and jumps, change no result of the machine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createMatchResult } from '../../../engine/expressions/expression.js'
import { compileOsRegex } from '../../../engine/expressions/osregex/osregex.js'
import { packPlain } from '../../../engine/expressions/osregex/pack.js'
import { parseOsRegex } from '../../../engine/expressions/osregex/parse.js'
import { scan } from '../../../engine/expressions/window-scan.js'
import { PLAIN } from '../../../engine/kernel/kernel.js'
import { addressOf } from '../../../engine/kernel/last-bytes.js'
import { FOUND_MARKS, MARKS, NO_MATCH, UNSOUND } from '../../../engine/kernel/layout.js'
import { WORDS } from '../../../engine/kernel/memory.js'
import { searchedText } from '../../../engine/kernel/searched-text.js'

/** The result of the machine alone: the bounds of the groups and the end, or null. */
function plainSearch(pattern: string, capturing: boolean, text: string, from: number): number[] | null {
  const parsed = parseOsRegex(pattern, false)
  assert(parsed.ok)
  for (const alternative of parsed.pattern.alternatives) {
    const { address } = packPlain(alternative, capturing && parsed.pattern.groupCount > 0)
    const end = PLAIN.searchOsRegex(address, addressOf(text), text.length, from, 0)
    if (end === UNSOUND) return null
    if (end === NO_MATCH) continue
    const marks = WORDS.subarray(MARKS >> 2)
    const markCount = WORDS[FOUND_MARKS >> 2]
    const bounds: number[] = []
    for (let mark = 0; mark + 1 < markCount && marks[mark] >= 0 && marks[mark + 1] >= 0; mark += 2) bounds.push(marks[mark], marks[mark + 1])
    return [...bounds, end]
  }
  return null
}

function search(pattern: string, capturing: boolean, text: string, from: number): number[] | null {
  const compiled = compileOsRegex(pattern, { capturing })
  assert(compiled.ok)
  const result = createMatchResult()
  if (!compiled.expression.search(text, text, from, result)) return null
  return [...Array.from(result.bounds).slice(0, result.count * 2), result.end]
}

const item = fc.constantFrom('a', 'b', '=', '"', ':', 'abc=', 'name="', '\\t', '\\s', '\\t+', '\\s*', '\\.', '\\.+', '\\.*', '\\w', '\\w+', '\\S+', '\\d*', '\\p*', '\\(', '\\(+')
const part = fc.oneof({ weight: 5, arbitrary: item }, { weight: 1, arbitrary: fc.array(item, { maxLength: 3 }).map((items) => `(${items.join('')})`) })
const alternative = fc
  .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 7 }), fc.boolean())
  .map(([start, parts, end]) => `${start ? '^' : ''}${parts.join('')}${end ? '$' : ''}`)
const pattern = fc.array(alternative, { minLength: 1, maxLength: 3 }).map((alternatives) => alternatives.join('|'))
const piece = fc.constantFrom('a', 'b', '=', '"', ':', 'abc=', 'name="', '\t', ' ', '(', '1', 'abc="x" ')

for (const scanned of [false, true])
  test(`a search with shortcuts has the result of the machine${scanned ? ' in a scanned text' : ''}`, () => {
    const text = fc.array(piece, { minLength: scanned ? 192 : 0, maxLength: scanned ? 220 : 14 }).map((pieces) => pieces.join(''))
    let matches = 0
    fc.assert(
      fc.property(pattern, text, fc.nat(3), fc.boolean(), (regex, subject, from, capturing) => {
        const expected = plainSearch(regex, capturing, subject, Math.min(from, subject.length))
        if (expected !== null) matches++
        if (scanned) scan(searchedText(subject, subject))
        // Several times: a scanned text is searched in another way from the fifth literal on.
        for (let i = 0; i < 5; i++) assert.deepEqual(search(regex, capturing, subject, Math.min(from, subject.length)), expected)
      }),
      { numRuns: 20_000 },
    )
    assert(matches > 1000)
  })
