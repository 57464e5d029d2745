/** Writes the text of a JSON string with escapes. */
import { byteAt } from './access'
import { BACKSLASH, hexAt, isSurrogate } from './json-tokens'
import { UNESCAPED } from './layout'
import { fold } from './texts'

const LETTER_U: i32 = 0x75

/**
 * Writes the text of a string whose escapes are valid. Returns its size, or -1 if it has a NUL.
 * @param start offset of its first byte @param end offset of its closing quote @param folded 1: ASCII letters are folded to lower case
 */
export function unescapeString(text: i32, start: i32, end: i32, folded: i32): i32 {
  let out = UNESCAPED
  let at = start
  while (at < end) {
    const block = v128.load(text + at)
    v128.store(out, block)
    const found = i8x16.bitmask(i8x16.eq(block, i8x16.splat(<i8>BACKSLASH)))
    const plain = found === 0 ? 16 : ctz(found)
    if (at + plain >= end) {
      out += end - at
      break
    }
    at += plain
    out += plain
    if (found === 0) continue
    // Escapes often follow one another.
    do {
      const letter = byteAt(text + at + 1)
      at += 2
      if (letter !== LETTER_U) {
        store<u8>(out++, <u8>simple(letter))
        continue
      }
      let code = hexAt(text + at)
      if (code === 0) return -1
      at += 4
      if (isSurrogate(code)) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (hexAt(text + at + 2) & 0x3ff)
        at += 6
      }
      out = writeUtf8(out, code)
    } while (at < end && byteAt(text + at) === BACKSLASH)
  }
  const size = out - UNESCAPED
  if (folded !== 0) fold(UNESCAPED, UNESCAPED, size)
  return size
}

/** Returns the byte of an escape letter. */
function simple(letter: i32): i32 {
  if (letter === 0x6e) return 0x0a
  if (letter === 0x72) return 0x0d
  if (letter === 0x74) return 0x09
  if (letter === 0x62) return 0x08
  return letter === 0x66 ? 0x0c : letter
}

/** Returns the address behind the bytes of a code point. */
function writeUtf8(out: i32, code: i32): i32 {
  if (code < 0x80) {
    store<u8>(out, <u8>code)
    return out + 1
  }
  let rest = 6
  if (code < 0x800) store<u8>(out++, <u8>(0xc0 | (code >> 6)))
  else if (code < 0x10000) {
    store<u8>(out++, <u8>(0xe0 | (code >> 12)))
    rest = 12
  } else {
    store<u8>(out++, <u8>(0xf0 | (code >> 18)))
    rest = 18
  }
  while (rest > 0) {
    rest -= 6
    store<u8>(out++, <u8>(0x80 | ((code >> rest) & 0x3f)))
  }
  return out
}
