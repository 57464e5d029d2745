import { createHash } from 'node:crypto'
import { inLoadOrder } from '../source/load-order.js'
import type { SourceFile } from '../source/source-file.js'

/** Changes whenever the same files may compile to something else. */
export const ENGINE_VERSION = '1'

/** `compiled_hash`: the order of files in a request doesn't matter, their load order does. */
export function hashFiles(files: readonly SourceFile[]): string {
  const hash = createHash('sha256').update(`engine ${ENGINE_VERSION}\n`)
  for (const { kind, scope, filename, content } of inLoadOrder(files)) {
    hash.update(`${kind}\n${scope}\n${Buffer.byteLength(filename)} ${filename}\n${Buffer.byteLength(content)}\n`).update(content)
  }
  return hash.digest('hex')
}
