/**
 * PCRE2 refuses a pattern whose compiled code exceeds 64 KB ("regular expression is too large"). This file computes that size:
 * exact for literals, classes and counted groups, an estimate for the rest.
 */
import type { Node, Pattern, RepeatNode } from './ast.js'
import { negated, sizeOf, TYPE_SETS, type ByteSet } from './byte-set.js'
import { SyntaxFault } from './syntax-error.js'

/** MAX_PATTERN_SIZE with the default link size of 2. */
const MAX_SIZE = 65_536
/** Opcode and link of OP_BRA, OP_ALT and OP_KET. */
const LINK = 3
const CLASS_SIZE = 33

export function checkPatternSize(pattern: Pattern): void {
  // one bracket around the whole pattern, and OP_END
  if (sizeOfNode(pattern.root) + 2 * LINK + 1 > MAX_SIZE) throw new SyntaxFault('regular expression is too large', 0)
}

const TYPES: ReadonlySet<string> = new Set([...TYPE_SETS.values()].flatMap((set) => [set.join(''), negated(set).join('')]))

/** Cached by set: classes are compared as texts, and patterns share sets. */
const CODE_SIZES = new WeakMap<ByteSet, number>()

function sizeOfSet(set: ByteSet): number {
  const known = CODE_SIZES.get(set)
  if (known !== undefined) return known
  const size = measureSet(set)
  CODE_SIZES.set(set, size)
  return size
}

function measureSet(set: ByteSet): number {
  const size = sizeOf(set)
  if (size <= 1 || size === 255) return 2
  if (size === 256 || TYPES.has(set.join(''))) return 1
  return size === 2 ? 2 : CLASS_SIZE
}

function sizeOfNode(node: Node): number {
  switch (node.kind) {
    case 'set':
      return sizeOfSet(node.set)
    case 'code_point':
      return 4 + 6 * node.ranges.length
    case 'sequence':
      return node.items.reduce((sum, item) => sum + sizeOfNode(item), 0)
    case 'alternation':
      return branchesSize(node.branches)
    case 'capture':
      return 2 + bracketSize(node.body)
    case 'atomic':
      return bracketSize(node.body)
    case 'look':
      return branchesSize(node.branches) + (node.behind ? LINK * node.branches.length : 0)
    case 'conditional':
      return LINK + branchesSize(node.no === null ? [node.yes] : [node.yes, node.no])
    case 'repeat':
      return repeatSize(node)
    case 'backreference':
    case 'subroutine':
    case 'verb':
      return LINK
    default:
      return 1
  }
}

function branchesSize(branches: readonly Node[]): number {
  return branches.reduce((sum, branch) => sum + sizeOfNode(branch) + LINK, LINK)
}

/** An alternation directly inside a bracket needs no bracket itself. */
function bracketSize(body: Node): number {
  return body.kind === 'alternation' ? branchesSize(body.branches) : sizeOfNode(body) + 2 * LINK
}

function repeatSize(node: RepeatNode): number {
  const { body, min, max } = node
  const infinite = max === Number.POSITIVE_INFINITY
  if (body.kind === 'set') {
    const short = infinite ? min <= 1 : min === 0 && max === 1
    if (sizeOfSet(body.set) === CLASS_SIZE) return CLASS_SIZE + (short ? 1 : 5)
    // opcode and character; a count takes two more bytes
    if (short) return 2
    return (min === 0 ? 0 : min === 1 ? 2 : 4) + (max === min ? 0 : infinite ? 2 : 4)
  }
  const once = body.kind === 'capture' ? sizeOfNode(body) : bracketSize(body)
  if (max === 0) return once + 1
  const copies = infinite ? Math.max(min, 1) : min
  const optional = infinite ? 0 : max - min
  return once * (copies + optional) + (optional > 0 ? (optional - 1) * (2 * LINK) + optional : 0) + (infinite && min === 0 ? 1 : 0)
}
