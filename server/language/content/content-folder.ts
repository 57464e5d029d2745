/** The content that a server works on. The command line reads it from disk, a page has it in its memory. */
import type { BehaviourRecord, Effect, SourceFile, SuiteCase } from '#engine'

/** One file of the ruleset. */
export interface FolderFile {
  /** As clients write it. */
  readonly uri: string
  readonly file: SourceFile
}

/** A file with test cases. */
export interface CaseText {
  readonly uri: string
  readonly text: string
  readonly cases: readonly PlacedCase[]
}

export interface PlacedCase {
  /** From 1. */
  readonly line: number
  readonly testCase: SuiteCase
}

/** An item of a comparison, with what becomes of its event; null: it does not differ. */
export interface ComparedItem extends BehaviourRecord {
  readonly effect: Effect | null
}

/**
 * A folder of content as `validate` sees it. The methods are called when the server starts, and after changes that the client reports; between these calls
 * the server keeps what they returned.
 */
export interface ContentFolder {
  /** The base: files that nothing of `own` replaces. */
  base(): readonly FolderFile[]
  /** The files on top of it. */
  own(): readonly FolderFile[]
  cases(): readonly CaseText[]
  /** A file that is open, and not one of these: part of the content, or null if it is something else. @param languageId of the client */
  fileOf(uri: string, text: string, languageId: string): SourceFile | null
  /** Where a new file of rules with this name belongs; null: nowhere. */
  uriOfNew(filename: string): string | null
  /**
   * Compares what the files do with events with what those of the last commit do, beside the thread that answers. Null: there is no commit or no difference, or a
   * newer call has replaced this one. Absent: the folder has no history.
   * @param own the files on top of the base, as they are in the editor
   */
  compareWithHead?(base: readonly SourceFile[], own: readonly SourceFile[]): Promise<readonly ComparedItem[] | null>
  /** Ends what it does beside the thread that answers. */
  close?(): void
}
