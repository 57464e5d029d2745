/**
 * Finds texts that a backtracking matcher reads in many ways: a loop that reads one text twice (the ways double with each copy), or two loops, one behind the
 * other, that read the same text (the ways are the places where it may pass from one to the other).
 */
import type { Budget } from './budget.js'
import { ByteClasses, type Positions } from './positions.js'

/** Steps of the search in one pattern, so that none takes what others need. */
const STEPS_LIMIT = 300_000
/** A step takes as long as that many counted calls. */
const COST_OF_STEP = 8
/** A text that leads to a loop, and the text that it reads in many ways, as byte strings. */
export interface Pump {
  readonly prefix: string
  readonly pump: string
  /** Whether one loop reads the text twice, so that each copy multiplies the ways. */
  readonly isMultiplied: boolean
}

/** Candidates, those of loops that multiply first. The search is bounded, so there may be others. @param most candidates */
export function findPumps(positions: Positions, most: number, budget: Budget): Pump[] {
  const own: Budget = { left: Math.min(STEPS_LIMIT, Math.ceil(budget.left / COST_OF_STEP)) }
  const before = own.left
  const found = new PumpSearch(positions, own).run(most)
  budget.left -= (before - own.left) * COST_OF_STEP
  return found
}

class PumpSearch {
  readonly #start: number
  /** The positions that may follow each position. */
  readonly #next: readonly (readonly number[])[]
  /** By position: whether there are several ways to each of those. */
  readonly #isDouble: readonly (readonly boolean[])[]
  readonly #classes: ByteClasses
  /** By position: those from which one comes back to it. */
  readonly #loops: readonly number[]
  readonly #prefixes: Texts
  readonly #budget: Budget

  constructor({ start, follow, sets }: Positions, budget: Budget) {
    this.#start = start
    this.#next = follow.map((reached) => [...reached.keys()])
    this.#isDouble = follow.map((reached) => Array.from(reached.values(), (ways) => ways > 1))
    this.#budget = budget
    this.#classes = new ByteClasses(sets)
    this.#prefixes = this.#shortestTexts(start)
    this.#loops = sets.map((_, position) => position).filter((position) => this.#prefixes.has(position) && this.#returnsTo(position))
  }

  run(most: number): Pump[] {
    const found = new Map<string, Pump>()
    const add = (position: number, pump: string | null, isMultiplied: boolean): void => {
      if (pump === null) return
      const prefix = this.#prefixes.textOf(position)
      const key = `${prefix}\0${pump}`
      if (!found.has(key)) found.set(key, { prefix, pump, isMultiplied })
    }
    for (const position of this.#loops) {
      if (this.#budget.left <= 0 || found.size >= most) break
      add(position, this.#doubled(position), true)
    }
    for (const [first, second] of this.#pairs()) {
      if (this.#budget.left <= 0 || found.size >= most) break
      add(first, this.#passed(first, second), false)
    }
    return [...found.values()]
  }

  /** Pairs of loops of which the second is behind the first, the start last: its attacks are the mildest. */
  #pairs(): [number, number][] {
    const pairs = this.#loops.flatMap((first) => {
      const behind = this.#shortestTexts(first)
      return this.#loops.filter((second) => second !== first && behind.has(second)).map((second): [number, number] => [first, second])
    })
    return pairs.sort(([a], [b]) => Number(a === this.#start) - Number(b === this.#start))
  }

  /** Adds a key that was not reached before, if the three positions read one byte. Returns whether it did. */
  #reach(texts: Texts, key: number, before: number, a: number, b: number, c: number): boolean {
    if (texts.has(key)) return false
    const byte = this.#classes.common(a, b, c)
    if (byte < 0) return false
    texts.add(key, before, byte)
    return true
  }

  /** The shortest text that leads from a position to each other one; to itself it is empty. */
  #shortestTexts(from: number): Texts {
    const texts = new Texts(from)
    for (let at = 0; at < texts.count; at++) {
      const position = texts.keyAt(at)
      for (const next of this.#next[position]) {
        if (--this.#budget.left <= 0) return texts
        this.#reach(texts, next, at, next, next, next)
      }
    }
    return texts
  }

  #returnsTo(position: number): boolean {
    return this.#next[position].some((next) => this.#shortestTexts(next).has(position))
  }

  /** The shortest text that leads from the position back to it in two ways. */
  #doubled(position: number): string | null {
    const width = this.#next.length
    // Two walks, and whether they have been apart.
    const keyOf = (a: number, b: number, isApart: boolean): number => (a * width + b) * 2 + (isApart ? 1 : 0)
    const goal = keyOf(position, position, true)
    const texts = new Texts(keyOf(position, position, false))
    for (let at = 0; at < texts.count; at++) {
      const key = texts.keyAt(at)
      const a = Math.floor(key / 2 / width)
      const b = Math.floor(key / 2) % width
      const nextOfA = this.#next[a]
      for (let i = 0; i < nextOfA.length; i++)
        for (const nextB of this.#next[b]) {
          if (--this.#budget.left <= 0) return null
          const nextA = nextOfA[i]
          const next = keyOf(nextA, nextB, key % 2 === 1 || nextA !== nextB || this.#isDouble[a][i])
          if (this.#reach(texts, next, at, nextA, nextB, nextB) && next === goal) return texts.textOf(next)
        }
    }
    return null
  }

  /** The shortest text that both loops read, and that leads from the first to the second. */
  #passed(first: number, second: number): string | null {
    const width = this.#next.length
    const keyOf = (a: number, b: number, c: number): number => (a * width + b) * width + c
    const goal = keyOf(first, second, second)
    const texts = new Texts(keyOf(first, first, second))
    for (let at = 0; at < texts.count; at++) {
      const key = texts.keyAt(at)
      const ofC = this.#next[key % width]
      const ofB = this.#next[Math.floor(key / width) % width]
      for (const a of this.#next[Math.floor(key / width / width)])
        for (const b of ofB)
          for (const c of ofC) {
            if (--this.#budget.left <= 0) return null
            const next = keyOf(a, b, c)
            if (this.#reach(texts, next, at, a, b, c) && next === goal) return texts.textOf(next)
          }
    }
    return null
  }
}

/** What a search has reached, in the order of the length of the texts that lead there: each key with the one before it and the byte between them. */
class Texts {
  readonly #indexes = new Map<number, number>()
  readonly #keys: number[] = []
  readonly #before: number[] = []
  readonly #bytes: number[] = []

  constructor(first: number) {
    this.add(first, -1, 0)
  }

  get count(): number {
    return this.#keys.length
  }

  keyAt(index: number): number {
    return this.#keys[index]
  }

  has(key: number): boolean {
    return this.#indexes.has(key)
  }

  /** @param before the index of the key from which the byte leads to this one */
  add(key: number, before: number, byte: number): void {
    this.#indexes.set(key, this.#keys.length)
    this.#keys.push(key)
    this.#before.push(before)
    this.#bytes.push(byte)
  }

  /** The text that leads to a key that was reached, as a byte string. */
  textOf(key: number): string {
    let text = ''
    for (let index = this.#indexes.get(key) ?? 0; index > 0; index = this.#before[index]) text = String.fromCharCode(this.#bytes[index]) + text
    return text
  }
}
