/** Long lists of files are sorted as short ones are, in parts. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import type { GitFile } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { inParts, sortedByPath } from '../../../../../../server/features/connections/gateways/git/in-parts.js'

const fileOf = (path: string): GitFile => ({ path, kind: 'file', blobSha: 'a'.repeat(40), size: null })

test('files are sorted by path, however many', async () => {
  for (const count of [0, 1, 5_000, 5_001, 17_000]) {
    const files = Array.from({ length: count }, (_, at) => fileOf(createHash('sha1').update(String(at)).digest('hex')))
    const sorted = await sortedByPath(files)
    assert.deepEqual(
      sorted.map(({ path }) => path),
      files.map(({ path }) => path).sort(),
    )
  }
})

test('a list is handed out in parts', async () => {
  const parts: number[] = []
  for await (const part of inParts(Array.from({ length: 12_001 }, (_, at) => at))) parts.push(part.length)
  assert.deepEqual(parts, [5_000, 5_000, 2_001])
})
