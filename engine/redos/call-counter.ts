/**
 * Counts what PCRE2 counts against its match limit: the calls of its matching function, one for each choice that it may come back to. What a pattern costs Wazuh
 * in the worst case follows from this number, and not from the steps of this engine's machine, which skips positions that PCRE2 tries.
 */
import { ASSERTIONS, assemble } from '../expressions/pcre2/assemble.js'
import { assertionHolds } from '../expressions/pcre2/assertions.js'
import type { Pattern } from '../expressions/pcre2/ast.js'
import { Op, type Program } from '../expressions/pcre2/program.js'
import { isPossessive } from './possessive.js'
import { lastStart, type Preconditions, preconditionsOf } from './preconditions.js'

const FRAME = 4
const FIRST_STACK_INTS = 1 << 12
/** 16 MB. A search that needs more is undecided. */
const STACK_INTS_LIMIT = 1 << 22

/** Bytes that a repetition of one set passes in the time of a call: 0.9 ns each in `pcre2test` 10.42, measured on 2026-11-29. */
export const BYTES_PER_CALL = 14

/** Kinds of frames. A frame that begins with an address is a choice: continue there at the position that follows. */
const UNDO = -1 // slot, old value
const BARRIER = -2 // of an atomic group, or of a lookaround, which fails when the frame is reached; -, position
const NOT = -3 // of a negative lookaround, which succeeds when the frame is reached; address, position
const GREEDY = -4 // address, position, minimum position
const LAZY = -5 // address of the REPEAT_SET, position, how many more (-1: any)

/** Ints of each instruction that is counted. Subroutines, backreferences, conditions and verbs are not. */
const LENGTHS: Readonly<Record<number, number>> = {
  [Op.MATCH]: 1,
  [Op.BYTE]: 2,
  [Op.SET]: 2,
  [Op.SPLIT]: 3,
  [Op.JUMP]: 2,
  [Op.MARK]: 2,
  [Op.MARK_HEIGHT]: 2,
  [Op.CLOSE]: 3,
  [Op.ASSERT]: 2,
  [Op.REPEAT_SET]: 5,
  [Op.IF_EMPTY]: 3,
  [Op.ATOMIC_BEGIN]: 2,
  [Op.ATOMIC_END]: 2,
  [Op.LOOK_BEGIN]: 2,
  [Op.LOOK_END]: 2,
  [Op.NOT_BEGIN]: 3,
  [Op.NOT_END]: 2,
  [Op.STEP_BACK]: 2,
  [Op.FAIL]: 1,
}

export interface CountedSearch {
  readonly outcome: 'match' | 'no_match' | 'limit'
  /** Calls, of the start position that has most of them. */
  readonly calls: number
  /** Calls of all start positions together. */
  readonly allCalls: number
  /** Bytes that repetitions of one set have passed: what takes long where nothing is called. */
  readonly passedBytes: number
}

export class CallCounter {
  readonly #program: Program
  readonly #preconditions: Preconditions
  readonly #slots: Int32Array
  /** Addresses of the repetitions that PCRE2 makes possessive. */
  readonly #possessive: ReadonlySet<number>
  #stack = new Int32Array(FIRST_STACK_INTS)
  #calls = 0
  #passed = 0

  private constructor(program: Program, preconditions: Preconditions, possessive: ReadonlySet<number>) {
    this.#program = program
    this.#preconditions = preconditions
    this.#slots = new Int32Array(program.slotCount)
    this.#possessive = possessive
  }

  /** Null: the pattern has something that is not counted. */
  static of(pattern: Pattern): CallCounter | null {
    const program = assemble(pattern)
    const { code } = program
    const possessive = new Set<number>()
    for (let pc = 0; pc < code.length; ) {
      const length = LENGTHS[code[pc]]
      if (length === undefined || program.utf) return null
      if (code[pc] === Op.REPEAT_SET && isPossessive(program, pc)) possessive.add(pc)
      pc += length
    }
    return new CallCounter(program, preconditionsOf(pattern), possessive)
  }

  /**
   * Searches as PCRE2 does.
   * @param limit of the calls of all start positions, with the bytes that are passed in their time @param startLimit of the calls of one start position, at which PCRE2 gives up
   */
  search(text: string, limit: number, startLimit: number = Number.POSITIVE_INFINITY): CountedSearch {
    const { starts, firstBytes } = this.#program
    const last = Math.min(starts === 'subject' ? 0 : text.length, lastStart(this.#preconditions, text))
    let most = 0
    let all = 0
    this.#passed = 0
    for (let start = 0; start <= last; start++) {
      if (starts === 'line' && start > 0 && text.charCodeAt(start - 1) !== 0x0a) continue
      if (firstBytes !== null && (start === text.length || firstBytes[text.charCodeAt(start)] === 0)) continue
      this.#calls = 0
      const outcome = this.#attempt(text, start, startLimit - 1, limit - all - this.#passed / BYTES_PER_CALL)
      all += this.#calls
      most = Math.max(most, this.#calls)
      if (outcome !== 'no_match') return { outcome, calls: most, allCalls: all, passedBytes: this.#passed }
    }
    return { outcome: 'no_match', calls: most, allCalls: all, passedBytes: this.#passed }
  }

  #attempt(text: string, start: number, startLimit: number, allLimit: number): CountedSearch['outcome'] {
    const program = this.#program
    const slots = this.#slots
    const { code, sets } = program
    const { length } = text
    let frames = this.#stack
    let sp = 0
    let pc = 0
    let pos = start
    let calls = 1
    /** Instructions: loops that call nothing end as well. */
    let left = allLimit * 8
    let limit = Math.min(startLimit, allLimit)
    slots.fill(-1)
    const push = (kind: number, a: number, b: number, c: number): void => {
      frames[sp] = kind
      frames[sp + 1] = a
      frames[sp + 2] = b
      frames[sp + 3] = c
      sp += FRAME
    }
    const set = (slot: number, value: number): void => {
      push(UNDO, slot, slots[slot], 0)
      slots[slot] = value
    }
    for (;;) {
      if (calls > limit || --left < 0) {
        this.#calls = calls
        return 'limit'
      }
      if (sp > frames.length - FRAME * 4) {
        if (frames.length >= STACK_INTS_LIMIT) {
          this.#calls = calls
          return 'limit'
        }
        const grown = new Int32Array(frames.length * 2)
        grown.set(frames)
        this.#stack = frames = grown
      }
      let failed = false
      switch (code[pc]) {
        case Op.MATCH:
          this.#calls = calls
          return 'match'
        case Op.BYTE:
          if (pos < length && text.charCodeAt(pos) === code[pc + 1]) {
            pos++
            pc += 2
          } else failed = true
          break
        case Op.SET:
          if (pos < length && sets[code[pc + 1]][text.charCodeAt(pos)] === 1) {
            pos++
            pc += 2
          } else failed = true
          break
        case Op.SPLIT:
          calls++
          push(code[pc + 2], pos, 0, 0)
          pc = code[pc + 1]
          break
        case Op.JUMP:
          pc = code[pc + 1]
          break
        case Op.MARK:
          calls++
          set(code[pc + 1], pos)
          pc += 2
          break
        case Op.MARK_HEIGHT:
          pc += 2
          break
        case Op.CLOSE:
          pc += 3
          break
        case Op.ASSERT:
          if (assertionHolds(program, ASSERTIONS[code[pc + 1]], text, pos)) pc += 2
          else failed = true
          break
        case Op.REPEAT_SET: {
          const accepted = sets[code[pc + 1]]
          const least = pos + code[pc + 2]
          const max = code[pc + 3]
          const givesNothing = code[pc + 4] === 2 || this.#possessive.has(pc)
          const isLazy = code[pc + 4] === 1 && !givesNothing
          const most = isLazy ? least : max < 0 ? length : Math.min(length, pos + max)
          let at = pos
          while (at < most && accepted[text.charCodeAt(at)] === 1) at++
          this.#passed += at - pos
          allLimit -= (at - pos) / BYTES_PER_CALL
          if (allLimit < limit) limit = allLimit
          if (at < least) {
            failed = true
            break
          }
          if (!givesNothing && !isLazy && at > least) {
            calls++
            push(GREEDY, pc + 5, at, least)
          } else if (isLazy && max !== code[pc + 2]) {
            calls++
            push(LAZY, pc, at, max < 0 ? -1 : max - code[pc + 2])
          }
          pos = at
          pc += 5
          break
        }
        case Op.IF_EMPTY:
          pc = slots[code[pc + 1]] === pos ? code[pc + 2] : pc + 3
          break
        case Op.ATOMIC_BEGIN:
        case Op.LOOK_BEGIN:
          calls++
          set(code[pc + 1], sp + FRAME)
          push(BARRIER, 0, pos, 0)
          pc += 2
          break
        case Op.NOT_BEGIN:
          calls++
          set(code[pc + 1], sp + FRAME)
          push(NOT, code[pc + 2], pos, 0)
          pc += 3
          break
        case Op.ATOMIC_END:
        case Op.LOOK_END: {
          const base = slots[code[pc + 1]]
          if (code[pc] === Op.LOOK_END) pos = frames[base + 2]
          sp = withoutChoices(frames, base, sp)
          pc += 2
          break
        }
        case Op.NOT_END: {
          const base = slots[code[pc + 1]]
          while (sp > base) {
            sp -= FRAME
            if (frames[sp] === UNDO) slots[frames[sp + 1]] = frames[sp + 2]
          }
          failed = true
          break
        }
        case Op.STEP_BACK:
          if (pos < code[pc + 1]) failed = true
          else {
            pos -= code[pc + 1]
            pc += 2
          }
          break
        default:
          failed = true
      }
      while (failed) {
        if (sp === 0) {
          this.#calls = calls
          return 'no_match'
        }
        left--
        sp -= FRAME
        const kind = frames[sp]
        if (kind === UNDO) slots[frames[sp + 1]] = frames[sp + 2]
        else if (kind === NOT) {
          pc = frames[sp + 1]
          pos = frames[sp + 2]
          failed = false
        } else if (kind === GREEDY) {
          pc = frames[sp + 1]
          pos = --frames[sp + 2]
          failed = false
          if (pos > frames[sp + 3]) {
            calls++
            sp += FRAME
          }
        } else if (kind === LAZY) {
          const at = frames[sp + 1]
          pos = frames[sp + 2]
          if (pos >= length || sets[code[at + 1]][text.charCodeAt(pos)] === 0) continue
          failed = false
          calls++
          pc = at + 5
          frames[sp + 2] = ++pos
          const more = frames[sp + 3]
          if (more === 1) continue
          if (more > 1) frames[sp + 3] = more - 1
          sp += FRAME
        } else if (kind >= 0) {
          pc = kind
          pos = frames[sp + 1]
          failed = false
        }
      }
    }
  }
}

/** Drops the frames from `base` on, but what must be undone. */
function withoutChoices(frames: Int32Array, base: number, sp: number): number {
  let to = base
  for (let at = base; at < sp; at += FRAME) {
    if (frames[at] !== UNDO) continue
    frames.copyWithin(to, at, at + FRAME)
    to += FRAME
  }
  return to
}
