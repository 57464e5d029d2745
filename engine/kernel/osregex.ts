/**
 * The OSRegex machine (BEHAVIOUR.md#osregex-matching): one forward scan with at most four saved points. Stock decoders rely on its odd
 * results, so every step is reproduced. The letters name the steps: A marks, B end of the items, C the current byte, E the end of the text.
 *
 * Shortcuts that change no result: while an attempt has only seen single bytes nothing is saved, and after a failure the next attempt begins one byte
 * later. The machine may therefore jump to the next occurrence of a literal at a fixed distance from the beginning, or of a byte of the first
 * class.
 */
import { byteAt, halfAt, setWord, wordAt } from './access.js'
import { SPACE } from './ascii.js'
import { CLASSES, FOUND_MARKS, MARKS, NO_MATCH, NONE, SAVED, UNSOUND, WALKED } from './layout.js'
import { indexOfLiteral } from './scan.js'
import { equalBytes, findByte } from './texts.js'

/** Kinds of items. Class items (ONE, PLUS, STAR) are those from ONE to STAR. */
export const LIT = 0
export const ONE = 1
export const PLUS = 2
export const STAR = 3
export const MARK = 4
export const END = 5
/** The byte that a MARK equals where the machine treats it as a character. */
export const OPEN_PARENTHESIS = 0x28

/** Bits of the kind in a packed item; its value is above them. */
export const KIND_BITS = 3
export const KIND_MASK = (1 << KIND_BITS) - 1

/** Saved points; a push on a full list is dropped. */
const SAVED_CAPACITY = 4
/**
 * Limit of bytes that all failed attempts of one search may read. A failed attempt is repeated one byte later, so hostile patterns are quadratic;
 * real events (under 64 KB) stay far below the limit. 50 million bytes take about a tenth of a second.
 */
const RETRY_LIMIT = 50000000
/** After so many bytes of a class, a byte is searched that ends it. */
const LONG_RUN = 24

/** A packed pattern: the only byte that can begin a match, -1: it has several. */
export const FIRST_BYTE = 0
/** The address of a byte for each byte, 1 = it can begin a match; 0: any can. */
export const FIRST_BYTES = 4
/** Number of literals of which every match holds one, and the address of their addresses. */
export const REQUIRED_COUNT = 8
export const REQUIRED_LIST = 12
/** The first program, and the words of this head. */
export const FIRST_PROGRAM = 16
export const PATTERN_WORDS = 5

/** A packed program, which runs one alternative: its flags. */
export const FLAGS = 0
export const ANCHORED_START = 1
export const ANCHORED_END = 2
/** It captures: also without groups, if another alternative has some. */
export const CAPTURING = 4
/** The first attempt is that of the program before this one. */
export const SHARES_LEAD = 8
/** The address of a literal at `LEAD_OFFSET` bytes from the beginning of every match; 0: none. */
export const LEAD = 4
export const LEAD_OFFSET = 8
/** Number of items, from the first one on, that match the lead when it is found. */
export const LEAD_ITEMS = 12
/** The address of a literal that any match contains, if it is another one than the lead; 0: none. */
export const REQUIRED = 16
/** Two further such literals, which a scan of the text may exclude. */
export const OTHER = 20
export const ANOTHER = 24
/** Class bit of the first item if it is ONE or PLUS, otherwise 0. */
export const FIRST_CLASS = 28
/** Marks to clear before a run; 0 if it does not capture. */
export const MARK_COUNT = 32
/** The next program; 0: none. */
export const NEXT = 36
/** The items begin here. */
export const ITEMS = 40

/**
 * Searches a pattern in a folded text from `from` on: tests that exclude most texts, then one program after the other.
 * Returns the reported end (`from - 1` is possible), NO_MATCH or UNSOUND. The marks and FOUND_MARKS are those of the program that matches.
 * @param isScanned whether the text was scanned last
 */
export function searchOsRegex(pattern: number, text: number, length: number, from: number, isScanned: number): number {
  if (from < length) {
    const byte = byteAt(text + from)
    const first = wordAt(pattern + FIRST_BYTE)
    if (first >= 0) {
      if (byte !== first) return NO_MATCH
    } else {
      const firsts = wordAt(pattern + FIRST_BYTES)
      if (firsts !== 0 && byteAt(firsts + byte) === 0) return NO_MATCH
    }
  }
  const requiredCount = wordAt(pattern + REQUIRED_COUNT)
  if (requiredCount > 0) {
    const list = wordAt(pattern + REQUIRED_LIST)
    let i = 0
    while (i < requiredCount && indexOfLiteral(wordAt(list + 4 * i), text, length, from, isScanned) < 0) i++
    if (i === requiredCount) return NO_MATCH
  }
  let begin = from
  for (let program = wordAt(pattern + FIRST_PROGRAM); program !== 0; program = wordAt(program + NEXT)) {
    if ((wordAt(program + FLAGS) & SHARES_LEAD) === 0) begin = firstAttempt(program, text, length, from, isScanned)
    if (begin < 0 || lacksLiteral(program, requiredCount !== 1, text, length, from, isScanned)) continue
    const end = run(program, text, length, from, begin, isScanned)
    if (end === NO_MATCH || end === NONE) continue
    const marks = wordAt(program + MARK_COUNT)
    setWord(FOUND_MARKS, marks)
    return marks > 0 && !capturesAreSound(marks) ? UNSOUND : end
  }
  return NO_MATCH
}

/** Returns the bytes that the machine reads of a folded text, those that failed attempts read again included. */
export function readsOsRegex(pattern: number, text: number, length: number): number {
  let reads = 0
  for (let program = wordAt(pattern + FIRST_PROGRAM); program !== 0; program = wordAt(program + NEXT)) {
    reads += length
    const begin = firstAttempt(program, text, length, 0, 0)
    if (begin < 0) continue
    const end = run(program, text, length, 0, begin, 0)
    reads += wordAt(WALKED)
    if (end !== NO_MATCH && end !== NONE) break
  }
  return reads
}

/** Returns the offset of the first attempt from `from` on, -1: the alternative does not match. */
function firstAttempt(program: number, text: number, length: number, from: number, isScanned: number): number {
  const lead = wordAt(program + LEAD)
  if (lead === 0) return from
  const offset = wordAt(program + LEAD_OFFSET)
  if ((wordAt(program + FLAGS) & ANCHORED_START) !== 0) {
    const size = wordAt(lead)
    return from + offset + size <= length && equalBytes(text + from + offset, wordAt(lead + 4), size) ? from : -1
  }
  const found = indexOfLiteral(lead, text, length, from + offset, isScanned)
  return found < 0 ? -1 : found - offset
}

/** Whether the text lacks a literal that every match of the alternative holds. @param testRarest it is not tested yet */
function lacksLiteral(program: number, testRarest: boolean, text: number, length: number, from: number, isScanned: number): boolean {
  const required = wordAt(program + REQUIRED)
  if (testRarest && required !== 0 && indexOfLiteral(required, text, length, from, isScanned) < 0) return true
  // In a text without a scan a literal takes as long as an attempt.
  const other = wordAt(program + OTHER)
  if (isScanned === 0 || other === 0) return false
  if (indexOfLiteral(other, text, length, from, isScanned) < 0) return true
  const another = wordAt(program + ANOTHER)
  return another !== 0 && indexOfLiteral(another, text, length, from, isScanned) < 0
}

function capturesAreSound(markCount: number): boolean {
  for (let mark = 0; mark + 1 < markCount; mark += 2) {
    const start = wordAt(MARKS + 4 * mark)
    const end = wordAt(MARKS + 4 * mark + 4)
    if (start < 0 || end < 0) return true
    if (end < start) return false
  }
  return true
}

/**
 * Runs one program over a text from `from`. Returns the reported end (absolute; `from - 1` is possible), NONE if it was
 * accepted without an end, or NO_MATCH.
 * @param begin the offset of the first attempt
 */
export function run(program: number, text: number, length: number, from: number, begin: number, isScanned: number): number {
  const flags = wordAt(program + FLAGS)
  const anchoredStart = (flags & ANCHORED_START) !== 0
  const anchoredEnd = (flags & ANCHORED_END) !== 0
  const capturing = (flags & CAPTURING) !== 0
  const lead = wordAt(program + LEAD)
  const leadOffset = wordAt(program + LEAD_OFFSET)
  const leadItems = wordAt(program + LEAD_ITEMS)
  const firstClass = wordAt(program + FIRST_CLASS)
  const markCount = wordAt(program + MARK_COUNT)
  const first = program + ITEMS
  for (let i = 0; i < markCount; i++) setWord(MARKS + 4 * i, -1)
  let pos = begin
  let item = first
  let end = from
  let hot = false
  let retry = -1
  let saved = 0
  let walked = 0
  let attempt = begin
  setWord(WALKED, 0)

  if (leadItems > 0) {
    item = first + 4 * leadItems
    retry = pos
    pos += leadItems
    end = pos - 1
  }

  while (pos < length) {
    const byte = byteAt(text + pos)
    let word = wordAt(item)
    if ((word & KIND_MASK) === MARK) {
      // A: at most one mark a step.
      if (capturing) setMark(word >> KIND_BITS, pos)
      item += 4
      word = wordAt(item)
    }
    const kind = word & KIND_MASK
    const value = word >> KIND_BITS
    if (kind === LIT || kind === MARK) {
      if (byte === (kind === LIT ? value : OPEN_PARENTHESIS)) {
        // C1
        item += 4
        if (retry < 0) retry = pos
        end = pos
        pos++
        continue
      }
      // C7
    } else if (kind === END) {
      // B
      if (!anchoredEnd) return end
    } else if ((classesOf(byte) & value) === 0) {
      if (hot && end !== NONE && inShortTail(item)) {
        // C6a
        end = pos
        if (!anchoredEnd) return end
      } else if (hot && kind === PLUS) {
        // C6b
        item += 4
        hot = false
        continue
      } else if (kind === STAR) {
        // C6c
        item += 4
        end = pos - 1
        hot = false
        continue
      }
      // C6d
      hot = false
    } else if (kind === ONE) {
      // C2
      item += 4
      if (retry < 0) retry = pos
      end = pos
      pos++
      continue
    } else if (kind === PLUS && !hot) {
      // C4
      const after = wordAt(item + 4)
      if (capturing && (after & KIND_MASK) === MARK) setMark(after >> KIND_BITS, pos + 1 === length ? pos + 1 : pos)
      hot = true
      end = pos
      pos++
      continue
    } else {
      // C3, C5
      hot = true
      let look = item + 4
      let mark = -1
      let ahead = wordAt(look)
      if ((ahead & KIND_MASK) === MARK) {
        mark = ahead >> KIND_BITS
        look += 4
        ahead = wordAt(look)
      }
      const lookKind = ahead & KIND_MASK
      const lookValue = ahead >> KIND_BITS
      if (lookKind === END) {
        // "tail", repeated while the bytes are in the class.
        pos = classEnd(text, length, pos + 1, value)
        if (capturing && mark >= 0) setMark(mark, pos)
        continue
      }
      const isByte = lookKind === LIT || lookKind === MARK
      const wanted = lookKind === MARK ? OPEN_PARENTHESIS : lookValue
      if (isByte ? byte !== wanted : (classesOf(byte) & lookValue) === 0) {
        // "none", repeated up to the next byte that the next item accepts or that is not in the class.
        pos = isByte ? byteOrClassEnd(text, length, pos + 1, value, wanted) : classOrClassEnd(text, length, pos + 1, value, lookValue)
        end = pos - 1
        continue
      }
      if (capturing && mark >= 0) setMark(mark, pos)
      if (saved < SAVED_CAPACITY) {
        setWord(SAVED + 8 * saved, item)
        setWord(SAVED + 8 * saved + 4, pos)
        saved++
      }
      if (isByte) hot = false
      item = isByte || lookKind === ONE ? look + 4 : look
      end = pos
      pos++
      continue
    }

    // FAIL
    if (saved > 0) {
      saved--
      item = wordAt(SAVED + 8 * saved)
      const at = wordAt(SAVED + 8 * saved + 4)
      walked += pos - at
      setWord(WALKED, walked)
      if (walked > RETRY_LIMIT) return NO_MATCH
      pos = at + 1
      continue
    }
    if (anchoredStart) return NO_MATCH
    walked += pos - attempt
    setWord(WALKED, walked)
    if (walked > RETRY_LIMIT) return NO_MATCH
    if (retry >= 0) {
      pos = retry
      retry = -1
    }
    pos++
    item = first
    end = NONE
    // Class items change `hot`, so nothing may be skipped then; literals do not change it.
    if (lead !== 0 && (leadOffset === 0 || !hot)) {
      const found = indexOfLiteral(lead, text, length, pos + leadOffset, isScanned)
      if (found < 0) return NO_MATCH
      pos = found - leadOffset
      attempt = pos
      if (leadItems > 0) {
        item = first + 4 * leadItems
        retry = pos
        pos += leadItems
        end = pos - 1
      }
      continue
    }
    if (firstClass !== 0 && !hot) while (pos < length && (classesOf(byteAt(text + pos)) & firstClass) === 0) pos++
    attempt = pos
  }

  // E1
  if (capturing) {
    while (kindAt(item) === STAR) item += 4
    if (kindAt(item) === MARK) setMark(wordAt(item) >> KIND_BITS, length)
  }
  return acceptsAtEnd(item, hot) ? end : NO_MATCH
}

function setMark(mark: number, pos: number): void {
  setWord(MARKS + 4 * mark, pos)
}

function classesOf(byte: number): number {
  return halfAt(CLASSES + 2 * byte)
}

/** Returns the first offset, from `from` on, of a byte that is not in the class. */
function classEnd(text: number, length: number, from: number, value: number): number {
  let at = from
  while (at < length && (classesOf(byteAt(text + at)) & value) !== 0) at++
  return at
}

/** The same, or of a byte that another class holds. */
function classOrClassEnd(text: number, length: number, from: number, value: number, other: number): number {
  for (let at = from; at < length; at++) {
    const classes = classesOf(byteAt(text + at))
    if ((classes & other) !== 0 || (classes & value) === 0) return at
  }
  return length
}

/** The same, or of one byte. Where only this byte ends the class, it is searched in a long text. */
function byteOrClassEnd(text: number, length: number, from: number, value: number, wanted: number): number {
  const near = from + LONG_RUN < length ? from + LONG_RUN : length
  let at = from
  for (; at < near; at++) {
    const byte = byteAt(text + at)
    if (byte === wanted || (classesOf(byte) & value) === 0) return at
  }
  if (at === length) return length
  if (wanted >= 0 && endsOnlyAt(value, wanted)) return findByte(text, length, at, wanted)
  for (; at < length; at++) {
    const byte = byteAt(text + at)
    if (byte === wanted || (classesOf(byte) & value) === 0) return at
  }
  return length
}

/** Whether the class holds all bytes, with or without this one. */
function endsOnlyAt(value: number, byte: number): boolean {
  return value === ANY_BYTE || (value === NO_SPACE && byte === SPACE)
}

/** The class bits of `\.` and `\S`. */
export const ANY_BYTE = 128
export const NO_SPACE = 64

function kindAt(item: number): number {
  return wordAt(item) & KIND_MASK
}

/** The last item before END; or a ONE followed by exactly one LIT or MARK and then END. */
export function inShortTail(item: number): boolean {
  const next = kindAt(item + 4)
  return next === END || (kindAt(item) === ONE && (next === LIT || next === MARK) && kindAt(item + 8) === END)
}

/** E2. */
export function acceptsAtEnd(item: number, hot: boolean): boolean {
  let at = kindAt(item) === MARK ? item + 4 : item
  const kind = kindAt(at)
  if (kind === END) return true
  if (hot && kind >= ONE && kind <= STAR) {
    at += 4
    if (kind !== ONE) {
      if (kindAt(at) === MARK) at += 4
      if (kindAt(at) === END) return true
      if (kindAt(at) === STAR) {
        at += 4
        if (kindAt(at) === MARK) at += 4
        if (kindAt(at) === END) return true
      } else if (kindAt(at) === ONE) at += 4
      else if (kindAt(at) === PLUS) return false
    }
  }
  if (kindAt(at) !== STAR) return false
  at += 4
  if (kindAt(at) === MARK) at += 4
  return kindAt(at) === END
}
