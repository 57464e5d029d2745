import type { Lookup } from '../lists/list.js'
import type { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import type { Expression } from '../expressions/expression.js'
import type { Condition, Subject } from './condition.js'
import type { RuleDefinition } from './rule.js'

/** A lookup in a list. The list is referenced by name and resolved by the running ruleset, because a layer may replace it. */
export interface CompiledListCondition {
  readonly path: string
  readonly subject: Subject
  readonly field: string
  readonly lookup: Lookup
  readonly check: OsMatchExpression | null
}

/** The history that a composite searches (BEHAVIOUR.md#frequency). `unwired`: its source was not loaded, so it never matches. */
export type HistorySearch =
  | { readonly kind: 'rule'; readonly target: number }
  | { readonly kind: 'group' }
  | { readonly kind: 'memory'; readonly expression: Expression | null }
  | { readonly kind: 'unwired' }

/** A part of a description: literal text, or a field to insert. */
export type DescriptionPiece = string | { readonly subject: Subject | null; readonly name: string }

/** A rule ready to run. Immutable; an overwrite creates a new one with the same index. */
export interface CompiledRule {
  /** Dense number that an overwrite keeps. It is the key of counters and histories. */
  readonly index: number
  readonly id: number
  readonly level: number
  /** Sort key among siblings: level × 100, and 9900 for level 0 (BEHAVIOUR.md#sibling-order). */
  readonly rank: number
  readonly definition: RuleDefinition
  /** Category of a top-level rule; for others that of the parent below which it was placed. */
  readonly category: string
  /** Number of the `decoded_as` name, -1 = any decoder. */
  readonly identity: number
  readonly conditions: readonly Condition[]
  readonly lists: readonly CompiledListCondition[]
  /** Whether `conditions` are all its requirements: no list, no search, no check_diff, no if_fts. */
  readonly conditionsOnly: boolean
  /** Null when the rule searches no history. */
  readonly search: HistorySearch | null
  /** The search to which it was wired when first loaded. An overwrite that searches reuses it. */
  readonly wired: HistorySearch | null
  /** Subjects of `same_*` and `different_*`, and field numbers of `same_field` and `different_field`. */
  readonly same: readonly Subject[]
  readonly different: readonly Subject[]
  readonly sameKeys: readonly number[]
  readonly differentKeys: readonly number[]
  readonly description: readonly DescriptionPiece[]
  /** The description if it is the same for every event; null: it contains fields, or is too long. */
  readonly fixedDescription: string | null
  /** The whole group string in lower case, as `if_group` searches it. */
  readonly groupText: string
  /** Group words, compliance included. */
  readonly groups: readonly string[]
  readonly mitreIds: readonly string[]
}

/** One occurrence of a rule in the tree. */
export interface RuleNode {
  rule: CompiledRule
  parent: RuleNode | null
  children: RuleNode[]
  /** Number of the placement in its tree. Siblings of the same rank are in ascending order of it. */
  readonly order: number
  /** Created by the matcher on first use; depends only on `children`. */
  candidates: unknown
}
