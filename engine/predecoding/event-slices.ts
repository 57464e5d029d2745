/**
 * Reads a Windows event as an agent sends it (BEHAVIOUR.md#windows-eventchannel) in one pass over its bytes, and yields its fields as offsets in them.
 *
 * The reference engine reads the XML in its JSON-escaped form, which is the form in which it arrives. So a field of the XML is a part of the received text, and
 * the message with its quotes is a JSON string of it. Only the usual form is read here: `eventchannel.ts` reads every other one, and all that is wrong.
 */
import { latin1Bytes } from '#platform'
import { SIMPLE_ESCAPES } from '../json/escapes.js'
import { FlatFields } from '../json/flat-fields.js'
import { BACKSLASH, CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, QUOTE } from '../json/grammar.js'
import type { JsonPath } from '../json/paths.js'
import { quote } from '../json/print-array.js'
import { copyOf } from '../source/byte-string.js'
import { isAt, isName } from './byte-tests.js'
import { severityOf } from './eventchannel.js'
import { AUDIT, type Follower, IGNORED, KEPT_EMPTY, KEYWORDS, type KnownName, KnownNames, LEVEL, WITH_ATTRIBUTES } from './known-names.js'
import { LogWriter } from './log-writer.js'
import { LT, OTHER_FORM, SLASH, SPACE, TagReader } from './tag-reader.js'

/** Texts of keywords whose severity is kept. */
const MOST_KEYWORDS = 256

const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_5 = 0x35

/** 1 for each byte that ends a piece of the message. */
const ENDS_MESSAGE = new Uint8Array(256).fill(1, 0, SPACE)
ENDS_MESSAGE[QUOTE] = 1
ENDS_MESSAGE[BACKSLASH] = 1

const MESSAGE = latin1Bytes('"Message"')
const EVENT = latin1Bytes('"Event"')
const SYSTEM = latin1Bytes('System')
const EVENT_DATA = latin1Bytes('EventData')
const DATA = latin1Bytes('Data')
const NAME = latin1Bytes('Name')
const NULL_TEXT = latin1Bytes('(NULL)')

/** One per ruleset and thread. Not reentrant. */
export class EventSlicer {
  readonly #names: KnownNames
  readonly #tags = new TagReader()
  readonly #severity: JsonPath
  readonly #messagePath: JsonPath
  readonly #data: JsonPath
  readonly #keywords = new Map<string, string>()

  #fields!: FlatFields
  /** Number of fields of `system` and `eventdata`, 0 = not read. */
  #systemFields = 0
  #dataFields = 0
  #extra: KnownName | null = null
  /** Offset of the message, 0 = not read; and whether it has escapes, and some that are printed in another way. */
  #messageStart = 0
  #messageEnd = 0
  #isEscaped = false
  #isPrintedOtherwise = false

  /** @param root the node of the empty path in the current ruleset */
  constructor(root: JsonPath) {
    this.#names = new KnownNames(root)
    const { system, eventData } = this.#names
    this.#severity = system.path.child('severityValue')
    this.#messagePath = system.path.child('message')
    this.#data = eventData.path.child('data')
  }

  /** Sets the fields, whose offsets are those in `text`. Returns false if the event has another form. @param text the agent's JSON, a byte string without NUL */
  read(text: string, fields: FlatFields): boolean {
    fields.clear()
    const tags = this.#tags
    tags.begin(text)
    this.#fields = fields
    this.#systemFields = 0
    this.#dataFields = 0
    this.#extra = null
    this.#messageStart = 0
    const { bytes } = tags
    let isRead = false
    let at = tags.skipSpace(0)
    if (bytes[at] !== OPEN_BRACE) return false
    for (;;) {
      at = tags.skipSpace(at + 1)
      const isMessage = isAt(MESSAGE, bytes, at)
      if (isMessage ? this.#messageStart > 0 : isRead || !isAt(EVENT, bytes, at)) return false
      at = tags.skipSpace(at + (isMessage ? MESSAGE.length : EVENT.length))
      if (bytes[at] !== COLON) return false
      at = tags.skipSpace(at + 1)
      if (bytes[at] !== QUOTE) return false
      at = isMessage ? this.#readMessage(at + 1) : this.#readEvent(at + 1)
      if (at === OTHER_FORM) return false
      if (!isMessage) isRead = true
      else if (isRead) this.#addMessage()
      at = tags.skipSpace(at)
      if (bytes[at] === CLOSE_BRACE) break
      if (bytes[at] !== COMMA) return false
    }
    return isRead && this.#systemFields > 0
  }

  #readMessage(start: number): number {
    const { bytes } = this.#tags
    this.#isEscaped = false
    this.#isPrintedOtherwise = false
    let at = start
    for (;;) {
      while (ENDS_MESSAGE[bytes[at]] === 0) at++
      if (bytes[at] === QUOTE) break
      // The message keeps some escapes of control bytes.
      if (bytes[at] !== BACKSLASH || SIMPLE_ESCAPES[bytes[at + 1]] === 0) return OTHER_FORM
      this.#isEscaped = true
      if (bytes[at + 1] === SLASH) this.#isPrintedOtherwise = true
      at += 2
    }
    this.#messageStart = start
    this.#messageEnd = at
    return at + 1
  }

  /** Adds a message that follows the event to the members of `system`. */
  #addMessage(): void {
    this.#insertMessage(this.#systemFields)
    this.#systemFields++
    if (this.#dataFields > 0) this.#dataFields++
  }

  /** Its quotes are part of it. */
  #insertMessage(place: number): void {
    this.#fields.insertSpan(place, this.#messagePath, this.#messageStart - 1, this.#messageEnd + 1, this.#isEscaped)
  }

  /** Reads the text of the event up to its closing quote. */
  #readEvent(from: number): number {
    const tags = this.#tags
    const { bytes } = tags
    let at = tags.contentUpTo(from)
    if (bytes[at] !== LT) return OTHER_FORM
    at = tags.openTag(at)
    if (at === OTHER_FORM || tags.isClosed) return OTHER_FORM
    const start = tags.nameStart
    const end = tags.nameEnd
    for (;;) {
      at = tags.contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) break
      at = this.#readSection(at)
      if (at === OTHER_FORM) return OTHER_FORM
    }
    at = tags.closeTag(at, start, end)
    if (at === OTHER_FORM) return OTHER_FORM
    // What follows the event has no effect, unless it is an element.
    at = tags.contentUpTo(at)
    return bytes[at] === QUOTE ? at + 1 : OTHER_FORM
  }

  #readSection(from: number): number {
    const tags = this.#tags
    const { bytes } = tags
    let at = tags.openTag(from)
    if (at === OTHER_FORM || tags.isClosed) return at
    const start = tags.nameStart
    const end = tags.nameEnd
    const isSystem = isName(SYSTEM, bytes, start, end)
    const isData = isName(EVENT_DATA, bytes, start, end)
    // The members of the sections follow each other in this order.
    if (isSystem ? this.#systemFields > 0 || this.#fields.count > 0 : this.#systemFields === 0 || this.#extra !== null || (isData && this.#dataFields > 0)) return OTHER_FORM
    if (isSystem) at = this.#readSystem(at)
    else at = isData ? this.#readData(at) : this.#readOther(at)
    return at === OTHER_FORM ? OTHER_FORM : tags.closeTag(at, start, end)
  }

  #readSystem(from: number): number {
    const tags = this.#tags
    const { bytes } = tags
    const names = this.#names
    const fields = this.#fields
    let previous: Follower = names.system.first
    let [levelStart, levelEnd, keywordsStart, keywordsEnd] = [0, 0, 0, 0]
    for (let at = from; ; ) {
      at = tags.contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) {
        if (levelStart > 0 && keywordsStart > 0) fields.addText(this.#severity, this.#severityOf(levelStart, levelEnd, keywordsStart, keywordsEnd))
        if (this.#messageStart > 0) this.#insertMessage(fields.count)
        this.#systemFields = fields.count
        return at
      }
      at = tags.element(at)
      if (at === OTHER_FORM) return OTHER_FORM
      const known = names.find(names.system, previous, tags.text, bytes, tags.nameStart, tags.nameEnd)
      previous = known
      const { kind } = known
      if (kind === IGNORED) continue
      const start = tags.contentStart
      const end = tags.contentEnd
      if (kind === WITH_ATTRIBUTES && tags.attributes > 0) {
        this.#addAttributes(known)
        continue
      }
      if (kind === LEVEL) [levelStart, levelEnd] = [start, end]
      else if (kind === KEYWORDS) [keywordsStart, keywordsEnd] = [start, end]
      else if (start === end && kind !== KEPT_EMPTY) continue
      fields.addSpan(known.path, start, end, false)
    }
  }

  #addAttributes(element: KnownName): void {
    const tags = this.#tags
    const names = this.#names
    const { places, bytes } = tags
    let previous: Follower = element.first
    // Only the first attribute of the time counts.
    const count = element.text === 'TimeCreated' ? 1 : tags.attributes
    for (let i = 0; i < 4 * count; i += 4) {
      const known = names.find(element, previous, tags.text, bytes, places[i], places[i + 1])
      previous = known
      if (known.kind !== IGNORED) this.#fields.addSpan(known.path, places[i + 2], places[i + 3], false)
    }
  }

  #readData(from: number): number {
    const tags = this.#tags
    const { bytes } = tags
    const names = this.#names
    const fields = this.#fields
    let previous: Follower = names.eventData.first
    let values: string[] | null = null
    for (let at = from; ; ) {
      at = tags.contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) {
        if (values !== null) fields.addText(this.#data, values.join(', '))
        this.#dataFields = fields.count
        return at
      }
      at = tags.element(at)
      if (at === OTHER_FORM) return OTHER_FORM
      if (!this.#isUsable()) continue
      const start = tags.contentStart
      const end = tags.contentEnd
      const isData = isName(DATA, bytes, tags.nameStart, tags.nameEnd)
      if (isData && tags.attributes === 0) {
        values ??= []
        values.push(tags.text.slice(start, end))
        continue
      }
      let [nameStart, nameEnd] = [tags.nameStart, tags.nameEnd]
      if (isData) {
        const { places } = tags
        if (tags.attributes > 1 || !isName(NAME, bytes, places[0], places[1])) return OTHER_FORM
        nameStart = places[2]
        nameEnd = places[3]
      }
      const known = names.find(names.eventData, previous, tags.text, bytes, nameStart, nameEnd)
      previous = known
      if (known.kind === AUDIT) return OTHER_FORM
      fields.addSpan(known.path, start, end, false)
    }
  }

  /** Reads another section: the elements in its only child become members of an object of that name. */
  #readOther(from: number): number {
    const tags = this.#tags
    const { bytes } = tags
    const names = this.#names
    const fields = this.#fields
    let at = tags.contentUpTo(from)
    if (bytes[at] !== LT || bytes[at + 1] === SLASH) return OTHER_FORM
    at = tags.openTag(at)
    if (at === OTHER_FORM || tags.isClosed) return OTHER_FORM
    const start = tags.nameStart
    const end = tags.nameEnd
    const object = names.find(names.win, names.win.first, tags.text, bytes, start, end)
    this.#extra = object
    let previous: Follower = object.first
    for (;;) {
      at = tags.contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) break
      at = tags.element(at)
      if (at === OTHER_FORM) return OTHER_FORM
      if (!this.#isUsable()) continue
      const known = names.find(object, previous, tags.text, bytes, tags.nameStart, tags.nameEnd)
      previous = known
      fields.addSpan(known.path, tags.contentStart, tags.contentEnd, false)
    }
    at = tags.closeTag(at, start, end)
    if (at === OTHER_FORM) return OTHER_FORM
    at = tags.contentUpTo(at)
    return bytes[at] === LT && bytes[at + 1] === SLASH ? at : OTHER_FORM
  }

  /** Removes blanks at the end of the content, but not its first byte. Returns false if the member is left out. */
  #isUsable(): boolean {
    const tags = this.#tags
    const { bytes } = tags
    const start = tags.contentStart
    let end = tags.contentEnd
    if (start === end || (end - start === 1 && bytes[start] === MINUS) || isName(NULL_TEXT, bytes, start, end)) return false
    while (end > start + 1 && bytes[end - 1] === SPACE) end--
    tags.contentEnd = end
    return true
  }

  #severityOf(levelStart: number, levelEnd: number, keywordsStart: number, keywordsEnd: number): string {
    const { text, bytes } = this.#tags
    const digit = bytes[levelStart]
    const isDigit = levelEnd - levelStart === 1 && digit >= DIGIT_0 && digit <= DIGIT_5
    if (!isDigit) return severityOf(text.slice(levelStart, levelEnd), text.slice(keywordsStart, keywordsEnd))
    if (digit > DIGIT_0) return severityOf(text[levelStart], '')
    const keywords = text.slice(keywordsStart, keywordsEnd)
    let severity = this.#keywords.get(keywords)
    if (severity === undefined) {
      severity = severityOf('0', keywords)
      if (this.#keywords.size < MOST_KEYWORDS) this.#keywords.set(copyOf(keywords), severity)
    }
    return severity
  }

  /** Prints the log text for rules of an event that `read` reads. */
  print(text: string): string {
    const fields = new FlatFields()
    this.read(text, fields)
    const { paths, texts, starts, ends, count } = fields
    const systemEnd = this.#systemFields
    const dataEnd = Math.max(systemEnd, this.#dataFields)
    const writer = new LogWriter(text)
    for (let i = 0; i < count; i++) {
      if (i === 0) writer.plain('{"win":{"system":{"')
      else if (i === dataEnd) writer.plain(`},${quote(this.#extra?.path.name ?? '')}:{"`)
      else writer.plain(i === systemEnd ? '},"eventdata":{"' : ',"')
      writer.quoted(paths[i].name)
      writer.plain('":"')
      const value = texts[i]
      if (value !== null) writer.quoted(value)
      else if (ends[i] >= 0) writer.quotedPart(starts[i], ends[i])
      else if (this.#isPrintedOtherwise) writer.quoted(fields.valueAt(i, text))
      else writer.quotedString(this.#messageStart, this.#messageEnd)
      writer.plain('"')
    }
    writer.plain('}}}')
    return writer.finish()
  }
}
