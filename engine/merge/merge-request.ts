/** Request and answer of the merge by rule (`merge-files.ts`). Plain data, because it is sent between threads. */
import type { FileKind } from '../source/source-file.js'

/** A file of a repository, as text. A byte order mark and line ends are part of the text. */
export interface RepositoryFile {
  readonly path: string
  readonly kind: FileKind
  readonly content: string
}

/** Content of a project or workspace: one text for all rules, one for all decoders. */
export interface MergedContent {
  readonly decoders_xml: string
  readonly rules_xml: string
  readonly lists: readonly { readonly name: string; readonly content: string }[]
}

/** `file`: a file that cannot be split into items, because it cannot be read or has other elements than rules, decoders and variables. */
export type MergeItemKind = 'rule' | 'decoder' | 'variable' | 'list' | 'file'

/** Names an item: id of a rule, name of a decoder (all decoders of a name are one item), of a variable, of a list; path of a file. */
export interface MergeItem {
  readonly kind: MergeItemKind
  readonly name: string
}

export interface MergeRequest {
  /** Files at the commit on which `ours` is based; empty: there is none. */
  readonly base: readonly RepositoryFile[]
  readonly ours: MergedContent
  /** Files at the head of the branch. */
  readonly theirs: readonly RepositoryFile[]
  /** Files for items that no file has. They may exist. `listsFolder` null: new lists are not written. */
  readonly newItems: { readonly rules: string; readonly decoders: string; readonly listsFolder: string | null }
  /** Folder of the repository's lists, and the prefix of their names (`etc/lists/`). */
  readonly lists: { readonly folder: string; readonly prefix: string } | null
  /** Decisions about conflicts that an earlier answer named. One without its conflict has no effect. */
  readonly resolutions: readonly (MergeItem & { readonly take: 'ours' | 'theirs' })[]
}

/** Both sides changed an item differently. A text is null where the item does not exist. */
export interface MergeConflict extends MergeItem {
  /** File of the head, else of the base; null: neither has the item. */
  readonly path: string | null
  readonly base: string | null
  readonly ours: string | null
  readonly theirs: string | null
}

/** How the merged files differ from `theirs` (`ours` made the change). */
export interface MergeChange extends MergeItem {
  readonly change: 'added' | 'removed' | 'changed'
  readonly path: string
}

export interface MergeAnswer {
  /**
   * All files after the merge, sorted by path; a file whose content is that of `theirs` is byte for byte the same. With conflicts: undecided items as in
   * `theirs`. A file in which the merge leaves no element is not among them: Wazuh does not start with it.
   */
  readonly files: readonly RepositoryFile[]
  /** Paths whose content differs from `theirs`, sorted: with new files, and with files that `files` lacks, which are to be deleted. */
  readonly changedPaths: readonly string[]
  /** The merged files as one content, in load order, with the lists of ours that have no file. */
  readonly content: MergedContent
  readonly conflicts: readonly MergeConflict[]
  readonly changes: readonly MergeChange[]
  /** Variables that two files define with different values: as one text the files would mean something else. */
  readonly variableClashes: readonly { readonly name: string; readonly paths: readonly string[] }[]
}
