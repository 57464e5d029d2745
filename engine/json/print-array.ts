/** Prints arrays as cJSON does, formatted (BEHAVIOUR.md#json-arrays), and any value in its compact form (BEHAVIOUR.md#windows-eventchannel). */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, NESTING_LIMIT, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './grammar.js'
import { printedNumber } from './number.js'
import { INVALID, type JsonReader } from './reader.js'

/** Reads an array, or another value, and prints it. */
export class ArrayPrinter {
  output = ''
  readonly #reader: JsonReader
  readonly #compact: boolean

  /** @param compact print no white space */
  constructor(reader: JsonReader, compact = false) {
    this.#reader = reader
    this.#compact = compact
  }

  /** @param from the offset of `[` @param level containers around the elements */
  readArray(from: number, depth: number, level: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const reader = this.#reader
    let at = reader.skipSpace(from + 1)
    this.output += '['
    if (reader.bytes[at] === CLOSE_BRACKET) {
      this.output += ']'
      return at + 1
    }
    for (;;) {
      at = this.readValue(at, depth, level)
      if (at === INVALID) return INVALID
      at = reader.skipSpace(at)
      const byte = reader.bytes[at]
      if (byte === CLOSE_BRACKET) {
        this.output += ']'
        return at + 1
      }
      if (byte !== COMMA) return INVALID
      this.output += this.#compact ? ',' : ', '
      at = reader.skipSpace(at + 1)
    }
  }

  readValue(at: number, depth: number, level: number): number {
    const reader = this.#reader
    const byte = reader.bytes[at]
    if (byte === QUOTE) {
      const end = reader.string(at)
      if (end !== INVALID) this.output += quote(reader.value())
      return end
    }
    if (byte === OPEN_BRACKET) return this.readArray(at, depth + 1, level + 1)
    if (byte === OPEN_BRACE) return this.#readObject(at, depth + 1, level + 1)
    for (const word of ['true', 'false', 'null']) {
      if (reader.text.startsWith(word, at)) {
        this.output += word
        return at + word.length
      }
    }
    const number = reader.number(at)
    if (number === null) return INVALID
    this.output += printedNumber(number.value)
    return number.end
  }

  #readObject(from: number, depth: number, level: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const reader = this.#reader
    const compact = this.#compact
    const close = compact ? '}' : `\n${'\t'.repeat(level - 1)}}`
    let at = reader.skipSpace(from + 1)
    this.output += '{'
    if (reader.bytes[at] === CLOSE_BRACE) {
      this.output += close
      return at + 1
    }
    for (;;) {
      if (reader.bytes[at] !== QUOTE) return INVALID
      at = reader.string(at)
      if (at === INVALID) return INVALID
      const name = quote(reader.value())
      this.output += compact ? `${name}:` : `\n${'\t'.repeat(level)}${name}:\t`
      at = reader.skipSpace(at)
      if (reader.bytes[at] !== COLON) return INVALID
      at = this.readValue(reader.skipSpace(at + 1), depth, level)
      if (at === INVALID) return INVALID
      at = reader.skipSpace(at)
      const byte = reader.bytes[at]
      if (byte === CLOSE_BRACE) {
        this.output += close
        return at + 1
      }
      if (byte !== COMMA) return INVALID
      this.output += ','
      at = reader.skipSpace(at + 1)
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes must be escaped
const NEEDS_ESCAPE = /["\\\x00-\x1f]/
const TO_ESCAPE = new RegExp(NEEDS_ESCAPE, 'g')
const PRINTED_ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns a string as cJSON prints it; bytes from 0x80 on are kept. */
export function quote(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`
  return `"${text.replace(TO_ESCAPE, (char) => PRINTED_ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
}
