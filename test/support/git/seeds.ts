/** What tests put into a repository behind the back of a gateway, and Git's ids of it. */
import { createHash } from 'node:crypto'

/** Modes of Git's tree entries. */
export const MODES = { file: '100644', executable: '100755', symlink: '120000', submodule: '160000' } as const
export type SeedMode = keyof typeof MODES

/** A file: its content, or its content and mode (a submodule's content is its commit's id). Null: the file is deleted. */
export type SeedFile = string | Uint8Array | { readonly mode: SeedMode; readonly content: string | Uint8Array } | null

export interface SeedCommit {
  /** Default: a text. */
  readonly message?: string
  /** Changes of the commit's parent, by path. */
  readonly files: Readonly<Record<string, SeedFile>>
}

export interface SeedBytes {
  readonly mode: SeedMode
  readonly bytes: Buffer
}

/** Returns the mode and bytes of a file that is not deleted. */
export function seedBytes(file: Exclude<SeedFile, null>): SeedBytes {
  const isPlain = typeof file === 'string' || file instanceof Uint8Array
  const { mode, content } = isPlain ? { mode: 'file' as const, content: file } : file
  return { mode, bytes: Buffer.from(content as Uint8Array) }
}

/** Git's id of an object. */
export function objectId(type: 'blob' | 'tree' | 'commit', bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
}
