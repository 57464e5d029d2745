/** Pages of lists: how many there are in all is counted only when the page doesn't tell. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { findPage } from '../../../../server/core/tenancy/page.js'

/** A list of numbers, and how often it was counted. */
function listOf(length: number) {
  const all = Array.from({ length }, (_, index) => index)
  const listed = {
    counted: 0,
    find: async (_: object, { skip = 0, limit }: { readonly skip?: number; readonly limit?: number }) => all.slice(skip, skip + (limit ?? length)),
    count: async () => {
      listed.counted += 1
      return length
    },
  }
  return listed
}

test('every page of every list has the right total', async () => {
  for (let length = 0; length <= 7; length++) {
    for (let skip = 0; skip <= 8; skip++) {
      for (let limit = 1; limit <= 8; limit++) {
        const listed = listOf(length)
        const { items, total } = await findPage<number, object>(listed, {}, { skip, limit })
        assert.equal(total, length, `${limit} after ${skip} of ${length}`)
        const isFull = items.length === limit
        assert.equal(listed.counted, isFull || (items.length === 0 && skip > 0) ? 1 : 0, `${limit} after ${skip} of ${length}`)
      }
    }
  }
})
