/**
 * Parses what follows a backslash, inside or outside of a class.
 */
import { CharClass, maxChar, type CharMode } from './char-class.js'
import { TYPE_SETS } from './byte-set.js'
import { isDigit, type PatternReader } from './pattern-reader.js'
import { SyntaxFault } from './syntax-error.js'
import { propertyRanges, propertySource } from './unicode-property.js'

export type Escape =
  | { readonly kind: 'char'; readonly char: number }
  /** \d \D \p{..} and similar: a set that case folding does not change */
  | { readonly kind: 'type'; readonly add: (into: CharClass) => void }
  | { readonly kind: 'backreference'; readonly group: number; readonly offset: number }
  /** A letter that the caller interprets: A b B C E G K N Q R X z Z g k */
  | { readonly kind: 'letter'; readonly letter: string }

const CONTROL_LETTERS: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['e', 0x1b],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
])

const PERL_ONLY_LETTERS = 'FLlUu'
const CALLER_LETTERS = 'AbBCEGKNQRXzZk'
/** PCRE2's MAX_GROUP_NUMBER. */
export const MAX_GROUP_NUMBER = 65535
/** PCRE2 stops reading the number in `\123` beyond this. */
const MAX_PLAIN_NUMBER = 214748363

/** Reads an escape; the reader is after the backslash. `groupCount`, the number of groups opened so far, decides the meaning of `\11`. */
export function readEscape(reader: PatternReader, mode: CharMode, groupCount: number, inClass: boolean): Escape {
  if (reader.atEnd) reader.fail('\\ at end of pattern')
  const start = reader.pos
  const char = reader.chars[reader.pos++]
  const letter = char < 0x80 ? String.fromCharCode(char) : ''
  if (!/[0-9A-Za-z]/.test(letter)) return { kind: 'char', char }
  const control = CONTROL_LETTERS.get(letter)
  if (control !== undefined) return { kind: 'char', char: control }
  if ('dswhvDSWHV'.includes(letter)) {
    return { kind: 'type', add: (into) => addType(into, letter.toLowerCase(), letter < 'a', mode) }
  }
  if (PERL_ONLY_LETTERS.includes(letter)) reader.fail('PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u')
  if (letter === 'N') return readN(reader, mode)
  if (CALLER_LETTERS.includes(letter)) return { kind: 'letter', letter }
  switch (letter) {
    case 'c':
      return { kind: 'char', char: readControl(reader) }
    case 'o':
      return { kind: 'char', char: readOctalBraces(reader, mode) }
    case 'x':
      return { kind: 'char', char: readHex(reader, mode) }
    case 'p':
    case 'P':
      return readProperty(reader, mode, letter === 'P')
    case 'g':
      return inClass ? { kind: 'char', char } : readG(reader, groupCount)
    default:
      if (isDigit(char)) return readDigits(reader, mode, groupCount, inClass)
      return reader.fail('unrecognized character follows \\', start)
  }
}

/** Adds `\d` and similar types. Under UCP they are Unicode's; in UTF mode `\h` and `\v` have more members. */
function addType(into: CharClass, letter: string, negate: boolean, mode: CharMode): void {
  const type = new CharClass(mode)
  const property = mode.ucp ? { d: 'Nd', s: 'Xsp', w: 'Xwd' }[letter] : undefined
  const ranges = property === undefined ? wideType(letter, mode) : propertyRanges(propertySource(property), maxChar(mode))
  if (property === undefined) type.addSet(TYPE_SETS.get(letter) as Uint8Array)
  type.addRanges(ranges)
  into.addRanges(type.rangesOf(negate))
}

function wideType(letter: string, mode: CharMode): readonly (readonly [number, number])[] {
  if (!mode.utf) return []
  if (letter === 'h') {
    return [
      [0x1680, 0x1680],
      [0x180e, 0x180e],
      [0x2000, 0x200a],
      [0x202f, 0x202f],
      [0x205f, 0x205f],
      [0x3000, 0x3000],
    ]
  }
  return letter === 'v' ? [[0x2028, 0x2029]] : []
}

function readControl(reader: PatternReader): number {
  if (reader.atEnd) reader.fail('\\c at end of pattern')
  const char = reader.chars[reader.pos]
  if (char < 0x20 || char > 0x7e) reader.fail('\\c must be followed by a printable ASCII character')
  reader.pos++
  const upper = char >= 0x61 && char <= 0x7a ? char - 0x20 : char
  return upper ^ 0x40
}

function digitOf(char: number | undefined, base: number): number {
  if (char === undefined) return -1
  const value = Number.parseInt(String.fromCodePoint(char), 36)
  return Number.isNaN(value) || value >= base || char > 0x7f ? -1 : value
}

/** Reads all digits; 0 when there are none. */
function readNumber(reader: PatternReader, base: number, most: number): number {
  let value = 0
  for (let i = 0; i < most; i++) {
    const digit = digitOf(reader.chars[reader.pos], base)
    if (digit < 0) break
    value = value * base + digit
    reader.pos++
  }
  return value
}

/** Reads digits up to `}`, after `\x{` or `\o{`. */
function readBraced(reader: PatternReader, mode: CharMode, base: number, badDigit: string): number {
  if (reader.atEnd || reader.peek() === '}') reader.fail('digits missing in \\x{} or \\o{} or \\N{U+}')
  let value = 0
  for (;;) {
    const digit = digitOf(reader.chars[reader.pos], base)
    if (digit < 0) break
    value = value * base + digit
    if (value > maxChar(mode)) reader.fail('character code point value in \\x{} or \\o{} is too large')
    reader.pos++
  }
  if (!reader.take('}')) reader.fail(badDigit)
  if (mode.utf && value >= 0xd800 && value <= 0xdfff) reader.fail('disallowed Unicode code point (>= 0xd800 && <= 0xdfff)')
  return value
}

function readOctalBraces(reader: PatternReader, mode: CharMode): number {
  if (!reader.take('{')) reader.fail('missing opening brace after \\o')
  return readBraced(reader, mode, 8, 'non-octal character in \\o{} (closing brace missing?)')
}

function readHex(reader: PatternReader, mode: CharMode): number {
  if (reader.take('{')) return readBraced(reader, mode, 16, 'non-hex character in \\x{} (closing brace missing?)')
  return readNumber(reader, 16, 2)
}

function readN(reader: PatternReader, mode: CharMode): Escape {
  if (reader.peek() !== '{' || isRepeatCount(reader, reader.pos)) return { kind: 'letter', letter: 'N' }
  if (!reader.startsWith('{U+')) reader.fail('PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u')
  if (!mode.utf) reader.fail('\\N{U+dddd} is supported only in Unicode (UTF) mode')
  reader.pos += 3
  return { kind: 'char', char: readBraced(reader, mode, 16, 'non-hex character in \\x{} (closing brace missing?)') }
}

/** Whether `{n}`, `{n,}` or `{n,m}` is at `pos`. Any other opening brace is literal (before 10.43). */
export function isRepeatCount(reader: PatternReader, pos: number): boolean {
  const { chars } = reader
  let at = pos + 1
  const first = at
  while (isDigit(chars[at])) at++
  if (at === first) return false
  if (chars[at] === 0x2c) {
    at++
    while (isDigit(chars[at])) at++
  }
  return chars[at] === 0x7d
}

function readProperty(reader: PatternReader, mode: CharMode, capital: boolean): Escape {
  const malformed = (): never => reader.fail('malformed \\P or \\p sequence')
  if (reader.atEnd) malformed()
  let negate = capital
  let name = reader.peek()
  reader.pos++
  if (name === '{') {
    name = ''
    if (reader.take('^')) negate = !negate
    for (;;) {
      if (reader.atEnd) malformed()
      const char = reader.peek()
      reader.pos++
      if (char === '}') break
      if (!/^[A-Za-z0-9_ \-&:=\t\n\v\f\r]$/.test(char)) malformed()
      name += char
    }
  } else if (!/[A-Za-z]/.test(name)) malformed()
  const source = propertySource(name)
  if (source === 'unknown') reader.fail('unknown property after \\P or \\p')
  if (source === 'unsupported') throw new SyntaxFault(`the property ${name} is not supported`, reader.offsetOf(reader.pos), 'pcre2_too_complex')
  const ranges = propertyRanges(source, maxChar(mode))
  return { kind: 'type', add: (into) => (negate ? into.addNegated(ranges) : into.addRanges(ranges)) }
}

function readG(reader: PatternReader, groupCount: number): Escape {
  const unbraced = '\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number'
  const next = reader.peek()
  if (next === '<' || next === "'") return { kind: 'letter', letter: 'g' }
  const offset = reader.pos
  if (next === '{') {
    if (!/[-+0-9]/.test(reader.peek(1))) return { kind: 'letter', letter: 'k' }
    reader.pos++
  }
  const group = readSignedNumber(reader, groupCount)
  if (group === null) return reader.fail(next === '{' ? 'subpattern name expected' : unbraced)
  if (next === '{' && !reader.take('}')) reader.fail(unbraced)
  if (group <= 0) reader.fail('reference to non-existent subpattern')
  return { kind: 'backreference', group, offset }
}

/** Reads `n`, `+n` or `-n`, relative to the groups opened so far; null when there is no number. */
export function readSignedNumber(reader: PatternReader, groupCount: number): number | null {
  const sign = reader.peek() === '+' || reader.peek() === '-' ? reader.peek() : ''
  if (sign !== '' && !isDigit(reader.chars[reader.pos + 1])) return null
  if (sign !== '') reader.pos++
  const value = reader.number(MAX_GROUP_NUMBER, 'number is too big')
  if (value < 0) return null
  if (sign === '') return value
  if (value === 0) reader.fail('a relative value of zero is not allowed')
  if (sign === '+') return groupCount + value
  if (value > groupCount) reader.fail('reference to non-existent subpattern')
  return groupCount - value + 1
}

function readDigits(reader: PatternReader, mode: CharMode, groupCount: number, inClass: boolean): Escape {
  const start = --reader.pos
  const first = reader.chars[start]
  if (!inClass && first !== 0x30) {
    const value = reader.number(MAX_PLAIN_NUMBER, 'number is too big')
    if (value < 10 || first >= 0x38 || value <= groupCount) return { kind: 'backreference', group: value, offset: start }
    reader.pos = start
  }
  if (first >= 0x38) {
    reader.pos = start + 1
    return { kind: 'char', char: first }
  }
  const value = readNumber(reader, 8, 3)
  if (!mode.utf && value > 0xff) reader.fail('octal value is greater than \\377 in 8-bit non-UTF-8 mode')
  return { kind: 'char', char: value }
}
