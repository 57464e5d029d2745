/**
 * Estimates how many steps JavaScript's backtracking matcher can take on a subject of a given length.
 *
 * The result is an upper bound, computed from the end of the pattern to its start: the cost of one attempt from each item on. A repeat
 * that can stop in only one place adds to the cost. Any other multiplies it by the number of places where the rest could begin.
 */
import { childrenOf, type Node, type Pattern, type RepeatNode } from './ast.js'
import { intersects, sizeOf, unionOf, type ByteSet } from './byte-set.js'
import { firstOf } from './first-bytes.js'
import { startsOf } from './starts.js'

/** Facts about what follows an item. */
interface Rest {
  readonly cost: number
  /** Bytes with which it begins; null when it may be empty or begin with any byte. */
  readonly first: ByteSet | null
  /** Its leading single bytes. */
  readonly run: readonly ByteSet[]
  /** Whether it cannot fail. The matcher then never backtracks into a repeat before it. */
  readonly sure: boolean
}

const END: Rest = { cost: 1, first: null, run: [], sure: true }
const UNBOUNDED: Rest = { cost: Number.POSITIVE_INFINITY, first: null, run: [], sure: false }
/** The end inside a lookaround or an iteration, where something follows. */
const INNER_END: Rest = { ...END, sure: false }
/** Repeats with more copies are not analyzed. */
const MAX_UNROLLED = 16
/** A letter in both cases still counts as a literal. */
const LITERAL_SIZE = 2

/** Steps of a search in `length` bytes in the worst case; Infinity when no useful bound is known. */
export function nativeCost(pattern: Pattern, length: number): number {
  const attempt = before(pattern.root, END, length)
  const starts = startsOf(pattern)
  if (starts === 'subject') return attempt.cost
  if (starts === 'line') return length + attempt.cost
  return length + Math.min(places(attempt, length) * attempt.cost, sharedCost(pattern, attempt.cost, length))
}

/**
 * The total cost of all attempts when each begins with a byte of one set and cannot pass more than a fixed number of bytes of that set. No byte is
 * then read by more attempts than this number. Beyond a few bytes, the cost of an attempt grows at least in proportion to what it reads, so the total
 * is largest when one attempt reads everything.
 */
function sharedCost({ root }: Pattern, attemptCost: number, length: number): number {
  const first = root.kind === 'sequence' ? root.items[0] : root
  if (first.kind !== 'set') return Number.POSITIVE_INFINITY
  return length * before(root, END, MAX_UNROLLED).cost + mostOf(first.set, root) * attemptCost
}

/** Maximum number of bytes of a set that a match of `node` can contain. */
function mostOf(set: ByteSet, node: Node): number {
  switch (node.kind) {
    case 'set':
      return intersects(set, node.set) ? 1 : 0
    case 'sequence':
      return node.items.reduce((sum, item) => sum + mostOf(set, item), 0)
    case 'alternation':
      return Math.max(...node.branches.map((branch) => mostOf(set, branch)))
    case 'capture':
      return mostOf(set, node.body)
    case 'repeat': {
      // From some length on, the cost of such a repeat stays constant.
      if (node.max > MAX_UNROLLED && node.max !== Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY
      const once = mostOf(set, node.body)
      return once === 0 ? 0 : once * node.max
    }
    case 'assertion':
    case 'empty':
      return 0
    default:
      return Number.POSITIVE_INFINITY
  }
}

/** At how many of `length` positions `rest` can pass its first bytes. */
function places(rest: Rest, length: number): number {
  return length / period(rest.run) + 1
}

/** Minimum distance at which a run can occur again; 1 when nothing is known. */
function period(run: readonly ByteSet[]): number {
  if (run.length === 0) return 1
  for (let shift = 1; shift < run.length; shift++) {
    let overlaps = true
    for (let i = 0; i + shift < run.length && overlaps; i++) overlaps = intersects(run[i], run[i + shift])
    if (overlaps) return shift
  }
  return run.length
}

function before(node: Node, rest: Rest, length: number): Rest {
  switch (node.kind) {
    case 'set':
      return {
        cost: rest.cost + 1,
        first: node.set,
        run: sizeOf(node.set) <= LITERAL_SIZE ? [node.set, ...rest.run] : [],
        sure: false,
      }
    case 'sequence': {
      let after = rest
      for (let i = node.items.length - 1; i >= 0; i--) after = before(node.items[i], after, length)
      return after
    }
    case 'capture':
      return before(node.body, rest, length)
    case 'alternation':
      return beforeBranches(node.branches, rest, length)
    case 'repeat':
      return beforeRepeat(node, rest, length)
    case 'assertion':
      return { ...rest, cost: rest.cost + 1, run: [], sure: false }
    case 'look': {
      const inside = node.branches.reduce((sum, branch) => sum + before(branch, INNER_END, length).cost, 0)
      return { ...rest, cost: rest.cost + inside, run: [], sure: false }
    }
    case 'empty':
      return rest
    default:
      return UNBOUNDED
  }
}

function beforeBranches(branches: readonly Node[], rest: Rest, length: number): Rest {
  const ways = branches.map((branch) => before(branch, rest, length))
  const tried = ways.reduce((sum, way) => sum + way.cost, 0)
  // of branches that exclude each other only one reaches the rest
  const cost = areExclusive(branches) ? tried - (branches.length - 1) * (rest.cost - 1) : tried
  return { cost: cost + branches.length, first: firstBefore(branches.map(firstOf), rest), run: [], sure: false }
}

function firstBefore(firsts: readonly { set: ByteSet; nullable: boolean }[], rest: Rest): ByteSet | null {
  let set: ByteSet | null = null
  for (const first of firsts) {
    if (first.nullable && rest.first === null) return null
    const own: ByteSet = first.nullable ? unionOf(first.set, rest.first as ByteSet) : first.set
    set = set === null ? own : unionOf(set, own)
  }
  return set
}

function areExclusive(branches: readonly Node[]): boolean {
  const runs = branches.map(leadingSets)
  for (let i = 0; i < runs.length; i++) {
    for (let j = i + 1; j < runs.length; j++) {
      const shared = Math.min(runs[i].length, runs[j].length)
      let differ = false
      for (let k = 0; k < shared && !differ; k++) differ = !intersects(runs[i][k], runs[j][k])
      if (!differ) return false
    }
  }
  return true
}

/** The sets of the leading bytes of every match of `node`, as far as they are fixed. */
function leadingSets(node: Node): readonly ByteSet[] {
  switch (node.kind) {
    case 'set':
      return [node.set]
    case 'capture':
      return leadingSets(node.body)
    case 'repeat':
      return node.min > 0 && node.body.kind === 'set' ? [node.body.set] : []
    case 'sequence': {
      const sets: ByteSet[] = []
      for (const item of node.items) {
        if (item.kind === 'assertion' || item.kind === 'look') continue
        if (item.kind !== 'set') return [...sets, ...leadingSets(item)]
        sets.push(item.set)
      }
      return sets
    }
    default:
      return []
  }
}

function beforeRepeat(node: RepeatNode, rest: Rest, length: number): Rest {
  const { body, min, max } = node
  if (max === 0) return rest
  const own = firstOf(body)
  const first = firstBefore([{ set: own.set, nullable: own.nullable || min === 0 }], rest)
  if (body.kind === 'set') {
    const choices = Math.min(max - min, length)
    const bytes = Math.min(max, length)
    const fixed = choices === 0 || rest.sure || (rest.first !== null && !intersects(rest.first, body.set))
    const cost = fixed ? 2 * bytes + rest.cost : bytes + choices * (rest.run.length + 1) + (choices / period(rest.run) + 1) * rest.cost
    const literal = choices === 0 && min <= MAX_UNROLLED && sizeOf(body.set) <= LITERAL_SIZE
    return { cost: cost + 1, first, run: literal ? [...Array<ByteSet>(min).fill(body.set), ...rest.run] : [], sure: rest.sure && min === 0 }
  }
  if (own.nullable) return UNBOUNDED
  if (max <= MAX_UNROLLED) {
    let after = rest
    for (let copy = max; copy > 0; copy--) {
      const taken = before(body, after, length)
      after = copy > min ? { cost: taken.cost + rest.cost + 1, first: firstBefore([{ set: own.set, nullable: true }], rest), run: [], sure: rest.sure } : taken
    }
    return after
  }
  // a loop is bounded only if each iteration can match in one way from its start, so that there are at most `length` iterations
  const next = rest.first === null ? null : unionOf(rest.first, own.set)
  if (!isDeterministic(body, next)) return UNBOUNDED
  const once = before(body, INNER_END, length).cost
  const iterations = Math.min(max, length)
  const leaves = rest.first !== null && !intersects(rest.first, own.set) ? 1 : iterations + 1
  // iterations share the subject: if each is linear, their sum is linear, at most twice the longest, times copies
  const each = once / Math.max(length, 1) + leafCount(body) + lookCost(body, length)
  return { cost: iterations * each + once + leaves * rest.cost, first, run: [], sure: false }
}

/** Cost of the lookarounds, which read the same bytes again in every iteration. */
function lookCost(node: Node, length: number): number {
  if (node.kind === 'look') return before(node, INNER_END, length).cost
  return childrenOf(node).reduce((sum, child) => sum + lookCost(child, length), 0)
}

function leafCount(node: Node): number {
  switch (node.kind) {
    case 'sequence':
      return node.items.reduce((sum, item) => sum + leafCount(item), 0)
    case 'alternation':
    case 'look':
      return node.branches.reduce((sum, branch) => sum + leafCount(branch), 1)
    case 'capture':
    case 'atomic':
      return leafCount(node.body)
    case 'repeat':
      return 1 + leafCount(node.body) * Math.max(1, Math.min(node.min, MAX_UNROLLED))
    default:
      return 1
  }
}

/** Whether there is at most one way to match `node` at a position, given what follows (null: anything). */
function isDeterministic(node: Node, follow: ByteSet | null): boolean {
  switch (node.kind) {
    case 'set':
    case 'assertion':
    case 'look':
    case 'empty':
      return true
    case 'capture':
      return isDeterministic(node.body, follow)
    case 'alternation':
      return areExclusive(node.branches) && node.branches.every((branch) => isDeterministic(branch, follow))
    case 'sequence': {
      let next = follow
      for (let i = node.items.length - 1; i >= 0; i--) {
        if (!isDeterministic(node.items[i], next)) return false
        const first = firstOf(node.items[i])
        next = !first.nullable ? first.set : next === null ? null : unionOf(first.set, next)
      }
      return true
    }
    case 'repeat':
      if (node.min === node.max) return node.body.kind === 'set'
      return node.body.kind === 'set' && follow !== null && !intersects(follow, node.body.set)
    default:
      return false
  }
}
