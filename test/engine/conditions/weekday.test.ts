/** `<weekday>` (BEHAVIOUR.md#time-and-weekday). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWeekdays } from '../../../engine/conditions/weekday.js'

const READ: readonly (readonly [text: string, days: readonly number[]])[] = [
  ['sunday', [0]],
  ['monday tuesday,wednesday , thursday,friday saturday', [1, 2, 3, 4, 5, 6]],
  ['sun,mon,tue,wed,thu,fri,sat', [0, 1, 2, 3, 4, 5, 6]],
  [' MONDAY', [1]],
  ['weekdays', [1, 2, 3, 4, 5]],
  ['Weekends', [0, 6]],
  ['weekends,monday,monday', [0, 1, 6]],
]

for (const [text, days] of READ) test(`${JSON.stringify(text)} is read`, () => assert.deepEqual([...(parseWeekdays(text) ?? [])].sort(), days))

for (const text of ['', ' ', ',', 'thurs', 'tues', '!monday', '! monday', 'monday;friday', 'monday\n', 'weekday']) {
  test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseWeekdays(text), null))
}
