import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { LINE_LIMIT, readLines } from '../../../../server/cli/input/lines.js'

async function linesOf(pieces: readonly Buffer[]): Promise<(string | null)[]> {
  const lines: (string | null)[] = []
  let next = 1
  for await (const batch of readLines([], Readable.from(pieces))) {
    assert.equal(batch.first, next)
    lines.push(...batch.lines)
    next += batch.lines.length
  }
  return lines
}

describe('lines', () => {
  it('are the same however they come in pieces', async () => {
    const text = Buffer.from('first\n\nthird é\r\nlast')
    const whole = await linesOf([text])
    assert.deepEqual(whole, ['first', '', 'third é', 'last'])
    for (let size = 1; size < text.length; size++) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.subarray(index * size, (index + 1) * size))
      assert.deepEqual(await linesOf(pieces), whole, `pieces of ${size}`)
    }
  })

  it('over the limit are left out, and the next one is read', async () => {
    const half = Buffer.alloc(LINE_LIMIT / 2 + 1, 'x')
    assert.deepEqual(await linesOf([Buffer.from('a\n'), half, half, half, Buffer.from('x\nb\nc')]), ['a', null, 'b', 'c'])
    assert.deepEqual(await linesOf([half, half, half]), [null])
  })
})
