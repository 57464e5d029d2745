import { compareBytes } from './byte-string.js'
import type { FileKind } from './source-file.js'

const KIND_ORDER: Record<FileKind, number> = { decoders: 0, lists: 1, rules: 2 }

/**
 * The order in which files load: all decoders, then all lists, then all rules; within a kind by file name without its
 * directory, byte order; equal names stay as given (engine-decoding.md 4.1, engine-rules.md 1.1).
 */
export function inLoadOrder<F extends { readonly filename: string; readonly kind: FileKind }>(files: readonly F[]): F[] {
  return [...files].sort((a, b) => KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || compareBytes(baseName(a.filename), baseName(b.filename)))
}

/** A path's last part. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
