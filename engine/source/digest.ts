import { sha256 } from '#platform'
import type { FileKind, FileScope, SourceFile } from './source-file.js'

/** The part of a file in the hash of its ruleset. */
export interface FileDigest {
  readonly kind: FileKind
  readonly scope: FileScope
  readonly filename: string
  /** SHA-256 of the text, lower-case hex. */
  readonly digest: string
}

export function digestFile({ kind, scope, filename, content }: SourceFile): FileDigest {
  return { kind, scope, filename, digest: sha256(content, 'hex') }
}
