/** The input of every check: the whole set, and the part that its findings are about. */
import type { DecoderDefinition } from '../event/decoder.js'
import type { Collector } from '../diagnostics/collector.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileScope } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'

export interface CheckContext {
  readonly ruleset: CompiledRuleset
  /** Findings are about files of this scope only; `ruleset` holds no higher scope. */
  readonly scope: FileScope
  readonly collector: Collector
  /** The files of the scope, in load order. */
  readonly files: readonly SourceText[]
  readonly decoders: readonly DecoderDefinition[]
  /** Rules of the scope that are in the tree, as they stand now: an overwritten one is that of the overwriting file. */
  readonly rules: readonly CompiledRule[]
  /** All rules of the set, in the order in which they were first placed: a rule's index is its position. */
  readonly order: readonly CompiledRule[]
  /** Was everything read? When not, what misses may be in what could not be read, so nothing is said about things that nobody uses or hangs rules under. */
  readonly complete: boolean
  /** Is read under which rules every rule is meant to stand? */
  readonly placesKnown: boolean
  /** Ids and groups under which rules are meant to stand that have no place. */
  readonly awaitedParents: ReadonlySet<string>
}
