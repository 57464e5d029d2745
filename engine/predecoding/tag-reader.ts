/**
 * Reads the tags of XML in its JSON-escaped form, as offsets in the text. Only the usual form is read; the offset OTHER_FORM stands for every other one.
 */
import { KEPT_ESCAPES } from '../json/escapes.js'
import { BACKSLASH, QUOTE } from '../json/grammar.js'
import { bytesOf } from '../kernel/last-bytes.js'
import { TEXT_LIMIT } from '../xml/parse.js'
import { isSame } from './byte-tests.js'

/** In place of an offset: the text has another form. */
export const OTHER_FORM = -1
/** Attributes of one element; events have up to three. */
const MOST_ATTRIBUTES = 4

export const SPACE = 0x20
const SINGLE_QUOTE = 0x27
export const SLASH = 0x2f
export const LT = 0x3c
const EQUALS = 0x3d
const GT = 0x3e

/** What ends a piece of text, for each byte: of the content of an element, of the value of an attribute. */
const ENDS_CONTENT = 1
const ENDS_VALUE = 2
/** A byte of the usual names. */
const IN_NAME = 4
const CLASSES = new Uint8Array(256)
CLASSES.fill(ENDS_CONTENT | ENDS_VALUE, 0, SPACE)
for (const byte of [QUOTE, BACKSLASH]) CLASSES[byte] = ENDS_CONTENT | ENDS_VALUE
CLASSES[LT] = ENDS_CONTENT
for (const byte of [SINGLE_QUOTE, GT]) CLASSES[byte] = ENDS_VALUE
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-:') CLASSES[char.charCodeAt(0)] |= IN_NAME

/** Reads one text after the other. Not reentrant. */
export class TagReader {
  text = ''
  bytes: Uint8Array = new Uint8Array(0)
  /** The opening tag that was read last. */
  nameStart = 0
  nameEnd = 0
  isClosed = false
  attributes = 0
  /** Offsets of its attributes: name, end of the name, value, end of the value. */
  readonly places = new Int32Array(4 * MOST_ATTRIBUTES)
  /** The content of the element that was read last. */
  contentStart = 0
  contentEnd = 0

  /** Starts a text, a byte string. Its bytes are valid until other ones are requested. */
  begin(text: string): void {
    this.text = text
    this.bytes = bytesOf(text)
  }

  skipSpace(from: number): number {
    const { length } = this.text
    let at = from
    while (this.bytes[at] <= SPACE && at < length) at++
    return at
  }

  /** Reads an element without child elements. */
  element(from: number): number {
    const bytes = this.bytes
    const start = this.openTag(from)
    if (start === OTHER_FORM) return OTHER_FORM
    this.contentStart = start
    this.contentEnd = start
    if (this.isClosed) return start
    const end = this.contentUpTo(start)
    if (bytes[end] !== LT || bytes[end + 1] !== SLASH) return OTHER_FORM
    this.contentEnd = end
    return this.closeTag(end, this.nameStart, this.nameEnd)
  }

  /** Returns the offset of the next tag, or of the closing quote of the event. */
  contentUpTo(start: number): number {
    const bytes = this.bytes
    let at = start
    for (;;) {
      while ((CLASSES[bytes[at]] & ENDS_CONTENT) === 0) at++
      if (bytes[at] !== BACKSLASH) break
      if (KEPT_ESCAPES[bytes[at + 1]] === 0) return OTHER_FORM
      at += 2
    }
    return at - start > TEXT_LIMIT ? OTHER_FORM : at
  }

  /** Reads an opening tag. Returns the offset at which its content begins, or the text after an element that closes itself. */
  openTag(at: number): number {
    const bytes = this.bytes
    const end = this.#nameUpTo(at + 1)
    if (end === OTHER_FORM) return OTHER_FORM
    this.nameStart = at + 1
    this.nameEnd = end
    this.attributes = 0
    const after = bytes[end]
    this.isClosed = after === SLASH
    if (after === GT) return end + 1
    if (after === SLASH) return bytes[end + 1] === GT ? end + 2 : OTHER_FORM
    return after === SPACE ? this.#readAttributes(end + 1) : OTHER_FORM
  }

  #readAttributes(from: number): number {
    const bytes = this.bytes
    const places = this.places
    for (let at = from; ; ) {
      while (bytes[at] === SPACE) at++
      if (bytes[at] === GT) return at + 1
      if (bytes[at] === SLASH) {
        this.isClosed = true
        return at + 1
      }
      if (this.attributes === MOST_ATTRIBUTES) return OTHER_FORM
      const nameEnd = this.#nameUpTo(at)
      if (nameEnd === OTHER_FORM || bytes[nameEnd] !== EQUALS || bytes[nameEnd + 1] !== SINGLE_QUOTE) return OTHER_FORM
      const place = 4 * this.attributes
      for (let i = 0; i < place; i += 4) if (isSame(bytes, places[i], places[i + 1], at, nameEnd)) return OTHER_FORM
      const valueEnd = this.#valueUpTo(nameEnd + 2)
      const after = bytes[valueEnd + 1]
      if (valueEnd === OTHER_FORM || (after !== GT && after !== SPACE && after !== SLASH)) return OTHER_FORM
      places[place] = at
      places[place + 1] = nameEnd
      places[place + 2] = nameEnd + 2
      places[place + 3] = valueEnd
      this.attributes++
      at = valueEnd + 1
    }
  }

  /** Returns the end of a usual name. Variables of the dialect have another meaning. */
  #nameUpTo(start: number): number {
    const bytes = this.bytes
    let at = start
    while ((CLASSES[bytes[at]] & IN_NAME) !== 0) at++
    const length = at - start
    if (length === 0 || length > TEXT_LIMIT) return OTHER_FORM
    return length === 3 && this.text.slice(start, at).toLowerCase() === 'var' ? OTHER_FORM : at
  }

  #valueUpTo(start: number): number {
    const bytes = this.bytes
    let at = start
    for (;;) {
      while ((CLASSES[bytes[at]] & ENDS_VALUE) === 0) at++
      if (bytes[at] !== BACKSLASH) break
      if (KEPT_ESCAPES[bytes[at + 1]] === 0) return OTHER_FORM
      at += 2
    }
    return bytes[at] !== SINGLE_QUOTE || at - start > TEXT_LIMIT ? OTHER_FORM : at
  }

  /** Reads the closing tag of the element with this name. */
  closeTag(at: number, nameStart: number, nameEnd: number): number {
    const bytes = this.bytes
    const end = at + 2 + nameEnd - nameStart
    return bytes[end] === GT && isSame(bytes, nameStart, nameEnd, at + 2, end) ? end + 1 : OTHER_FORM
  }
}
