/**
 * For patterns whose worst case is too dear for V8: their beginning alone, where that is cheap. What the beginning does not match, the
 * pattern does not match either, and most subjects are told by it.
 */
import { alternationOf, type Node, type Pattern, sequenceOf } from './ast.js'
import { compileNative, longestNativeSubject } from './native.js'

export interface NativePrefix {
  readonly test: RegExp
  /** Longest subject for it. */
  readonly longest: number
}

/** Less of a pattern rules out too little. */
const LEAST_ITEMS = 2

/** Cheap beginnings, the longest first; those that follow are for longer subjects. */
export function nativePrefixes(pattern: Pattern): NativePrefix[] {
  const prefixes: NativePrefix[] = []
  const longestBranch = Math.max(...branchesOf(pattern.root).map((branch) => (branch.kind === 'sequence' ? branch.items.length : 1)))
  for (let keep = longestBranch - 1; keep >= LEAST_ITEMS; keep--) {
    const beginning: Pattern = { ...pattern, root: alternationOf(branchesOf(pattern.root).map((branch) => cut(branch, keep))) }
    const longest = longestNativeSubject(beginning)
    if (longest <= (prefixes.at(-1)?.longest ?? 0)) continue
    const test = compileNative(beginning, false)
    if (test !== null) prefixes.push({ test, longest })
  }
  return prefixes
}

function branchesOf(root: Node): readonly Node[] {
  return root.kind === 'alternation' ? root.branches : [root]
}

function cut(branch: Node, keep: number): Node {
  return branch.kind === 'sequence' && branch.items.length > keep ? sequenceOf(branch.items.slice(0, keep)) : branch
}
