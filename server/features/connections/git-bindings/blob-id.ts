/** Git's ids of blobs. Callers can write the `source_files` of a workspace, so a text is that of a blob only if its id says so. */
import { createHash } from 'node:crypto'

const SHA256_CHARACTERS = 64

/** Returns the id of a text as a blob. */
export function blobId(text: string, algorithm: 'sha1' | 'sha256' = 'sha1'): string {
  const bytes = Buffer.from(text, 'utf8')
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** Whether a text is that of a blob. */
export function isBlob({ xml, sha }: { readonly xml: string; readonly sha: string }): boolean {
  return blobId(xml, sha.length === SHA256_CHARACTERS ? 'sha256' : 'sha1') === sha
}
