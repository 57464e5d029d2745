import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FlatFields } from '../../../engine/json/flat-fields.js'
import { flattenJson } from '../../../engine/json/flatten.js'
import { JsonPath } from '../../../engine/json/paths.js'
import { Arena } from '../../../engine/kernel/arena.js'
import { bytesOf } from '../../../engine/kernel/last-bytes.js'
import { HEAP } from '../../../engine/kernel/layout.js'
import { BYTES, CHUNK, Chunk, growths, packWords, take, WORDS } from '../../../engine/kernel/memory.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('packed numbers stay as they were when others follow, beside them and in the next chunk', () => {
  const lists = Array.from({ length: 400 }, (_, index) => Array.from({ length: index % 90 === 89 ? 3000 : index % 90 }, (_, at) => (index << 16) + at - 1))
  const packed = lists.map((list) => packWords(list))
  packed.forEach(({ address }, index) => {
    assert.deepEqual([...WORDS.subarray(address >> 2, (address >> 2) + lists[index].length)], lists[index])
  })
  assert(new Set(packed.map(({ chunk }) => chunk)).size < 40)
})

test('memory that is taken is never shared, whatever its size', () => {
  const taken = [1, 16_384, 16_385, 3, 100_000, 5].map((length) => ({ length, ...take(length) }))
  const sorted = taken.toSorted((a, b) => a.address - b.address)
  for (const [i, { address, length }] of sorted.entries()) {
    assert.ok(address >= HEAP && address % 4 === 0)
    if (i > 0) assert.ok(sorted[i - 1].address + sorted[i - 1].length <= address)
    assert.ok(address + length <= BYTES.length)
  }
})

test('the memory grows, keeps its content, and so do the bytes of the last text', () => {
  const { address } = packWords([1, -2, 3])
  const log = 'a log line '.repeat(100)
  bytesOf(log)
  const before = growths
  const chunks = []
  while (growths === before) chunks.push(new Chunk(1 << 20))
  assert.deepEqual([...WORDS.subarray(address >> 2, (address >> 2) + 3)], [1, -2, 3])
  assert.equal(Buffer.from(bytesOf(log).subarray(0, log.length)).toString('latin1'), log)
  assert.ok(chunks.length < 200)
})

test('memory is given out again after its object was collected', async () => {
  const length = 1 << 20
  const addresses = new Set<number>()
  for (let round = 0; round < 8; round++) {
    addresses.add(new Chunk(length).address)
    collect()
    // The registry calls back in a task of its own.
    await wait(1)
  }
  assert.ok(addresses.size < 8, 'an address comes again')
})

test('an arena gives zeros beside one another up to its limit, and larger pieces than the usual ones', () => {
  const arena = new Arena(100_000)
  const taken = [1, 16, 17, 2000, 5000, 3 * CHUNK, 100].map((length) => ({ length, address: arena.take(length) }))
  for (const { length, address } of taken) {
    assert.ok(address >= HEAP && address % 16 === 0)
    assert.ok(BYTES.subarray(address, address + length).every((byte) => byte === 0))
    BYTES.fill(1, address, address + length)
  }
  const sorted = taken.toSorted((a, b) => a.address - b.address)
  for (let i = 1; i < sorted.length; i++) assert.ok(sorted[i - 1].address + sorted[i - 1].length <= sorted[i].address)
  assert.equal(arena.take(50_000), 0)
  assert.notEqual(arena.take(1000), 0)
  assert.equal(new Arena(2 ** 30).take(2 ** 30), 0, 'the memory of the kernel is full')
})

/** Flattens a text with so many names for a ruleset of its own. */
function rulesetWith(names: number): JsonPath {
  const root = JsonPath.root({ find: () => -1, statics: new Map() })
  const text = `{${Array.from({ length: names }, (_, index) => `"name${index}":${index}`).join(',')}}`
  assert.ok(flattenJson(text, 0, root, { nulls: 'string', arrays: 'array' }, new FlatFields()))
  return root
}

test('the names of a ruleset without JSON take no memory, few names little, and those of a collected ruleset none', async () => {
  const unused = JsonPath.root({ find: () => -1, statics: new Map() })
  assert.equal(flattenJson('no JSON', 0, unused, { nulls: 'string', arrays: 'array' }, new FlatFields()), false)
  assert.equal(unused.tree.table, null)
  const small = Array.from({ length: 64 }, () => rulesetWith(5))
  assert.ok(new Set(small.map(({ node }) => Math.floor((node - HEAP) / CHUNK))).size <= 24)
  const addresses = new Set<number>()
  for (let round = 0; round < 8; round++) {
    addresses.add(rulesetWith(3000).child('name2999').node)
    collect()
    await wait(1)
  }
  assert.ok(addresses.size < 8, 'an address comes again')
  assert.ok(small.every(({ tree }) => tree.table?.paths.length === 6))
})
