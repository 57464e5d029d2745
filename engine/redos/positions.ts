/**
 * The positions of a pattern: its sets of bytes, and what can follow each, with the number of ways to get there. Two ways to one position read the same text
 * twice, so an automaton without them would hide what a backtracking matcher does. Assertions, references and calls are taken as if they always held: what is
 * found here is a candidate, and running it decides.
 */
import type { Node, Pattern } from '../expressions/pcre2/ast.js'
import { BYTES, type ByteSet, classesOf, setOf } from '../expressions/pcre2/byte-set.js'
import { startsOf } from '../expressions/pcre2/starts.js'

/** Positions of a pattern that is examined. The largest stock pattern has half of it. */
export const POSITIONS_LIMIT = 600
/** Links between positions that are made, each copy counted: nested repetitions link the same ones again and again. The largest stock pattern makes a tenth. */
const LINKS_LIMIT = 100_000
/** A repetition of more copies is taken as one without an end. */
const COPIES_LIMIT = 12

/** Ways are counted as none, one, or several. */
type Ways = 1 | 2
/** Ways by position. */
type Reached = ReadonlyMap<number, Ways>

export interface Positions {
  readonly sets: readonly ByteSet[]
  readonly follow: readonly Reached[]
  /** The position before the pattern. A search that begins anywhere reads any byte there, again and again. */
  readonly start: number
}

interface Part {
  readonly first: Reached
  readonly last: Reached
  /** Ways to consume nothing. */
  readonly empty: 0 | Ways
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: 1 }
const ANY: ByteSet = setOf(() => true)

/** Null: the pattern is too large. */
export function positionsOf(pattern: Pattern): Positions | null {
  const builder = new Builder()
  const part = builder.part(pattern.root)
  if (part === null || builder.isTooLarge) return null
  const { sets, follow } = builder
  const start = sets.length
  const before = new Map(part.first)
  if (startsOf(pattern) === 'anywhere') before.set(start, 1)
  return { sets: [...sets, ANY], follow: [...follow, before], start }
}

class Builder {
  readonly sets: ByteSet[] = []
  readonly follow: Map<number, Ways>[] = []
  #links = 0

  get isTooLarge(): boolean {
    return this.sets.length > POSITIONS_LIMIT || this.#links > LINKS_LIMIT
  }

  part(node: Node): Part | null {
    if (this.isTooLarge) return null
    switch (node.kind) {
      case 'set':
        return this.#position(node.set)
      case 'code_point':
        // A byte stands for a character: attacks are made of ASCII, or of any bytes above it.
        return this.#position(setOf((byte) => (byte < 0x80 ? node.ranges.some(([low, high]) => low <= byte && byte <= high) : node.ranges.some(([, high]) => high >= 0x80))))
      case 'sequence':
        return this.#all(node.items, (before, after) => this.#joined(before, after))
      case 'alternation':
        return this.#all(node.branches, (before, after) => ({
          first: union(before.first, after.first),
          last: union(before.last, after.last),
          empty: sum(before.empty, after.empty),
        }))
      case 'capture':
      case 'atomic':
        return this.part(node.body)
      case 'repeat':
        return this.#repeated(node.body, node.min, node.max)
      case 'conditional':
        return this.part({ kind: 'alternation', branches: [node.yes, node.no ?? { kind: 'empty' }] })
      default:
        return NOTHING
    }
  }

  #position(set: ByteSet): Part {
    const at = this.sets.push(set) - 1
    this.follow.push(new Map())
    const here: Reached = new Map([[at, 1]])
    return { first: here, last: here, empty: 0 }
  }

  #all(nodes: readonly Node[], join: (before: Part, after: Part) => Part): Part | null {
    let all: Part | null = null
    for (const node of nodes) {
      const part = this.part(node)
      if (part === null) return null
      all = all === null ? part : join(all, part)
    }
    return all
  }

  #joined(before: Part, after: Part): Part {
    this.#link(before.last, after.first)
    return {
      first: before.empty === 0 ? before.first : union(before.first, times(after.first, before.empty)),
      last: after.empty === 0 ? after.last : union(after.last, times(before.last, after.empty)),
      empty: before.empty === 0 || after.empty === 0 ? 0 : product(before.empty, after.empty),
    }
  }

  #repeated(body: Node, min: number, max: number): Part | null {
    if (max === 0) return NOTHING
    const needed = Math.min(min, COPIES_LIMIT)
    const isLoop = max === Number.POSITIVE_INFINITY || max > COPIES_LIMIT
    const optional = isLoop ? 0 : max - needed
    let all: Part | null = NOTHING
    for (let copy = 0; copy < Math.max(needed, isLoop ? 1 : 0) + optional; copy++) {
      const part: Part | null = this.part(body)
      if (part === null) return null
      // The last of the copies that must be there loops.
      const isLast = isLoop && copy === Math.max(needed, 1) - 1
      if (isLast) this.#link(part.last, part.first)
      const isOptional = copy >= needed
      all = this.#joined(all, isOptional ? { ...part, empty: part.empty === 0 ? 1 : 2 } : part)
    }
    return all
  }

  #link(from: Reached, to: Reached): void {
    this.#links += from.size * to.size
    if (this.isTooLarge) return
    for (const [position, ways] of from) for (const [next, more] of to) add(this.follow[position], next, product(ways, more))
  }
}

function add(reached: Map<number, Ways>, position: number, ways: Ways): void {
  reached.set(position, reached.has(position) ? 2 : ways)
}

function union(a: Reached, b: Reached): Reached {
  const both = new Map(a)
  for (const [position, ways] of b) add(both, position, ways)
  return both
}

function times(reached: Reached, ways: Ways): Reached {
  return ways === 1 ? reached : new Map(Array.from(reached.keys(), (position) => [position, 2]))
}

function product(a: Ways, b: Ways): Ways {
  return a === 2 || b === 2 ? 2 : 1
}

function sum(a: 0 | Ways, b: 0 | Ways): 0 | Ways {
  return a + b === 0 ? 0 : a + b === 1 ? 1 : 2
}

/** Bytes that no set tells apart are one class. Each set is a mask of classes, so that what several sets have in common is found without looking at bytes. */
export class ByteClasses {
  /** The byte that stands for a class: one that people can read, where it has one. */
  readonly bytes: readonly number[]
  /** By position: the classes of its set, 32 in each number. */
  readonly #masks: readonly Int32Array[]
  readonly #words: number

  constructor(sets: readonly ByteSet[]) {
    const distinct = [...new Set(sets)]
    this.bytes = representatives(distinct)
    this.#words = Math.ceil(this.bytes.length / MASK_BITS)
    const masks = new Map(distinct.map((set) => [set, this.#maskOf(set)]))
    this.#masks = sets.map((set) => masks.get(set) as Int32Array)
  }

  #maskOf(set: ByteSet): Int32Array {
    const mask = new Int32Array(this.#words)
    this.bytes.forEach((byte, index) => {
      if (set[byte] === 1) mask[index >>> 5] |= 1 << (index & (MASK_BITS - 1))
    })
    return mask
  }

  /** The byte of the first class that is in the sets of all three positions; -1: none. */
  common(first: number, second: number, third: number): number {
    const a = this.#masks[first]
    const b = this.#masks[second]
    const c = this.#masks[third]
    for (let word = 0; word < this.#words; word++) {
      const both = a[word] & b[word] & c[word]
      if (both !== 0) return this.bytes[word * MASK_BITS + 31 - Math.clz32(both & -both)]
    }
    return -1
  }
}

const MASK_BITS = 32

/** One byte for each class. */
function representatives(sets: Iterable<ByteSet>): number[] {
  const { classes, count } = classesOf(sets)
  const isKnown = new Uint8Array(count)
  return READABLE_FIRST.filter((byte) => {
    const isNew = isKnown[classes[byte]] === 0
    isKnown[classes[byte]] = 1
    return isNew
  })
}

/** Letters, digits, other printable characters, and the rest. */
const READABLE_FIRST: readonly number[] = Array.from({ length: BYTES }, (_, byte) => byte).sort((a, b) => rank(a) - rank(b) || a - b)

function rank(byte: number): number {
  const character = String.fromCharCode(byte)
  if (/[a-z]/.test(character)) return 0
  if (/[A-Z0-9]/.test(character)) return 1
  return byte > 0x20 && byte < 0x7f ? 2 : byte === 0x20 ? 3 : 4
}
