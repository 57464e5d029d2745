/** The content that a server works on. The command line reads it from disk, a page has it in its memory. */
import type { BehaviourRecord, Effect, Locale, MutationSummary, SourceFile, SuiteCase, TestCase } from '#engine'

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

/** An item of a comparison, with what happens to its event; null: it does not differ. */
export interface ComparedItem extends BehaviourRecord {
  readonly effect: Effect | null
}

/** A small change of a rule that no case notices, and a case that would. */
export interface Survivor {
  /** In the file of the rule, from 1. */
  readonly line: number
  readonly before: string
  /** Empty: it is taken out. */
  readonly after: string
  readonly killer: TestCase
}

/** What the cases of a rule are worth, or why that cannot be said. */
export type Measurement =
  | ({ readonly kind: 'score'; readonly survivors: readonly Survivor[] } & MutationSummary)
  /** A case fails before anything is changed: the first one, and how many. @see MutationGrader */
  | { readonly kind: 'failing'; readonly suite: number; readonly place: number; readonly name: string; readonly count: number }
  /** Wazuh would not start with the content. */
  | { readonly kind: 'unloadable' }
  /** Wazuh does not load the rule. */
  | { readonly kind: 'unloaded' }
  /** The time was over. */
  | { readonly kind: 'unfinished' }

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
  /**
   * Measures what the cases of a rule are worth, beside the thread that answers. Null: it took too long, or cannot be done. Absent: the folder has nobody to do it.
   * @param own the files on top of the base, as they are in the editor
   */
  measureCases?(base: readonly SourceFile[], own: readonly SourceFile[], cases: readonly CaseText[], rule: string, locale: Locale): Promise<Measurement | null>
  /** Where a new file of cases with this name belongs; null: nowhere. */
  uriOfNewCases?(filename: string): string | null
  /** Ends what it does beside the thread that answers. */
  close?(): void
}
