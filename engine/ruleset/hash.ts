/**
 * `compiled_hash`: SHA-256 over the engine version and the files in load order. Each file contributes the digest of its text, so that a
 * layer on a large base hashes only its own files.
 */
import { sha256 } from '#platform'
import type { FileDigest } from '../source/digest.js'
import { inLoadOrder } from '../source/load-order.js'

/** Change it whenever the same files may compile to a different result. */
export const ENGINE_VERSION = '2'

/** The order of the digests has no effect; the load order of their files has. */
export function hashDigests(digests: readonly FileDigest[]): string {
  const lines = inLoadOrder(digests).map(({ kind, scope, filename, digest }) => `${kind} ${scope} ${digest} ${filename.length} ${filename}\n`)
  return sha256(`engine ${ENGINE_VERSION}\n${lines.join('')}`, 'hex')
}
