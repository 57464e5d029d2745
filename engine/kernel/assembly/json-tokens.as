/** Finds where strings, numbers and containers of JSON end, as cJSON reads them. Nothing is read more than `SLACK` bytes behind a text, which ends with a NUL. */
import { byteAt } from './access'
import { COLON, COMMA, DASH, DOT, isDigit, OPEN_BRACKET, PLUS_SIGN, SPACE } from './ascii'
import { INVALID } from './json-records'
import { JSON_NESTING_LIMIT, JSON_OPEN } from './layout'

/** The token has to be read in another way. */
export const ODD: i32 = -2

export const QUOTE: i32 = 0x22
export const BACKSLASH: i32 = 0x5c
export const OPEN_BRACE: i32 = 0x7b
export const CLOSE_BRACE: i32 = 0x7d
const DIGIT_0: i32 = 0x30
const LOWER_CASE: i32 = 0x20
const LETTER_A: i32 = 0x61
const LETTER_E: i32 = 0x65
const LETTER_F: i32 = 0x66
const LETTER_U: i32 = 0x75
/** The closing byte of a container, from its opening one. */
const TO_CLOSE: i32 = 2
/** The four bytes of these words, and the last four of `false`. */
const TRUE: i32 = 0x65757274
const NULL: i32 = 0x6c6c756e
const ALSE: i32 = 0x65736c61
/** The two bytes of `\u`. */
const UNICODE: i32 = 0x755c
/** Bytes of a number that are read at most. */
const NUMBER_LIMIT: i32 = 63
/** Every second bit, from the second on. */
const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa

/** Returns the offset of the first byte that is no blank. */
@inline
export function skip(text: i32, at: i32, length: i32): i32 {
  while (byteAt(text + at) <= SPACE && at < length) at++
  return at
}

@inline
export function isTrue(address: i32): bool {
  return load<i32>(address) === TRUE
}

@inline
export function isNull(address: i32): bool {
  return load<i32>(address) === NULL
}

@inline
export function isFalse(address: i32): bool {
  return byteAt(address) === LETTER_F && load<i32>(address, 1) === ALSE
}

/** Returns a bit for each of sixteen bytes that is a quote or a backslash. */
@inline
function marks(address: i32): i32 {
  const bytes = v128.load(address)
  return i8x16.bitmask(v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))))
}

/** Returns the offset of the next quote or backslash, INVALID: there is none. */
@inline
export function nextMark(text: i32, from: i32, length: i32): i32 {
  let at = from
  let found = marks(text + at)
  while (found === 0) {
    at += 16
    if (at >= length) return INVALID
    found = marks(text + at)
  }
  at += ctz(found)
  return at < length ? at : INVALID
}

/** Returns the offset of the closing quote, INVALID or ODD. @param from the offset of the first byte of the string */
@inline
export function closingQuote(text: i32, from: i32, length: i32): i32 {
  const at = nextMark(text, from, length)
  return at < 0 || byteAt(text + at) === QUOTE ? at : closingQuoteAfterEscapes(text, at, length)
}

@inline
function join(a: i32, b: i32, c: i32, d: i32): u64 {
  return <u64>(<u32>(a | (b << 16))) | (<u64>(<u32>(c | (d << 16))) << 32)
}

/** Returns a bit for each of sixteen bytes that is one of `"` `/` `\` `b` `f` `n` `r` `t`: the halves of the byte have a bit in common in two tables. */
@inline
function simpleLetters(bytes: v128): i32 {
  const low = i8x16.swizzle(i8x16(0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1), v128.and(bytes, i8x16.splat(15)))
  const high = i8x16.swizzle(i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(bytes, 4))
  return i8x16.bitmask(i8x16.ne(v128.and(low, high), i8x16.splat(0)))
}

/** Reads 64 bytes at once, up to an escape that is no simple one. @param at the offset of a backslash */
export function closingQuoteAfterEscapes(text: i32, at: i32, length: i32): i32 {
  const quote = i8x16.splat(<i8>QUOTE)
  const backslash = i8x16.splat(<i8>BACKSLASH)
  /** 1: the first byte of the block is escaped by the last one of the block before. */
  let carry: u64 = 0
  for (let base = at; base < length; base += 64) {
    const block = text + base
    const a = v128.load(block)
    const b = v128.load(block, 16)
    const c = v128.load(block, 32)
    const d = v128.load(block, 48)
    const backslashes = join(
      i8x16.bitmask(i8x16.eq(a, backslash)),
      i8x16.bitmask(i8x16.eq(b, backslash)),
      i8x16.bitmask(i8x16.eq(c, backslash)),
      i8x16.bitmask(i8x16.eq(d, backslash)),
    )
    let quotes = join(i8x16.bitmask(i8x16.eq(a, quote)), i8x16.bitmask(i8x16.eq(b, quote)), i8x16.bitmask(i8x16.eq(c, quote)), i8x16.bitmask(i8x16.eq(d, quote)))
    let escaped = carry
    if (backslashes === 0) carry = 0
    else {
      // In a run of backslashes every second byte is escaped, and the one behind a run of an odd number.
      const starting = backslashes & ~carry
      const codes = (((starting << 1) | ODD_BITS) - starting) ^ ODD_BITS
      escaped = codes ^ (backslashes | carry)
      carry = (codes & backslashes) >> 63
    }
    quotes &= ~escaped
    // What follows the closing quote does not count.
    if (quotes !== 0) escaped &= quotes - 1
    if (escaped !== 0) {
      const others = escaped & ~join(simpleLetters(a), simpleLetters(b), simpleLetters(c), simpleLetters(d))
      if (others !== 0) return closingQuoteByEscape(text, base + <i32>ctz(others) - 1, length)
    }
    if (quotes !== 0) {
      const end = base + <i32>ctz(quotes)
      return end < length ? end : INVALID
    }
  }
  return INVALID
}

/** The same one escape at a time. */
function closingQuoteByEscape(text: i32, from: i32, length: i32): i32 {
  let base = from
  let found = marks(text + base)
  while (true) {
    while (found === 0) {
      base += 16
      if (base >= length) return INVALID
      found = marks(text + base)
    }
    const at = base + ctz(found)
    if (at >= length) return INVALID
    if (byteAt(text + at) === QUOTE) return at
    let next = at + 2
    if (!isSimple(byteAt(text + at + 1))) {
      if (byteAt(text + at + 1) !== LETTER_U) return INVALID
      const unit = hexAt(text + next)
      if (unit === 0) return ODD
      next += 4
      if (isSurrogate(unit)) {
        if (unit >= 0xdc00 || <i32>load<u16>(text + next) !== UNICODE) return INVALID
        const low = hexAt(text + next + 2)
        if (low < 0xdc00 || low > 0xdfff) return INVALID
        next += 6
      }
    }
    const passed = next - base
    if (passed < 16) found &= -1 << passed
    else {
      base = next
      if (base >= length) return INVALID
      found = marks(text + base)
    }
  }
}

function isSimple(letter: i32): bool {
  return letter === 0x5c || letter === 0x6e || letter === QUOTE || letter === 0x72 || letter === 0x74 || letter === 0x2f || letter === 0x62 || letter === 0x66
}

@inline
export function isSurrogate(unit: i32): bool {
  return (unit & 0xf800) === 0xd800
}

/** Returns the value of four hexadecimal digits, 0 if there are none. */
export function hexAt(address: i32): i32 {
  let value = 0
  for (let i = 0; i < 4; i++) {
    let digit = byteAt(address + i)
    if (isDigit(digit)) digit -= DIGIT_0
    else {
      digit |= LOWER_CASE
      if (digit < LETTER_A || digit > LETTER_F) return 0
      digit -= LETTER_A - 10
    }
    value = (value << 4) | digit
  }
  return value
}

/** Returns the offset behind the longest prefix that `strtod` reads, INVALID, or ODD if it may be cut. @param at the offset of a digit or minus */
export function numberEnd(text: i32, at: i32): i32 {
  const first = byteAt(text + at) === DASH ? at + 1 : at
  let end = digitsEnd(text, first)
  const hasDigits = end > first
  if (byteAt(text + end) === DOT) {
    const fraction = digitsEnd(text, end + 1)
    if (!hasDigits && fraction === end + 1) return INVALID
    end = fraction
  } else if (!hasDigits) return INVALID
  if ((byteAt(text + end) | LOWER_CASE) === LETTER_E) {
    const sign = byteAt(text + end + 1)
    const digits = sign === PLUS_SIGN || sign === DASH ? end + 2 : end + 1
    const power = digitsEnd(text, digits)
    if (power > digits) end = power
  }
  return end - at >= NUMBER_LIMIT ? ODD : end
}

function digitsEnd(text: i32, from: i32): i32 {
  let at = from
  while (isDigit(byteAt(text + at))) at++
  return at
}

/** Whether a number that goes on with this byte is no integer. */
@inline
export function continuesNumber(byte: i32): bool {
  return byte === DOT || (byte | LOWER_CASE) === LETTER_E || byte === PLUS_SIGN || byte === DASH
}

/** Returns the offset behind a container and all that is in it, INVALID or ODD. @param at the offset of its opening byte @param depth containers around it and itself */
export function containerEnd(text: i32, at: i32, length: i32, depth: i32): i32 {
  let open = 0
  while (true) {
    // A value begins here.
    const byte = byteAt(text + at)
    if (byte === QUOTE) {
      at = closingQuote(text, at + 1, length)
      if (at < 0) return at
      at++
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      if (depth + open > JSON_NESTING_LIMIT) return INVALID
      const close = byte + TO_CLOSE
      store<u8>(JSON_OPEN + open, <u8>close)
      open++
      at = skip(text, at + 1, length)
      if (byteAt(text + at) !== close) {
        if (byte === OPEN_BRACE) at = memberValue(text, at, length)
        if (at < 0) return at
        continue
      }
      at++
      open--
    } else if (isDigit(byte) || byte === DASH) {
      at = numberEnd(text, at)
      if (at < 0) return at
    } else if (isTrue(text + at) || isNull(text + at)) at += 4
    else if (isFalse(text + at)) at += 5
    else return INVALID
    while (true) {
      if (open === 0) return at
      at = skip(text, at, length)
      const next = byteAt(text + at)
      const close = byteAt(JSON_OPEN + open - 1)
      if (next === close) {
        at++
        open--
        continue
      }
      if (next !== COMMA) return INVALID
      at = skip(text, at + 1, length)
      if (close === CLOSE_BRACE) at = memberValue(text, at, length)
      if (at < 0) return at
      break
    }
  }
}

/** Returns the offset of the value of a member, INVALID or ODD. @param at the offset of its name */
function memberValue(text: i32, at: i32, length: i32): i32 {
  if (byteAt(text + at) !== QUOTE) return INVALID
  at = closingQuote(text, at + 1, length)
  if (at < 0) return at
  at = skip(text, at + 1, length)
  return byteAt(text + at) === COLON ? skip(text, at + 1, length) : INVALID
}
