/**
 * Reader of the ruleset dialect: XML-like, byte by byte, exactly as in BEHAVIOUR.md#xml-dialect. An XML parser cannot be used: the dialect
 * refuses legal XML (prolog, CDATA, `>` in attribute values) and accepts illegal XML (many roots, bare `&`, `\<`).
 *
 * Invariants: 1. it never throws on any text; 2. it is linear in the text; 3. every element, attribute and text has its offsets.
 */
import { isBlankByte } from '../source/white-space.js'
import type { XmlAttribute, XmlElement, XmlError, XmlOutcome } from './node.js'
import { substituteVariables } from './variables.js'

/** Limits of the reference engine (BEHAVIOUR.md#xml-limits): contents, names and values have one byte less than its 20,480-byte buffers. */
export const TEXT_LIMIT = 20_479
export const DEPTH_LIMIT = 1024
export const ATTRIBUTE_LIMIT = 49
/** Bytes of an unclosed comment that its fault quotes. */
export const COMMENT_QUOTED = 12

/** Number of names of which a file has one string each. The rules and decoders have fewer than a hundred. */
const NAMES_LIMIT = 256

/** Shared by all elements that have none. Other lists are copied when they are complete: a list that grew has room for 16 more items, and rulesets keep their elements. */
const NO_ATTRIBUTES: readonly XmlAttribute[] = []
const NO_CHILDREN: readonly XmlElement[] = []

const LT = 0x3c
const GT = 0x3e
const SLASH = 0x2f
const BANG = 0x21
const BACKSLASH = 0x5c
const EQUALS = 0x3d
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27

/** Reads a file. @param text a byte string */
export function parseXml(text: string): XmlOutcome {
  const outcome = parseElements(text)
  if (!outcome.ok) return outcome
  const error = substituteVariables(outcome.document)
  return error === null ? outcome : { ok: false, error }
}

/** Reads a file without replacing variables. */
export function parseElements(text: string): XmlOutcome {
  const reader = new Reader(text)
  try {
    return { ok: true, document: { elements: reader.readTopLevel(), variables: [] } }
  } catch (stop) {
    if (stop instanceof Stop) return { ok: false, error: stop.error }
    throw stop
  }
}

export type ElementOutcome =
  | { readonly ok: true; readonly element: XmlElement }
  /** `partial`: the element as far as it was read, with its complete children; null if its opening tag is wrong. */
  | { readonly ok: false; readonly error: XmlError; readonly partial: XmlElement | null }

/** Reads the element at an offset, to recover parts of a refused file (see `recover.ts`). Variables are not replaced. @param depth of the element; 1 = at the top */
export function parseElementAt(text: string, at: number, depth = 1): ElementOutcome {
  const reader = new Reader(text, at, depth)
  try {
    return { ok: true, element: reader.readElement() }
  } catch (stop) {
    if (stop instanceof Stop) return { ok: false, error: stop.error, partial: reader.outermost }
    throw stop
  }
}

/** Thrown at the first error to leave the nested readers. */
class Stop extends Error {
  constructor(readonly error: XmlError) {
    super(error.code)
  }
}

function fail(code: XmlError['code'], start: number, end: number, detail: string, origin: number | null = null): never {
  throw new Stop({ code, start, end, detail, origin })
}

/** Whether the byte at `to` is escaped by the backslashes before it. @param escaped whether the byte at `from` is */
function isEscapedAfter(text: string, from: number, to: number, escaped: boolean): boolean {
  let start = to
  while (start > from && text.charCodeAt(start - 1) === BACKSLASH) start--
  const isOdd = (to - start) % 2 === 1
  return start === from ? isOdd !== escaped : isOdd
}

class Reader {
  /** The last element of the first depth whose opening tag was read. */
  outermost: XmlElement | null = null
  readonly #text: string
  readonly #depth: number
  #at: number
  /** The next `!>` and `-->`, cached so that many comments do not search the same text again. */
  #bangEnd = -2
  #dashEnd = -2
  /** Equal names are one string: a ruleset has tens of thousands of them, and looks each up in tables. */
  readonly #names = new Map<string, string>()

  constructor(text: string, at = 0, depth = 1) {
    this.#text = text
    this.#at = at
    this.#depth = depth
  }

  /** Reads the element at the current offset. */
  readElement(): XmlElement {
    return this.#readElement(this.#depth)
  }

  readTopLevel(): XmlElement[] {
    const text = this.#text
    const elements: XmlElement[] = []
    let escaped = false
    while (this.#at < text.length) {
      const byte = text.charCodeAt(this.#at)
      if (byte === LT) {
        const next = text.charCodeAt(this.#at + 1)
        if (next === BANG) {
          this.#skipComment()
          continue
        }
        if (escaped) {
          escaped = false
          this.#at++
          continue
        }
        if (next === SLASH) fail('xml_unexpected_close', this.#at, this.#tagEnd(), this.#text.slice(this.#at + 2, this.#tagEnd() - 1))
        elements.push(this.#readElement(1))
        continue
      }
      escaped = byte === BACKSLASH && !escaped
      this.#at++
    }
    return elements
  }

  /** The current byte is `<`. */
  #readElement(depth: number): XmlElement {
    const text = this.#text
    const start = this.#at
    if (depth > DEPTH_LIMIT) fail('xml_limit_exceeded', start, start + 1, `nesting over ${DEPTH_LIMIT} levels`)
    this.#at++
    let name = ''
    let piece = this.#at
    let ended = 0
    while (ended === 0) {
      if (this.#at >= text.length) this.#failAtEnd(text.slice(start + 1, this.#at).slice(0, 40), start)
      const byte = text.charCodeAt(this.#at)
      if (byte === GT || isBlankByte(byte)) ended = byte
      else if (byte === LT && text.charCodeAt(this.#at + 1) === BANG) {
        name += text.slice(piece, this.#at)
        this.#skipComment()
        piece = this.#at
      } else this.#at++
      if (this.#at - start > TEXT_LIMIT + 1 && name.length + this.#at - piece > TEXT_LIMIT) fail('xml_limit_exceeded', start, this.#at, `an element name over ${TEXT_LIMIT} bytes`)
    }
    name += text.slice(piece, this.#at)
    const nameEnd = this.#at
    this.#at++
    let selfClosed = false
    if (name.endsWith('/')) {
      name = name.slice(0, -1)
      selfClosed = true
    }
    let attributes = NO_ATTRIBUTES
    if (ended !== GT) {
      const read: XmlAttribute[] = []
      if (this.#readAttributes(start, read)) selfClosed = true
      if (read.length > 0) attributes = read.slice()
    }
    const element: XmlElement = {
      name: this.#shared(name),
      attributes,
      content: '',
      children: NO_CHILDREN,
      start,
      end: text.charCodeAt(this.#at) === GT && selfClosed ? this.#at + 1 : this.#at,
      nameEnd,
      contentStart: this.#at,
      contentEnd: this.#at,
      pieces: null,
      substituted: false,
    }
    if (depth === this.#depth) this.outermost = element
    if (!selfClosed) this.#readContent(element, depth)
    return element
  }

  /** Reads the attributes after the name and one blank. True if the tag closes itself; the current offset is then right after the `/`, before any `>` (BEHAVIOUR.md#xml-attributes). */
  #readAttributes(elementStart: number, attributes: XmlAttribute[]): boolean {
    const text = this.#text
    for (;;) {
      while (this.#at < text.length && isBlankByte(text.charCodeAt(this.#at))) this.#at++
      if (this.#at >= text.length) fail('xml_attribute_syntax', elementStart, text.length, 'the file ends inside the tag')
      const first = text.charCodeAt(this.#at)
      if (first === GT) {
        this.#at++
        return false
      }
      if (first === SLASH) {
        this.#at++
        return true
      }
      if (attributes.length >= ATTRIBUTE_LIMIT) fail('xml_limit_exceeded', this.#at, this.#at + 1, `more than ${ATTRIBUTE_LIMIT} attributes`)
      attributes.push(this.#readAttribute(attributes))
      if (attributes.length >= ATTRIBUTE_LIMIT && isBlankByte(text.charCodeAt(this.#at))) {
        fail('xml_limit_exceeded', this.#at, this.#at + 1, `more than ${ATTRIBUTE_LIMIT} attributes`)
      }
    }
  }

  #readAttribute(before: readonly XmlAttribute[]): XmlAttribute {
    const text = this.#text
    const nameStart = this.#at
    while (this.#at < text.length && text.charCodeAt(this.#at) !== EQUALS) {
      const byte = text.charCodeAt(this.#at)
      if (isBlankByte(byte) || byte === GT || byte === SLASH) {
        fail('xml_attribute_syntax', nameStart, this.#at, `attribute "${text.slice(nameStart, this.#at).slice(0, 40)}" has no value`)
      }
      this.#at++
      if (this.#at - nameStart > TEXT_LIMIT) fail('xml_limit_exceeded', nameStart, this.#at, `an attribute name over ${TEXT_LIMIT} bytes`)
    }
    if (this.#at >= text.length) fail('xml_attribute_syntax', nameStart, text.length, 'the file ends inside the tag')
    const name = text.slice(nameStart, this.#at)
    if (before.some((other) => other.name === name)) fail('xml_attribute_duplicate', nameStart, this.#at, name)
    this.#at++
    while (this.#at < text.length && isBlankByte(text.charCodeAt(this.#at))) this.#at++
    const quote = text.charCodeAt(this.#at)
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) {
      fail('xml_attribute_syntax', nameStart, Math.min(this.#at + 1, text.length), `the value of "${name.slice(0, 40)}" is not in quotes`)
    }
    this.#at++
    const valueStart = this.#at
    for (; ; this.#at++) {
      if (this.#at >= text.length) fail('xml_attribute_syntax', nameStart, text.length, `the value of "${name.slice(0, 40)}" is not ended`)
      const byte = text.charCodeAt(this.#at)
      if (byte === quote) break
      if (byte === GT) fail('xml_attribute_syntax', this.#at, this.#at + 1, `">" inside the value of "${name.slice(0, 40)}"`, nameStart)
      if (this.#at - valueStart >= TEXT_LIMIT) fail('xml_limit_exceeded', nameStart, this.#at, `an attribute value over ${TEXT_LIMIT} bytes`)
    }
    const valueEnd = this.#at
    this.#at++
    const after = text.charCodeAt(this.#at)
    if (!isBlankByte(after) && after !== GT && after !== SLASH) {
      fail('xml_attribute_syntax', this.#at, Math.min(this.#at + 1, text.length), `a blank, ">" or "/" must follow the value of "${name.slice(0, 40)}"`, nameStart)
    }
    return { name: this.#shared(name), value: text.slice(valueStart, valueEnd), nameStart, valueStart, valueEnd }
  }

  #shared(name: string): string {
    const known = this.#names.get(name)
    if (known === undefined && this.#names.size < NAMES_LIMIT) this.#names.set(name, name)
    return known ?? name
  }

  #readContent(element: XmlElement, depth: number): void {
    const text = this.#text
    let content = ''
    let piece = this.#at
    let escaped = false
    let pieces: number[] | null = null
    let children: XmlElement[] | null = null
    element.contentStart = this.#at
    const keep = (upTo: number): void => {
      content += text.slice(piece, upTo)
    }
    for (;;) {
      const found = text.indexOf('<', this.#at)
      const next = found < 0 ? text.length : found
      if (next > this.#at) {
        this.#checkLength(element, content.length, piece, next)
        escaped = isEscapedAfter(text, this.#at, next, escaped)
        this.#at = next
      }
      if (found < 0) this.#failAtEnd(element.name.slice(0, 40), element.start)
      const second = text.charCodeAt(next + 1)
      if (second === BANG) {
        keep(this.#at)
        this.#skipComment()
        piece = this.#at
        if (content === '') element.contentStart = this.#at
        else {
          pieces ??= [0, element.contentStart]
          pieces.push(content.length, this.#at)
        }
      } else if (escaped) {
        escaped = false
        this.#checkLength(element, content.length, piece, this.#at + 1)
        this.#at++
      } else if (second === SLASH) {
        keep(this.#at)
        element.contentEnd = this.#at
        this.#readClosing(element)
        element.content = content
        element.pieces = pieces
        element.end = this.#at
        if (children !== null) element.children = children.slice()
        return
      } else {
        const child = this.#readElement(depth + 1)
        if (children === null) element.children = children = [child]
        else children.push(child)
        content = ''
        pieces = null
        piece = this.#at
        element.contentStart = this.#at
        // The escape flag belongs to the content of the element; a child does not change it.
      }
    }
  }

  /** Fails if the text of `length` bytes and those from `piece` to `end` is too long. */
  #checkLength(element: XmlElement, length: number, piece: number, end: number): void {
    const limit = piece + TEXT_LIMIT - length
    if (end > limit) fail('xml_limit_exceeded', element.contentStart, limit + 1, `a text over ${TEXT_LIMIT} bytes`)
  }

  /** The current bytes are `</`. */
  #readClosing(element: XmlElement): void {
    const text = this.#text
    const start = this.#at
    this.#at += 2
    let name = ''
    let piece = this.#at
    for (;;) {
      if (this.#at >= text.length) this.#failAtEnd(element.name.slice(0, 40), element.start)
      const byte = text.charCodeAt(this.#at)
      if (byte === GT) break
      if (byte === LT && text.charCodeAt(this.#at + 1) === BANG) {
        name += text.slice(piece, this.#at)
        this.#skipComment()
        piece = this.#at
      } else this.#at++
      if (name.length + this.#at - piece > TEXT_LIMIT) fail('xml_limit_exceeded', start, this.#at, `a closing name over ${TEXT_LIMIT} bytes`)
    }
    name += text.slice(piece, this.#at)
    this.#at++
    if (name !== element.name) fail('xml_unclosed_element', start, this.#at, element.name.slice(0, 40), element.start)
  }

  /** Handles a file that ends inside an element. The place is where parsing stopped, as in Wazuh's message; the beginning of the element is a related place. */
  #failAtEnd(name: string, start: number): never {
    fail('xml_unclosed_element', this.#text.length, this.#text.length, name, start)
  }

  /** The current bytes are `<!`. The comment ends at the first `!>` or `-->`. */
  #skipComment(): void {
    const text = this.#text
    const from = this.#at + 2
    if (this.#bangEnd !== -1 && this.#bangEnd < from) this.#bangEnd = text.indexOf('!>', from)
    if (this.#dashEnd !== -1 && this.#dashEnd < from) this.#dashEnd = text.indexOf('-->', from)
    const bang = this.#bangEnd < 0 ? Number.POSITIVE_INFINITY : this.#bangEnd + 2
    const dash = this.#dashEnd < 0 ? Number.POSITIVE_INFINITY : this.#dashEnd + 3
    const end = Math.min(bang, dash)
    if (end === Number.POSITIVE_INFINITY) fail('xml_comment_unclosed', text.length, text.length, text.slice(this.#at, this.#at + COMMENT_QUOTED), this.#at)
    this.#at = end
  }

  /** Offset after the `>` of the tag at `at`, for the place of an error. */
  #tagEnd(): number {
    const end = this.#text.indexOf('>', this.#at)
    return end < 0 ? this.#text.length : end + 1
  }
}
