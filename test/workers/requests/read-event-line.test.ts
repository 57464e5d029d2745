/** Lines with nothing but an event are read in a shorter way, which must not be noticed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { lineTexts } from '../../../server/analysis/refusal.js'
import { readEventLine } from '../../../workers/requests/read-event-line.js'
import { readLine } from '../../../workers/requests/read-line.js'

const SETTING = { texts: lineTexts('en-US'), sessionId: 's', requestId: 'r' }

const BEFORE = '{"event":"before"}\n'

/** Reads a line between others, and as the last one. Whatever is read in the short way is what `readLine` reads. */
function isShort(text: string): boolean {
  const line = text.split('\n', 1)[0]
  const bytes = Buffer.from(`${BEFORE}${line}\n{"event":"after"}`)
  const short = readEventLine(bytes, BEFORE.length, true)
  const last = readEventLine(Buffer.from(line), 0, true)
  if (short === null) {
    assert.equal(last, null, line)
    return false
  }
  // As a thread decodes it: without unpaired surrogates.
  const long = readLine(Buffer.from(line).toString(), 1, SETTING)
  assert.deepEqual(short.reading, long, line)
  assert.deepEqual(last?.reading, long, line)
  const length = Buffer.byteLength(line)
  assert.deepEqual([short.end, last?.end], [BEFORE.length + length + 1, length], line)
  assert.ok('input' in long && short.eventJson !== null)
  const { start, end } = short.eventJson
  assert.equal(bytes.toString('utf8', start, end), JSON.stringify(long.input.event))
  return true
}

describe('readEventLine', () => {
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

  it('reads bytes that are not all UTF-8 only if its own are ASCII', () => {
    for (const [event, isRead] of [
      ['ascii', true],
      ['ção', false],
    ] as const) {
      assert.equal(readEventLine(Buffer.from(JSON.stringify({ event })), 0, false) !== null, isRead)
    }
  })

  it('reads events below 64 KB', () => {
    assert.ok(isShort(JSON.stringify({ event: '"'.repeat(64 * 1024 - 1) })))
    assert.ok(!isShort(JSON.stringify({ event: '"'.repeat(64 * 1024) })))
    assert.ok(!isShort(JSON.stringify({ event: `${'"'.repeat(64 * 1024 - 2)}é` })))
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
        isShort(line)
      }),
      { numRuns: 20_000 },
    )
  })
})
