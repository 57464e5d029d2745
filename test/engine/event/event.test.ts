import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Event } from '../../../engine/event/event.js'
import { flattenJson } from '../../../engine/json/flatten.js'
import { FlatFields } from '../../../engine/json/flat-fields.js'
import { JsonPath } from '../../../engine/json/paths.js'

test('the folded log is that of the current log, whether it is a part of the event or another text', () => {
  const event = new Event('HEADER: Some LOG\xc0', 0)
  assert.equal(event.logLower, 'header: some log\xc0')
  event.cutLog(8)
  assert.equal(event.logLower, 'some log\xc0')
  event.cutLog(8, 12)
  assert.deepEqual([event.log, event.logLower], ['Some', 'some'])
  event.setLog('Another TEXT')
  assert.equal(event.logLower, 'another text')
})

test('folds the value of each field: cut out of the log, with escapes, printed, of another log, or added later', () => {
  const event = new Event('{"plain": "Some VALUE", "path": "C:\\\\Temp\\u0041", "list": ["A"], "empty": "", "number": 12}', 0)
  const fields = new FlatFields()
  assert.ok(flattenJson(event.log, 0, JsonPath.root({ find: () => -1, statics: new Map() }), { nulls: 'string', arrays: 'array' }, fields))
  event.addFields(fields, 10)
  event.addField('later', -1, 'Added')
  const lowers = (): string[] => event.names.map((_, index) => event.lowerAt(index))
  const expected = ['some value', 'c:\\tempa', '["a"]', '', '12', 'added']
  assert.deepEqual(lowers(), expected)
  event.setLog('X'.repeat(200))
  assert.deepEqual(lowers(), expected)
})

test('a field that is added to one event is none of another one with the same names', () => {
  const root = JsonPath.root({ find: () => 1, statics: new Map() })
  const fields = new FlatFields()
  const events = ['{"a":1,"b":[2]}', '{"a":"x","b":"y"}', '{"a":-1,"b":"\\n"}'].map((text) => {
    const event = new Event(text, 0)
    assert.ok(flattenJson(text, 0, root, { nulls: 'string', arrays: 'array' }, fields))
    event.addFields(fields, 2)
    return event
  })
  events[1].addField('c', 2, 'z')
  assert.deepEqual(
    events.map(({ names, keys, values }) => [names, keys, values]),
    [
      [
        ['a', 'b'],
        [1, 1],
        ['1', '[2]'],
      ],
      [
        ['a', 'b', 'c'],
        [1, 1, 2],
        ['x', 'y', 'z'],
      ],
      [
        ['a', 'b'],
        [1, 1],
        ['-1', '\n'],
      ],
    ],
  )
})
