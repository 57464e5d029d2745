/**
 * Parses classes: `[...]`.
 *
 * ```
 * [^]a-f\d[:alpha:]-]
 *  ^ the reader is after the bracket
 * ```
 */
import type { Node } from './ast.js'
import { POSIX_SETS } from './byte-set.js'
import { CharClass, maxChar, type CharMode } from './char-class.js'
import { readEscape } from './parse-escape.js'
import type { InlineOptions, PatternReader } from './pattern-reader.js'
import { propertyRanges, propertySource } from './unicode-property.js'

/** The Unicode meaning of POSIX names under UCP. Other names keep their ASCII meaning. */
const UCP_POSIX: ReadonlyMap<string, string> = new Map([
  ['alpha', '\\p{L}'],
  ['lower', '\\p{Ll}'],
  ['upper', '\\p{Lu}'],
  ['alnum', '[\\p{L}\\p{N}]'],
  ['blank', '[\\t\\x20\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000]'],
  ['cntrl', '\\p{Cc}'],
  ['digit', '\\p{Nd}'],
  ['graph', '[^\\p{Z}\\p{Cc}\\p{Cn}\\p{Cs}\\u061c\\u180e\\u2066-\\u2069]'],
  ['print', '[^\\p{Zl}\\p{Zp}\\p{Cc}\\p{Cn}\\p{Cs}\\u061c\\u2066-\\u2069]'],
  ['punct', '[\\p{P}$+<=>^`|~]'],
  ['space', propertySource('Xps')],
  ['word', propertySource('Xwd')],
])

const BAD_RANGE = 'invalid range in character class'

/** The end of `[:name:]`, `[.name.]` or `[=name=]` if one begins at `pos` (on the `:`); else -1. */
export function posixEnd(reader: PatternReader, pos: number): number {
  const { chars } = reader
  const terminator = chars[pos]
  if (terminator !== 0x3a && terminator !== 0x2e && terminator !== 0x3d) return -1
  for (let at = pos + 1; at + 1 < chars.length; at++) {
    const [char, next] = [chars[at], chars[at + 1]]
    if (char === 0x5c && (next === 0x5d || next === 0x5c)) at++
    else if ((char === 0x5b && next === terminator) || char === 0x5d) return -1
    else if (char === terminator && next === 0x5d) return at
  }
  return -1
}

export function parseClass(reader: PatternReader, options: InlineOptions, mode: CharMode): Node {
  const literals = new CharClass(mode)
  const types = new CharClass(mode)
  const isBlank = (char: string): boolean => options.extendedMore && (char === ' ' || char === '\t')
  const negate = readNegation(reader, isBlank)

  /** The character from which a `-` would begin a range; -1: a `-` is literal here. */
  let rangeFrom = -1
  let inRange = false
  let quoted = false
  const addChar = (char: number): void => {
    if (inRange) {
      if (rangeFrom > char) reader.fail('range out of order in character class')
      literals.addRange(rangeFrom, char)
      inRange = false
      rangeFrom = -1
    } else {
      literals.addRange(char, char)
      rangeFrom = char
    }
  }
  /** After an item that is not a character, `-` must be the last. */
  const noRangeHere = (): void => {
    rangeFrom = -1
    if (reader.peek() === '-' && reader.peek(1) !== '' && reader.peek(1) !== ']') reader.fail(BAD_RANGE)
  }

  // a leading `]` is a member
  for (let first = true; ; first = false) {
    if (reader.atEnd) reader.fail('missing terminating ] for character class')
    if (reader.peek() === ']' && !quoted && !first) break
    const char = reader.chars[reader.pos++]
    const text = String.fromCodePoint(char)
    if (quoted) {
      if (text === '\\' && reader.take('E')) quoted = false
      else addChar(char)
    } else if (isBlank(text)) {
      // ignored in (?xx)
    } else if (text === '[' && posixEnd(reader, reader.pos) >= 0) {
      if (inRange) reader.fail(BAD_RANGE)
      addPosix(reader, types, options, mode)
      noRangeHere()
    } else if (text === '-' && rangeFrom >= 0 && !inRange) {
      inRange = true
    } else if (text !== '\\') {
      addChar(char)
    } else {
      const sequence = readEscape(reader, mode, 0, true)
      if (sequence.kind === 'char') addChar(sequence.char)
      else if (sequence.kind === 'letter' && sequence.letter === 'b') addChar(0x08)
      else if (sequence.kind === 'letter' && sequence.letter === 'Q') quoted = true
      else if (sequence.kind === 'letter' && sequence.letter === 'E') continue
      else if (sequence.kind !== 'type') {
        if (sequence.kind === 'letter' && 'BRX'.includes(sequence.letter)) reader.fail('escape sequence is invalid in character class')
        if (inRange) reader.fail(BAD_RANGE)
        reader.fail(sequence.kind === 'letter' && sequence.letter === 'N' ? '\\N is not supported in a class' : 'escape sequence is invalid in character class')
      } else {
        if (inRange) reader.fail(BAD_RANGE)
        sequence.add(types)
        noRangeHere()
      }
    }
  }
  reader.pos++
  if (inRange) literals.addRange(0x2d, 0x2d)
  if (options.caseless) literals.fold()
  return types.addRanges(literals.rangesOf(false)).toNode(negate)
}

/** Reads `^`, and skips `\Q\E` and blanks that have no meaning. */
function readNegation(reader: PatternReader, isBlank: (char: string) => boolean): boolean {
  let negate = false
  for (;;) {
    if (reader.take('\\E') || reader.take('\\Q\\E')) continue
    if (isBlank(reader.peek())) reader.pos++
    else if (!negate && reader.take('^')) negate = true
    else return negate
  }
}

function addPosix(reader: PatternReader, into: CharClass, options: InlineOptions, mode: CharMode): void {
  const end = posixEnd(reader, reader.pos)
  if (reader.peek() !== ':') reader.fail('POSIX collating elements are not supported', reader.pos - 1)
  reader.pos++
  const negate = reader.take('^')
  let name = String.fromCodePoint(...reader.chars.slice(reader.pos, end))
  const set = POSIX_SETS.get(name)
  if (set === undefined) return reader.fail('unknown POSIX class name')
  if (options.caseless && (name === 'upper' || name === 'lower')) name = 'alpha'
  const members = new CharClass(mode)
  const unicode = mode.ucp ? UCP_POSIX.get(name) : undefined
  if (unicode === undefined) members.addSet(POSIX_SETS.get(name) as Uint8Array)
  else members.addRanges(propertyRanges(unicode, maxChar(mode)))
  into.addRanges(members.rangesOf(negate))
  reader.pos = end + 2
}
