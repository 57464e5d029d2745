/** The input of every check: the whole ruleset, and the part that the diagnostics are about. */
import type { DecoderDefinition } from '../event/decoder.js'
import type { Collector } from '../diagnostics/collector.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileScope } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import type { VariableIndex } from '../xml/variable-index.js'

export interface CheckContext {
  readonly ruleset: CompiledRuleset
  /** Diagnostics are only about files of this scope; `ruleset` contains no higher scope. */
  readonly scope: FileScope
  readonly collector: Collector
  /** The files of the scope in load order. */
  readonly files: readonly SourceText[]
  readonly decoders: readonly DecoderDefinition[]
  /** Rules of the scope in the tree, in their current state: an overwritten rule belongs to the overwriting file. */
  readonly rules: readonly CompiledRule[]
  /** All rules of the ruleset in the order in which they were first placed; the index of a rule is its position. */
  readonly order: readonly CompiledRule[]
  /** Whether everything was read. If not, what seems missing or unused may be in the unread part, so checks for missing or unused things report nothing. */
  readonly complete: boolean
  /** Whether the intended parents of every rule are known. */
  readonly placesKnown: boolean
  /** Ids and groups that rules without a place name as their parents. */
  readonly awaitedParents: ReadonlySet<string>
  readonly variables: VariableIndex
  /** Names of the dynamic fields that `<field>` tests in any rule, folded. */
  readonly fieldsTested: () => ReadonlySet<string>
}
