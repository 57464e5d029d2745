/** Flattens a JSON object: it writes the nodes of its members and where their values lie, and stops at what it cannot read. */
import { byteAt } from './access'
import { COLON, COMMA, DASH, isDigit, OPEN_BRACKET } from './ascii'
import {
  AFTER_NAME,
  AFTER_VALUE,
  ARRAYS_ARE_FIELDS,
  ARRAYS_ARE_SKIPPED,
  AT_START,
  DONE,
  HASH_FACTOR,
  INVALID,
  NAME,
  NODE_ID,
  NODE_PARENT,
  NODE_SIZE,
  NULLS_ARE_FIELDS,
  VALUE,
} from './json-records'
import { findName, guess, guessesOf } from './json-names'
import {
  CLOSE_BRACE,
  closingQuoteAfterEscapes,
  containerEnd,
  continuesNumber,
  isFalse,
  isNull,
  isTrue,
  nextMark,
  numberEnd,
  ODD,
  OPEN_BRACE,
  QUOTE,
  skip,
} from './json-tokens'
import {
  JSON_AT,
  JSON_COUNT,
  JSON_DEPTH,
  JSON_ENDS,
  JSON_HASH,
  JSON_IDS,
  JSON_NESTING_LIMIT,
  JSON_NODE,
  JSON_PARENT,
  JSON_PREVIOUS,
  JSON_STARTS,
} from './layout'

/** Digits of an integer whose text is that of its field. */
const PLAIN_DIGITS: i32 = 9

/**
 * Goes on with the object, from the state in memory, to the end of the object or to a name or value that the caller has to read. Returns DONE, INVALID, NAME or
 * VALUE. A value with escapes has its end negated. A value that must be printed has its start inverted; it is valid.
 * @param resume AT_START with the node of the object, AFTER_NAME with that of the member, or AFTER_VALUE
 */
export function flatten(text: i32, length: i32, resume: i32, mode: i32): i32 {
  let at = load<i32>(JSON_AT)
  let parent = load<i32>(JSON_PARENT)
  let previous = load<i32>(JSON_PREVIOUS)
  let node = load<i32>(JSON_NODE)
  let depth = load<i32>(JSON_DEPTH)
  let count = load<i32>(JSON_COUNT)
  let hash = load<i32>(JSON_HASH)
  let state = resume
  let answer = DONE
  while (true) {
    if (state === AT_START) {
      depth++
      if (depth > JSON_NESTING_LIMIT) return INVALID
      parent = node
      previous = 0
      at = skip(text, at + 1, length)
      if (byteAt(text + at) === CLOSE_BRACE) {
        at++
        if (depth === 1) break
        depth--
        previous = parent
        parent = load<i32>(parent, NODE_PARENT)
        state = AFTER_VALUE
      }
    }
    if (state === AFTER_VALUE) {
      let byte: i32
      while (true) {
        at = skip(text, at, length)
        byte = byteAt(text + at)
        if (byte !== CLOSE_BRACE) break
        at++
        if (depth === 1) break
        depth--
        previous = parent
        parent = load<i32>(parent, NODE_PARENT)
      }
      if (byte === CLOSE_BRACE) break
      if (byte !== COMMA) return INVALID
      at = skip(text, at + 1, length)
    }
    if (state !== AFTER_NAME) {
      if (byteAt(text + at) !== QUOTE) return INVALID
      const name = at + 1
      const guesses = guessesOf(parent, previous)
      node = guess(guesses, text + name)
      if (node === 0) {
        const end = nextMark(text, name, length)
        if (end < 0) return INVALID
        if (byteAt(text + end) === QUOTE) node = findName(parent, guesses, text + name, end - at)
        if (node === 0) {
          answer = NAME
          break
        }
      }
      at = name + load<i32>(node, NODE_SIZE)
    }
    // The name is read, and the offset is that behind it.
    previous = node
    at = skip(text, at, length)
    if (byteAt(text + at) !== COLON) return INVALID
    at = skip(text, at + 1, length)
    const byte = byteAt(text + at)
    let start = at
    let end = 0
    state = AFTER_VALUE
    if (byte === QUOTE) {
      start = at + 1
      const mark = nextMark(text, start, length)
      if (mark < 0) return INVALID
      if (byteAt(text + mark) === QUOTE) {
        end = mark
        at = end + 1
      } else {
        end = closingQuoteAfterEscapes(text, mark, length)
        if (end === INVALID) return INVALID
        if (end === ODD) {
          answer = VALUE
          break
        }
        at = end + 1
        end = -end
      }
    } else if (byte === OPEN_BRACE) {
      state = AT_START
      continue
    } else if (isDigit(byte)) {
      end = at + 1
      while (end - at <= PLAIN_DIGITS && isDigit(byteAt(text + end))) end++
      const digits = end - at
      if (digits > PLAIN_DIGITS || (digits > 1 && byte === 0x30) || continuesNumber(byteAt(text + end))) {
        end = numberEnd(text, at)
        if (end === ODD) {
          answer = VALUE
          break
        }
        start = ~at
      }
      at = end
    } else if (isTrue(text + at)) {
      end = at + 4
      at = end
    } else if (isFalse(text + at)) {
      end = at + 5
      at = end
    } else if (isNull(text + at)) {
      end = at + 4
      at = end
      if ((mode & NULLS_ARE_FIELDS) === 0) continue
    } else if (byte === OPEN_BRACKET || byte === DASH) {
      const isArray = byte === OPEN_BRACKET
      end = !isArray ? numberEnd(text, at) : (mode & (ARRAYS_ARE_FIELDS | ARRAYS_ARE_SKIPPED)) === 0 ? ODD : containerEnd(text, at, length, depth + 1)
      if (end === INVALID) return INVALID
      if (end === ODD) {
        answer = VALUE
        break
      }
      start = ~at
      at = end
      if (isArray && (mode & ARRAYS_ARE_SKIPPED) !== 0) continue
    } else return INVALID
    const place = count << 2
    const id = load<i32>(node, NODE_ID)
    store<i32>(JSON_IDS + place, id)
    store<i32>(JSON_STARTS + place, start)
    store<i32>(JSON_ENDS + place, end)
    hash = (hash ^ id) * HASH_FACTOR
    count++
  }
  store<i32>(JSON_AT, at)
  store<i32>(JSON_PARENT, parent)
  store<i32>(JSON_PREVIOUS, previous)
  store<i32>(JSON_NODE, node)
  store<i32>(JSON_DEPTH, depth)
  store<i32>(JSON_COUNT, count)
  store<i32>(JSON_HASH, hash)
  return answer
}
