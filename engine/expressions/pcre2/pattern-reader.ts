/**
 * Reads the characters of a pattern, with the options that are active at its position.
 *
 * A character is a byte, or a code point in UTF mode; `offsetOf` converts to bytes.
 */
import { SyntaxFault } from './syntax-error.js'

/** The options that letters can change inside a pattern. */
export interface InlineOptions {
  /** i */ caseless: boolean
  /** m */ multiline: boolean
  /** s */ dotAll: boolean
  /** x */ extended: boolean
  /** xx */ extendedMore: boolean
  /** n */ noAutoCapture: boolean
  /** U */ ungreedy: boolean
  /** J */ duplicateNames: boolean
}

export const NO_OPTIONS: InlineOptions = {
  caseless: false,
  multiline: false,
  dotAll: false,
  extended: false,
  extendedMore: false,
  noAutoCapture: false,
  ungreedy: false,
  duplicateNames: false,
}

/** Maximum length of a group name in PCRE2, in characters. */
const MAX_NAME_LENGTH = 32

export class PatternReader {
  readonly chars: readonly number[]
  private readonly offsets: readonly number[]
  readonly utf: boolean
  pos = 0

  constructor(pattern: string, start: number, utf: boolean) {
    const chars: number[] = []
    const offsets: number[] = []
    for (let i = 0; i < start; i++) {
      chars.push(pattern.charCodeAt(i))
      offsets.push(i)
    }
    for (let i = start; i < pattern.length; ) {
      const [char, length] = utf ? decodeUtf8(pattern, i) : [pattern.charCodeAt(i), 1]
      if (length === 0) throw new SyntaxFault('pattern is not valid UTF-8', i)
      chars.push(char)
      offsets.push(i)
      i += length
    }
    offsets.push(pattern.length)
    this.chars = chars
    this.offsets = offsets
    this.utf = utf
    this.pos = start
  }

  get atEnd(): boolean {
    return this.pos >= this.chars.length
  }

  /** The character as a string; '' at the end. */
  peek(ahead = 0): string {
    const char = this.chars[this.pos + ahead]
    return char === undefined ? '' : String.fromCodePoint(char)
  }

  startsWith(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.chars[this.pos + i] !== text.charCodeAt(i)) return false
    return true
  }

  /** Consumes `text` if it is next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false
    this.pos += text.length
    return true
  }

  /** Consumes the rest of a comment, whose `(?#` was read. */
  endComment(): void {
    while (!this.atEnd && this.peek() !== ')') this.pos++
    if (!this.take(')')) this.fail('missing ) after (?# comment')
  }

  fail(message: string, pos = this.pos): never {
    throw new SyntaxFault(message, this.offsets[Math.min(pos, this.chars.length)])
  }

  offsetOf(pos: number): number {
    return this.offsets[Math.min(pos, this.chars.length)]
  }

  /** Reads decimal digits; -1 when there are none. Above `max` the fault is `tooBig`. */
  number(max: number, tooBig: string): number {
    const start = this.pos
    let value = 0
    while (isDigit(this.chars[this.pos])) {
      value = value * 10 + this.chars[this.pos++] - 0x30
      if (value > max) this.fail(tooBig)
    }
    return this.pos === start ? -1 : value
  }

  /** Reads a group name and its terminator. */
  name(terminator: string): string {
    if (this.atEnd) this.fail('subpattern name expected')
    if (isDigit(this.chars[this.pos])) this.fail('subpattern name must start with a non-digit')
    const start = this.pos
    while (isNameChar(this.chars[this.pos], this.utf)) this.pos++
    const length = this.pos - start
    if (length > MAX_NAME_LENGTH) this.fail('subpattern name is too long (maximum 32 code units)', start + MAX_NAME_LENGTH + 1)
    if (length === 0) this.fail('subpattern name expected')
    if (!this.take(terminator)) this.fail('syntax error in subpattern name (missing terminator?)')
    return String.fromCodePoint(...this.chars.slice(start, start + length))
  }
}

export function isDigit(char: number | undefined): boolean {
  return char !== undefined && char >= 0x30 && char <= 0x39
}

function isNameChar(char: number | undefined, utf: boolean): boolean {
  if (char === undefined) return false
  if (char > 0x7f) return utf && /[\p{L}\p{Nd}]/u.test(String.fromCodePoint(char))
  return isDigit(char) || char === 0x5f || ((char | 0x20) >= 0x61 && (char | 0x20) <= 0x7a)
}

/** Decodes one code point and its length in bytes; length 0 when the bytes are not UTF-8. */
export function decodeUtf8(text: string, at: number): [char: number, length: number] {
  const lead = text.charCodeAt(at)
  if (lead < 0x80) return [lead, 1]
  const length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0
  if (length === 0 || at + length > text.length) return [0, 0]
  let char = lead & (0x7f >> length)
  for (let i = 1; i < length; i++) {
    const next = text.charCodeAt(at + i)
    if ((next & 0xc0) !== 0x80) return [0, 0]
    char = (char << 6) | (next & 0x3f)
  }
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000
  const surrogate = char >= 0xd800 && char <= 0xdfff
  return char < least || char > 0x10ffff || surrogate ? [0, 0] : [char, length]
}
