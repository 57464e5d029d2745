/** Texts that a pattern accepts or nearly accepts, on which two patterns are compared. The same pattern has the same texts. */
import type { Node } from '../expressions/pcre2/ast.js'
import type { ByteSet } from '../expressions/pcre2/byte-set.js'

const TEXTS = 240
const BYTES_LIMIT = 400
const DEPTH_LIMIT = 30
/** Constants of a linear congruential generator. */
const MULTIPLIER = 1_664_525
const INCREMENT = 1_013_904_223

/** @param pieces byte strings that are put between */
export function sampleTexts(root: Node, pieces: readonly string[]): string[] {
  let state = 1
  const below = (limit: number): number => {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const literals: string[] = [...pieces]
  collectLiterals(root, literals)
  const oneOf = (set: ByteSet): string => {
    const known = literals.length > 0 && below(3) > 0 ? literals[below(literals.length)] : 'a1 b'
    const byte = known.charCodeAt(below(known.length))
    if (set[byte] === 1) return String.fromCharCode(byte)
    for (let tried = 0, at = below(set.length); tried < set.length; tried++, at = (at + 7) % set.length)
      if (set[at] === 1 && (at < 0x7f || tried > 128)) return String.fromCharCode(at)
    return ''
  }
  const of = (node: Node, depth: number): string => {
    if (depth > DEPTH_LIMIT) return ''
    switch (node.kind) {
      case 'set':
        return oneOf(node.set)
      case 'sequence':
        return node.items.map((item) => of(item, depth + 1)).join('')
      case 'alternation':
        return of(node.branches[below(node.branches.length)], depth + 1)
      case 'capture':
      case 'atomic':
        return of(node.body, depth + 1)
      case 'repeat': {
        const { body, min, max } = node
        // What stands elsewhere in the pattern, where the repetition reads it, is read in two ways.
        if (body.kind === 'set' && max === Number.POSITIVE_INFINITY && literals.length > 0 && below(2) === 0) {
          const inserted = literals[below(literals.length)]
          if (inserted.length >= min && [...inserted].every((char) => body.set[char.charCodeAt(0)] === 1)) return inserted
        }
        const copies = Math.min(max, min + below(3))
        let text = ''
        for (let copy = 0; copy < copies && text.length < BYTES_LIMIT; copy++) text += of(body, depth + 1)
        return text
      }
      default:
        return ''
    }
  }
  return Array.from({ length: TEXTS }, () => {
    const [one, other] = [of(root, 0), of(root, 0)]
    const joined = [one, one + other, `${one} ${other}`, `x${one}`, `${one}\n`, one.slice(0, -1) + other, other.slice(1) + one][below(7)]
    return joined.slice(0, BYTES_LIMIT)
  })
}

/** The texts of consecutive single bytes in a pattern. */
function collectLiterals(node: Node, found: string[]): void {
  if (node.kind === 'sequence') {
    let text = ''
    for (const item of node.items) {
      if (item.kind === 'set') {
        text += String.fromCharCode(item.set.indexOf(1))
        continue
      }
      if (text !== '') found.push(text)
      text = ''
      collectLiterals(item, found)
    }
    if (text !== '') found.push(text)
  } else if (node.kind === 'set') found.push(String.fromCharCode(node.set.indexOf(1)))
  else if (node.kind === 'alternation') for (const branch of node.branches) collectLiterals(branch, found)
  else if (node.kind === 'capture' || node.kind === 'atomic' || node.kind === 'repeat') collectLiterals(node.body, found)
}
