/**
 * The backtracking machine of PCRE2 (`expressions/pcre2/backtrack.ts`) for the instructions that usual patterns need. It takes the same steps. A search that it does
 * not finish is left to the other engines.
 */
import { byteAt, setWord, wordAt } from './access.js'
import { LF } from './ascii.js'
import { SLOTS, STACK, STACK_ROOM } from './layout.js'
import { findByte, findBytes } from './texts.js'

export const OP_MATCH = 0
export const OP_BYTE = 1
export const OP_SET = 2
export const OP_SPLIT = 3
export const OP_JUMP = 4
export const OP_MARK = 5
export const OP_CLOSE = 6
export const OP_ASSERT = 7
export const OP_REPEAT_SET = 8
export const OP_IF_EMPTY = 9
export const OP_ATOMIC_BEGIN = 10
export const OP_ATOMIC_END = 11
export const OP_LOOK_BEGIN = 12
export const OP_LOOK_END = 13
export const OP_NOT_BEGIN = 14
export const OP_NOT_END = 15
export const OP_STEP_BACK = 16
/** Slot of the start of group 0; the end follows, then the next group. */
export const FIRST_GROUP = 2

/** The assertions, in the order of their numbers. */
const SUBJECT_START = 0
const SUBJECT_END = 1
const FINAL_END = 2
const LINE_START = 3
const LINE_END = 4
const WORD_BOUNDARY = 5
const NOT_WORD_BOUNDARY = 6

/** A packed program: where a match can begin. */
export const STARTS = 0
export const STARTS_ANYWHERE = 0
export const STARTS_SUBJECT = 1
export const STARTS_LINE = 2
/** The set of bytes with which a match can begin; 0: unknown. */
export const FIRST_SET = 4
/** The bytes with which every match begins: their number and address. */
export const LEAD_SIZE = 8
export const LEAD_BYTES = 12
export const SLOT_COUNT = 16
/** The set of the bytes of words. */
export const WORD_SET = 20
/** The instructions begin here. Their operands are words; targets and sets are addresses. */
export const CODE = 24

/** The search has tried everything. */
export const FAILED = -1
/** It ended before. */
export const GAVE_UP = -2

/** Kinds of frames of four words. A frame that begins with an address is a choice: continue there at the position that follows. */
const FRAME = 16
const UNDO = -1
const BARRIER = -2
const LOOK = -3
const NOT = -4
const GREEDY = -5
const LAZY = -6

/** Steps that the search has left. */
let left = 0

/** Returns the end of the leftmost match, FAILED or GAVE_UP. The slots are those of the match. @param limit of the steps */
export function searchPcre2(program: number, text: number, length: number, limit: number): number {
  const starts = wordAt(program + STARTS)
  const firsts = wordAt(program + FIRST_SET)
  const leadSize = wordAt(program + LEAD_SIZE)
  left = limit
  let start = 0
  while (start <= length) {
    if (starts === STARTS_SUBJECT && start > 0) return FAILED
    if (starts === STARTS_LINE && start > 0 && byteAt(text + start - 1) !== LF) {
      start = findByte(text, length, start, LF) + 1
      if (start > length) return FAILED
      continue
    }
    if (leadSize > 0) {
      start = findBytes(text, length, start, wordAt(program + LEAD_BYTES), leadSize)
      if (start < 0) return FAILED
    } else if (firsts !== 0) {
      const from = start
      while (start < length && !holdsByte(firsts, byteAt(text + start))) start++
      if (start === length) return FAILED
      if (start > from && starts !== STARTS_ANYWHERE) continue
    }
    const end = attempt(program, text, length, start)
    if (end !== FAILED) return end
    start++
  }
  return FAILED
}

/** The match from one position. */
function attempt(program: number, text: number, length: number, start: number): number {
  const slotsEnd = SLOTS + 4 * wordAt(program + SLOT_COUNT)
  for (let at = SLOTS; at < slotsEnd; at += 4) setWord(at, -1)
  const room = STACK + STACK_ROOM - 4 * FRAME
  let sp = STACK
  let pc = program + CODE
  let pos = start

  while (true) {
    left--
    if (left < 0 || sp > room) return GAVE_UP
    let failed = false
    const op = wordAt(pc)
    switch (op) {
      case OP_MATCH:
        return pos
      case OP_BYTE:
        if (pos < length && byteAt(text + pos) === wordAt(pc + 4)) {
          pos++
          pc += 8
        } else failed = true
        break
      case OP_SET:
        if (pos < length && holdsByte(wordAt(pc + 4), byteAt(text + pos))) {
          pos++
          pc += 8
        } else failed = true
        break
      case OP_SPLIT:
        setWord(sp, wordAt(pc + 8))
        setWord(sp + 4, pos)
        sp += FRAME
        pc = wordAt(pc + 4)
        break
      case OP_JUMP:
        pc = wordAt(pc + 4)
        break
      case OP_MARK:
        sp = setSlot(sp, wordAt(pc + 4), pos)
        pc += 8
        break
      case OP_CLOSE: {
        const slot = FIRST_GROUP + 2 * wordAt(pc + 8)
        sp = setSlot(sp, slot, slotAt(wordAt(pc + 4)))
        sp = setSlot(sp, slot + 1, pos)
        pc += 12
        break
      }
      case OP_ASSERT:
        if (assertionHolds(wordAt(pc + 4), wordAt(program + WORD_SET), text, length, pos)) pc += 8
        else failed = true
        break
      case OP_REPEAT_SET: {
        const set = wordAt(pc + 4)
        const min = wordAt(pc + 8)
        const max = wordAt(pc + 12)
        const mode = wordAt(pc + 16)
        const least = pos + min
        if (least > length || least < pos) {
          failed = true
          break
        }
        const wanted = mode === 1 ? least : max < 0 || max > length - pos ? length : pos + max
        let at = pos
        while (at < wanted && holdsByte(set, byteAt(text + at))) at++
        left -= (at - pos) >> 2
        if (at < least) {
          failed = true
          break
        }
        if (mode === 0 && at > least) {
          setWord(sp, GREEDY)
          setWord(sp + 4, pc + 20)
          setWord(sp + 8, at)
          setWord(sp + 12, least)
          sp += FRAME
        } else if (mode === 1 && max !== min) {
          setWord(sp, LAZY)
          setWord(sp + 4, pc)
          setWord(sp + 8, at)
          setWord(sp + 12, max < 0 ? -1 : max - min)
          sp += FRAME
        }
        pos = at
        pc += 20
        break
      }
      case OP_IF_EMPTY:
        pc = slotAt(wordAt(pc + 4)) === pos ? wordAt(pc + 8) : pc + 12
        break
      case OP_ATOMIC_BEGIN:
      case OP_LOOK_BEGIN:
      case OP_NOT_BEGIN: {
        // The frame that the slot leads to is the next one.
        sp = setSlot(sp, wordAt(pc + 4), sp + FRAME)
        if (op === OP_NOT_BEGIN) {
          setWord(sp, NOT)
          setWord(sp + 4, wordAt(pc + 8))
          pc += 12
        } else {
          setWord(sp, op === OP_LOOK_BEGIN ? LOOK : BARRIER)
          pc += 8
        }
        setWord(sp + 8, pos)
        sp += FRAME
        break
      }
      case OP_ATOMIC_END:
      case OP_LOOK_END: {
        const base = slotAt(wordAt(pc + 4))
        if (op === OP_LOOK_END) pos = wordAt(base + 8)
        const kept = keepUndo(base, sp)
        left -= (sp - kept) >> 6
        sp = kept
        pc += 8
        break
      }
      case OP_NOT_END: {
        const height = slotAt(wordAt(pc + 4))
        while (sp > height) {
          sp -= FRAME
          if (wordAt(sp) === UNDO) setWord(SLOTS + 4 * wordAt(sp + 4), wordAt(sp + 8))
        }
        failed = true
        break
      }
      case OP_STEP_BACK:
        if (pos < wordAt(pc + 4)) failed = true
        else {
          pos -= wordAt(pc + 4)
          pc += 8
        }
        break
      default:
        return GAVE_UP
    }
    if (!failed) continue

    // backtrack: pop frames until one says where to continue
    while (true) {
      if (sp === STACK) return FAILED
      sp -= FRAME
      const kind = wordAt(sp)
      if (kind >= 0) {
        pc = kind
        pos = wordAt(sp + 4)
        break
      }
      if (kind === UNDO) setWord(SLOTS + 4 * wordAt(sp + 4), wordAt(sp + 8))
      else if (kind === GREEDY) {
        pc = wordAt(sp + 4)
        pos = wordAt(sp + 8) - 1
        const least = wordAt(sp + 12)
        // most positions fail without an attempt
        const next = skipNotes(pc)
        const kindOfNext = wordAt(next)
        if (kindOfNext === OP_BYTE || kindOfNext === OP_SET) {
          const operand = wordAt(next + 4)
          const from = pos
          if (kindOfNext === OP_BYTE) while (pos >= least && (pos >= length || byteAt(text + pos) !== operand)) pos--
          else while (pos >= least && (pos >= length || !holdsByte(operand, byteAt(text + pos)))) pos--
          left -= (from - pos) >> 2
          if (pos < least) continue
        }
        if (pos > least) {
          setWord(sp + 8, pos)
          sp += FRAME
        }
        break
      } else if (kind === LAZY) {
        const at = wordAt(sp + 4)
        pos = wordAt(sp + 8)
        if (pos >= length || !holdsByte(wordAt(at + 4), byteAt(text + pos))) continue
        pos++
        const more = wordAt(sp + 12)
        if (more !== 1) {
          setWord(sp + 8, pos)
          setWord(sp + 12, more < 0 ? -1 : more - 1)
          sp += FRAME
        }
        pc = at + 20
        break
      } else if (kind === NOT) {
        pc = wordAt(sp + 4)
        pos = wordAt(sp + 8)
        break
      }
    }
  }
}

function slotAt(slot: number): number {
  return wordAt(SLOTS + 4 * slot)
}

/** Sets a slot, and records what it was. Returns the height of the stack. */
function setSlot(sp: number, slot: number, value: number): number {
  setWord(sp, UNDO)
  setWord(sp + 4, slot)
  setWord(sp + 8, slotAt(slot))
  setWord(SLOTS + 4 * slot, value)
  return sp + FRAME
}

/** Drops the frames from `base` on, except undo frames: the group is left, but its captures stay. */
function keepUndo(base: number, sp: number): number {
  let to = base
  for (let at = base; at < sp; at += FRAME) {
    if (wordAt(at) !== UNDO) continue
    const slot = wordAt(at + 4)
    const value = wordAt(at + 8)
    setWord(to, UNDO)
    setWord(to + 4, slot)
    setWord(to + 8, value)
    to += FRAME
  }
  return to
}

/** Skips instructions that only record where groups begin and end. */
function skipNotes(from: number): number {
  let pc = from
  while (true) {
    const op = wordAt(pc)
    if (op === OP_CLOSE) pc += 12
    else if (op === OP_MARK) pc += 8
    else return pc
  }
}

/** @param set eight words, a bit for each byte */
function holdsByte(set: number, byte: number): boolean {
  return ((wordAt(set + ((byte >> 5) << 2)) >>> (byte & 31)) & 1) !== 0
}

function assertionHolds(assertion: number, word: number, text: number, length: number, pos: number): boolean {
  switch (assertion) {
    case SUBJECT_START:
      return pos === 0
    case SUBJECT_END:
      return pos === length
    case FINAL_END:
      return pos === length || (pos + 1 === length && byteAt(text + pos) === LF)
    case LINE_START:
      // not after a final newline: no line begins there
      return pos === 0 || (pos < length && byteAt(text + pos - 1) === LF)
    case LINE_END:
      return pos === length || byteAt(text + pos) === LF
    case WORD_BOUNDARY:
      return isWord(word, text, length, pos - 1) !== isWord(word, text, length, pos)
    case NOT_WORD_BOUNDARY:
      return isWord(word, text, length, pos - 1) === isWord(word, text, length, pos)
    default:
      return pos === length || byteAt(text + pos) !== LF
  }
}

function isWord(word: number, text: number, length: number, pos: number): boolean {
  return pos >= 0 && pos < length && holdsByte(word, byteAt(text + pos))
}
