/**
 * Tests in linear time whether a pattern matches: a deterministic automaton over the instructions of the machine. Its states are
 * created when a subject first reaches them.
 *
 * 1. A state is the set of instructions that some attempt has reached, and the class of the byte before them, which assertions need.
 * 2. States are a cache with a limit per automaton and one per thread. Beyond the limit the states are dropped and created again.
 * 3. A search that creates too many states ends undecided, and the backtracking machine runs within its own limits.
 */
import { ASSERTIONS, assemble } from './assemble.js'
import { someNode, type AssertionTest, type Node, type Pattern } from './ast.js'
import { BYTES, WORD, type ByteSet } from './byte-set.js'
import { firstOf } from './first-bytes.js'
import { Op, type Program } from './program.js'
import { SyntaxFault } from './syntax-error.js'

/** Maximum count of a repeat. A program contains that many copies of its body. */
const MAX_COUNT = 1000
/** Instructions examined by one test. A test that exceeds this is undecided, after some 110 ms of states that no later byte reuses. */
const MAX_WORK = 1 << 20
/** 256 KB of states per automaton. Ordinary patterns need 20 to 200 states of a few numbers. */
const MAX_OWN_INTS = 1 << 16
/** 32 MB of states per thread, for any number of patterns. */
const MAX_SHARED_INTS = 1 << 23

/** Initial capacity of a table, in states. */
const FIRST_ROOM = 8
const NO_TABLE = new Int32Array(0)

const LF = 0x0a
/** What precedes an instruction: nothing, a line feed, a byte of a word, another byte. */
const BEFORE_ALL = 0
const BEHIND_LF = 1
const BEHIND_WORD = 2
const BEHIND_OTHER = 3

/** Values in the table of transitions: unknown, no match possible, a match. Numbers of states follow, the initial one first. */
const UNKNOWN = 0
const DEAD = 1
const MATCHED = 2
const FIRST_STATE = 3

/** Memory that automata share. Beyond its limit all of them drop their states. */
export class StateMemory {
  readonly #maxInts: number
  /** Ints of all states, at least. Those of automata that no longer exist count until all states are dropped. */
  #ints = 0
  /** The automata that have states. Those of a ruleset that is gone may go with it. */
  #holders: WeakRef<Automaton>[] = []

  constructor(maxInts: number) {
    this.#maxInts = maxInts
  }

  register(automaton: Automaton): void {
    this.#holders.push(new WeakRef(automaton))
  }

  /** @param ints may be negative */
  add(ints: number): void {
    this.#ints += ints
  }

  hasRoomFor(ints: number): boolean {
    return this.#ints + ints <= this.#maxInts
  }

  /** Drops the states of all automata. */
  clear(): void {
    for (const holder of this.#holders) holder.deref()?.release()
    this.#holders = []
    this.#ints = 0
  }
}

const ofThread = new StateMemory(MAX_SHARED_INTS)

/** Whether an automaton can run the pattern. With `captures`, whether a memoizing machine also reports the groups as PCRE2 does. */
export function isLinear({ root, utf, ucp, newline, notEmpty, limitMatch }: Pattern, captures: boolean): boolean {
  if (utf || ucp || newline !== 'lf' || notEmpty !== 'no' || limitMatch !== null) return false
  return !someNode(root, (node) => !isRegular(node) || (captures && node.kind === 'repeat' && node.min !== node.max && firstOf(node.body).nullable))
}

function isRegular(node: Node): boolean {
  switch (node.kind) {
    case 'empty':
    case 'set':
    case 'sequence':
    case 'alternation':
    case 'capture':
    case 'assertion':
      return true
    case 'repeat':
      return node.mode !== 'possessive' && node.min <= MAX_COUNT && (node.max <= MAX_COUNT || node.max === Number.POSITIVE_INFINITY)
    default:
      return false
  }
}

/** The program with all repetitions expanded to branches; null when the pattern is not linear or the program would be too large. */
export function assembleLinear(pattern: Pattern): Program | null {
  if (!isLinear(pattern, false)) return null
  try {
    return assemble(pattern, true)
  } catch (fault) {
    if (fault instanceof SyntaxFault) return null
    throw fault
  }
}

interface State {
  readonly pcs: readonly number[]
  readonly before: number
}

export class Automaton {
  private readonly code: Int32Array
  private readonly sets: readonly ByteSet[]
  /** Whether an attempt begins at every byte. */
  private readonly startsAgain: boolean
  /** Class of each byte. Bytes that no instruction distinguishes have the same class. */
  private readonly classOf = new Uint8Array(BYTES)
  /** One byte of each class, then the line feed that ends the subject, then the end. */
  private readonly bytes: number[] = []
  private readonly finalLf: number
  private readonly end: number
  private states: State[] = []
  private readonly numbers = new Map<string, number>()
  private table = NO_TABLE
  /** Number of ints that the states and their table take. */
  private ints = 0
  private work = 0

  constructor(
    program: Program,
    private readonly memory: StateMemory = ofThread,
  ) {
    this.code = program.code
    this.sets = program.sets
    this.startsAgain = program.starts !== 'subject'
    const keys = new Map<string, number>()
    const singles = singleBytes(program.code)
    for (let byte = 0; byte < BYTES; byte++) {
      const key = singles.has(byte) || byte === LF ? `=${byte}` : `${WORD[byte]}${program.sets.map((set) => set[byte]).join('')}`
      let number = keys.get(key)
      if (number === undefined) {
        number = keys.size
        keys.set(key, number)
        this.bytes.push(byte)
      }
      this.classOf[byte] = number
    }
    this.finalLf = this.bytes.push(LF) - 1
    this.end = this.bytes.push(-1) - 1
  }

  /** Ints that its states take now. */
  get size(): number {
    return this.ints
  }

  /** Returns null when undecided. */
  test(text: string): boolean | null {
    if (this.ints === 0) this.reset()
    this.work = 0
    const { classOf } = this
    const width = this.bytes.length
    const last = text.length - 1
    let state = FIRST_STATE
    for (let at = 0; at <= last; at++) {
      const byte = text.charCodeAt(at)
      const index = at === last && byte === LF ? this.finalLf : classOf[byte]
      let next = this.table[state * width + index]
      if (next === UNKNOWN) {
        if (this.work > MAX_WORK) return null
        next = this.step(state, index)
      }
      if (next <= MATCHED) return next === MATCHED
      state = next
    }
    const next = this.table[state * width + this.end]
    return (next === UNKNOWN ? this.step(state, this.end) : next) === MATCHED
  }

  /** Drops the states. */
  release(): void {
    this.states = []
    this.numbers.clear()
    this.table = NO_TABLE
    this.ints = 0
  }

  /** Drops the states but the initial one. */
  private reset(): void {
    if (this.ints === 0) this.memory.register(this)
    this.memory.add(-this.ints)
    this.release()
    this.states.push(NO_STATE, NO_STATE, NO_STATE)
    this.table = new Int32Array(FIRST_ROOM * this.bytes.length)
    this.ints = this.table.length
    this.memory.add(this.ints)
    this.add([0], BEFORE_ALL)
  }

  private stateOf(pcs: readonly number[], before: number): number {
    const number = this.numbers.get(keyOf(pcs, before))
    if (number !== undefined) return number
    const size = this.sizeOf(pcs)
    if (this.ints + size > MAX_OWN_INTS) this.reset()
    if (!this.memory.hasRoomFor(size)) {
      this.memory.clear()
      this.reset()
    }
    return this.add(pcs, before)
  }

  private add(pcs: readonly number[], before: number): number {
    const size = this.sizeOf(pcs)
    this.ints += size
    this.memory.add(size)
    const number = this.states.push({ pcs, before }) - 1
    this.numbers.set(keyOf(pcs, before), number)
    if (number * this.bytes.length >= this.table.length) {
      const grown = new Int32Array(2 * this.table.length)
      grown.set(this.table)
      this.table = grown
    }
    return number
  }

  /** Ints of a state: its row in the table, and its instructions. */
  private sizeOf(pcs: readonly number[]): number {
    return this.bytes.length + 2 * pcs.length
  }

  /** The next state for a byte of a class, or for the end. */
  private step(state: number, index: number): number {
    const { code, sets, bytes } = this
    const { pcs, before } = this.states[state]
    const byte = bytes[index]
    const seen = new Set<number>(pcs)
    const next: number[] = []
    let matched = false
    for (const pc of seen) {
      this.work++
      switch (code[pc]) {
        case Op.MATCH:
          matched = true
          break
        case Op.BYTE:
          if (code[pc + 1] === byte) next.push(pc + 2)
          break
        case Op.SET:
          if (byte >= 0 && sets[code[pc + 1]][byte] === 1) next.push(pc + 2)
          break
        case Op.SPLIT:
          seen.add(code[pc + 1])
          seen.add(code[pc + 2])
          break
        case Op.JUMP:
          seen.add(code[pc + 1])
          break
        case Op.ASSERT:
          if (this.holds(ASSERTIONS[code[pc + 1]], before, index)) seen.add(pc + 2)
          break
        case Op.MARK:
          seen.add(pc + 2)
          break
        default:
          // CLOSE and IF_EMPTY: the following choice leads wherever an empty iteration leads
          seen.add(pc + 3)
      }
      if (matched) break
    }
    const target = matched ? MATCHED : byte < 0 ? DEAD : this.stateAfter(next, byte)
    // the state may have been dropped with all others
    if (this.states[state]?.pcs === pcs) this.table[state * bytes.length + index] = target
    return target
  }

  private stateAfter(next: number[], byte: number): number {
    if (this.startsAgain) next.push(0)
    if (next.length === 0) return DEAD
    next.sort((a, b) => a - b)
    return this.stateOf(next, byte === LF ? BEHIND_LF : WORD[byte] === 1 ? BEHIND_WORD : BEHIND_OTHER)
  }

  /** Same as `assertionHolds`, for the newline LF and bytes known by their class. */
  private holds(test: AssertionTest, before: number, index: number): boolean {
    const isEnd = index === this.end
    const byte = this.bytes[index]
    switch (test) {
      case 'subject_start':
        return before === BEFORE_ALL
      case 'subject_end':
        return isEnd
      case 'final_end':
        return isEnd || index === this.finalLf
      case 'line_start':
        return before === BEFORE_ALL || (before === BEHIND_LF && !isEnd)
      case 'line_end':
        return isEnd || byte === LF
      case 'word_boundary':
        return (before === BEHIND_WORD) !== (byte >= 0 && WORD[byte] === 1)
      case 'not_word_boundary':
        return (before === BEHIND_WORD) === (byte >= 0 && WORD[byte] === 1)
      case 'not_newline':
        return byte !== LF
    }
  }
}

const NO_STATE: State = { pcs: [], before: BEFORE_ALL }

function keyOf(pcs: readonly number[], before: number): string {
  return `${before} ${pcs.join(' ')}`
}

function singleBytes(code: Int32Array): Set<number> {
  const singles = new Set<number>()
  for (let pc = 0; pc < code.length; pc += LENGTHS[code[pc]]) if (code[pc] === Op.BYTE) singles.add(code[pc + 1])
  return singles
}

/** Lengths, in ints, of the instructions of a linear program. */
const LENGTHS: Readonly<Record<number, number>> = {
  [Op.MATCH]: 1,
  [Op.BYTE]: 2,
  [Op.SET]: 2,
  [Op.SPLIT]: 3,
  [Op.JUMP]: 2,
  [Op.MARK]: 2,
  [Op.CLOSE]: 3,
  [Op.ASSERT]: 2,
  [Op.IF_EMPTY]: 3,
}
