import { compareBytes } from './byte-string.js'
import { registeredName } from './list-name.js'
import type { FileKind } from './source-file.js'

const KIND_ORDER: Record<FileKind, number> = { decoders: 0, lists: 1, rules: 2 }

/**
 * Returns the files in the order in which they load: all decoders, then all lists, then all rules; within a kind by file name without its directory, in byte
 * order; equal names keep their order (BEHAVIOUR.md#load-order). The directory is part of a list's name and the order of lists has no effect, so lists are
 * ordered by their registered name.
 */
export function inLoadOrder<F extends { readonly filename: string; readonly kind: FileKind }>(files: readonly F[]): F[] {
  const placed = files.map((file) => ({ file, rank: KIND_ORDER[file.kind], name: sortedName(file) }))
  return placed.sort((a, b) => a.rank - b.rank || compareBytes(a.name, b.name)).map(({ file }) => file)
}

function sortedName({ kind, filename }: { readonly filename: string; readonly kind: FileKind }): string {
  return kind === 'lists' ? registeredName(filename) : baseName(filename)
}

/** Returns the last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
