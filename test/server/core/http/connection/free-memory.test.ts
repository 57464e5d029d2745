import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeMemory } from '../../../../../server/core/http/connection/free-memory.js'

const LARGE = 64 * 1024

test('the last part of large memory frees it, once', () => {
  const bytes = Buffer.alloc(LARGE, 1)
  freeMemory(bytes.subarray(0, LARGE - 1))
  assert.equal(bytes.length, LARGE)
  freeMemory(bytes.subarray(10))
  assert.equal(bytes.length, 0)
  freeMemory(bytes)
})

test('small memory, that of the pool, and shared memory stay', () => {
  for (const bytes of [Buffer.alloc(1000, 1), Buffer.from('pooled'), new Uint8Array(new SharedArrayBuffer(LARGE)), Buffer.alloc(0)]) {
    const { length } = bytes
    freeMemory(bytes)
    assert.equal(bytes.length, length)
  }
})
