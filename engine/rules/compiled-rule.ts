import type { Lookup } from '../lists/list.js'
import type { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import type { Expression } from '../expressions/expression.js'
import type { Condition, Subject } from './condition.js'
import type { RuleDefinition } from './rule.js'

/** A list to ask, by its name, with what is looked up in it: which list has the name is the running ruleset's to say, as a layer may bring another one. */
export interface CompiledListCondition {
  readonly path: string
  readonly subject: Subject
  readonly field: string
  readonly lookup: Lookup
  readonly check: OsMatchExpression | null
}

/** Which history a composite searches (BEHAVIOUR.md#frequency). `unwired`: its source was not loaded, so it never matches. */
export type HistorySearch =
  | { readonly kind: 'rule'; readonly target: number }
  | { readonly kind: 'group' }
  | { readonly kind: 'memory'; readonly expression: Expression | null }
  | { readonly kind: 'unwired' }

/** A piece of a description: literal text, or a field to fill in. */
export type DescriptionPiece = string | { readonly subject: Subject | null; readonly name: string }

/** A rule ready to run. Immutable; an overwrite makes a new one with the same index. */
export interface CompiledRule {
  /** Dense number that stays with the id through overwrites: counters and histories hang on it. */
  readonly index: number
  readonly id: number
  readonly level: number
  /** Order among siblings: level × 100, and 9900 for level 0 (BEHAVIOUR.md#sibling-order). */
  readonly rank: number
  readonly definition: RuleDefinition
  /** Category of a top-level rule; for others that of the parent it was found under. */
  readonly category: string
  /** `decoded_as`, -1 = any decoder. */
  readonly identity: number
  readonly conditions: readonly Condition[]
  readonly lists: readonly CompiledListCondition[]
  /** Are the conditions all that it asks: no list, no search, no check_diff, no if_fts? */
  readonly conditionsOnly: boolean
  /** Null when it searches nothing. */
  readonly search: HistorySearch | null
  /** The search it was wired to when it was first loaded; an overwrite that searches again uses it. */
  readonly wired: HistorySearch | null
  /** Subjects of `same_*` and `different_*`, and field numbers of `same_field` and `different_field`. */
  readonly same: readonly Subject[]
  readonly different: readonly Subject[]
  readonly sameKeys: readonly number[]
  readonly differentKeys: readonly number[]
  readonly description: readonly DescriptionPiece[]
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
  /** Number of the placement in its tree: of siblings of one rank the lower comes first. */
  readonly order: number
  /** Made by the matcher at first use, and only depends on `children`. */
  candidates: unknown
}
