/**
 * The backtracking machine. It tries alternatives in the same order as PCRE2, for every construct that the parser supports.
 *
 * 1. No recursion on the input: choices, undo records and barriers are frames of four ints on one stack. All searches share it,
 *    because a search never starts another one.
 * 2. Everything that an attempt changes (groups, loop positions, the current call) is in a slot, and every write to a slot pushes an
 *    undo frame. Backtracking only pops frames.
 * 3. A search that exceeds its steps or the stack ends as "no match", like a search that reaches PCRE2's match limit.
 * 4. A memoizing machine takes each branch once per position, over all attempts of a search, so its time is linear in the subject.
 *    It is used only where the outcome of a branch depends on nothing but the position (`isLinear`).
 */
import { assertionHolds } from './assertions.js'
import { ASSERTIONS } from './assemble.js'
import { otherCase } from './byte-set.js'
import { CALL_COUNT, CURRENT_CALL, FIRST_GROUP_SLOT, Op, type Program, skipNotes } from './program.js'

/** PCRE2 gives up after 10 million steps. This many steps take about 100 ms, the most that an event may cost. */
export const MAX_STEPS = 4_000_000

const FRAME = 4
const FIRST_STACK_INTS = 1 << 12
/** 64 MB: one frame per byte and loop iteration of a 1 MB subject, with reserve. */
const MAX_STACK_INTS = 1 << 24
/** A stack that grew beyond this (1 MB) is released after the search. */
const KEPT_STACK_INTS = 1 << 18

/** Kinds of frames. A frame that begins with an address is a choice: continue there at the position that follows. */
const UNDO = -1 // slot, old value
const BARRIER = -2 // of an atomic group
const LOOK = -3 // of a lookaround, which fails when the frame is reached; position
const NOT = -4 // of a negative lookaround, which succeeds when the frame is reached; address, position
const GREEDY = -5 // address, position, minimum position
const LAZY = -6 // address of the REPEAT_SET, position, how many more (-1: any)
const CALLED = -7 // start of a subroutine call
const NAMED = -8 // name, position
const CONDITION = -9 // as NOT, for an assertion that is a condition
const COMMIT = -10 // -, call
const PRUNE = -11 // -, call
const SKIP = -12 // position, call, name
const THEN = -13 // -, call, height or -1

let stack = new Int32Array(FIRST_STACK_INTS)

/** 8 MB: a program of a thousand ints on 64 KB. A larger product is not memoized. */
const MAX_MEMORY_BITS = 1 << 26
/** One bit for each position at each address of the program. Shared like the stack, and released above 1 MB. */
let memory = new Uint8Array(0)
const KEPT_MEMORY_BYTES = 1 << 20

/** Results of the attempt at one start position. */
const FAILED = -1
const GAVE_UP = -2

interface Call {
  group: number
  parent: number
  returnTo: number
  position: number
  /** Height of the stack at the start of the call. */
  height: number
  slots: Int32Array
}

export class Machine {
  readonly program: Program
  /** Starts and ends of groups after a successful run, from FIRST_GROUP_SLOT + 2 on. */
  readonly slots: Int32Array
  private readonly calls: Call[] = []
  private steps = 0
  private limit = MAX_STEPS
  private gaveUp = false
  /** Start of the next attempt as set by (*SKIP); -1: the next position. */
  private skipTo = -1
  private readonly remembers: boolean

  constructor(program: Program, remembers = false) {
    this.program = program
    this.remembers = remembers
    this.slots = new Int32Array(program.slotCount)
  }

  /** Whether the last search ended before it had tried everything. */
  get isUndecided(): boolean {
    return this.gaveUp
  }

  /** Steps of the last search, without those that look for a place where a match can begin. */
  get stepsTaken(): number {
    return this.steps
  }

  /** Whether all matches begin with the same bytes, which the machine searches for first. */
  get hasLead(): boolean {
    return this.program.lead !== ''
  }

  /** Returns the end of the leftmost match, or -1. */
  run(text: string, limit = MAX_STEPS): number {
    this.limit = limit
    const bits = this.remembers ? this.program.code.length * (text.length + 1) : 0
    if (bits <= MAX_MEMORY_BITS) {
      if (memory.length < bits / 8) memory = new Uint8Array(Math.ceil(bits / 8))
      else memory.fill(0, 0, Math.ceil(bits / 8))
    }
    const end = this.search(text, bits > 0 && bits <= MAX_MEMORY_BITS)
    if (stack.length > KEPT_STACK_INTS) stack = new Int32Array(FIRST_STACK_INTS)
    if (memory.length > KEPT_MEMORY_BYTES) memory = new Uint8Array(0)
    return end
  }

  private search(text: string, remembers: boolean): number {
    const { program } = this
    const { starts, firstBytes, lead, utf } = program
    const length = text.length
    this.steps = 0
    this.gaveUp = false
    for (let start = 0; start <= length; ) {
      if (starts === 'subject' && start > 0) return -1
      if (starts === 'line' && start > 0 && text.charCodeAt(start - 1) !== 0x0a) {
        const newline = text.indexOf('\n', start)
        if (newline < 0) return -1
        start = newline + 1
        continue
      }
      if (lead !== '') {
        start = text.indexOf(lead, start)
        if (start < 0) return -1
      } else if (firstBytes !== null) {
        while (start < length && firstBytes[text.charCodeAt(start)] === 0) start++
        if (start === length) return -1
        if (starts === 'line' && start > 0 && text.charCodeAt(start - 1) !== 0x0a) continue
        if (starts === 'subject' && start > 0) return -1
      }
      this.skipTo = -1
      const end = this.attempt(text, start, remembers)
      if (end >= 0) return end
      if (end === GAVE_UP) {
        this.gaveUp = true
        return -1
      }
      start = this.skipTo > start ? this.skipTo : this.nextStart(text, start)
      if (utf) while (start < length && (text.charCodeAt(start) & 0xc0) === 0x80) start++
    }
    return -1
  }

  /** Skips a start inside CRLF when the newline convention includes CRLF and the pattern contains neither CR nor LF. */
  private nextStart(text: string, start: number): number {
    const { newline, namesCrOrLf } = this.program
    const next = start + 1
    if (namesCrOrLf || newline === 'lf' || newline === 'cr' || newline === 'nul') return next
    return text.charCodeAt(start) === 0x0d && text.charCodeAt(next) === 0x0a ? next + 1 : next
  }

  private attempt(text: string, start: number, remembers: boolean): number {
    const { program, slots, calls } = this
    const { code, sets } = program
    const length = text.length
    slots.fill(-1)
    slots[CALL_COUNT] = 0
    let frames = stack
    let room = frames.length - FRAME * 4
    let sp = 0
    let pc = 0
    let pos = start
    let left = this.limit - this.steps

    for (;;) {
      if (--left < 0) {
        this.steps = this.limit
        return GAVE_UP
      }
      if (sp > room) {
        if (frames.length >= MAX_STACK_INTS) return GAVE_UP
        const grown = new Int32Array(frames.length * 2)
        grown.set(frames)
        stack = frames = grown
        room = frames.length - FRAME * 4
      }
      let failed = false
      switch (code[pc]) {
        case Op.MATCH:
          if ((program.notEmpty === 'always' && pos === start) || (program.notEmpty === 'at_start' && pos === start && start === 0)) {
            failed = true
            break
          }
          this.steps = this.limit - left
          return pos
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
          if (remembers) {
            const bit = pc * (length + 1) + pos
            if ((memory[bit >> 3] & (1 << (bit & 7))) !== 0) {
              failed = true
              break
            }
            memory[bit >> 3] |= 1 << (bit & 7)
          }
          frames[sp] = code[pc + 2]
          frames[sp + 1] = pos
          sp += FRAME
          pc = code[pc + 1]
          break
        case Op.JUMP:
          pc = code[pc + 1]
          break
        case Op.MARK:
        case Op.MARK_HEIGHT: {
          const slot = code[pc + 1]
          frames[sp] = UNDO
          frames[sp + 1] = slot
          frames[sp + 2] = slots[slot]
          slots[slot] = code[pc] === Op.MARK ? pos : sp
          sp += FRAME
          pc += 2
          break
        }
        case Op.CLOSE: {
          const at = FIRST_GROUP_SLOT + 2 * code[pc + 2]
          frames[sp] = UNDO
          frames[sp + 1] = at
          frames[sp + 2] = slots[at]
          frames[sp + 4] = UNDO
          frames[sp + 5] = at + 1
          frames[sp + 6] = slots[at + 1]
          sp += FRAME * 2
          slots[at] = slots[code[pc + 1]]
          slots[at + 1] = pos
          pc += 3
          break
        }
        case Op.ASSERT:
          if (assertionHolds(program, ASSERTIONS[code[pc + 1]], text, pos)) pc += 2
          else failed = true
          break
        case Op.REPEAT_SET: {
          const set = sets[code[pc + 1]]
          const min = code[pc + 2]
          const max = code[pc + 3]
          const mode = code[pc + 4]
          const least = pos + min
          if (least > length) {
            failed = true
            break
          }
          const wanted = mode === 1 ? least : max < 0 || max > length - pos ? length : pos + max
          let at = pos
          while (at < wanted && set[text.charCodeAt(at)] === 1) at++
          left -= (at - pos) >> 2
          if (at < least) {
            failed = true
            break
          }
          if (mode === 0 && at > least) {
            frames[sp] = GREEDY
            frames[sp + 1] = pc + 5
            frames[sp + 2] = at
            frames[sp + 3] = least
            sp += FRAME
          } else if (mode === 1 && max !== min) {
            frames[sp] = LAZY
            frames[sp + 1] = pc
            frames[sp + 2] = at
            frames[sp + 3] = max < 0 ? -1 : max - min
            sp += FRAME
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
        case Op.NOT_BEGIN:
        case Op.IF_BEGIN: {
          const slot = code[pc + 1]
          frames[sp] = UNDO
          frames[sp + 1] = slot
          frames[sp + 2] = slots[slot]
          sp += FRAME
          slots[slot] = sp
          if (code[pc] === Op.NOT_BEGIN || code[pc] === Op.IF_BEGIN) {
            frames[sp] = code[pc] === Op.NOT_BEGIN ? NOT : CONDITION
            frames[sp + 1] = code[pc + 2]
            pc += 3
          } else {
            frames[sp] = code[pc] === Op.LOOK_BEGIN ? LOOK : BARRIER
            pc += 2
          }
          frames[sp + 2] = pos
          sp += FRAME
          break
        }
        case Op.ATOMIC_END:
        case Op.LOOK_END: {
          const base = slots[code[pc + 1]]
          if (code[pc] === Op.LOOK_END) pos = frames[base + 2]
          const kept = keepUndo(frames, base, sp)
          left -= (sp - kept) >> 4
          sp = kept
          pc += 2
          break
        }
        case Op.NOT_END:
          sp = this.unwind(frames, sp, slots[code[pc + 1]])
          failed = true
          break
        case Op.STEP_BACK: {
          const at = program.utf ? stepBackUtf8(text, pos, code[pc + 1]) : pos - code[pc + 1]
          if (at < 0) failed = true
          else {
            pos = at
            pc += 2
          }
          break
        }
        case Op.BACKREFERENCE: {
          const end = this.backreference(text, pc, pos)
          if (end < 0) failed = true
          else {
            left -= end - pos
            pos = end
            pc += 3 + code[pc + 2]
          }
          break
        }
        case Op.CALL: {
          const group = code[pc + 1]
          if (this.isRepeatedCall(group, pos)) return GAVE_UP
          const index = slots[CALL_COUNT]
          left -= slots.length
          const call = (calls[index] ??= { group, parent: 0, returnTo: 0, position: 0, height: 0, slots: new Int32Array(slots.length) })
          call.group = group
          call.parent = slots[CURRENT_CALL]
          call.returnTo = pc + 3
          call.position = pos
          call.slots.set(slots)
          frames[sp] = UNDO
          frames[sp + 1] = CALL_COUNT
          frames[sp + 2] = index
          frames[sp + 4] = UNDO
          frames[sp + 5] = CURRENT_CALL
          frames[sp + 6] = call.parent
          sp += FRAME * 2
          call.height = sp
          frames[sp] = CALLED
          sp += FRAME
          slots[CALL_COUNT] = index + 1
          slots[CURRENT_CALL] = index
          pc = code[pc + 2]
          break
        }
        case Op.RETURN: {
          // the captures of the subroutine are discarded, but backtracking into it must restore them
          const call = calls[slots[CURRENT_CALL]]
          if (frames.length - sp < FRAME * (slots.length + 4)) {
            if (frames.length >= MAX_STACK_INTS) return GAVE_UP
            const grown = new Int32Array(frames.length * 2 + FRAME * slots.length)
            grown.set(frames)
            stack = frames = grown
            room = frames.length - FRAME * 4
          }
          left -= slots.length
          for (let slot = 0; slot < slots.length; slot++) {
            if (slot === CALL_COUNT || slots[slot] === call.slots[slot]) continue
            frames[sp] = UNDO
            frames[sp + 1] = slot
            frames[sp + 2] = slots[slot]
            sp += FRAME
            slots[slot] = call.slots[slot]
          }
          pc = call.returnTo
          break
        }
        case Op.UNLESS_GROUP:
          pc = this.isAnySet(pc) ? pc + 3 + code[pc + 2] : code[pc + 1]
          break
        case Op.UNLESS_RECURSION:
          pc = this.isInCall(pc) ? pc + 3 + code[pc + 2] : code[pc + 1]
          break
        case Op.FAIL:
          failed = true
          break
        case Op.RESTORE:
          pos = slots[code[pc + 1]]
          pc += 2
          break
        case Op.NAME:
          frames[sp] = NAMED
          frames[sp + 1] = code[pc + 1]
          frames[sp + 2] = pos
          sp += FRAME
          pc += 2
          break
        case Op.COMMIT:
        case Op.PRUNE:
          frames[sp] = code[pc] === Op.COMMIT ? COMMIT : PRUNE
          frames[sp + 2] = slots[CURRENT_CALL]
          sp += FRAME
          pc += 1
          break
        case Op.SKIP:
          frames[sp] = SKIP
          frames[sp + 1] = pos
          frames[sp + 2] = slots[CURRENT_CALL]
          frames[sp + 3] = code[pc + 1]
          sp += FRAME
          pc += 2
          break
        case Op.THEN:
          frames[sp] = THEN
          frames[sp + 2] = slots[CURRENT_CALL]
          frames[sp + 3] = code[pc + 1] < 0 ? -1 : slots[code[pc + 1]]
          sp += FRAME
          pc += 2
          break
      }
      if (!failed) continue

      // backtrack: pop frames until one says where to continue
      for (;;) {
        if (sp === 0) {
          this.steps = this.limit - left
          return FAILED
        }
        sp -= FRAME
        const kind = frames[sp]
        if (kind >= 0) {
          pc = kind
          pos = frames[sp + 1]
          break
        }
        if (kind === UNDO) {
          slots[frames[sp + 1]] = frames[sp + 2]
          continue
        }
        if (kind === GREEDY) {
          pc = frames[sp + 1]
          pos = frames[sp + 2] - 1
          const least = frames[sp + 3]
          // most positions fail without an attempt
          const next = skipNotes(code, pc)
          if (code[next] === Op.BYTE || code[next] === Op.SET) {
            const operand = code[next + 1]
            const from = pos
            if (code[next] === Op.BYTE) while (pos >= least && text.charCodeAt(pos) !== operand) pos--
            else while (pos >= least && sets[operand][text.charCodeAt(pos)] === 0) pos--
            left -= (from - pos) >> 2
            if (pos < least) continue
          }
          if (pos > least) {
            frames[sp + 2] = pos
            sp += FRAME
          }
          break
        }
        if (kind === LAZY) {
          const at = frames[sp + 1]
          pos = frames[sp + 2]
          if (pos >= length || sets[code[at + 1]][text.charCodeAt(pos)] === 0) continue
          pos++
          const more = frames[sp + 3]
          if (more !== 1) {
            frames[sp + 2] = pos
            frames[sp + 3] = more < 0 ? -1 : more - 1
            sp += FRAME
          }
          pc = at + 5
          break
        }
        if (kind === NOT || kind === CONDITION) {
          pc = frames[sp + 1]
          pos = frames[sp + 2]
          break
        }
        if (kind === SKIP && frames[sp + 3] >= 0) {
          // (*SKIP:name) without a preceding mark of that name is ignored
          const named = findName(frames, sp, frames[sp + 3])
          if (named < 0) continue
          frames[sp + 1] = named
        }
        if (kind === THEN && frames[sp + 3] >= 0) {
          sp = this.unwind(frames, sp, frames[sp + 3])
          continue
        }
        if (kind <= COMMIT) {
          const boundary = this.verbBoundary(frames, sp, frames[sp + 2], kind === THEN)
          if (boundary < 0) {
            if (kind === COMMIT) return GAVE_UP
            if (kind === SKIP) this.skipTo = frames[sp + 1]
            this.steps = this.limit - left
            return FAILED
          }
          sp = this.unwind(frames, sp, boundary)
        }
      }
    }
  }

  /** Pops to `height` and undoes the writes. */
  private unwind(frames: Int32Array, from: number, height: number): number {
    const { slots } = this
    let sp = from
    while (sp > height) {
      sp -= FRAME
      if (frames[sp] === UNDO) slots[frames[sp + 1]] = frames[sp + 2]
    }
    return sp
  }

  /**
   * How far a verb acts when backtracking reaches it: to the innermost open negative lookaround (its frame is kept, so that the
   * search continues after it), to the subroutine that contains it, or (-1) to the end of the attempt. (*THEN) stops at every
   * lookaround. The other verbs pass through a positive one, contrary to PCRE2's manual.
   */
  private verbBoundary(frames: Int32Array, sp: number, call: number, isThen: boolean): number {
    const called = call < 0 ? -1 : this.calls[call].height
    for (let at = sp - FRAME; at > called; at -= FRAME) {
      if (frames[at] === NOT || (isThen && (frames[at] === LOOK || frames[at] === CONDITION))) return at + FRAME
    }
    return called
  }

  private backreference(text: string, pc: number, pos: number): number {
    const { code } = this.program
    const { slots } = this
    for (let i = 0; i < code[pc + 2]; i++) {
      const at = FIRST_GROUP_SLOT + 2 * code[pc + 3 + i]
      if (slots[at] < 0) continue
      const length = slots[at + 1] - slots[at]
      if (pos + length > text.length) return -1
      for (let k = 0; k < length; k++) {
        const a = text.charCodeAt(slots[at] + k)
        const b = text.charCodeAt(pos + k)
        if (a !== b && (code[pc + 1] === 0 || otherCase(a) !== b)) return -1
      }
      return pos + length
    }
    return -1
  }

  private isAnySet(pc: number): boolean {
    const { code } = this.program
    for (let i = 0; i < code[pc + 2]; i++) if (this.slots[FIRST_GROUP_SLOT + 2 * code[pc + 3 + i]] >= 0) return true
    return false
  }

  private isInCall(pc: number): boolean {
    const { code } = this.program
    const current = this.slots[CURRENT_CALL]
    if (current < 0) return false
    if (code[pc + 2] === 0) return true
    for (let i = 0; i < code[pc + 2]; i++) if (this.calls[current].group === code[pc + 3 + i]) return true
    return false
  }

  /** Whether the same call is active at the same position. PCRE2 then ends the whole search with an error. */
  private isRepeatedCall(group: number, pos: number): boolean {
    for (let at = this.slots[CURRENT_CALL]; at >= 0; at = this.calls[at].parent) {
      if (this.calls[at].group === group) return this.calls[at].position === pos
    }
    return false
  }
}

/** Drops the frames from `base` on, except undo frames: the group is left, but its captures stay. */
function keepUndo(frames: Int32Array, base: number, sp: number): number {
  let to = base
  for (let at = base; at < sp; at += FRAME) {
    if (frames[at] !== UNDO) continue
    frames[to] = UNDO
    frames[to + 1] = frames[at + 1]
    frames[to + 2] = frames[at + 2]
    to += FRAME
  }
  return to
}

function findName(frames: Int32Array, sp: number, name: number): number {
  for (let at = sp - FRAME; at >= 0; at -= FRAME) if (frames[at] === NAMED && frames[at + 1] === name) return frames[at + 2]
  return -1
}

function stepBackUtf8(text: string, pos: number, characters: number): number {
  let at = pos
  for (let i = 0; i < characters; i++) {
    if (at <= 0) return -1
    do at--
    while (at > 0 && (text.charCodeAt(at) & 0xc0) === 0x80)
  }
  return at
}
