/**
 * Writes the tree as the source of a JavaScript RegExp.
 *
 * PCRE2 and JavaScript agree on sets, groups, and greedy and lazy repeats. This file writes those and declines everything that could differ.
 * 1. The subject does not end in LF when the tree has `$`, `\Z` or `(?m)^` (`needsNoFinalNewline`), so `$` means the very end.
 *    Callers use another engine for the other subjects, which are rare.
 * 2. With `captures`, every group keeps its number, and a loop cannot have an iteration that consumes nothing.
 */
import { childrenOf, someNode, type LookNode, type Node, type Pattern, type RepeatNode } from './ast.js'
import { BYTES, negated, sizeOf, type ByteSet } from './byte-set.js'
import { firstOf } from './first-bytes.js'

export interface Target {
  /** False when only the result counts: groups are written as non-capturing. */
  readonly captures: boolean
  /** The subject will be folded. Capitals are left out, which is declined when a part of the pattern tells them from small letters. */
  readonly folded?: boolean
}

/** Maximum count of a repeat, because V8 copies the body that often. */
const MAX_COUNT = 1000

class Declined extends Error {}

/** Returns the source, or null when V8 might differ from PCRE2. */
export function emitSource(pattern: Pattern, target: Target): string | null {
  if (pattern.utf || pattern.ucp || pattern.newline !== 'lf' || pattern.notEmpty !== 'no' || pattern.limitMatch !== null) return null
  try {
    const writer = new Writer(target)
    const source = writer.node(pattern.root)
    // a group that (?| numbers twice, or that a zero repeat drops, would shift the numbers of the others
    return target.captures && writer.groupsWritten !== pattern.groupCount ? null : source
  } catch (reason) {
    if (reason instanceof Declined) return null
    throw reason
  }
}

export function needsNoFinalNewline(root: Node): boolean {
  return someNode(root, (node) => node.kind === 'assertion' && (node.test === 'final_end' || node.test === 'line_start'))
}

class Writer {
  private readonly target: Target
  groupsWritten = 0

  constructor(target: Target) {
    this.target = target
  }

  node(node: Node): string {
    switch (node.kind) {
      case 'empty':
        return ''
      case 'set':
        return writeSet(this.target.folded === true ? foldedSet(node.set) : node.set)
      case 'sequence':
        return node.items.map((item) => (item.kind === 'alternation' ? `(?:${this.node(item)})` : this.node(item))).join('')
      case 'alternation':
        return node.branches.map((branch) => this.node(branch)).join('|')
      case 'capture':
        return this.capture(node.index, node.body)
      case 'repeat':
        return this.repeat(node)
      case 'assertion':
        return this.assertion(node.test)
      case 'look':
        return this.look(node)
      default:
        throw new Declined(node.kind)
    }
  }

  private capture(index: number, body: Node): string {
    if (!this.target.captures) return `(?:${this.node(body)})`
    if (++this.groupsWritten !== index) throw new Declined('group numbers')
    return `(${this.node(body)})`
  }

  private repeat(node: RepeatNode): string {
    const { body, min, max, mode } = node
    if (mode === 'possessive' || body.kind === 'look') throw new Declined('repeat')
    const infinite = max === Number.POSITIVE_INFINITY
    if (min > MAX_COUNT || (!infinite && max > MAX_COUNT)) throw new Declined('count')
    if (max === 0) {
      if (this.target.captures && holdsCapture(body)) throw new Declined('dropped group')
      return ''
    }
    // JavaScript and PCRE2 treat empty iterations differently; only the set of possible ends is the same
    if (min !== max && firstOf(body).nullable && (this.target.captures || !infinite)) throw new Declined('empty iteration')
    // JavaScript resets the groups of an earlier iteration
    if (this.target.captures && max > 1 && !setsAllGroups(body)) throw new Declined('group kept between iterations')
    const count = infinite ? (min === 0 ? '*' : min === 1 ? '+' : `{${min},}`) : min === 0 && max === 1 ? '?' : min === max ? `{${min}}` : `{${min},${max}}`
    const inner = body.kind === 'set' || body.kind === 'capture' ? this.node(body) : `(?:${this.node(body)})`
    return `${inner}${count}${mode === 'lazy' ? '?' : ''}`
  }

  private assertion(test: string): string {
    switch (test) {
      case 'subject_start':
        return '^'
      case 'subject_end':
      case 'final_end':
        return '$'
      case 'line_start':
        return '(?<![^\\n])'
      case 'line_end':
        return '(?![^\\n])'
      case 'word_boundary':
        return '\\b'
      case 'not_word_boundary':
        return '\\B'
      default:
        throw new Declined(test)
    }
  }

  /** JavaScript matches a lookbehind from right to left, which makes no difference for a fixed length without groups. */
  private look(node: LookNode): string {
    if (!node.atomic) throw new Declined('lookaround')
    if (this.target.captures && node.branches.some(holdsCapture)) throw new Declined('group in lookaround')
    // what follows a lookbehind may overlap it; a nested lookahead is zero-width either way
    const body = node.branches.map((branch) => this.node(branch)).join('|')
    return `(?${node.behind ? '<' : ''}${node.negative ? '!' : '='}${body})`
  }
}

function holdsCapture(node: Node): boolean {
  return someNode(node, (inner) => inner.kind === 'capture')
}

/** Whether every path through `node` sets every group in it. */
function setsAllGroups(node: Node): boolean {
  if (!holdsCapture(node)) return true
  if (node.kind === 'sequence' || node.kind === 'capture') return childrenOf(node).every(setsAllGroups)
  return node.kind === 'repeat' && node.min > 0 && setsAllGroups(node.body)
}

/** Writes a class; letters and digits stay readable. */
function writeSet(set: ByteSet): string {
  const size = sizeOf(set)
  if (size === 1) return writeByte(set.indexOf(1))
  if (size === BYTES) return '[\\x00-\\xff]'
  if (size === 0) return '[^\\x00-\\xff]'
  if (size > BYTES / 2) return `[^${writeRanges(negated(set))}]`
  return `[${writeRanges(set)}]`
}

function writeRanges(set: ByteSet): string {
  let out = ''
  for (let low = 0; low < BYTES; low++) {
    if (set[low] === 0) continue
    let high = low
    while (high + 1 < BYTES && set[high + 1] === 1) high++
    out += high === low ? writeByte(low) : `${writeByte(low)}-${writeByte(high)}`
    low = high
  }
  return out
}

function writeByte(byte: number): string {
  const char = String.fromCharCode(byte)
  return /[0-9A-Za-z]/.test(char) ? char : `\\x${byte.toString(16).padStart(2, '0')}`
}

/** The set without capitals. Declines a set that contains only one case of a letter. */
function foldedSet(set: ByteSet): ByteSet {
  const folded = Uint8Array.from(set)
  for (let small = 0x61; small <= 0x7a; small++) {
    if ((set[small] === 0) !== (set[small - 0x20] === 0)) throw new Declined()
    folded[small - 0x20] = 0
  }
  return folded
}
