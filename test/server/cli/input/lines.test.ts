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
  it('do not depend on how the input is split into chunks', async () => {
    const text = Buffer.from('first\n\nthird é\r\nlast')
    const whole = await linesOf([text])
    assert.deepEqual(whole, ['first', '', 'third é', 'last'])
    for (let size = 1; size < text.length; size++) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.subarray(index * size, (index + 1) * size))
      assert.deepEqual(await linesOf(pieces), whole, `pieces of ${size}`)
    }
  })

  it('over the limit are skipped, and the next one is read', async () => {
    const half = Buffer.alloc(LINE_LIMIT / 2 + 1, 'x')
    assert.deepEqual(await linesOf([Buffer.from('a\n'), half, half, half, Buffer.from('x\nb\nc')]), ['a', null, 'b', 'c'])
    assert.deepEqual(await linesOf([half, half, half]), [null])
  })

  it('over the limit are detected without their line end, for any chunks', async () => {
    const most = Buffer.alloc(LINE_LIMIT, 'x')
    const lengthsOf = async (text: Buffer, cuts: readonly number[]): Promise<(number | null)[]> => {
      const pieces = [0, ...cuts].map((from, index) => text.subarray(from, cuts[index] ?? text.length))
      return (await linesOf(pieces)).map((line) => line?.length ?? null)
    }
    for (const end of ['\n', '\r\n', '']) {
      for (const [more, length] of [
        ['', LINE_LIMIT],
        ['x', null],
      ] as const) {
        const text = Buffer.concat([Buffer.from('a\n'), most, Buffer.from(`${more}${end}`), Buffer.from(end === '' ? '' : 'b\n')])
        const expected = [1, length, ...(end === '' ? [] : [1])]
        for (const cuts of [[], [2], [LINE_LIMIT], [2, LINE_LIMIT], [LINE_LIMIT + 2], [LINE_LIMIT + 3], [2, LINE_LIMIT + 3], [2, LINE_LIMIT + 4]])
          assert.deepEqual(await lengthsOf(text, cuts), expected, JSON.stringify({ more, end, cuts }))
      }
    }
  })
})
