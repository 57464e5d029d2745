/**
 * What PCRE2 looks for in a text before it tries a pattern at a position: enough bytes, and a byte that every match has. Without them it fails at once, however
 * many steps the pattern would take. PCRE2 looks for one byte, the last that it is sure of; here a text needs all of them, so that no attack is taken for one that
 * PCRE2 refuses to try.
 */
import type { Node, Pattern } from '../expressions/pcre2/ast.js'
import { type ByteSet, firstByte, otherCase, sizeOf } from '../expressions/pcre2/byte-set.js'

/** Bytes that are required: the copies of a repetition are not listed beyond this number. */
const REQUIRED_LIMIT = 400

export interface Preconditions {
  /** Bytes of the shortest match, at most. */
  readonly shortest: number
  /** Letters in one case or both that every match has, in their order. */
  readonly required: readonly ByteSet[]
}

const NOTHING: Preconditions = { shortest: 0, required: [] }

export function preconditionsOf(pattern: Pattern): Preconditions {
  return pattern.startOptimizations ? of(pattern.root) : NOTHING
}

function of(node: Node): Preconditions {
  switch (node.kind) {
    case 'set':
      return { shortest: 1, required: isLetter(node.set) ? [node.set] : [] }
    case 'code_point':
      return { shortest: 1, required: [] }
    case 'sequence':
      return joined(node.items.map(of))
    case 'alternation': {
      const branches = node.branches.map(of)
      const [first, ...others] = branches
      return { shortest: Math.min(...branches.map(({ shortest }) => shortest)), required: others.reduce((common, { required }) => inBoth(common, required), first.required) }
    }
    case 'capture':
    case 'atomic':
      return of(node.body)
    case 'repeat': {
      if (node.min === 0) return NOTHING
      const { shortest, required } = of(node.body)
      const copies = Math.min(node.min, Math.max(1, Math.floor(REQUIRED_LIMIT / Math.max(1, required.length))))
      return { shortest: shortest * node.min, required: Array.from({ length: copies }, () => required).flat() }
    }
    case 'look':
      // What a lookahead has to find is looked for as well; it may be what the pattern reads itself.
      return node.behind || node.negative ? NOTHING : { shortest: 0, required: node.branches.length === 1 ? of(node.branches[0]).required : [] }
    case 'conditional': {
      const [yes, no] = [of(node.yes), node.no === null ? NOTHING : of(node.no)]
      return { shortest: Math.min(yes.shortest, no.shortest), required: inBoth(yes.required, no.required) }
    }
    default:
      return NOTHING
  }
}

function joined(parts: readonly Preconditions[]): Preconditions {
  return { shortest: parts.reduce((sum, { shortest }) => sum + shortest, 0), required: parts.flatMap(({ required }) => required).slice(-REQUIRED_LIMIT) }
}

/** What both lists have, as often as both have it. */
function inBoth(a: readonly ByteSet[], b: readonly ByteSet[]): ByteSet[] {
  const left = [...b]
  return a.filter((set) => {
    const at = left.findIndex((other) => isSame(set, other))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

function isSame(a: ByteSet, b: ByteSet): boolean {
  return a === b || (firstByte(a) === firstByte(b) && sizeOf(a) === sizeOf(b))
}

function isLetter(set: ByteSet): boolean {
  const size = sizeOf(set)
  return size === 1 || (size === 2 && set[otherCase(firstByte(set))] === 1)
}

/** The last position from which a text still has all that a match needs; -1: none. */
export function lastStart({ shortest, required }: Preconditions, text: string): number {
  let last = text.length - shortest
  const counts = new Map<number, { readonly set: ByteSet; count: number }>()
  for (const set of required) {
    const key = firstByte(set) * 2 + sizeOf(set)
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { set, count: 1 })
    else known.count++
  }
  for (const { set, count } of counts.values()) {
    let left = count
    let at = text.length
    while (left > 0 && at > 0) if (set[text.charCodeAt(--at)] === 1) left--
    last = Math.min(last, left > 0 ? -1 : at)
  }
  return last
}

/** Bytes that a text lacks of those that are required, the last ones first: in this order they hardly ever make it match. */
export function lackingBytes({ required }: Preconditions, text: string): string {
  const counts = new Uint32Array(256)
  for (let at = 0; at < text.length; at++) counts[text.charCodeAt(at)]++
  let lacking = ''
  for (const set of required) {
    const [byte] = [firstByte(set), otherCase(firstByte(set))].filter((one) => set[one] === 1 && counts[one] > 0)
    if (byte !== undefined) counts[byte]--
    // Letters in both cases are written in lower case.
    else lacking = String.fromCharCode(sizeOf(set) === 2 ? otherCase(firstByte(set)) : firstByte(set)) + lacking
  }
  return lacking
}
