/**
 * The syntax tree that the PCRE2 parser creates and all later stages read.
 *
 * 1. It has no options: case folding, `(?s)`, `(?x)`, `(?U)` and the rest are resolved into sets and quantifier modes.
 * 2. It has no names: references hold numbers of existing groups.
 * 3. It has no `\K`, which moves the start of a match: no caller reads starts (BEHAVIOUR.md#pcre2).
 */
import type { ByteSet } from './byte-set.js'

/** Inclusive range of code points. */
export type CodeRange = readonly [low: number, high: number]

export type RepeatMode = 'greedy' | 'lazy' | 'possessive'

/** Zero-width tests that depend only on the subject and the position. */
export type AssertionTest =
  | 'subject_start' /* ^ \A \G */
  | 'subject_end' /* \z */
  | 'final_end' /* $ \Z: the end, or before a final newline */
  | 'line_start' /* (?m)^ */
  | 'line_end' /* (?m)$ */
  | 'word_boundary'
  | 'not_word_boundary'
  | 'not_newline' /* before `.` when a newline is two bytes */

export type VerbName = 'accept' | 'fail' | 'commit' | 'prune' | 'skip' | 'then' | 'mark'

export type Condition =
  | { readonly kind: 'group'; readonly groups: readonly number[] }
  /** null: any recursion */
  | { readonly kind: 'recursion'; readonly groups: readonly number[] | null }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'look'; readonly look: LookNode }

export interface LookNode {
  readonly kind: 'look'
  readonly behind: boolean
  readonly negative: boolean
  /** False for `(?*` and `(?<*`, into which the matcher may backtrack. */
  readonly atomic: boolean
  readonly branches: readonly Node[]
  /** Offset in the pattern, for messages. */
  readonly offset: number
  /** Lookbehind: characters to step back, one count per branch. Set after parsing, when all groups are known. */
  lengths: number[]
}

/** Mutable only for the parser, which resolves forward references at the end, as it sets modes of repetitions. */
export interface SubroutineNode {
  readonly kind: 'subroutine'
  group: number
}

export interface BackreferenceNode {
  readonly kind: 'backreference'
  groups: readonly number[]
  readonly fold: boolean
}

export interface ConditionalNode {
  readonly kind: 'conditional'
  condition: Condition
  readonly yes: Node
  /** Null when absent. For lookbehind this differs from an empty branch. */
  readonly no: Node | null
}

export interface RepeatNode {
  readonly kind: 'repeat'
  readonly body: Node
  readonly min: number
  readonly max: number
  mode: RepeatMode
}

export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: ByteSet }
  /** One character, UTF mode only. */
  | { readonly kind: 'code_point'; readonly ranges: readonly CodeRange[] }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'alternation'; readonly branches: readonly Node[] }
  | { readonly kind: 'capture'; readonly index: number; readonly body: Node }
  | { readonly kind: 'atomic'; readonly body: Node }
  | RepeatNode
  | { readonly kind: 'assertion'; readonly test: AssertionTest }
  | LookNode
  | BackreferenceNode
  | ConditionalNode
  | SubroutineNode
  | { readonly kind: 'verb'; readonly verb: VerbName; readonly name: string | null }

export type NewlineKind = 'lf' | 'cr' | 'crlf' | 'any' | 'anycrlf' | 'nul'

/** A parsed pattern: the tree and the properties of the whole pattern. */
export interface Pattern {
  readonly root: Node
  readonly groupCount: number
  /** The body of each capture group by number. A number used twice, in `(?|`, has the first body. */
  readonly groups: readonly Node[]
  readonly newline: NewlineKind
  readonly utf: boolean
  readonly ucp: boolean
  /** `(*NOTEMPTY)`: an empty match is rejected; with `at_start` only at offset 0. */
  readonly notEmpty: 'no' | 'always' | 'at_start'
  /** Cleared by `(*NO_START_OPT)`; observable only with backtracking verbs. */
  readonly startOptimizations: boolean
  /** `(*LIMIT_MATCH=n)`; null when the pattern sets none. */
  readonly limitMatch: number | null
  /** The pattern contains an explicit CR or LF. Start positions inside CRLF are then tried too. */
  readonly namesCrOrLf: boolean
}

export const EMPTY: Node = { kind: 'empty' }

export function sequenceOf(items: readonly Node[]): Node {
  if (items.length === 0) return EMPTY
  return items.length === 1 ? items[0] : { kind: 'sequence', items }
}

export function alternationOf(branches: readonly Node[]): Node {
  return branches.length === 1 ? branches[0] : { kind: 'alternation', branches }
}

/** The direct children of a node, in pattern order. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'sequence':
      return node.items
    case 'alternation':
    case 'look':
      return node.branches
    case 'capture':
    case 'atomic':
    case 'repeat':
      return [node.body]
    case 'conditional':
      return [...(node.condition.kind === 'look' ? [node.condition.look] : []), node.yes, ...(node.no === null ? [] : [node.no])]
    default:
      return []
  }
}

/** Whether any node in the tree passes the test. */
export function someNode(node: Node, wanted: (node: Node) => boolean): boolean {
  return wanted(node) || childrenOf(node).some((child) => someNode(child, wanted))
}
