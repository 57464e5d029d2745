/**
 * What a pattern certainly accepts, and what it accepts at most, as syntax trees: for proofs that no text passes several conditions. `pattern-nodes.ts` has the
 * trees for the search for texts, which may be wrong in both directions because what is found is run.
 */
import type { Expression } from './expression.js'
import { OsMatchExpression } from './osmatch/osmatch.js'
import { acceptsAtEnd, inShortTail } from '../kernel/osregex.js'
import { packItems } from './osregex/pack.js'
import { isNeverHot } from './osregex/literals.js'
import { OsRegexExpression } from './osregex/osregex.js'
import { END, LIT, MARK, ONE, type OsRegexAlternative, PLUS, STAR } from './osregex/parse.js'
import { ANY, classSet, eitherCase, partsOf, singleSet } from './pattern-nodes.js'
import { alternationOf, EMPTY, type Node, sequenceOf } from './pcre2/ast.js'
import { setOf } from './pcre2/byte-set.js'
import { Pcre2Expression } from './pcre2/compile.js'
import { unatomicItems, unpossessive } from './pcre2/unatomic.js'

/** Depth of a tree that is read; the automata follow deeper ones only in part. */
const DEPTH_LIMIT = 40
/** Copies of a repeated item that the automata follow exactly. */
const COPIES_LIMIT = 12
const NEWLINE: Node = { kind: 'set', set: setOf((byte) => byte === 0x0a) }
const END_OF_SUBJECT: Node = { kind: 'assertion', test: 'subject_end' }
/** `$` of PCRE2 accepts a line feed behind it. */
const FINAL_END: Node = alternationOf([END_OF_SUBJECT, sequenceOf([NEWLINE, END_OF_SUBJECT])])

/** The texts that an expression accepts. */
export interface PatternBounds {
  /** Every accepted text has it. Null: nothing is known. */
  readonly upper: Node | null
  /** Every text that has it is accepted. Null: nothing is known. */
  readonly lower: Node | null
}

const UNKNOWN: PatternBounds = { upper: null, lower: null }
const BOUNDS = new WeakMap<Expression, PatternBounds>()

/** The bounds of the list that a negated OSMatch negates, else of the expression. */
export function boundsOf(expression: Expression): PatternBounds {
  let bounds = BOUNDS.get(expression)
  if (bounds === undefined) BOUNDS.set(expression, (bounds = read(expression)))
  return bounds
}

function read(expression: Expression): PatternBounds {
  if (expression instanceof OsMatchExpression) {
    const { main } = partsOf(expression)
    return { upper: main, lower: main }
  }
  if (expression instanceof OsRegexExpression) {
    const { alternatives } = expression
    const uppers = alternatives.map((alternative) => upperOf(expression.pattern, alternative))
    const lowers = alternatives.map((alternative) => lowerOf(expression.pattern, alternative)).filter((node) => node !== null)
    return {
      upper: uppers.some((node) => node === null) ? null : alternationOf(uppers as Node[]),
      lower: expression.capturing || lowers.length === 0 ? null : alternationOf(lowers),
    }
  }
  if (!(expression instanceof Pcre2Expression)) return UNKNOWN
  const { tree } = expression
  if (tree.utf || tree.ucp || tree.newline !== 'lf' || tree.notEmpty !== 'no' || tree.limitMatch !== null) return UNKNOWN
  return { upper: pcre2Node(tree.root, 0, false, false), lower: pcre2Node(tree.root, 0, false, true) }
}

/** The tree with what the automata read exactly. Null: it has something else. @param lower everything that it accepts has to be accepted; else the other way round */
function pcre2Node(node: Node, depth: number, isRepeated: boolean, lower: boolean): Node | null {
  if (depth > DEPTH_LIMIT) return null
  const inner = (child: Node): Node | null => pcre2Node(child, depth + 1, isRepeated, lower)
  switch (node.kind) {
    case 'empty':
    case 'set':
      return node
    case 'sequence': {
      const items = unatomicItems(node.items).map(inner)
      return items.some((item) => item === null) ? null : sequenceOf(items as Node[])
    }
    case 'alternation': {
      const branches = node.branches.map(inner)
      return branches.some((branch) => branch === null) ? null : alternationOf(branches as Node[])
    }
    case 'capture':
      return inner(node.body)
    case 'atomic':
      return lower ? null : inner(node.body)
    case 'repeat': {
      const { min, max, mode } = node
      const plain = unpossessive(node)
      if (plain !== null) return inner(plain)
      if (lower && (mode === 'possessive' || min > COPIES_LIMIT || (max !== Number.POSITIVE_INFINITY && max - min > COPIES_LIMIT))) return null
      const body = pcre2Node(node.body, depth + 1, true, lower)
      return body === null ? null : { ...node, body, mode: 'greedy' }
    }
    case 'assertion':
      switch (node.test) {
        case 'subject_start':
          // The automata know the beginning only outside of repetitions.
          return isRepeated ? null : node
        case 'final_end':
          return FINAL_END
        case 'subject_end':
        case 'word_boundary':
        case 'not_word_boundary':
          return node
        default:
          return null
      }
    case 'look':
      if (singleSet(node) !== null) return node
      return lower ? null : EMPTY
    default:
      return null
  }
}

/** Without a quantifier the machine is a plain search. */
function lowerOf(pattern: string, alternative: OsRegexAlternative): Node | null {
  const { kinds } = alternative
  if (kinds.includes(PLUS) || kinds.includes(STAR) || kinds.includes(MARK)) return wholeText(alternative)
  // Without an item the machine reports no end, and nothing matches, where the text is not empty.
  if (kinds[0] === END) return null
  return anchored(alternative, itemsOf(pattern, alternative, 0, kinds.length - 1, false))
}

/** `\.+` accepts every text but the empty one. */
function wholeText({ kinds, values }: OsRegexAlternative): Node | null {
  return kinds[0] === PLUS && kinds[1] === END && classSet(values[0]).every((one, byte) => one === 1 || byte === 0) ? { kind: 'set', set: ANY } : null
}

/**
 * Every way in which the machine can accept: as the pattern says; with a skipped short tail (C6a); at the end of the text behind a part of the items (E2).
 * `kernel/osregex.ts` names the steps. A quantifier that is left while hot lets the next PLUS be skipped (C6b).
 */
function upperOf(pattern: string, alternative: OsRegexAlternative): Node | null {
  const { kinds, anchoredEnd } = alternative
  const length = kinds.length - 1
  for (let at = 0; at < length; at++) if (kinds[at] === MARK && kinds[at + 1] === MARK) return null
  const isHot = !isNeverHot(alternative)
  const { address } = packItems(alternative)
  const ways: Node[] = [anchored(alternative, itemsOf(pattern, alternative, 0, length, isHot))]
  for (let at = 0; at < length; at++) {
    if (kinds[at] < ONE || kinds[at] > STAR) continue
    const before = itemsOf(pattern, alternative, 0, at, isHot)
    if (!anchoredEnd && inShortTail(address + 4 * at)) ways.push(anchored({ ...alternative, anchoredEnd: false }, before))
    if (acceptsAtEnd(address + 4 * at, true)) ways.push(anchored({ ...alternative, anchoredEnd: true }, [...before, repeated(classSet(alternative.values[at]), 0)]))
  }
  return alternationOf(ways)
}

function anchored({ anchoredStart, anchoredEnd }: OsRegexAlternative, items: readonly Node[]): Node {
  return sequenceOf([...(anchoredStart ? [{ kind: 'assertion', test: 'subject_start' } as const] : []), ...items, ...(anchoredEnd ? [END_OF_SUBJECT] : [])])
}

/** @param isHot a PLUS may be skipped */
function itemsOf(pattern: string, { kinds, values, offsets }: OsRegexAlternative, from: number, to: number, isHot: boolean): Node[] {
  const items: Node[] = []
  for (let at = from; at < to; at++) {
    const kind = kinds[at]
    if (kind === MARK) continue
    const set = kind === LIT ? (values[at] < 0 ? setOf(() => false) : eitherCase(pattern.charCodeAt(offsets[at]))) : classSet(values[at])
    items.push(kind === LIT || kind === ONE ? { kind: 'set', set } : repeated(set, kind === PLUS && !isHot ? 1 : 0))
  }
  return items
}

function repeated(set: ReturnType<typeof setOf>, min: number): Node {
  return { kind: 'repeat', body: { kind: 'set', set }, min, max: Number.POSITIVE_INFINITY, mode: 'greedy' }
}
