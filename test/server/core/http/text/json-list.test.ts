/** Lists of large entries. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { jsonList } from '../../../../../server/core/http/text/json-list.js'

const load = async (some: readonly number[]): Promise<readonly string[]> => some.map((entry) => `${entry}`)
const MANY = Array.from({ length: 50 }, (_, at) => at)
const LARGE = 1024 ** 3

async function read(stream: readonly string[] | Readable): Promise<unknown> {
  assert.ok(stream instanceof Readable)
  let text = ''
  for await (const piece of stream) text += piece
  return JSON.parse(text)
}

test('small entries are sent together, large ones one after the other', async () => {
  assert.deepEqual(await jsonList(MANY, 10, load), await load(MANY))
  assert.deepEqual(await read(await jsonList(MANY, LARGE, load)), await load(MANY))
  assert.deepEqual(await read(await jsonList([], LARGE, load)), [])
  assert.deepEqual(await read(await jsonList(MANY, LARGE, async ([entry]) => (entry % 2 === 0 ? [] : load([entry])))), await load(MANY.filter((entry) => entry % 2 === 1)))
})

test('other work runs between the entries', async () => {
  let turns = 0
  let immediate = setImmediate(function turn() {
    turns++
    immediate = setImmediate(turn)
  })
  await read(await jsonList(MANY, LARGE, load))
  clearImmediate(immediate)
  assert.ok(turns >= MANY.length, `${turns} turns`)
})
