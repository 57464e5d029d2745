import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packWords } from '../../../engine/expressions/packed-words.js'

test('packed numbers stay as they were when others follow, in the same array and in the next', () => {
  const lists = Array.from({ length: 400 }, (_, index) => Array.from({ length: index % 90 === 89 ? 3000 : index % 90 }, (_, at) => (index << 16) + at - 1))
  const packed = lists.map((list) => packWords(list))
  packed.forEach(({ words, at }, index) => {
    assert.deepEqual([...words.subarray(at, at + lists[index].length)], lists[index])
  })
  assert(new Set(packed.map(({ words }) => words)).size < 40)
})
