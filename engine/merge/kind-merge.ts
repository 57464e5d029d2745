/** What the merge of one kind of file takes and returns. */
import type { MergeChange, MergeConflict, MergeRequest } from './merge-request.js'
import type { TextKind } from './split-text.js'

export type Take = MergeRequest['resolutions'][number]['take']

/** Decisions by kind and name of the item: `rule 100`. */
export type Resolutions = ReadonlyMap<string, Take>

/** A file as a byte string. */
export interface TextFile {
  readonly path: string
  readonly bytes: string
}

/** Rules or decoders of all sides. Files are in load order; ours has `\n` as line end. */
export interface KindTexts {
  readonly kind: TextKind
  readonly base: readonly TextFile[]
  readonly ours: string
  readonly theirs: readonly TextFile[]
  /** Path of the file for new items. */
  readonly target: string
  /** Paths of files of theirs of other kinds. */
  readonly taken: ReadonlySet<string>
  readonly resolutions: Resolutions
}

export interface KindMerge {
  /** New contents by path; null: the file is deleted. */
  readonly contents: ReadonlyMap<string, string | null>
  readonly conflicts: readonly MergeConflict[]
  readonly changes: readonly MergeChange[]
}
