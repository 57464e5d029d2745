/**
 * Atomic groups and possessive repetitions as trees without them, where both accept the same: from each position, up to the same ends. Proofs read such trees.
 *
 *  - `S*+` of one set of bytes ends where the run of these bytes does: `S*(?!S)`.
 *  - `(?>S*?L)T*R` is `S*LT*R`, where T has all bytes of S and of L. The atomic group ends at the first L; what stands between it and a later one, `T*` reads.
 *    No text of L may end within another one, or the group could end behind a shorter text.
 */
import type { LookNode, Node, RepeatNode } from './ast.js'
import { type ByteSet, intersects } from './byte-set.js'

/** Texts of one group, and bytes of a text, that are compared. */
const TEXTS_LIMIT = 64
const BYTES_LIMIT = 64

/** The possessive repetition of one set without an upper limit; null: another one. */
export function unpossessive(node: RepeatNode): Node | null {
  const { body, max, mode } = node
  if (mode !== 'possessive' || body.kind !== 'set' || max !== Number.POSITIVE_INFINITY) return null
  const look: LookNode = { kind: 'look', behind: false, negative: true, atomic: true, branches: [body], offset: 0, lengths: [] }
  return { kind: 'sequence', items: [{ ...node, mode: 'greedy' }, look] }
}

/** The items of a sequence, with the bodies of its atomic groups in place of those that decide nothing. */
export function unatomicItems(items: readonly Node[]): readonly Node[] {
  return items.map((item, at) => (item.kind === 'atomic' && at + 1 < items.length && isAbsorbed(item.body, items[at + 1]) ? item.body : item))
}

function isAbsorbed(body: Node, next: Node): boolean {
  const { items } = body.kind === 'sequence' ? body : { items: [body] }
  const skipped = firstRepeat(items[0])
  const absorbing = firstRepeat(next)
  if (skipped === null || absorbing === null || skipped.mode !== 'lazy' || !isWhole(items[0])) return false
  const texts = fixedTexts({ kind: 'sequence', items: items.slice(1) })
  if (texts === null || texts.some((text) => text.length === 0)) return false
  const { body: skip } = skipped
  const { body: absorb } = absorbing
  if (skip.kind !== 'set' || absorb.kind !== 'set') return false
  const isRead = (set: ByteSet): boolean => set.every((flag, byte) => flag === 0 || absorb.set[byte] === 1)
  return isRead(skip.set) && texts.every((text) => text.every(isRead)) && !texts.some((long) => texts.some((short) => mayEndWithin(short, long)))
}

/** The unlimited repetition with which a node begins. */
function firstRepeat(node: Node | undefined): RepeatNode | null {
  switch (node?.kind) {
    case 'repeat':
      return node.max === Number.POSITIVE_INFINITY ? node : null
    case 'capture':
    case 'atomic':
      return firstRepeat(node.body)
    case 'sequence':
      return firstRepeat(node.items[0])
    default:
      return null
  }
}

/** Whether a node is nothing but a repetition, which may be captured. */
function isWhole(node: Node): boolean {
  return node.kind === 'repeat' || (node.kind === 'capture' && isWhole(node.body))
}

/** Whether a text can stand in another one so that it ends before that. */
function mayEndWithin(short: readonly ByteSet[], long: readonly ByteSet[]): boolean {
  for (let from = 0; from + short.length < long.length; from++) if (short.every((set, at) => intersects(set, long[from + at]))) return true
  return false
}

/** The texts of a node, of which each has one length; null: it has others, or too many. */
function fixedTexts(node: Node): ByteSet[][] | null {
  switch (node.kind) {
    case 'empty':
      return [[]]
    case 'set':
      return [[node.set]]
    case 'capture':
      return fixedTexts(node.body)
    case 'sequence': {
      let all: ByteSet[][] | null = [[]]
      for (const item of node.items) {
        const texts = fixedTexts(item)
        if (texts === null || all.length * texts.length > TEXTS_LIMIT) return null
        all = all.flatMap((before) => texts.map((text) => [...before, ...text]))
        if (all.some((text) => text.length > BYTES_LIMIT)) return null
      }
      return all
    }
    case 'alternation': {
      const all: ByteSet[][] = []
      for (const branch of node.branches) {
        const texts = fixedTexts(branch)
        if (texts === null || all.length + texts.length > TEXTS_LIMIT) return null
        all.push(...texts)
      }
      return all
    }
    default:
      return null
  }
}
