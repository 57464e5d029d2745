/**
 * Patterns of all dialects as one syntax tree, that of PCRE2, for the search for texts. The tree is close, not exact: OSRegex runs its own machine, and parts that
 * only the machines decide (references, verbs) are simplified. What is found is tested with the expressions themselves.
 */
import type { Expression } from './expression.js'
import { OsMatchExpression } from './osmatch/osmatch.js'
import { BYTE_CLASSES } from './osregex/classes.js'
import { OsRegexExpression } from './osregex/osregex.js'
import { END, LIT, MARK, NO_BYTE, ONE, type OsRegexAlternative, PLUS, STAR } from './osregex/parse.js'
import { alternationOf, EMPTY, type LookNode, type Node, sequenceOf } from './pcre2/ast.js'
import { type ByteSet, setOf, singleByte, sizeOf } from './pcre2/byte-set.js'
import { Pcre2Expression } from './pcre2/compile.js'
import { foldCase } from '../source/byte-string.js'

/** A node that matches no text. */
export const NEVER: Node = { kind: 'set', set: setOf(() => false) }
export const ANY: ByteSet = setOf(() => true)
/** Words of a pattern whose letters may have either case. */
const WORDS = /\\.|[A-Za-z][A-Za-z_-]+/g
const FOLDED = new Map<number, ByteSet>()
const CLASS_SETS = new Map<number, ByteSet>()

/** The words of a pattern as its author wrote them; the trees of patterns without case do not have them. */
export function wordsIn(pattern: string): readonly string[] {
  return (pattern.match(WORDS) ?? []).filter((word) => !word.startsWith('\\'))
}

/** A pattern split at its look-aheads. */
export interface PatternParts {
  /** The pattern without them. */
  readonly main: Node
  /** Look-aheads that have to match. */
  readonly also: readonly Node[]
  /** Look-aheads that must not match. */
  readonly never: readonly Node[]
}

const PARTS = new WeakMap<Expression, PatternParts>()

/** Returns the tree of an expression; a negated OSMatch has that of the list that it negates. */
export function partsOf(expression: Expression): PatternParts {
  let parts = PARTS.get(expression)
  if (parts === undefined) PARTS.set(expression, (parts = read(expression)))
  return parts
}

/** Whether the expression matches where its tree does not. */
export function isNegated(expression: Expression): boolean {
  return expression instanceof OsMatchExpression && expression.negated
}

/** The tree of a text, letter by letter. */
export function literalNode(text: string): Node {
  return sequenceOf([...text].map((char): Node => ({ kind: 'set', set: singleByte(char.charCodeAt(0)) })))
}

function read(expression: Expression): PatternParts {
  if (expression instanceof Pcre2Expression) return splitLooks(expression.tree.root)
  if (expression instanceof OsRegexExpression) {
    // The groups of each alternative are numbered from 1: only those of the one that matched are reported.
    return { main: alternationOf(expression.alternatives.map((alternative) => osRegexNode(expression.pattern, alternative))), also: [], never: [] }
  }
  return { main: expression instanceof OsMatchExpression ? osMatchNode(expression) : NEVER, also: [], never: [] }
}

function osMatchNode({ pattern, negated, alternatives }: OsMatchExpression): Node {
  const folded = foldCase(pattern)
  let from = negated ? 1 : 0
  const branches = alternatives.map(({ form, literal }): Node => {
    const at = folded.indexOf(literal, from)
    from = at + literal.length
    if (form === 'never') return NEVER
    const items: Node[] = [...pattern.slice(at, from)].map((char) => ({ kind: 'set', set: eitherCase(char.charCodeAt(0)) }))
    if (form === 'starts' || form === 'equals') items.unshift({ kind: 'assertion', test: 'subject_start' })
    if (form === 'ends' || form === 'equals') items.push({ kind: 'assertion', test: 'subject_end' })
    return sequenceOf(items)
  })
  return alternationOf(branches)
}

/** What an OSRegex accepts at most: each repetition has all of its bytes. */
export function widestNode({ pattern, alternatives }: OsRegexExpression): Node {
  return alternationOf(alternatives.map((alternative) => osRegexNode(pattern, alternative, false)))
}

/** @param isParted the machine leaves a repetition at the first byte that the next item accepts, so the repetition is without these bytes */
function osRegexNode(pattern: string, { kinds, values, offsets, anchoredStart, anchoredEnd }: OsRegexAlternative, isParted = true): Node {
  const items: Node[] = anchoredStart ? [{ kind: 'assertion', test: 'subject_start' }] : []
  let group = 0
  let open: Node[] | null = null
  const setAt = (at: number): ByteSet => (kinds[at] === LIT ? (values[at] === NO_BYTE ? setOf(() => false) : eitherCase(pattern.charCodeAt(offsets[at]))) : classSet(values[at]))
  for (let at = 0; kinds[at] !== END; at++) {
    const to: Node[] = open ?? items
    if (kinds[at] === MARK) {
      if (open === null) open = []
      else {
        items.push({ kind: 'capture', index: ++group, body: sequenceOf(open) })
        open = null
      }
      continue
    }
    const set = setAt(at)
    if (kinds[at] === LIT || kinds[at] === ONE) {
      to.push({ kind: 'set', set })
      continue
    }
    const next = kinds[at + 1] === MARK ? at + 2 : at + 1
    const hasNext = isParted && kinds[next] !== END && kinds[next] !== MARK
    const following = hasNext ? setAt(next) : null
    const own = following === null ? set : setOf((byte) => set[byte] === 1 && following[byte] === 0)
    const body: Node = { kind: 'set', set: sizeOf(own) === 0 ? set : own }
    to.push({ kind: 'repeat', body, min: kinds[at] === PLUS ? 1 : 0, max: kinds[at] === STAR || kinds[at] === PLUS ? Number.POSITIVE_INFINITY : 1, mode: 'greedy' })
  }
  if (anchoredEnd) items.push({ kind: 'assertion', test: 'subject_end' })
  return sequenceOf(items)
}

export function classSet(bit: number): ByteSet {
  let set = CLASS_SETS.get(bit)
  if (set === undefined) CLASS_SETS.set(bit, (set = setOf((byte) => (BYTE_CLASSES[byte] & bit) !== 0)))
  return set
}

export function eitherCase(byte: number): ByteSet {
  let set = FOLDED.get(byte)
  if (set === undefined) {
    const folded = foldCase(String.fromCharCode(byte))
    FOLDED.set(byte, (set = setOf((other) => foldCase(String.fromCharCode(other)) === folded)))
  }
  return set
}

/** Takes looks ahead out of the sequence at the top: what stands before one, followed by its body, is a pattern of its own. */
function splitLooks(root: Node): PatternParts {
  const items = root.kind === 'sequence' ? root.items : [root]
  const also: Node[] = []
  const never: Node[] = []
  const kept: Node[] = []
  for (const item of items) {
    if (item.kind !== 'look' || item.behind || singleSet(item) !== null) {
      kept.push(item)
      continue
    }
    const pattern = sequenceOf([...kept, alternationOf(item.branches)])
    if (item.negative) never.push(pattern)
    else also.push(pattern)
  }
  return { main: kept.length === 0 ? EMPTY : sequenceOf(kept), also, never }
}

/** The bytes of a look that reads one byte; null: it reads another number of bytes. */
export function singleSet({ branches }: LookNode): ByteSet | null {
  const sets: ByteSet[] = []
  for (const branch of branches) {
    if (branch.kind !== 'set') return null
    sets.push(branch.set)
  }
  return setOf((byte) => sets.some((set) => set[byte] === 1))
}

export function isEmptyWidth(node: Node): boolean {
  return node.kind === 'assertion' || node.kind === 'look' || node.kind === 'empty' || node.kind === 'verb'
}

/** Whether every match begins, or ends, at the anchor. */
export function isAnchored(node: Node, test: 'subject_start' | 'subject_end'): boolean {
  switch (node.kind) {
    case 'assertion':
      return node.test === test || (test === 'subject_end' && node.test === 'final_end')
    case 'sequence': {
      const decides = (item: Node): boolean => !isEmptyWidth(item) || isAnchored(item, test)
      const outermost = test === 'subject_start' ? node.items.find(decides) : node.items.findLast(decides)
      return outermost !== undefined && isAnchored(outermost, test)
    }
    case 'alternation':
      return node.branches.every((branch) => isAnchored(branch, test))
    case 'capture':
    case 'atomic':
      return isAnchored(node.body, test)
    default:
      return false
  }
}

/** The tree of a pattern on a whole text, as the body of a group that has that text. @param body the group's own */
export function withinGroup(node: Node, body: Node): Node {
  const set = body.kind === 'repeat' && body.body.kind === 'set' ? body.body.set : ANY
  const anything: Node = { kind: 'repeat', body: { kind: 'set', set }, min: 0, max: Number.POSITIVE_INFINITY, mode: 'greedy' }
  const branches = node.kind === 'alternation' ? node.branches : [node]
  return alternationOf(
    branches.map((branch) =>
      sequenceOf([...(isAnchored(branch, 'subject_start') ? [] : [anything]), withoutAnchors(branch), ...(isAnchored(branch, 'subject_end') ? [] : [anything])]),
    ),
  )
}

function withoutAnchors(node: Node): Node {
  switch (node.kind) {
    case 'assertion':
      return node.test === 'subject_start' || node.test === 'subject_end' || node.test === 'final_end' ? EMPTY : node
    case 'sequence':
      return { kind: 'sequence', items: node.items.map(withoutAnchors) }
    case 'alternation':
      return { kind: 'alternation', branches: node.branches.map(withoutAnchors) }
    case 'capture':
    case 'atomic':
      return withoutAnchors(node.body)
    default:
      return node
  }
}
