/**
 * An automaton over bytes for the search for texts: it tells after each byte whether a pattern is found, can no longer be found, and how many bytes it still needs.
 * Its states are sets of places in the pattern, built when they are reached. Those beyond the limit are left out.
 */
import type { Node } from '../expressions/pcre2/ast.js'
import { END_OF_TEXT, FAR, Op, type Part, TextProgram } from './text-program.js'

/** State: no continuation matches. */
export const DEAD = 0
/** State: the pattern is found; nothing that follows changes that. */
export const FOUND = 1
/** States of one pattern. */
export const STATES_LIMIT = 4_000
const UNKNOWN = -1

export class TextAutomaton {
  readonly #program: TextProgram
  /** States by the hash of their places. */
  readonly #ids = new Map<number, number[]>()
  readonly #members: Int32Array[] = []
  /** For each state the places that read the next symbol; null: the pattern is found in any case. */
  readonly #leaves: (readonly number[] | null)[] = []
  readonly #contexts: number[] = []
  /** For each state the next one by the class of the symbol. */
  readonly #steps: Int16Array[] = []
  readonly #needed: number[] = []
  /** Stamps of places that one computation has seen, or reached. */
  readonly #seen: Int32Array
  readonly #reached: Int32Array
  #stamp = 0
  readonly #open: number[] = []
  /** For each symbol the class of those that the pattern does not tell apart. */
  readonly classes: Uint16Array
  readonly classCount: number
  readonly initial: number
  /** Whether states beyond the limit were left out: some texts are then taken for those without the pattern. */
  isTruncated = false

  /** An automaton that has visited nothing yet. */
  constructor(program: TextProgram) {
    this.#program = program
    this.classes = program.classes
    this.classCount = program.classCount
    this.#seen = new Int32Array(program.places.length)
    this.#reached = new Int32Array(program.places.length)
    // The two final states.
    this.#intern(new Int32Array(0), 0)
    this.#intern(Int32Array.of(program.accept), 0)
    this.initial = this.#intern(Int32Array.of(program.start), this.#contextOf(UNKNOWN))
  }

  /** @param isWhole the parts are the whole text. Null: the pattern is too large */
  static of(parts: readonly Part[], isWhole = false): TextAutomaton | null {
    const program = programOf(parts, isWhole)
    return program === null ? null : new TextAutomaton(program)
  }

  /** Words of the pattern as its author wrote them. */
  get words(): readonly string[] {
    return this.#program.words
  }

  /** The state after a symbol. */
  step(state: number, symbol: number): number {
    if (state <= FOUND) return state
    const known = this.#steps[state][this.classes[symbol]]
    if (known !== UNKNOWN) return known
    const next = this.#compute(state, symbol)
    this.#steps[state][this.classes[symbol]] = next
    return next
  }

  /** Bytes that the pattern needs at least. */
  needed(state: number): number {
    return this.#needed[state]
  }

  /** Whether the pattern is found in the text. */
  accepts(text: string): boolean {
    let state = this.initial
    for (let at = 0; at < text.length && state > FOUND; at++) state = this.step(state, text.charCodeAt(at))
    return this.step(state, END_OF_TEXT) === FOUND
  }

  #compute(state: number, symbol: number): number {
    const { places } = this.#program
    const leaves = this.#leaves[state]
    if (leaves === null) return FOUND
    const stamp = ++this.#stamp
    const reached: number[] = []
    const pending = this.#open
    pending.length = 0
    const read = (at: number): void => {
      const { op, set, flag, next } = places[at]
      if (op === Op.Set) {
        if (symbol === END_OF_TEXT || set[symbol] === 0 || this.#reached[next] === stamp) return
        this.#reached[next] = stamp
        reached.push(next)
      } else if (symbol === END_OF_TEXT ? flag : set[symbol] === 1) pending.push(next)
    }
    for (const at of leaves) read(at)
    if (pending.length > 0) {
      const more: number[] = []
      // What stands behind a test of the next symbol reads that symbol, too.
      while (pending.length > 0) {
        more.length = 0
        if (this.#close(this.#contexts[state], stamp, more)) return FOUND
        for (const at of more) read(at)
      }
    }
    return reached.length === 0 ? DEAD : this.#intern(new Int32Array(reached).sort(), symbol === END_OF_TEXT ? 0 : this.#contextOf(symbol))
  }

  /** Adds the places that read the next symbol, from those in `#open` on. Returns whether the pattern is found. */
  #close(context: number, stamp: number, leaves: number[]): boolean {
    const { places } = this.#program
    const open = this.#open
    while (open.length > 0) {
      const at = open.pop() as number
      if (this.#seen[at] === stamp) continue
      this.#seen[at] = stamp
      const { op, index, next, other } = places[at]
      switch (op) {
        case Op.Accept:
          open.length = 0
          return true
        case Op.Set:
        case Op.Next:
          leaves.push(at)
          break
        case Op.Split:
          open.push(next, other)
          break
        case Op.Before:
          if ((context & (1 << index)) !== 0) open.push(next)
          break
        case Op.Fail:
          break
      }
    }
    return false
  }

  /** Bits of the sets that have the byte before. */
  #contextOf(byte: number): number {
    let bits = 0
    for (const { set, flag, index } of this.#program.beforePlaces) if (byte === UNKNOWN ? flag : set[byte] === 1) bits |= 1 << index
    return bits
  }

  #intern(members: Int32Array, context: number): number {
    let hash = context
    for (const at of members) hash = (Math.imul(hash, 31) + at) | 0
    const alike = this.#ids.get(hash)
    if (alike !== undefined) for (const id of alike) if (this.#contexts[id] === context && isSameList(this.#members[id], members)) return id
    const id = this.#members.length
    if (id >= STATES_LIMIT) {
      this.isTruncated = true
      return DEAD
    }
    if (alike === undefined) this.#ids.set(hash, [id])
    else alike.push(id)
    this.#members.push(members)
    this.#contexts.push(context)
    this.#steps.push(new Int16Array(id <= FOUND ? 0 : this.classCount).fill(UNKNOWN))
    const { distances } = this.#program
    this.#needed.push(id === DEAD ? FAR : id === FOUND ? 0 : members.reduce((least, at) => Math.min(least, distances[at]), FAR))
    const leaves: number[] = []
    this.#open.length = 0
    for (const at of members) this.#open.push(at)
    this.#leaves.push(this.#close(context, ++this.#stamp, leaves) ? null : leaves)
    return id
  }
}

/** The program of a pattern, for any number of automata. Null: the pattern is too large. @param isWhole the parts are the whole text */
export function programOf(parts: readonly Part[], isWhole = false): TextProgram | null {
  return TextProgram.of(parts, isWhole, bodyAccepts)
}

function bodyAccepts(body: Node, text: string): boolean {
  return TextAutomaton.of([{ node: body }], true)?.accepts(text) === true
}

function isSameList(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
