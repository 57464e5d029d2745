/**
 * Computes the bytes with which a match can begin, and whether it can be empty.
 */
import { someNode, type Node } from './ast.js'
import { firstByte, negated, otherCase, setOf, unionOf, type ByteSet } from './byte-set.js'

export interface First {
  readonly set: ByteSet
  /** Whether the node can match without consuming anything. */
  readonly nullable: boolean
}

const NONE: ByteSet = setOf(() => false)
const ALL: ByteSet = negated(NONE)
const NOTHING: First = { set: NONE, nullable: true }
const ANYTHING: First = { set: ALL, nullable: true }

/** An upper bound: the set contains every byte with which a match of `node` can begin. */
export function firstOf(node: Node): First {
  switch (node.kind) {
    case 'set':
      return { set: node.set, nullable: false }
    case 'code_point':
      return { set: setOf((byte) => (byte >= 0x80 ? byte >= 0xc2 : node.ranges.some(([low, high]) => byte >= low && byte <= high))), nullable: false }
    case 'sequence': {
      let set = NONE
      for (const item of node.items) {
        const first = firstOf(item)
        set = unionOf(set, first.set)
        if (!first.nullable) return { set, nullable: false }
      }
      return { set, nullable: true }
    }
    case 'alternation':
      return eitherOf(node.branches)
    case 'capture':
    case 'atomic':
      return firstOf(node.body)
    case 'repeat': {
      if (node.max === 0) return NOTHING
      const first = firstOf(node.body)
      return { set: first.set, nullable: first.nullable || node.min === 0 }
    }
    case 'conditional':
      return node.no === null ? { set: firstOf(node.yes).set, nullable: true } : eitherOf([node.yes, node.no])
    case 'backreference':
    case 'subroutine':
      return ANYTHING
    case 'verb':
      return node.verb === 'accept' ? ANYTHING : NOTHING
    default:
      return NOTHING
  }
}

function eitherOf(nodes: readonly Node[]): First {
  let set = NONE
  let nullable = false
  for (const node of nodes) {
    const first = firstOf(node)
    set = unionOf(set, first.set)
    nullable ||= first.nullable
  }
  return { set, nullable }
}

/**
 * The set for a whole pattern, or null when a match can begin with any byte or be empty.
 *
 * With verbs the set is observable: `(*COMMIT)b` finds the b in `ab`, because PCRE2 starts only where a b is. In such a pattern
 * PCRE2 uses only a single letter, so `(*COMMIT)[bc]` fails there.
 */
export function firstBytesOf(root: Node): ByteSet | null {
  const first = firstOf(root)
  if (first.nullable || first.set.every((flag) => flag === 1)) return null
  if (someNode(root, (node) => node.kind === 'verb') && !isOneLetter(first.set)) return null
  return first.set
}

function isOneLetter(set: ByteSet): boolean {
  const byte = firstByte(set)
  return setOf((other) => other === byte || other === otherCase(byte)).every((flag, i) => flag >= set[i])
}
