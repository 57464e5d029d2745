/**
 * For patterns whose worst case is too expensive for V8: prefixes of the pattern that are cheap. A subject that does not match a prefix
 * does not match the pattern either, and a prefix rejects most subjects.
 */
import { alternationOf, type Node, type Pattern, sequenceOf } from './ast.js'
import { compileNative, longestNativeSubject } from './native.js'

export interface NativePrefix {
  readonly test: RegExp
  /** Maximum length of a subject. */
  readonly longest: number
}

/** Minimum number of items. Shorter prefixes reject too few subjects. */
const MIN_ITEMS = 2

/** Cheap prefixes, longest first. The following ones accept longer subjects. */
export function nativePrefixes(pattern: Pattern): NativePrefix[] {
  const prefixes: NativePrefix[] = []
  const longestBranch = Math.max(...branchesOf(pattern.root).map((branch) => (branch.kind === 'sequence' ? branch.items.length : 1)))
  for (let keep = longestBranch - 1; keep >= MIN_ITEMS; keep--) {
    const prefix: Pattern = { ...pattern, root: alternationOf(branchesOf(pattern.root).map((branch) => cut(branch, keep))) }
    const longest = longestNativeSubject(prefix)
    if (longest <= (prefixes.at(-1)?.longest ?? 0)) continue
    const test = compileNative(prefix, false)
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
