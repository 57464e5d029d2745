import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listElementLines } from '../../../../server/cli/input/json-places.js'

describe('lines of list elements', () => {
  it('are found after other members, nested lists and braces in texts', () => {
    const text = '{\n"other": [1, [2]],\n"cases": [\n  {"name": "a ] } \\" ,", "x": [1,\n 2]},\n\n  "b", 7\n], "cases2": [1]}'
    assert.deepEqual(listElementLines(text, 'cases'), [4, 7, 7])
    assert.deepEqual(listElementLines('{"cases": []}', 'cases'), [])
    assert.deepEqual(listElementLines('{"x": {"cases": [1]}}', 'cases'), [])
  })
})
