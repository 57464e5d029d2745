/**
 * The places of a pattern over bytes, between which an automaton moves (`text-automaton.ts`), and what does not depend on the texts that it has read: distances from the
 * end, and classes of bytes. A pattern with more places than the limit is refused.
 */
import { type Node, someNode } from '../expressions/pcre2/ast.js'
import { type ByteSet, BYTES, classesOf, negated, setOf, WORD } from '../expressions/pcre2/byte-set.js'
import { ANY, isAnchored, isEmptyWidth, literalNode, singleSet } from '../expressions/pattern-nodes.js'
import { toByteString } from '../source/byte-string.js'

/** The symbol behind the last byte. */
export const END_OF_TEXT = BYTES
/** Places of one pattern. */
const PLACES_LIMIT = 20_000
/** Copies of a repeated item; beyond them the repetition is unbounded here. */
const COPIES_LIMIT = 64
/** Optional copies: `{0,80}` is read as `*`. */
const OPTIONAL_LIMIT = 12
/** Depth to which patterns that call themselves are followed. */
const DEPTH_LIMIT = 60
/** Kinds of the byte before, which word boundaries and looks behind read. */
const BEFORE_LIMIT = 16
const SYMBOLS = BYTES + 1
/** Distance of a place from which the end cannot be reached. */
export const FAR = 1_000_000

const NEWLINE = setOf((byte) => byte === 0x0a)
const NOTHING = setOf(() => false)

/** One part of a pattern. Parts follow each other; a part that does not begin with an anchor may begin later. */
export interface Part {
  readonly node: Node
  /** The text of groups, from 1, or another body; undefined: what the group itself matches. */
  readonly fill?: ((group: number) => string | Node | undefined) | undefined
  /** Groups that have to take part. */
  readonly forced?: ReadonlySet<number> | undefined
  /** Words as the author wrote them. */
  readonly words?: readonly string[] | undefined
  /** The bodies of groups, for patterns that refer to them. */
  readonly groups?: readonly Node[] | undefined
}

export enum Op {
  Set,
  Split,
  /** The next symbol is in the set; `flag`: also the end of the text. */
  Next,
  /** The byte before is in the set; `flag`: also the beginning of the text. */
  Before,
  Accept,
  Fail,
}

export interface Place {
  readonly op: Op
  readonly set: ByteSet
  /** Index in the sets of bytes before, for `Before`. */
  readonly index: number
  readonly flag: boolean
  next: number
  other: number
}

/** Whether the body of a group accepts a text as a whole. */
type BodyAccepts = (body: Node, text: string) => boolean

class PatternTooLarge extends Error {}

export class TextProgram {
  readonly #places: Place[] = []
  readonly #befores: ByteSet[] = []
  readonly #bodyAccepts: BodyAccepts
  readonly start: number
  readonly accept: number
  /** Bytes from each place to the end. */
  readonly distances: Float64Array
  /** One place for each set of bytes before. */
  readonly beforePlaces: readonly Place[]
  /** For each symbol the class of those that the pattern does not tell apart. */
  readonly classes: Uint16Array
  readonly classCount: number
  /** Words of the pattern as its author wrote them. */
  readonly words: readonly string[]

  private constructor(parts: readonly Part[], isWhole: boolean, bodyAccepts: BodyAccepts) {
    this.#bodyAccepts = bodyAccepts
    this.words = parts.flatMap(({ words }) => words ?? [])
    this.accept = this.#add(Op.Accept)
    let next = isWhole ? this.#add(Op.Next, NOTHING, this.accept, true) : this.accept
    for (let at = parts.length - 1; at >= 0; at--) next = this.#addPart(parts[at], next, isWhole)
    this.start = next
    this.distances = this.#measure(this.accept)
    const { classes, count } = classesOfSymbols(this.#places)
    this.classes = classes
    this.classCount = count
    const first = new Map<number, Place>()
    for (const place of this.#places) if (place.op === Op.Before && !first.has(place.index)) first.set(place.index, place)
    this.beforePlaces = [...first.values()]
  }

  /** @param isWhole the parts are the whole text @param bodyAccepts whether a group accepts a text as a whole. Null: the pattern is too large */
  static of(parts: readonly Part[], isWhole: boolean, bodyAccepts: BodyAccepts): TextProgram | null {
    try {
      return new TextProgram(parts, isWhole, bodyAccepts)
    } catch (error) {
      if (error instanceof PatternTooLarge) return null
      throw error
    }
  }

  get places(): readonly Place[] {
    return this.#places
  }

  #add(op: Op, set: ByteSet = NOTHING, next = -1, flag = false, other = -1): number {
    if (this.#places.length >= PLACES_LIMIT) throw new PatternTooLarge()
    let index = -1
    if (op === Op.Before) {
      index = this.#befores.findIndex((known, at) => known === set && this.#places.some((place) => place.op === Op.Before && place.index === at && place.flag === flag))
      if (index < 0) index = this.#befores.push(set) - 1
      if (index >= BEFORE_LIMIT) throw new PatternTooLarge()
    }
    this.#places.push({ op, set, index, flag, next, other })
    return this.#places.length - 1
  }

  /** A part that begins here, or, without an anchor, behind any bytes. */
  #addPart(part: Part, next: number, isWhole: boolean): number {
    const here = this.#addNode(part.node, next, { part, atStart: true, atEnd: true, depth: 0 })
    if (isWhole) return here
    const later = isAnchored(part.node, 'subject_start') ? -1 : hasStart(part.node) ? this.#addNode(part.node, next, { part, atStart: false, atEnd: true, depth: 0 }) : here
    if (later < 0) return here
    const skip = this.#add(Op.Set, ANY)
    const loop = this.#add(Op.Split, NOTHING, later, false, skip)
    this.#places[skip].next = loop
    return later === here ? loop : this.#add(Op.Split, NOTHING, here, false, skip)
  }

  #addNode(node: Node, next: number, at: Position): number {
    if (at.depth > DEPTH_LIMIT) return next
    const { part, atStart } = at
    const inner: Position = { ...at, depth: at.depth + 1 }
    switch (node.kind) {
      case 'set':
        return this.#add(Op.Set, node.set, next)
      case 'code_point': {
        const [low] = node.ranges.find(([first]) => first >= 0x20) ?? node.ranges[0] ?? [0x61]
        return this.#addNode(literalNode(toByteString(String.fromCodePoint(low))), next, inner)
      }
      case 'sequence': {
        let entry = next
        for (let item = node.items.length - 1; item >= 0; item--)
          entry = this.#addNode(node.items[item], entry, {
            ...inner,
            atStart: atStart && node.items.slice(0, item).every(isEmptyWidth),
            atEnd: at.atEnd && item === node.items.length - 1,
          })
        return entry
      }
      case 'alternation': {
        const forced = node.branches.filter((branch) => hasGroup(branch, part.forced))
        const branches = forced.length > 0 ? forced : node.branches
        let entry = this.#addNode(branches[branches.length - 1], next, inner)
        for (let branch = branches.length - 2; branch >= 0; branch--) entry = this.#add(Op.Split, NOTHING, this.#addNode(branches[branch], next, inner), false, entry)
        return entry
      }
      case 'capture': {
        const filled = part.fill?.(node.index)
        if (filled === undefined) return this.#addNode(node.body, next, inner)
        if (typeof filled !== 'string') return this.#addNode(filled, next, inner)
        // Alternatives may have a group of one number each.
        return this.#bodyAccepts(node.body, filled) ? this.#addNode(literalNode(filled), at.atEnd ? this.#addEndOfGroup(node.body, next) : next, inner) : this.#add(Op.Fail)
      }
      case 'atomic':
        return this.#addNode(node.body, next, inner)
      case 'repeat':
        return this.#addRepeat(node, next, { ...inner, atStart: false, atEnd: false }, atStart)
      case 'assertion':
        return this.#addAssertion(node.test, next, atStart)
      case 'look': {
        const set = singleSet(node)
        if (set === null) return next
        if (node.behind) return this.#add(Op.Before, node.negative ? negatedOnce(set) : set, next, node.negative)
        return this.#add(Op.Next, node.negative ? negatedOnce(set) : set, next, node.negative)
      }
      case 'backreference': {
        const group = node.groups[0] ?? 0
        const filled = part.fill?.(group)
        const body = filled === undefined ? part.groups?.[group] : typeof filled === 'string' ? literalNode(filled) : filled
        return body === undefined ? next : this.#addNode(body, next, inner)
      }
      case 'subroutine': {
        const body = part.groups?.[node.group]
        return body === undefined ? next : this.#addNode(body, next, inner)
      }
      case 'conditional':
        return this.#add(Op.Split, NOTHING, this.#addNode(node.yes, next, inner), false, node.no === null ? next : this.#addNode(node.no, next, inner))
      case 'verb':
        return node.verb === 'fail' ? this.#add(Op.Fail) : next
      default:
        return next
    }
  }

  #addRepeat(node: Extract<Node, { kind: 'repeat' }>, next: number, at: Position, atStart: boolean): number {
    const { body, max } = node
    const min = node.min === 0 && hasGroup(body, at.part.forced) ? 1 : node.min
    const copies = Math.min(min, COPIES_LIMIT)
    let entry = next
    if (max === Number.POSITIVE_INFINITY || max - min > OPTIONAL_LIMIT) {
      const loop = this.#add(Op.Split, NOTHING, -1, false, next)
      this.#places[loop].next = this.#addNode(body, loop, at)
      entry = loop
    } else for (let count = min; count < max; count++) entry = this.#add(Op.Split, NOTHING, this.#addNode(body, entry, at), false, next)
    for (let count = 0; count < copies; count++) entry = this.#addNode(body, entry, count === copies - 1 ? { ...at, atStart } : at)
    return entry
  }

  #addAssertion(test: Extract<Node, { kind: 'assertion' }>['test'], next: number, atStart: boolean): number {
    switch (test) {
      case 'subject_start':
        return atStart ? next : this.#add(Op.Fail)
      case 'subject_end':
        return this.#add(Op.Next, NOTHING, next, true)
      case 'final_end':
        return this.#add(Op.Next, NOTHING, next, true)
      case 'line_start':
        return atStart ? next : this.#add(Op.Before, NEWLINE, next, true)
      case 'line_end':
        return this.#add(Op.Next, NEWLINE, next, true)
      case 'word_boundary':
        return this.#addBoundary(next, true)
      case 'not_word_boundary':
        return this.#addBoundary(next, false)
      default:
        return next
    }
  }

  /** Behind the text of a group that takes as many bytes as it can: a byte that it cannot take, or the end. */
  #addEndOfGroup(body: Node, next: number): number {
    if (body.kind !== 'repeat' || body.max !== Number.POSITIVE_INFINITY || body.mode === 'lazy' || body.body.kind !== 'set') return next
    return this.#add(Op.Next, negatedOnce(body.body.set), next, true)
  }

  #addBoundary(next: number, differs: boolean): number {
    const behindWord = this.#add(Op.Before, WORD, differs ? this.#add(Op.Next, NOT_WORD, next, true) : this.#add(Op.Next, WORD, next))
    const behindOther = this.#add(Op.Before, NOT_WORD, differs ? this.#add(Op.Next, WORD, next) : this.#add(Op.Next, NOT_WORD, next, true), true)
    return this.#add(Op.Split, NOTHING, behindWord, false, behindOther)
  }

  /** Distances from the end, backwards over the places. */
  #measure(accept: number): Float64Array {
    const distances = new Float64Array(this.#places.length).fill(FAR)
    const before: number[][] = this.#places.map(() => [])
    for (const [at, { next, other }] of this.#places.entries()) {
      if (next >= 0) before[next].push(at)
      if (other >= 0) before[other].push(at)
    }
    // Steps without a byte first: a queue with two ends.
    let now = [accept]
    for (let distance = 0; now.length > 0; distance++) {
      const later: number[] = []
      while (now.length > 0) {
        const at = now.pop() as number
        if (distances[at] <= distance) continue
        distances[at] = distance
        for (const from of before[at]) {
          const { op, set } = this.#places[from]
          if (op === Op.Fail || (op === Op.Set && set.indexOf(1) < 0)) continue
          ;(op === Op.Set ? later : now).push(from)
        }
      }
      now = later
    }
    return distances
  }
}

interface Position {
  readonly part: Part
  /** Whether nothing of the part stands before. */
  readonly atStart: boolean
  /** Whether nothing of the part follows. */
  readonly atEnd: boolean
  readonly depth: number
}

/** Whether a group of the list is in the tree. */
function hasGroup(node: Node, groups: ReadonlySet<number> | undefined): boolean {
  return groups !== undefined && groups.size > 0 && someNode(node, (each) => each.kind === 'capture' && groups.has(each.index))
}

/** The classes of the symbols that no place tells apart. The end of the text is a class of its own. */
function classesOfSymbols(places: readonly Place[]): { readonly classes: Uint16Array; readonly count: number } {
  const sets = new Set<ByteSet>()
  for (const { op, set } of places) if (op === Op.Set || op === Op.Next || op === Op.Before) sets.add(set)
  const ofBytes = classesOf(sets)
  const classes = new Uint16Array(SYMBOLS)
  classes.set(ofBytes.classes)
  classes[END_OF_TEXT] = ofBytes.count
  return { classes, count: ofBytes.count + 1 }
}

const NOT_WORD = negated(WORD)
const NEGATED = new WeakMap<ByteSet, ByteSet>()

function negatedOnce(set: ByteSet): ByteSet {
  let found = NEGATED.get(set)
  if (found === undefined) NEGATED.set(set, (found = negated(set)))
  return found
}

/** Whether the pattern has an anchor at its beginning anywhere. */
function hasStart(node: Node): boolean {
  switch (node.kind) {
    case 'assertion':
      return node.test === 'subject_start' || node.test === 'line_start'
    case 'sequence':
      return node.items.some(hasStart)
    case 'alternation':
      return node.branches.some(hasStart)
    case 'capture':
    case 'atomic':
    case 'repeat':
      return hasStart(node.body)
    default:
      return false
  }
}
