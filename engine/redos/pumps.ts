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
  readonly #positions: Positions
  readonly #classes: ByteClasses
  /** By position: those from which one comes back to it. */
  readonly #loops: readonly number[]
  readonly #prefixes: ReadonlyMap<number, string>
  readonly #budget: Budget

  constructor(positions: Positions, budget: Budget) {
    this.#positions = positions
    this.#budget = budget
    this.#classes = new ByteClasses(positions.sets)
    this.#prefixes = this.#shortestTexts(positions.start)
    this.#loops = positions.sets.map((_, position) => position).filter((position) => this.#prefixes.has(position) && this.#returnsTo(position))
  }

  run(most: number): Pump[] {
    const found = new Map<string, Pump>()
    const add = (position: number, pump: string | null, isMultiplied: boolean): void => {
      if (pump === null) return
      const prefix = this.#prefixes.get(position) ?? ''
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
    const { start } = this.#positions
    const pairs = this.#loops.flatMap((first) => {
      const behind = this.#shortestTexts(first)
      return this.#loops.filter((second) => second !== first && behind.has(second)).map((second): [number, number] => [first, second])
    })
    return pairs.sort(([a], [b]) => Number(a === start) - Number(b === start))
  }

  /** The shortest text that leads from a position to each other one; to itself it is empty. */
  #shortestTexts(from: number): Map<number, string> {
    const { follow } = this.#positions
    const texts = new Map([[from, '']])
    for (const [position, text] of texts) {
      for (const next of follow[position].keys()) {
        if (--this.#budget.left <= 0) return texts
        if (texts.has(next)) continue
        const index = this.#classes.common(next)
        if (index >= 0) texts.set(next, text + String.fromCharCode(this.#classes.bytes[index]))
      }
    }
    return texts
  }

  #returnsTo(position: number): boolean {
    const { follow } = this.#positions
    return [...follow[position].keys()].some((next) => this.#shortestTexts(next).has(position))
  }

  /** A text that leads from the position back to it in two ways. */
  #doubled(position: number): string | null {
    const { follow } = this.#positions
    // Two walks, and whether they have been apart.
    return this.#search(2, [position, position, 0], [position, position, 1], (a, b, apart, visit) => {
      for (const [nextA, ways] of follow[a]) for (const nextB of follow[b].keys()) if (visit(nextA, nextB, apart === 1 || nextA !== nextB || ways > 1 ? 1 : 0)) return
    })
  }

  /** A text that both loops read, and that leads from the first to the second. */
  #passed(first: number, second: number): string | null {
    const { follow } = this.#positions
    return this.#search(3, [first, first, second], [first, second, second], (a, b, c, visit) => {
      for (const nextA of follow[a].keys()) for (const nextB of follow[b].keys()) for (const nextC of follow[c].keys()) if (visit(nextA, nextB, nextC)) return
    })
  }

  /**
   * The shortest text from one state to another one that all walks read. States are made by the hundred thousand, so each is a number.
   * @param walks numbers of a state that are positions @param eachNext visits the states that follow, until a visit says that this was enough
   */
  #search(walks: 2 | 3, from: State, to: State, eachNext: (a: number, b: number, c: number, visit: Visit) => void): string | null {
    const width = this.#positions.sets.length + 1
    const keyOf = (a: number, b: number, c: number): number => (a * width + b) * width + c
    const start = keyOf(...from)
    const goal = keyOf(...to)
    const texts = new Map<number, string>([[start, '']])
    const open = [start]
    let text = ''
    let found: string | null = null
    let isOver = false
    const visit: Visit = (a, b, c) => {
      if (--this.#budget.left <= 0) {
        isOver = true
        return true
      }
      const key = keyOf(a, b, c)
      if (texts.has(key)) return false
      const index = walks === 2 ? this.#classes.common(a, b) : this.#classes.common(a, b, c)
      if (index < 0) return false
      const longer = text + String.fromCharCode(this.#classes.bytes[index])
      if (key === goal) {
        found = longer
        isOver = true
        return true
      }
      texts.set(key, longer)
      open.push(key)
      return false
    }
    for (const state of open) {
      text = texts.get(state) ?? ''
      const [rest, c] = [Math.floor(state / width), state % width]
      eachNext(Math.floor(rest / width), rest % width, c, visit)
      if (isOver) break
    }
    return found
  }
}

type State = readonly [number, number, number]
/** Takes the numbers of a state. @returns whether no other one is needed */
type Visit = (a: number, b: number, c: number) => boolean
