/** The blocks of a corpus: whole lines with their numbers, whatever the chunks are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type LineBlock, lineBlocks } from '../../../../server/features/replays/runs/blocks.js'

async function blocksOf(chunks: readonly Buffer[]): Promise<LineBlock[]> {
  const blocks: LineBlock[] = []
  for await (const block of lineBlocks(
    (async function* () {
      yield* chunks
    })(),
  ))
    blocks.push(block)
  return blocks
}

/** The lines of blocks, by their numbers. */
function linesIn(blocks: readonly LineBlock[]): Map<number, string> {
  const lines = new Map<number, string>()
  for (const { bytes, from } of blocks) {
    const text = bytes.toString()
    const parts = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n')
    if (text !== '') parts.forEach((line, index) => void lines.set(from + index, line))
  }
  return lines
}

test('any chunks give the lines of the whole, with their numbers, and all of its bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ maxLength: 30 }).map((line) => line.replaceAll('\n', '')),
        { minLength: 1 },
      ),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      async (lines, sizes) => {
        const whole = Buffer.from(`${lines.join('\n')}\n`)
        const chunks: Buffer[] = []
        for (let at = 0; at < whole.length; ) {
          const size = sizes.next().value
          chunks.push(whole.subarray(at, at + size))
          at += size
        }
        const blocks = await blocksOf(chunks)
        assert.deepEqual(
          [...linesIn(blocks)],
          lines.map((line, index) => [index + 1, line]),
        )
        assert.equal(blocks.at(-1)?.done, whole.length)
      },
    ),
  )
})

test('a block ends at a line, and a line that is too long is counted and passed over', async () => {
  const long = Buffer.alloc(3 * 1024 * 1024, 'x')
  const many = Buffer.from('short\n'.repeat(100_000))
  const chunks = [Buffer.from('a\n'), long, Buffer.from('\n'), many, Buffer.from('last')]
  const blocks = await blocksOf(chunks)
  const lines = linesIn(blocks)
  assert.deepEqual([lines.get(1), lines.get(2), lines.get(3), lines.get(100_003)], ['a', undefined, 'short', 'last'])
  assert.equal(
    blocks.reduce((sum, { tooLong }) => sum + tooLong, 0),
    1,
  )
  assert.ok(blocks.every(({ bytes }) => bytes.length <= 128 * 1024))
  assert.equal(
    blocks.at(-1)?.done,
    chunks.reduce((sum, { length }) => sum + length, 0),
  )
})
