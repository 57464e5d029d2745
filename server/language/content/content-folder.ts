/** The content that a server works on. The command line reads it from disk, a page has it in its memory. */
import type { SourceFile, SuiteCase } from '#engine'

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
}
