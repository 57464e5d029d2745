/**
 * The OSRegex machine (BEHAVIOUR.md#osregex-matching): one forward scan with at most four saved points. Stock decoders rely on its odd
 * results, so every step is reproduced. The letters name the steps: A marks, B end of the items, C the current byte, E the end of the text.
 *
 * Shortcuts that change no result: while an attempt has only seen single bytes nothing is saved, and after a failure the next attempt begins one byte
 * later. The machine may therefore jump to the next occurrence of a literal at a fixed distance from the beginning, or of a byte of the first
 * class.
 */
import { bytesOf } from '../../source/last-bytes.js'
import type { Literal } from '../literal.js'
import { type PackedWords, packWords } from '../packed-words.js'
import { BYTE_CLASSES } from './classes.js'
import { END, LIT, MARK, ONE, OPEN_PARENTHESIS, type OsRegexAlternative, PLUS, STAR } from './parse.js'

/** Saved points; a push on a full list is dropped. */
const SAVED_CAPACITY = 4
/**
 * Limit of bytes that all failed attempts of one search may read. A failed attempt is repeated one byte later, so hostile patterns are quadratic;
 * real events (under 64 KB) stay far below the limit. 50 million bytes take about a tenth of a second.
 */
const RETRY_LIMIT = 50_000_000
/** No end is known yet. */
export const NONE = -0x40000000
/** Returned if the alternative does not match. */
export const NO_MATCH = -0x40000001

/** Bits of the kind in a packed item; its value is above them. */
const KIND_BITS = 3
const KIND_MASK = (1 << KIND_BITS) - 1

/** An alternative in the form that the machine runs. */
export interface Program {
  /** Packed items, which begin at `at`. */
  readonly words: Int32Array
  readonly at: number
  readonly anchoredStart: boolean
  readonly anchoredEnd: boolean
  /** A literal at `leadOffset` bytes from the beginning of every match. */
  readonly lead: Literal | null
  readonly leadOffset: number
  /** Number of items, from the first one on, that match the lead when it is found. */
  readonly leadItems: number
  /** The first attempt is that of the alternative before this one. */
  readonly sharesLead: boolean
  /** A literal that any match contains, if it is another one than `lead`. */
  readonly required: Literal | null
  /** Further literals that any match contains, and that a scan of the text may exclude. */
  readonly others: readonly Literal[]
  /** Class bit of the first item if it is ONE or PLUS, otherwise 0. */
  readonly firstClass: number
  /** Marks to clear before a run; 0 if it does not capture. */
  readonly markCount: number
  /** Whether the machine captures: also in an alternative without groups, if another one has some. */
  readonly capturing: boolean
  /** The next alternative. */
  readonly next: Program | null
}

/** Returns the items of an alternative as the machine reads them. */
export function packItems({ kinds, values }: Pick<OsRegexAlternative, 'kinds' | 'values'>): PackedWords {
  return packWords(Array.from(kinds, (kind, item) => kind | (values[item] << KIND_BITS)))
}

/** Marks of the last run; unset is -1. Shared by all runs of a thread: a run ends before the next begins. */
export let marks = new Int32Array(64)
/** Bytes that the failed attempts of the last run have read, up to RETRY_LIMIT. */
export let walkedBytes = 0
const savedItem = new Int32Array(SAVED_CAPACITY)
const savedAt = new Int32Array(SAVED_CAPACITY)
/** Makes room for a pattern with that many marks. */
export function reserveMarks(count: number): void {
  if (count > marks.length) marks = new Int32Array(count * 2)
}

/** Returns the offset of the first attempt from `from` on, -1: the alternative does not match. */
export function firstAttempt({ lead, leadOffset, anchoredStart }: Program, lower: string, from: number): number {
  if (lead === null) return from
  if (anchoredStart) return lower.startsWith(lead.text, from + leadOffset) ? from : -1
  const found = lead.indexIn(lower, from + leadOffset)
  return found < 0 ? -1 : found - leadOffset
}

/**
 * Runs one alternative over `lower` from `from`. Returns the reported end (absolute; `from - 1` is possible), NONE if it was
 * accepted without an end, or NO_MATCH.
 * @param begin the offset of the first attempt
 */
export function run(program: Program, lower: string, from: number, begin: number): number {
  const { words, at: first, anchoredStart, anchoredEnd, lead, leadOffset, leadItems, firstClass, markCount, capturing } = program
  for (let i = 0; i < markCount; i++) marks[i] = -1
  const length = lower.length
  let pos = begin
  let item = first
  let end = from
  let hot = false
  let retry = -1
  let saved = 0
  let walked = 0
  walkedBytes = 0
  let attempt = begin

  if (leadItems > 0) {
    item = first + leadItems
    retry = pos
    pos += leadItems
    end = pos - 1
  }
  const text = bytesOf(lower)

  while (pos < length) {
    const byte = text[pos]
    let word = words[item]
    if ((word & KIND_MASK) === MARK) {
      // A: at most one mark a step.
      if (capturing) marks[word >> KIND_BITS] = pos
      item++
      word = words[item]
    }
    const kind = word & KIND_MASK
    const value = word >> KIND_BITS
    matching: {
      if (kind === LIT || kind === MARK) {
        if (byte !== (kind === LIT ? value : OPEN_PARENTHESIS)) break matching // C7
        // C1
        item++
        if (retry < 0) retry = pos
        end = pos
        pos++
        continue
      }
      if (kind === END) {
        // B
        if (anchoredEnd) break matching
        return end
      }
      if ((BYTE_CLASSES[byte] & value) === 0) {
        if (hot) {
          if (end !== NONE && inShortTail(words, item)) {
            // C6a
            end = pos
            if (!anchoredEnd) return end
            hot = false
            break matching
          }
          if (kind === PLUS) {
            // C6b
            item++
            hot = false
            continue
          }
        }
        if (kind === STAR) {
          // C6c
          item++
          end = pos - 1
          hot = false
          continue
        }
        hot = false // C6d
        break matching
      }
      if (kind === ONE) {
        // C2
        item++
        if (retry < 0) retry = pos
        end = pos
        pos++
        continue
      }
      if (kind === PLUS && !hot) {
        // C4
        const after = words[item + 1]
        if (capturing && (after & KIND_MASK) === MARK) marks[after >> KIND_BITS] = pos + 1 === length ? pos + 1 : pos
        hot = true
        end = pos
        pos++
        continue
      }
      // C3, C5
      hot = true
      let look = item + 1
      let mark = -1
      let ahead = words[look]
      if ((ahead & KIND_MASK) === MARK) {
        mark = ahead >> KIND_BITS
        look++
        ahead = words[look]
      }
      const lookKind = ahead & KIND_MASK
      const lookValue = ahead >> KIND_BITS
      if (lookKind === END) {
        // "tail", repeated while the bytes are in the class.
        do pos++
        while (pos < length && (BYTE_CLASSES[text[pos]] & value) !== 0)
        if (capturing && mark >= 0) marks[mark] = pos
        continue
      }
      if (lookKind === LIT || lookKind === MARK) {
        const wanted = lookKind === LIT ? lookValue : OPEN_PARENTHESIS
        if (byte !== wanted) {
          // "none", repeated up to the next byte that the next item accepts or that is not in the class.
          let next = pos + 1
          for (; next < length; next++) {
            const code = text[next]
            if (code === wanted || (BYTE_CLASSES[code] & value) === 0) break
          }
          end = next - 1
          pos = next
          continue
        } else {
          hot = false
          if (capturing && mark >= 0) marks[mark] = pos
          if (saved < SAVED_CAPACITY) {
            savedItem[saved] = item
            savedAt[saved] = pos
            saved++
          }
          item = look + 1
        }
      } else if ((BYTE_CLASSES[byte] & lookValue) !== 0) {
        if (capturing && mark >= 0) marks[mark] = pos
        if (saved < SAVED_CAPACITY) {
          savedItem[saved] = item
          savedAt[saved] = pos
          saved++
        }
        item = lookKind === ONE ? look + 1 : look
      } else {
        let next = pos + 1
        for (; next < length; next++) {
          const classes = BYTE_CLASSES[text[next]]
          if ((classes & lookValue) !== 0 || (classes & value) === 0) break
        }
        end = next - 1
        pos = next
        continue
      }
      end = pos
      pos++
      continue
    }

    // FAIL
    if (saved > 0) {
      saved--
      item = savedItem[saved]
      walkedBytes = walked += pos - savedAt[saved]
      if (walked > RETRY_LIMIT) return NO_MATCH
      pos = savedAt[saved] + 1
      continue
    }
    if (anchoredStart) return NO_MATCH
    walkedBytes = walked += pos - attempt
    if (walked > RETRY_LIMIT) return NO_MATCH
    if (retry >= 0) {
      pos = retry
      retry = -1
    }
    pos++
    item = first
    end = NONE
    // Class items change `hot`, so nothing may be skipped then; literals do not change it.
    if (lead !== null && (leadOffset === 0 || !hot)) {
      const found = lead.indexIn(lower, pos + leadOffset)
      if (found < 0) return NO_MATCH
      pos = found - leadOffset
      attempt = pos
      if (leadItems > 0) {
        item = first + leadItems
        retry = pos
        pos += leadItems
        end = pos - 1
      }
      continue
    }
    if (firstClass !== 0 && !hot) {
      while (pos < length && (BYTE_CLASSES[text[pos]] & firstClass) === 0) pos++
    }
    attempt = pos
  }

  // E1
  if (capturing) {
    while (kindAt(words, item) === STAR) item++
    if (kindAt(words, item) === MARK) marks[words[item] >> KIND_BITS] = length
  }
  return acceptsAtEnd(words, item, hot) ? end : NO_MATCH
}

function kindAt(words: Int32Array, item: number): number {
  return words[item] & KIND_MASK
}

/** The last item before END; or a ONE followed by exactly one LIT or MARK and then END. */
export function inShortTail(words: Int32Array, item: number): boolean {
  const next = kindAt(words, item + 1)
  return next === END || (kindAt(words, item) === ONE && (next === LIT || next === MARK) && kindAt(words, item + 2) === END)
}

/** E2. */
export function acceptsAtEnd(words: Int32Array, item: number, hot: boolean): boolean {
  let at = kindAt(words, item) === MARK ? item + 1 : item
  const kind = kindAt(words, at)
  if (kind === END) return true
  if (hot && kind >= ONE && kind <= STAR) {
    at++
    if (kind !== ONE) {
      if (kindAt(words, at) === MARK) at++
      if (kindAt(words, at) === END) return true
      if (kindAt(words, at) === STAR) {
        at++
        if (kindAt(words, at) === MARK) at++
        if (kindAt(words, at) === END) return true
      } else if (kindAt(words, at) === ONE) at++
      else if (kindAt(words, at) === PLUS) return false
    }
  }
  if (kindAt(words, at) !== STAR) return false
  at++
  if (kindAt(words, at) === MARK) at++
  return kindAt(words, at) === END
}
