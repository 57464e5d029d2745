import type { DecoderTree, UnreadDecoders } from '../decoders/link.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { LayeredNames } from '../event/layered-names.js'
import type { ExpressionPool } from '../expressions/compile.js'
import type { PrefilterTable } from '../expressions/prefilter-table.js'
import type { CdbList } from '../lists/list.js'
import type { ConditionPool } from '../rules/condition.js'
import type { RuleTree } from '../rules/tree.js'
import type { SourceText } from '../source/source-text.js'

/** A rule that is not in the tree, because Wazuh drops it. */
export interface LostRule {
  readonly id: number
  readonly source: SourceText
  /** Line of its tag. */
  readonly line: number
  /** As far as it was read. */
  readonly level: number
  readonly description: string
  /** Null: it is not known. */
  readonly reason: Diagnostic | null
}

/** A compiled ruleset. It is immutable and shared by layers and runners. */
export interface CompiledRuleset {
  /** SHA-256 over engine version and files, lower-case hex. */
  readonly hash: string
  /** Whether Wazuh would start with it. If not, no event runs. */
  readonly loads: boolean
  /** All diagnostics, in load order: those of the loader, and those of the checks, which run when this is first read. */
  readonly diagnostics: readonly Diagnostic[]
  /** The same diagnostics without attacks on patterns, because the search for attacks takes several times as long as all checks. */
  readonly diagnosticsWithoutAttacks: readonly Diagnostic[]
  /** The diagnostics of the loader, without the checks. */
  readonly loadDiagnostics: readonly Diagnostic[]
  /** All files, in load order. */
  readonly files: readonly SourceText[]
  readonly decoders: DecoderTree
  /** Decoder names, compared exactly. */
  readonly identities: LayeredNames
  /** By registered name; the last of several files with one name. */
  readonly lists: ReadonlyMap<string, CdbList>
  readonly rules: RuleTree
  readonly expressions: ExpressionPool
  readonly conditions: ConditionPool
  readonly prefilters: PrefilterTable
  /** Dynamic fields, in lower case: their lookup ignores case (BEHAVIOUR.md#fields). */
  readonly fieldNames: LayeredNames
  readonly counts: { readonly ruleFiles: number; readonly decoderFiles: number; readonly rules: number; readonly decoders: number; readonly lists: number }
  /** Ids of parents that rules name and that are missing. */
  readonly awaited: ReadonlySet<number>
  /** Names of lists that rules name and that are missing. */
  readonly awaitedLists: ReadonlySet<string>
  /** Why rules were dropped, by id. */
  readonly dropped: ReadonlyMap<number, Diagnostic>
  /** Every dropped rule, in load order. Several may have the same id, and a rule in the tree may have it too. */
  readonly lost: readonly LostRule[]
  /** Like `dropped`, but also for a ruleset that does not load. Computed when this is first read. */
  readonly lossReasons: ReadonlyMap<number, Diagnostic>
  /** Whether a diagnostic prevents a rule, or everything, from loading. */
  readonly isFaulty: boolean
  /**
   * Returns the ruleset itself if it has no fault. Otherwise a compilation that continues after each fault, in which every rule and decoder has the place that
   * it would have without its fault. It is used only for diagnostics; no event runs on it.
   */
  surveyed(): CompiledRuleset
  /** Returns the same, cached for layers. */
  surveyedBase(): CompiledRuleset
  /** Set only in such a survey. */
  readonly survey: Survey | null
}

/** The parts that a survey could not read. */
export interface Survey {
  readonly unreadDecoders: UnreadDecoders
  readonly unreadRules: readonly UnreadText[]
  /** Whether every rule and decoder is in it, at least in part. */
  readonly isComplete: boolean
}

/** A part of a file whose content is unknown, with the fault that hides it. */
export interface UnreadText {
  /** In lower case. */
  readonly text: string
  readonly fault: Diagnostic
}
