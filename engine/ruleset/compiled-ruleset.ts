import type { DecoderTree, UnreadDecoders } from '../decoders/link.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { LayeredNames } from '../event/layered-names.js'
import type { ExpressionPool } from '../expressions/compile.js'
import type { GateTable } from '../expressions/gate-table.js'
import type { CdbList } from '../lists/list.js'
import type { ConditionPool } from '../rules/condition.js'
import type { RuleTree } from '../rules/tree.js'
import type { SourceText } from '../source/source-text.js'

/** A rule that is written and not in the tree, because Wazuh drops it. */
export interface LostRule {
  readonly id: number
  readonly source: SourceText
  /** Of its tag. */
  readonly line: number
}

/** A ruleset that is read, checked and linked. Immutable and shared: further layers and any number of runners stand on it. */
export interface CompiledRuleset {
  /** SHA-256 over engine version and files, lower-case hex. */
  readonly hash: string
  /** Would Wazuh start with it? When not, no event is run. */
  readonly loads: boolean
  /** All findings, in load order: the loader's, and those of the checks, which are made when this is first read. */
  readonly diagnostics: readonly Diagnostic[]
  /** What the loader found; no checks are made for it. */
  readonly loadFindings: readonly Diagnostic[]
  /** All files, in load order. */
  readonly files: readonly SourceText[]
  readonly decoders: DecoderTree
  /** Decoder names, compared exactly. */
  readonly identities: LayeredNames
  /** By registered name; of several files of one name the last. */
  readonly lists: ReadonlyMap<string, CdbList>
  readonly rules: RuleTree
  readonly expressions: ExpressionPool
  readonly conditions: ConditionPool
  readonly gates: GateTable
  /** Dynamic fields, in lower case: their lookup ignores case (BEHAVIOUR.md#fields). */
  readonly fieldNames: LayeredNames
  readonly counts: { readonly ruleFiles: number; readonly decoderFiles: number; readonly rules: number; readonly decoders: number; readonly lists: number }
  /** Ids that rules asked for as parents and that were not there. */
  readonly awaited: ReadonlySet<number>
  /** Names of lists that rules asked for and that were not there. */
  readonly awaitedLists: ReadonlySet<string>
  /** Why rules were left out, by id. */
  readonly dropped: ReadonlyMap<number, Diagnostic>
  /** Every rule that was left out, in load order: several may have one id, which another rule may have in the tree. */
  readonly lost: readonly LostRule[]
  /** Like `dropped`, of all rules that do not come to be, those of a ruleset that does not load included; found when this is first read. */
  readonly lossReasons: ReadonlyMap<number, Diagnostic>
  /** Does something in it keep a rule, or all of it, from loading? */
  readonly isFaulty: boolean
  /**
   * The ruleset itself when nothing is faulty. Otherwise what can be known of its content beyond the faults: every rule and decoder stands
   * where it would stand once its fault is mended. It is only for telling what is wrong; no event is run on it.
   */
  surveyed(): CompiledRuleset
  /** The same, kept: for what stands on it. */
  surveyedBase(): CompiledRuleset
  /** Of such a survey; null: it is none. */
  readonly survey: Survey | null
}

/** What a survey could not read. */
export interface Survey {
  readonly unreadDecoders: UnreadDecoders
  readonly unreadRules: readonly UnreadText[]
  /** Is every rule and decoder in it, at least in part? */
  readonly isComplete: boolean
}

/** A stretch of a file of which something is not known, with the fault that hides it. */
export interface UnreadText {
  /** In lower case. */
  readonly text: string
  readonly fault: Diagnostic
}
