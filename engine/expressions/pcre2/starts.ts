/**
 * Computes where a match can begin, so that a search can try one position instead of all.
 */
import { someNode, type Node, type Pattern } from './ast.js'
import { sizeOf } from './byte-set.js'

export type Starts = 'anywhere' | 'subject' | 'line'

/** With these nodes in the pattern, a failed attempt says nothing about later ones. */
function dependsOnHistory(node: Node): boolean {
  return (
    node.kind === 'backreference' ||
    node.kind === 'verb' ||
    node.kind === 'subroutine' ||
    node.kind === 'conditional' ||
    node.kind === 'atomic' ||
    (node.kind === 'repeat' && node.mode === 'possessive')
  )
}

export function startsOf(pattern: Pattern): Starts {
  const simple = !pattern.utf && pattern.newline === 'lf' && pattern.notEmpty === 'no' && !someNode(pattern.root, dependsOnHistory)
  return of(pattern.root, simple)
}

function of(node: Node, simple: boolean): Starts {
  switch (node.kind) {
    case 'assertion':
      return node.test === 'subject_start' ? 'subject' : 'anywhere'
    case 'sequence':
      return of(node.items[0], simple)
    case 'alternation': {
      const starts = new Set(node.branches.map((branch) => of(branch, simple)))
      if (starts.has('anywhere')) return 'anywhere'
      return starts.has('line') ? 'line' : 'subject'
    }
    case 'capture':
    case 'atomic':
      return of(node.body, simple)
    case 'repeat':
      return simple && node.max === Number.POSITIVE_INFINITY ? leadingRun(node.body) : 'anywhere'
    default:
      return 'anywhere'
  }
}

/**
 * A leading `.*` or `.+`: if it does not lead to a match from the start of a line, it does not from the middle, because the longer
 * run contains the shorter one. The same holds for the whole subject when the run includes newlines.
 */
function leadingRun(body: Node): Starts {
  if (body.kind !== 'set') return 'anywhere'
  const size = sizeOf(body.set)
  if (size === 256) return 'subject'
  return size === 255 && body.set[0x0a] === 0 ? 'line' : 'anywhere'
}
