import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bytesOf } from '../../../engine/kernel/last-bytes.js'
import { HEAP } from '../../../engine/kernel/layout.js'
import { BYTES, Chunk, growths, packWords, take, WORDS } from '../../../engine/kernel/memory.js'

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
