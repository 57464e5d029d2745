/** Lines with nothing but an event are read in a shorter way, which must not be noticed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { lineTexts } from '../../../server/resources/analysis/refusal.js'
import { type LineReading, readLine } from '../../../workers/requests/read-line.js'

const SETTING = { texts: lineTexts('en-US'), sessionId: 's', requestId: 'r' }

/** Reads a line, and the same line after a space, which is read in the long way. */
function same(text: string): LineReading {
  // As a thread decodes it: without unpaired surrogates.
  const line = Buffer.from(text).toString()
  const reading = readLine(line, SETTING)
  const long = readLine(` ${line}`, SETTING)
  if (!('input' in reading)) assert.deepEqual(reading, long, line)
  else {
    assert.deepEqual(reading.input, 'input' in long ? long.input : long, line)
    if (reading.eventJson !== null) assert.equal(reading.eventJson, JSON.stringify(reading.input.event))
  }
  return reading
}

const isShort = (line: string): boolean => (same(line) as { eventJson?: string | null }).eventJson != null

describe('readLine', () => {
  it('passes the JSON of an event on, if it is what JSON.stringify prints', () => {
    for (const event of ['x', 'a "quoted" \\ text', '{"a":"\\u0041","b":"\\\\"}', '\b\f\n\r\t', 'ção 漢字 🚪', '\u2028\x7f', '\\u', '\\/']) {
      assert.ok(isShort(JSON.stringify({ event })), event)
      assert.ok(isShort(`${JSON.stringify({ event })}\r`), event)
    }
  })

  it('reads all other lines in the long way', () => {
    const other = [
      '{"event":""}',
      '{"event":"a\\u0041"}',
      '{"event":"a\\/b"}',
      '{"event":"a","event":"b"}',
      '{"event":"a","location":"b"}',
      '{ "event":"a"}',
      '{"event":"a"} ',
      '{"event":"a"}}',
      '{"event":"a\\"}',
      '{"event":"a\\x"}',
      '{"event":"a\tb"}',
      '{"event":"a"',
      '{"event":a}',
      '{"event":1}',
      '\ufeff{"event":"a"}',
      '{"event":"a"}\r\r',
      '',
    ]
    for (const line of other) assert.equal(isShort(line), false, line)
  })

  it('reads any line as the long way does', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('"', '\\', 'u', '0', '/', 'n', '}', '{', ':', ',', '\r', '\t', 'é'), maxLength: 20 }),
    )
    const edit = fc.tuple(fc.nat(60), fc.nat(2), fc.constantFrom('"', '\\', 'u', '}', '{', '\r', ' ', '\0', ',', '":"', '\\u0061'))
    fc.assert(
      fc.property(text, fc.array(edit, { maxLength: 3 }), fc.boolean(), (event, edits, isRaw) => {
        let line = isRaw ? `{"event":"${event}"}` : JSON.stringify({ event })
        for (const [at, removed, added] of edits) line = line.slice(0, at) + added + line.slice(at + removed)
        same(line)
      }),
      { numRuns: 20_000 },
    )
  })
})
