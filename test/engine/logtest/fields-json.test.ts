/** Written fields equal the fields of the report's object, whatever their names and values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Event } from '../../../engine/event/event.js'
import { STATIC_FIELDS } from '../../../engine/event/static-fields.js'
import { describeFields } from '../../../engine/logtest/describe-outcome.js'
import { JsonWriter } from '../../../engine/json/json-writer.js'
import { writeFields } from '../../../engine/logtest/fields-json.js'
import { toByteString } from '../../../engine/source/byte-string.js'

function eventOf(statics: Readonly<Record<string, string>>, dynamic: readonly (readonly [string, string])[]): Event {
  const event = new Event('', 0)
  STATIC_FIELDS.forEach((name, i) => {
    if (Object.hasOwn(statics, name)) event.statics[i] = statics[name]
  })
  for (const [name, value] of dynamic) event.addField(name, -1, value)
  return event
}

const writer = new JsonWriter(64)

function fieldsJson(event: Event): string {
  writer.clear()
  writeFields(writer, event)
  return Buffer.from(writer.written).toString()
}

/** Compares members in the order of the text: a parsed object has number-like names first. */
function same(event: Event): void {
  const json = fieldsJson(event)
  const told = describeFields(event)
  assert.deepEqual(JSON.parse(json), told)
  assert.equal(Object.keys(JSON.parse(json) as object).length, [...json.matchAll(/(?<=^\{|,)"(?:[^"\\]|\\.)*":/g)].length, 'a name stands twice')
}

const TEXTS = [
  '',
  'plain',
  'quote " \\ back',
  '\x00\x01\n\t\x1f\x7f',
  toByteString('ção 漢字 🚪'),
  '\xff\xfe not UTF-8',
  '__proto__',
  'constructor',
  '17',
  '\u00e9 alone',
  'a,"b":',
]

describe('writeFields', () => {
  it('writes no fields as an empty object', () => {
    assert.equal(fieldsJson(eventOf({}, [])), '{}')
  })

  it('writes any names and values', () => {
    same(
      eventOf(
        {},
        TEXTS.map((text, i) => [text, TEXTS[(i * 3 + 1) % TEXTS.length]]),
      ),
    )
    for (const text of TEXTS) same(eventOf({ srcip: text, system_name: text }, [[text, text]]))
  })

  it('writes the first of equal names, also of names that only look equal, event after event', () => {
    for (let round = 0; round < 3; round++) {
      const event = eventOf({ srcip: 'static' }, [
        ['srcip', 'hidden'],
        ['a', `first ${round}`],
        ['a', 'second'],
        ['\xff', 'one'],
        ['\xfe', 'reads the same'],
        ['dstip', 'not hidden'],
        ['dstip', 'but second'],
      ])
      same(event)
      assert.deepEqual(JSON.parse(fieldsJson(event)), { srcip: 'static', a: `first ${round}`, '\ufffd': 'one', dstip: 'not hidden' })
    }
  })

  it('continues after more names than it caches', () => {
    for (let i = 0; i < 300; i++) {
      same(
        eventOf(
          { url: '/x' },
          Array.from({ length: 100 }, (_, k) => [`${i}/${k}/${'n'.repeat(60)}`, `${k}`]),
        ),
      )
      same(eventOf({}, [['steady', `${i}`]]))
    }
  })
})
