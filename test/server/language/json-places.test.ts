import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listPlaces } from '../../../server/language/text/json-places.js'

describe('places of list elements', () => {
  it('are found after other members, nested lists and braces in texts', () => {
    const text = '{\n"other": [1, [2]],\n"cases": [\n  {"name": "a ] } \\" ,", "x": [1,\n 2]},\n\n  "b", 7\n], "cases2": [1]}'
    const { start, elements } = listPlaces(text, 'cases') ?? { start: 0, elements: [] }
    assert.equal(text.slice(0, start), '{\n"other": [1, [2]],\n"cases": [')
    assert.deepEqual(
      elements.map((place) => [place.line, text.slice(place.start, place.end)]),
      [
        [4, '{"name": "a ] } \\" ,", "x": [1,\n 2]}'],
        [7, '"b"'],
        [7, '7'],
      ],
    )
    assert.deepEqual(listPlaces('{"cases": []}', 'cases'), { start: 11, elements: [] })
    assert.equal(listPlaces('{"x": {"cases": [1]}}', 'cases'), null)
  })
})
