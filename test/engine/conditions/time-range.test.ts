/** `<time>` (BEHAVIOUR.md#time-and-weekday). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTimeRange, isIncompleteTime, parseTimeRange } from '../../../engine/conditions/time-range.js'

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
  // quirk: a time may be missing, and the minutes may have one digit before a blank
  ['7:30 -', '07:30', '00:00', false],
  ['7 pm - ', '19:00', '00:00', false],
  [' - 7:30', '00:00', '07:30', false],
  ['-', '00:00', '00:00', false],
  ['!-7', '00:00', '07:00', true],
  ['06:5 - 7:00', '06:05', '07:00', false],
  ['6 - 8:3 pm', '06:00', '20:03', false],
]

for (const [text, from, to, negated] of READ) test(`${JSON.stringify(text)} is read`, () => assert.deepEqual(parseTimeRange(text), { from, to, negated }))

for (const text of [
  '',
  '8',
  ' ',
  '!',
  '24-1',
  '1-24',
  '13 pm - 14',
  '8:5-9',
  '8: -9',
  '8: 5-9',
  '8-9:5',
  '8:005-9',
  'pm-9',
  '8 to 9',
  '8-9x',
  '!!8-9',
  'am-pm',
  '8-9-10',
  '123-4',
]) {
  test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseTimeRange(text), null))
}

const ASKED: readonly (readonly [range: string, inside: readonly string[], outside: readonly string[]])[] = [
  ['08:00-17:30', ['08:00', '12:00', '17:30'], ['07:59', '17:31', '00:00']],
  ['!08:00-17:30', ['07:59', '17:31'], ['08:00', '12:00', '17:30']],
  ['8:00-8:00', ['08:00'], ['07:59', '08:01']],
  // over midnight both boundary minutes are outside
  ['18:00-08:00', ['18:01', '23:59', '00:00', '07:59'], ['18:00', '08:00', '12:00']],
  ['!18:00-08:00', ['18:01', '07:59'], ['18:00', '08:00', '12:00']],
  ['7:00 -', ['07:01', '23:59'], ['00:00', '06:59', '07:00']],
  ['- 7:00', ['00:00', '07:00'], ['07:01', '23:59']],
  ['-', ['00:00'], ['00:01', '23:59']],
  ['06:5 - 7:00', ['06:05', '06:30', '07:00'], ['06:00', '06:04', '07:01', '07:30']],
  ['6:00 - 08:5 ', ['06:00', '08:05'], ['08:06', '05:59']],
]

for (const [text, inside, outside] of ASKED) {
  test(`${text} contains the right minutes`, () => {
    const range = parseTimeRange(text)
    assert.ok(range !== null)
    assert.deepEqual(
      [...inside, ...outside].filter((now) => inTimeRange(now, range)),
      inside,
    )
  })
}

test('a range that is read differently than written is marked as incomplete', () => {
  for (const text of ['7:00 -', '- 7:00', '-', '6:5 - 7', '6 - 7:5 pm']) assert.equal(isIncompleteTime(text), true, text)
  for (const text of ['7:00 - 8:00', '!7-8 pm', '8', 'x -']) assert.equal(isIncompleteTime(text), false, text)
})

test('runs of blanks are read in linear time', () => {
  const blanks = ' '.repeat(20_000)
  assert.equal(parseTimeRange(`${blanks}x`), null)
  assert.equal(parseTimeRange(`${blanks}-${blanks}x`), null)
  assert.deepEqual(parseTimeRange(`${blanks}8${blanks}pm${blanks}-${blanks}9:30${blanks}`), { from: '20:00', to: '09:30', negated: false })
})
