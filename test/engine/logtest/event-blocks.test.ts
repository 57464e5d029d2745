import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginsBlock, EventBlocks } from '#engine'

const eventsOf = (lines: readonly string[], isTerminal = false): string[] => {
  const blocks = new EventBlocks(isTerminal)
  return [...lines.flatMap((line) => [...blocks.add(line)]), ...blocks.end()]
}

describe('events over several lines', () => {
  it('join JSON and XML, each as one event', () => {
    const json = JSON.stringify({ door: { by: 'bob }"', at: [1, { a: null }] }, empty: '' }, null, 2).split('\n')
    assert.deepEqual(eventsOf(['before', ...json, 'after']), ['before', json.map((line) => line.trim()).join(''), 'after'])
    const xml = ["- <Event xmlns='x'>", '  <System/>', '', ' text', '</Event>']
    assert.deepEqual(eventsOf(['<?xml version="1.0"?>', ...xml, 'after']), [['<?xml version="1.0"?>', ...xml].join('\n'), 'after'])
    assert.deepEqual(eventsOf(['<Events>', '<Event>', '</Event>', '</Events>', 'x']), ['<Events>\n<Event>\n</Event>\n</Events>', 'x'])
    assert.deepEqual(eventsOf(['** Alert 1.2: - a,', 'b', '** Alert 1.3: - a,', 'c', '', 'd']), ['** Alert 1.2: - a,\nb', '** Alert 1.3: - a,\nc', 'd'])
  })

  it('leave all other lines as they are', () => {
    for (const lines of [
      ['{"a":1}', '{"b":2}'],
      ['{ begin', '} end'],
      ['{', 'x', '}'],
      ['{"a":', '1} x', '{"b":2}'],
      ['{"a', '":1}'],
      ['{', '"a":1'],
      ['<Event><System/></Event>', 'x'],
      ['<Event>', 'x'],
      ['<13>Jan  5 x', '<a>'],
      ['<?xml version="1.0"?>', 'x'],
    ])
      assert.deepEqual(eventsOf(lines), lines)
  })

  it('end at a terminal with two empty lines, and with their limit', () => {
    assert.deepEqual(eventsOf(['{', '', '"a":1}', 'x'], true), ['{"a":1}', 'x'])
    assert.deepEqual(eventsOf(['{', '', '', '"a":1}'], true), ['{', '', '"a":1}'])
    const many = ['{', ...Array.from({ length: 6000 }, (_, at) => `"a${at}":1,`)]
    const blocks = new EventBlocks(false)
    const left = many.flatMap((line) => [...blocks.add(line)])
    assert.equal(blocks.isOpen, false)
    assert.deepEqual(left, many)
  })

  it('are recognized by their first line', () => {
    assert.deepEqual(['{', ' {"a": [', "<Event xmlns='x'>", '{"a":1}', '{ begin', '<Event/></Event>', '** Alert 1.2: - a'].map(beginsBlock), [
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})
