/** Reads JSON objects into fields, token by token: cJSON's grammar, and names joined by dots. */
import type { FlatFields } from './flat-fields.js'
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, NESTING_LIMIT, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './grammar.js'
import { fieldNumber } from './number.js'
import type { JsonPath } from './paths.js'
import { ArrayPrinter } from './print-array.js'
import { INVALID, type JsonReader } from './reader.js'

/** A longer csv array becomes no field. */
const CSV_LIMIT = 65_536

export interface FlattenOptions {
  readonly nulls: 'string' | 'discard'
  readonly arrays: 'array' | 'csv' | 'discard'
}

/** Reads one text. */
export class Flattener {
  readonly #reader: JsonReader
  readonly #options: FlattenOptions
  readonly #fields: FlatFields

  constructor(reader: JsonReader, options: FlattenOptions, fields: FlatFields) {
    this.#reader = reader
    this.#options = options
    this.#fields = fields
  }

  /** @param at the offset of `{` @returns the offset after `}`, or INVALID */
  readObject(at: number, parent: JsonPath, depth: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const reader = this.#reader
    const { bytes } = reader
    at = reader.skipSpace(at + 1)
    if (bytes[at] === CLOSE_BRACE) return at + 1
    let previous: JsonPath | null = null
    for (;;) {
      if (bytes[at] !== QUOTE) return INVALID
      let path = parent.guess(previous, bytes, at + 1)
      if (path === null) {
        at = reader.string(at)
        if (at === INVALID) return INVALID
        path = parent.child(reader.value())
        // A name with escapes differs from its source text.
        if (!reader.escaped) parent.learn(previous, path)
      } else at += path.name.length + 2
      previous = path
      at = reader.skipSpace(at)
      if (bytes[at] !== COLON) return INVALID
      at = this.readValue(reader.skipSpace(at + 1), path, depth)
      if (at === INVALID) return INVALID
      at = reader.skipSpace(at)
      const byte = bytes[at]
      if (byte === CLOSE_BRACE) return at + 1
      if (byte !== COMMA) return INVALID
      at = reader.skipSpace(at + 1)
    }
  }

  /** @param at the offset of a value @param depth containers around it @returns the offset after it, or INVALID */
  readValue(at: number, path: JsonPath, depth: number): number {
    const reader = this.#reader
    const fields = this.#fields
    const { text } = reader
    const byte = reader.bytes[at]
    if (byte === QUOTE) {
      const end = reader.string(at)
      if (end !== INVALID) fields.addSpan(path, reader.start, reader.end, reader.escaped)
      return end
    }
    if (byte === OPEN_BRACE) return this.readObject(at, path, depth + 1)
    if (byte === OPEN_BRACKET) {
      if (this.#options.arrays === 'csv') return this.#readCsv(at, path, depth + 1)
      const printer = new ArrayPrinter(reader)
      const end = printer.readArray(at, depth + 1, 1)
      if (end !== INVALID && this.#options.arrays === 'array') fields.addText(path, printer.output)
      return end
    }
    const simple = reader.smallInteger(at)
    if (simple !== INVALID) {
      fields.addSpan(path, at, simple, false)
      return simple
    }
    if (text.startsWith('true', at)) {
      fields.addText(path, 'true')
      return at + 4
    }
    if (text.startsWith('false', at)) {
      fields.addText(path, 'false')
      return at + 5
    }
    if (text.startsWith('null', at)) {
      if (this.#options.nulls === 'string') fields.addText(path, 'null')
      return at + 4
    }
    const number = reader.number(at)
    if (number === null) return INVALID
    fields.addText(path, fieldNumber(number.value))
    return number.end
  }

  /** Reads elements and joins them with commas. Nested ones are skipped, but a skipped tail keeps its comma. */
  #readCsv(from: number, path: JsonPath, depth: number): number {
    if (depth > NESTING_LIMIT) return INVALID
    const reader = this.#reader
    const { text, bytes } = reader
    const skipper = new ArrayPrinter(reader)
    let output = ''
    let at = reader.skipSpace(from + 1)
    if (bytes[at] === CLOSE_BRACKET) return at + 1
    for (;;) {
      let written: string | null = null
      const byte = bytes[at]
      if (byte === QUOTE) {
        at = reader.string(at)
        if (at !== INVALID) written = reader.value()
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) at = skipper.readValue(at, depth, 1)
      else if (text.startsWith('true', at)) [written, at] = ['true', at + 4]
      else if (text.startsWith('false', at)) [written, at] = ['false', at + 5]
      else if (text.startsWith('null', at)) [written, at] = ['null', at + 4]
      else {
        const number = reader.number(at)
        if (number === null) return INVALID
        written = fieldNumber(number.value)
        at = number.end
      }
      if (at === INVALID) return INVALID
      at = reader.skipSpace(at)
      const after = bytes[at]
      if (written !== null) output += after === COMMA ? `${written},` : written
      if (after === CLOSE_BRACKET) break
      if (after !== COMMA) return INVALID
      at = reader.skipSpace(at + 1)
    }
    if (output !== '' && output.length <= CSV_LIMIT) this.#fields.addText(path, output)
    return at + 1
  }
}
