/**
 * Computes the length that a lookbehind matches. PCRE2 10.42 requires a fixed length for each branch, and refuses other patterns.
 */
import { childrenOf, someNode, type LookNode, type Node, type Pattern } from './ast.js'
import { SyntaxFault } from './syntax-error.js'

/** PCRE2's LOOKBEHIND_MAX. */
const MAX_LENGTH = 65535

/** Sets `lengths` of every lookbehind in the pattern. @throws SyntaxFault when a length is not fixed */
export function measureLookbehinds(pattern: Pattern): void {
  const visit = (node: Node): void => {
    if (node.kind === 'look' && node.behind) node.lengths = node.branches.map((branch) => branchLength(pattern, node, branch))
    for (const child of childrenOf(node)) visit(child)
  }
  visit(pattern.root)
}

function branchLength(pattern: Pattern, look: LookNode, branch: Node): number {
  const length = fixedLength(pattern, branch, new Set())
  if (length === null) throw new SyntaxFault('lookbehind assertion is not fixed length', look.offset)
  if (Number.isNaN(length) || length > MAX_LENGTH) throw new SyntaxFault('lookbehind assertion is too long', look.offset)
  return length
}

/** Number of characters that `node` always consumes; null when it varies. */
function fixedLength(pattern: Pattern, node: Node, inCalls: ReadonlySet<number>): number | null {
  const of = (child: Node): number | null => fixedLength(pattern, child, inCalls)
  switch (node.kind) {
    case 'set':
    case 'code_point':
      return 1
    case 'sequence': {
      let total = 0
      for (const item of node.items) {
        // nothing after (*ACCEPT) is reached
        if (item.kind === 'verb' && item.verb === 'accept') return total
        const length = fixedLength(pattern, item, inCalls)
        if (length === null) return null
        total += length
      }
      return total
    }
    case 'alternation': {
      const lengths = new Set(node.branches.map(of))
      return lengths.size === 1 ? ([...lengths][0] as number | null) : null
    }
    case 'capture':
      return of(node.body)
    case 'atomic':
      return of(node.body)
    case 'repeat': {
      // PCRE2 ignores a quantifier on a lookahead, but not on a lookbehind
      if (node.max === 0 || (node.body.kind === 'look' && !node.body.behind)) return 0
      if (node.mode === 'possessive' && node.min !== node.max) return null
      const length = of(node.body)
      return node.min !== node.max || length === null ? null : length * node.min
    }
    case 'backreference': {
      const lengths = new Set(node.groups.map((group) => calledLength(pattern, node, group, inCalls)))
      return node.groups.length === 1 && lengths.size === 1 ? ([...lengths][0] as number | null) : null
    }
    case 'subroutine':
      return node.group === 0 ? null : calledLength(pattern, node, node.group, inCalls)
    case 'conditional': {
      const yes = of(node.yes)
      return node.no === null || of(node.no) === yes ? yes : null
    }
    default:
      return 0
  }
}

/** A reference from inside the group that it refers to has no fixed length, even if nothing depends on it. */
function calledLength(pattern: Pattern, from: Node, group: number, inCalls: ReadonlySet<number>): number | null {
  const body = pattern.groups[group]
  if (body === undefined || inCalls.has(group) || someNode(body, (node) => node === from)) return null
  return fixedLength(pattern, body, new Set(inCalls).add(group))
}
