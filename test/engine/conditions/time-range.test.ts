/** `<time>` (engine-rules.md 2.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTimeRange, parseTimeRange } from '../../../engine/conditions/time-range.js'

const READ: readonly (readonly [text: string, from: string, to: string, negated: boolean])[] = [
  ['8-17', '08:00', '17:00', false],
  ['08:30-17:05', '08:30', '17:05', false],
  [' ! 8:00 - 9:00 ', '08:00', '09:00', true],
  ['6 pm - 8:30 AM', '18:00', '08:30', false],
  ['12 am-12pm', '00:00', '12:00', false],
  ['0am-11:59pm', '00:00', '23:59', false],
  ['23 - 0', '23:00', '00:00', false],
  ['1:99-2', '01:99', '02:00', false],
  ['13 am - 14', '13:00', '14:00', false],
  // quirk: over midnight the ! is lost
  ['!18:00-08:00', '18:00', '08:00', false],
]

for (const [text, from, to, negated] of READ) test(`${JSON.stringify(text)} is read`, () => assert.deepEqual(parseTimeRange(text), { from, to, negated }))

for (const text of ['', '8', '8-', '24-1', '1-24', '13 pm - 14', '8:5-9', '8:005-9', '8 to 9', '8-9x', '!!8-9', 'am-pm', '8-9-10', '123-4']) {
  test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseTimeRange(text), null))
}

const ASKED: readonly (readonly [range: string, inside: readonly string[], outside: readonly string[]])[] = [
  ['08:00-17:30', ['08:00', '12:00', '17:30'], ['07:59', '17:31', '00:00']],
  ['!08:00-17:30', ['07:59', '17:31'], ['08:00', '12:00', '17:30']],
  ['8:00-8:00', ['08:00'], ['07:59', '08:01']],
  // over midnight both named minutes are outside
  ['18:00-08:00', ['18:01', '23:59', '00:00', '07:59'], ['18:00', '08:00', '12:00']],
  ['!18:00-08:00', ['18:01', '07:59'], ['18:00', '08:00', '12:00']],
]

for (const [text, inside, outside] of ASKED) {
  test(`${text} holds its minutes`, () => {
    const range = parseTimeRange(text)
    assert.ok(range !== null)
    assert.deepEqual(
      [...inside, ...outside].filter((now) => inTimeRange(now, range)),
      inside,
    )
  })
}
