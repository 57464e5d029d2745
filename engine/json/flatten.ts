/**
 * JSON to fields in one pass, without building objects: cJSON's grammar, its printing of arrays, and names joined by dots
 * (engine-decoding.md 4.9.1).
 *
 * Invariants: 1. any bytes are answered with fields or with "not JSON", never an exception; 2. linear in the text; 3. recursion is
 * bounded by NESTING_LIMIT.
 */
import { fieldNumber, printedNumber, readNumber } from './number.js'
import { cutAtNul } from '../source/byte-string.js'
import type { JsonPath } from './paths.js'

/** cJSON's limit on nested arrays and objects. */
export const NESTING_LIMIT = 1000
/** A csv array longer than this gives no field. */
const CSV_LIMIT = 65_536

const QUOTE = 0x22
const LETTER_U = 0x75
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

export interface FlattenOptions {
  readonly nulls: 'string' | 'discard'
  readonly arrays: 'array' | 'csv' | 'discard'
}

/** Fields of one text, in source order. Reused from call to call. */
export interface FlatFields {
  readonly paths: JsonPath[]
  readonly values: string[]
  /** Is the value still as written, with its (sound) escapes? `unescapeJson` reads it. */
  readonly escaped: boolean[]
  count: number
}

export function createFlatFields(): FlatFields {
  return { paths: [], values: [], escaped: [], count: 0 }
}

/** Signals a syntax error; the parser is not re-entrant, so one value serves. */
const INVALID = -1

/**
 * Reads the first value of `text` from `from` on. False: not JSON, or not an object; then there are no fields at all.
 * @param root the node of the empty path, of the ruleset that asks
 */
export function flattenJson(text: string, from: number, root: JsonPath, options: FlattenOptions, fields: FlatFields): boolean {
  const flattener = new Flattener(text, options, fields)
  fields.count = 0
  let at = text.startsWith('\xef\xbb\xbf', from) ? from + 3 : from
  at = skipSpace(text, at)
  if (text.charCodeAt(at) !== OPEN_BRACE) return false
  if (flattener.readObject(at, root, 1) === INVALID) {
    fields.count = 0
    return false
  }
  return true
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at++
  return at
}

class Flattener {
  readonly #text: string
  readonly #options: FlattenOptions
  readonly #fields: FlatFields
  /** The last string read: unescaped, or as written when `#escaped` says so. */
  #string = ''
  #escaped = false
  /** Where the next backslash stands, as far as is known; before the present place = to be looked for. */
  #nextBackslash = -1

  constructor(text: string, options: FlattenOptions, fields: FlatFields) {
    this.#text = text
    this.#options = options
    this.#fields = fields
  }

  #emit(path: JsonPath, value: string, escaped = false): void {
    const fields = this.#fields
    fields.paths[fields.count] = path
    fields.values[fields.count] = value
    fields.escaped[fields.count] = escaped
    fields.count++
  }

  /** `at` stands on `{`. The offset after `}`, or INVALID. */
  readObject(at: number, parent: JsonPath, depth: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const text = this.#text
    at = skipSpace(text, at + 1)
    if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1
    let previous: JsonPath | null = null
    for (;;) {
      if (text.charCodeAt(at) !== QUOTE) return INVALID
      // Events of one source have the same keys in the same order: try the key that followed last time.
      let path: JsonPath
      const guess: JsonPath | null = previous === null ? parent.firstChild : previous.next
      if (guess !== null && text.charCodeAt(at + 1 + guess.name.length) === QUOTE && text.startsWith(guess.name, at + 1)) {
        path = guess
        at += guess.name.length + 2
      } else {
        at = this.#readString(at)
        if (at === INVALID) return INVALID
        path = parent.child(this.#string)
        if (guess === null && !path.name.includes('"') && !path.name.includes('\\')) {
          if (previous === null) parent.firstChild = path
          else previous.next = path
        }
      }
      previous = path
      at = skipSpace(text, at)
      if (text.charCodeAt(at) !== COLON) return INVALID
      at = this.#readValue(skipSpace(text, at + 1), path, depth)
      if (at === INVALID) return INVALID
      at = skipSpace(text, at)
      const byte = text.charCodeAt(at)
      if (byte === CLOSE_BRACE) return at + 1
      if (byte !== COMMA) return INVALID
      at = skipSpace(text, at + 1)
    }
  }

  #readValue(at: number, path: JsonPath, depth: number): number {
    const text = this.#text
    const byte = text.charCodeAt(at)
    if (byte === QUOTE) {
      const end = this.#scanString(at)
      if (end !== INVALID) this.#emit(path, this.#string, this.#escaped)
      return end
    }
    if (byte === OPEN_BRACE) return this.readObject(at, path, depth + 1)
    if (byte === OPEN_BRACKET) {
      if (this.#options.arrays === 'csv') return this.#readCsv(at, path, depth + 1)
      const printer = new ArrayPrinter(this)
      const end = printer.readArray(text, at, depth + 1, 1)
      if (end !== INVALID && this.#options.arrays === 'array') this.#emit(path, printer.output)
      return end
    }
    if (text.startsWith('true', at)) {
      this.#emit(path, 'true')
      return at + 4
    }
    if (text.startsWith('false', at)) {
      this.#emit(path, 'false')
      return at + 5
    }
    if (text.startsWith('null', at)) {
      if (this.#options.nulls === 'string') this.#emit(path, 'null')
      return at + 4
    }
    const simple = this.#readSmallInteger(at)
    if (simple !== INVALID) {
      this.#emit(path, this.#string)
      return simple
    }
    const number = numberAt(text, at)
    if (number === null) return INVALID
    this.#emit(path, fieldNumber(number.value))
    return number.end
  }

  /** Most numbers are short plain integers: those are their own text. */
  #readSmallInteger(at: number): number {
    const text = this.#text
    let end = at
    while (end - at < 10) {
      const byte = text.charCodeAt(end)
      if (byte < 0x30 || byte > 0x39) break
      end++
    }
    const length = end - at
    if (length === 0 || length > 9 || (length > 1 && text.charCodeAt(at) === 0x30)) return INVALID
    const after = text.charCodeAt(end)
    if (after === 0x2e || after === 0x65 || after === 0x45 || after === 0x2b || after === 0x2d) return INVALID
    this.#string = text.slice(at, end)
    return end
  }

  /** Elements joined with commas; nested ones are left out, and leave their comma behind at the end. */
  #readCsv(at: number, path: JsonPath, depth: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const text = this.#text
    const skipper = new ArrayPrinter(this)
    let output = ''
    at = skipSpace(text, at + 1)
    if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1
    for (;;) {
      let written: string | null = null
      const byte = text.charCodeAt(at)
      if (byte === QUOTE) {
        at = this.#readString(at)
        written = this.#string
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) at = skipper.readValue(text, at, depth, 1)
      else if (text.startsWith('true', at)) [written, at] = ['true', at + 4]
      else if (text.startsWith('false', at)) [written, at] = ['false', at + 5]
      else if (text.startsWith('null', at)) [written, at] = ['null', at + 4]
      else {
        const number = numberAt(text, at)
        if (number === null) return INVALID
        written = fieldNumber(number.value)
        at = number.end
      }
      if (at === INVALID) return INVALID
      at = skipSpace(text, at)
      const after = text.charCodeAt(at)
      if (written !== null) output += after === COMMA ? `${written},` : written
      if (after === CLOSE_BRACKET) break
      if (after !== COMMA) return INVALID
      at = skipSpace(text, at + 1)
    }
    if (output !== '' && output.length <= CSV_LIMIT) this.#emit(path, output)
    return at + 1
  }

  /** `at` stands on the opening quote. Sets `#string`, unescaped. */
  #readString(at: number): number {
    const end = this.#scanString(at)
    if (this.#escaped) {
      this.#string = unescapeJson(this.#string)
      this.#escaped = false
    }
    return end
  }

  /** Finds a string's end and checks its escapes, but leaves them: most values are never looked at. Sets `#string` and `#escaped`. */
  #scanString(at: number): number {
    const text = this.#text
    const { length } = text
    const start = at + 1
    const quote = text.indexOf('"', start)
    if (quote < 0) return INVALID
    if (this.#nextBackslash < start) {
      const found = text.indexOf('\\', start)
      this.#nextBackslash = found < 0 ? length : found
    }
    if (quote < this.#nextBackslash) {
      this.#escaped = false
      this.#string = text.slice(start, quote)
      return quote + 1
    }
    this.#escaped = true
    for (let end = this.#nextBackslash; end < length; end++) {
      const byte = text.charCodeAt(end)
      if (byte === QUOTE) {
        this.#string = text.slice(start, end)
        return end + 1
      }
      if (byte !== BACKSLASH) continue
      end++
      const letter = text.charCodeAt(end)
      if (SIMPLE_ESCAPES[letter & 0xff] !== 0) continue
      if (letter !== LETTER_U) return INVALID
      const code = unicodeEscapeAt(text, end + 1)
      if (code === INVALID) return INVALID
      end += code > 0xffff ? 10 : 4
    }
    return INVALID
  }

  /** For the printer: reads a string and hands it out. */
  stringAt(at: number): number {
    return this.#readString(at)
  }

  get lastString(): string {
    return this.#string
  }
}

/**
 * The text of a JSON string whose escapes are known to be sound. It is put together byte by byte in a buffer: pieces joined as strings would
 * have to be flattened again.
 */
export function unescapeJson(text: string): string {
  const { length } = text
  // An escape is at least as long as what it stands for.
  const output = length <= KEPT_ROOM ? keptBuffer : Buffer.allocUnsafeSlow(length)
  let size = 0
  let hasNul = false
  for (let at = 0; at < length; at++) {
    const byte = text.charCodeAt(at)
    if (byte !== BACKSLASH) {
      output[size++] = byte
      continue
    }
    at++
    const simple = SIMPLE_ESCAPES[text.charCodeAt(at) & 0xff]
    if (simple !== 0) {
      output[size++] = simple
      continue
    }
    const code = unicodeEscapeAt(text, at + 1)
    at += code > 0xffff ? 10 : 4
    hasNul ||= code === 0
    size += output.write(String.fromCodePoint(code), size, 'utf8')
  }
  const value = output.toString('latin1', 0, size)
  return hasNul ? cutAtNul(value) : value
}

/** `at` stands on the first hex digit. A code point, or INVALID: surrogates must come in pairs. */
function unicodeEscapeAt(text: string, at: number): number {
  const unit = hexAt(text, at)
  if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return INVALID
  if (unit < 0xd800 || unit > 0xdbff) return unit
  const low = text[at + 4] === '\\' && text[at + 5] === 'u' ? hexAt(text, at + 6) : -1
  return low < 0xdc00 || low > 0xdfff ? INVALID : 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff)
}

/** Byte that an escape letter stands for, 0 = none. */
const SIMPLE_ESCAPES = new Uint8Array(256)
for (const [letter, value] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) SIMPLE_ESCAPES[letter.charCodeAt(0)] = value.charCodeAt(0)

/** The buffer for strings with escapes, kept from call to call; a longer string gets one of its own. */
const KEPT_ROOM = 16_384
const keptBuffer = Buffer.allocUnsafeSlow(KEPT_ROOM)

function hexAt(text: string, at: number): number {
  const digits = text.slice(at, at + 4)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1
}

/** A JSON number begins with a digit or a minus. */
function numberAt(text: string, at: number): { value: number; end: number } | null {
  const byte = text.charCodeAt(at)
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? readNumber(text, at) : null
}

/** Reads an array and prints it again in cJSON's formatted style. */
class ArrayPrinter {
  output = ''
  readonly #strings: Flattener

  constructor(strings: Flattener) {
    this.#strings = strings
  }

  /** `at` stands on `[`. @param level containers around the elements */
  readArray(text: string, from: number, depth: number, level: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    let at = skipSpace(text, from + 1)
    this.output += '['
    if (text.charCodeAt(at) === CLOSE_BRACKET) {
      this.output += ']'
      return at + 1
    }
    for (;;) {
      at = this.readValue(text, at, depth, level)
      if (at === INVALID) return INVALID
      at = skipSpace(text, at)
      const byte = text.charCodeAt(at)
      if (byte === CLOSE_BRACKET) {
        this.output += ']'
        return at + 1
      }
      if (byte !== COMMA) return INVALID
      this.output += ', '
      at = skipSpace(text, at + 1)
    }
  }

  readValue(text: string, at: number, depth: number, level: number): number {
    const byte = text.charCodeAt(at)
    if (byte === QUOTE) {
      const end = this.#strings.stringAt(at)
      if (end !== INVALID) this.output += quote(this.#strings.lastString)
      return end
    }
    if (byte === OPEN_BRACKET) return this.readArray(text, at, depth + 1, level + 1)
    if (byte === OPEN_BRACE) return this.#readObject(text, at, depth + 1, level + 1)
    for (const word of ['true', 'false', 'null']) {
      if (text.startsWith(word, at)) {
        this.output += word
        return at + word.length
      }
    }
    const number = numberAt(text, at)
    if (number === null) return INVALID
    this.output += printedNumber(number.value)
    return number.end
  }

  #readObject(text: string, from: number, depth: number, level: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const close = `\n${'\t'.repeat(level - 1)}}`
    let at = skipSpace(text, from + 1)
    this.output += '{'
    if (text.charCodeAt(at) === CLOSE_BRACE) {
      this.output += close
      return at + 1
    }
    for (;;) {
      if (text.charCodeAt(at) !== QUOTE) return INVALID
      at = this.#strings.stringAt(at)
      if (at === INVALID) return INVALID
      this.output += `\n${'\t'.repeat(level)}${quote(this.#strings.lastString)}:\t`
      at = skipSpace(text, at)
      if (text.charCodeAt(at) !== COLON) return INVALID
      at = this.readValue(text, skipSpace(text, at + 1), depth, level)
      if (at === INVALID) return INVALID
      at = skipSpace(text, at)
      const byte = text.charCodeAt(at)
      if (byte === CLOSE_BRACE) {
        this.output += close
        return at + 1
      }
      if (byte !== COMMA) return INVALID
      this.output += ','
      at = skipSpace(text, at + 1)
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are what must be escaped
const NEEDS_ESCAPE = /["\\\x00-\x1f]/g
const PRINTED_ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A string as cJSON prints it; bytes from 0x80 on stay. */
export function quote(text: string): string {
  return `"${text.replace(NEEDS_ESCAPE, (char) => PRINTED_ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
}
