/**
 * Reads a Windows event as an agent sends it (BEHAVIOUR.md#windows-eventchannel) in one pass over its bytes, and yields its fields as offsets in them.
 *
 * The reference engine reads the XML in its JSON-escaped form, which is the form in which it arrives. So a field of the XML is a part of the received text, and
 * the message with its quotes is a JSON string of it. Only the usual form is read here: `eventchannel.ts` reads every other one, and all that is wrong.
 */
import { latin1Bytes } from '#platform'
import { KEPT_ESCAPES, SIMPLE_ESCAPES } from '../json/escapes.js'
import { FlatFields } from '../json/flat-fields.js'
import { BACKSLASH, CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, QUOTE } from '../json/grammar.js'
import type { JsonPath } from '../json/paths.js'
import { quote } from '../json/print-array.js'
import { bytesOf } from '../source/last-bytes.js'
import { copyOf } from '../source/byte-string.js'
import { TEXT_LIMIT } from '../xml/parse.js'
import { lowerFirst, severityOf } from './eventchannel.js'
import { LogWriter } from './log-writer.js'

/** In place of an offset: the text has another form. */
const OTHER_FORM = -1
/** Attributes of one element; events have up to three. */
const MOST_ATTRIBUTES = 4
/** Names of elements and data that are kept for one ruleset. Further ones are looked up in each event. */
const MOST_NAMES = 4096
/** Texts of keywords whose severity is kept. */
const MOST_KEYWORDS = 256

const SPACE = 0x20
const SINGLE_QUOTE = 0x27
const MINUS = 0x2d
const SLASH = 0x2f
const DIGIT_0 = 0x30
const DIGIT_5 = 0x35
const LT = 0x3c
const EQUALS = 0x3d
const GT = 0x3e

/** What ends a piece of text, for each byte: of the content of an element, of the value of an attribute, of the message. */
const ENDS_CONTENT = 1
const ENDS_VALUE = 2
const ENDS_MESSAGE = 4
/** A byte of the usual names. */
const IN_NAME = 8
const CLASSES = new Uint8Array(256)
CLASSES.fill(ENDS_CONTENT | ENDS_VALUE | ENDS_MESSAGE, 0, SPACE)
for (const byte of [QUOTE, BACKSLASH]) CLASSES[byte] = ENDS_CONTENT | ENDS_VALUE | ENDS_MESSAGE
CLASSES[LT] = ENDS_CONTENT
for (const byte of [SINGLE_QUOTE, GT]) CLASSES[byte] = ENDS_VALUE
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-:') CLASSES[char.charCodeAt(0)] |= IN_NAME

const MESSAGE = latin1Bytes('"Message"')
const EVENT = latin1Bytes('"Event"')
const SYSTEM = latin1Bytes('System')
const EVENT_DATA = latin1Bytes('EventData')
const DATA = latin1Bytes('Data')
const NAME = latin1Bytes('Name')
const NULL_TEXT = latin1Bytes('(NULL)')

/** Members of `system` that are attributes, by element and attribute. */
const ATTRIBUTE_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Provider: { Name: 'providerName', Guid: 'providerGuid', EventSourceName: 'eventSourceName' },
  TimeCreated: { SystemTime: 'systemTime' },
  Execution: { ProcessID: 'processID', ThreadID: 'threadID' },
}
/** Members whose ids the slow reader replaces by words. */
const AUDITED = new Set(['categoryId', 'subcategoryId', 'auditPolicyChanges'])

/** How an element is read. */
const PLAIN = 0
const WITH_ATTRIBUTES = 1
const KEPT_EMPTY = 2
const LEVEL = 3
const KEYWORDS = 4
const IGNORED = 5
const AUDIT = 6

const KINDS: Readonly<Record<string, number>> = {
  Provider: WITH_ATTRIBUTES,
  TimeCreated: WITH_ATTRIBUTES,
  Execution: WITH_ATTRIBUTES,
  Channel: KEPT_EMPTY,
  Level: LEVEL,
  Keywords: KEYWORDS,
  Security: IGNORED,
  Correlation: IGNORED,
}

/** The last two names that followed another one. Events of one provider have the same names in the same order. */
class Follower {
  likely: KnownName | null = null
  other: KnownName | null = null
}

/** A name of an element, an attribute or data, as it is written, with the member that it becomes. */
class KnownName extends Follower {
  readonly bytes: Uint8Array
  /** Names inside of it. */
  readonly members = new Map<string, KnownName>()
  readonly first = new Follower()

  constructor(
    readonly text: string,
    readonly path: JsonPath,
    readonly kind: number,
  ) {
    super()
    this.bytes = latin1Bytes(text)
  }
}

/** One per ruleset and thread. Not reentrant. */
export class EventSlicer {
  readonly #system: KnownName
  readonly #eventData: KnownName
  readonly #win: KnownName
  readonly #severity: JsonPath
  readonly #messagePath: JsonPath
  readonly #data: JsonPath
  readonly #keywords = new Map<string, string>()
  #namesLeft = MOST_NAMES

  #text = ''
  #bytes: Uint8Array = new Uint8Array(0)
  #fields!: FlatFields
  /** The opening tag that was read last. */
  #nameStart = 0
  #nameEnd = 0
  #isClosed = false
  #attributes = 0
  /** Offsets of its attributes: name, end of the name, value, end of the value. */
  readonly #places = new Int32Array(4 * MOST_ATTRIBUTES)
  /** The content of the element that was read last. */
  #contentStart = 0
  #contentEnd = 0
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
    const win = root.child('win')
    this.#win = new KnownName('', win, PLAIN)
    this.#system = new KnownName('', win.child('system'), PLAIN)
    this.#eventData = new KnownName('', win.child('eventdata'), PLAIN)
    this.#severity = this.#system.path.child('severityValue')
    this.#messagePath = this.#system.path.child('message')
    this.#data = this.#eventData.path.child('data')
  }

  /** Sets the fields, whose offsets are those in `text`. Returns false if the event has another form. @param text the agent's JSON, a byte string without NUL */
  read(text: string, fields: FlatFields): boolean {
    fields.clear()
    this.#text = text
    this.#bytes = bytesOf(text)
    this.#fields = fields
    this.#systemFields = 0
    this.#dataFields = 0
    this.#extra = null
    this.#messageStart = 0
    const bytes = this.#bytes
    let isRead = false
    let at = this.#skipSpace(0)
    if (bytes[at] !== OPEN_BRACE) return false
    for (;;) {
      at = this.#skipSpace(at + 1)
      const isMessage = isAt(MESSAGE, bytes, at)
      if (isMessage ? this.#messageStart > 0 : isRead || !isAt(EVENT, bytes, at)) return false
      at = this.#skipSpace(at + (isMessage ? MESSAGE.length : EVENT.length))
      if (bytes[at] !== COLON) return false
      at = this.#skipSpace(at + 1)
      if (bytes[at] !== QUOTE) return false
      at = isMessage ? this.#readMessage(at + 1) : this.#readEvent(at + 1)
      if (at === OTHER_FORM) return false
      if (!isMessage) isRead = true
      else if (isRead) this.#addMessage()
      at = this.#skipSpace(at)
      if (bytes[at] === CLOSE_BRACE) break
      if (bytes[at] !== COMMA) return false
    }
    return isRead && this.#systemFields > 0
  }

  #skipSpace(from: number): number {
    const { length } = this.#text
    let at = from
    while (this.#bytes[at] <= SPACE && at < length) at++
    return at
  }

  #readMessage(start: number): number {
    const bytes = this.#bytes
    this.#isEscaped = false
    this.#isPrintedOtherwise = false
    let at = start
    for (;;) {
      while ((CLASSES[bytes[at]] & ENDS_MESSAGE) === 0) at++
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
    const bytes = this.#bytes
    let at = this.#contentUpTo(from)
    if (bytes[at] !== LT) return OTHER_FORM
    at = this.#openTag(at)
    if (at === OTHER_FORM || this.#isClosed) return OTHER_FORM
    const start = this.#nameStart
    const end = this.#nameEnd
    for (;;) {
      at = this.#contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) break
      at = this.#readSection(at)
      if (at === OTHER_FORM) return OTHER_FORM
    }
    at = this.#closeTag(at, start, end)
    if (at === OTHER_FORM) return OTHER_FORM
    // What follows the event has no effect, unless it is an element.
    at = this.#contentUpTo(at)
    return bytes[at] === QUOTE ? at + 1 : OTHER_FORM
  }

  #readSection(from: number): number {
    const bytes = this.#bytes
    let at = this.#openTag(from)
    if (at === OTHER_FORM || this.#isClosed) return at
    const start = this.#nameStart
    const end = this.#nameEnd
    const isSystem = isName(SYSTEM, bytes, start, end)
    const isData = isName(EVENT_DATA, bytes, start, end)
    // The members of the sections follow each other in this order.
    if (isSystem ? this.#systemFields > 0 || this.#fields.count > 0 : this.#systemFields === 0 || this.#extra !== null || (isData && this.#dataFields > 0)) return OTHER_FORM
    if (isSystem) at = this.#readSystem(at)
    else at = isData ? this.#readData(at) : this.#readOther(at)
    return at === OTHER_FORM ? OTHER_FORM : this.#closeTag(at, start, end)
  }

  #readSystem(from: number): number {
    const bytes = this.#bytes
    const fields = this.#fields
    let previous: Follower = this.#system.first
    let [levelStart, levelEnd, keywordsStart, keywordsEnd] = [0, 0, 0, 0]
    for (let at = from; ; ) {
      at = this.#contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) {
        if (levelStart > 0 && keywordsStart > 0) fields.addText(this.#severity, this.#severityOf(levelStart, levelEnd, keywordsStart, keywordsEnd))
        if (this.#messageStart > 0) this.#insertMessage(fields.count)
        this.#systemFields = fields.count
        return at
      }
      at = this.#readElement(at)
      if (at === OTHER_FORM) return OTHER_FORM
      const known = this.#find(this.#system, previous, this.#nameStart, this.#nameEnd)
      previous = known
      const { kind } = known
      if (kind === IGNORED) continue
      const start = this.#contentStart
      const end = this.#contentEnd
      if (kind === WITH_ATTRIBUTES && this.#attributes > 0) {
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
    const places = this.#places
    let previous: Follower = element.first
    // Of the time only the first attribute counts.
    const count = element.text === 'TimeCreated' ? 1 : this.#attributes
    for (let i = 0; i < 4 * count; i += 4) {
      const known = this.#find(element, previous, places[i], places[i + 1])
      previous = known
      if (known.kind !== IGNORED) this.#fields.addSpan(known.path, places[i + 2], places[i + 3], false)
    }
  }

  #readData(from: number): number {
    const bytes = this.#bytes
    const fields = this.#fields
    let previous: Follower = this.#eventData.first
    let values: string[] | null = null
    for (let at = from; ; ) {
      at = this.#contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) {
        if (values !== null) fields.addText(this.#data, values.join(', '))
        this.#dataFields = fields.count
        return at
      }
      at = this.#readElement(at)
      if (at === OTHER_FORM) return OTHER_FORM
      if (!this.#isUsable()) continue
      const start = this.#contentStart
      const end = this.#contentEnd
      const isData = isName(DATA, bytes, this.#nameStart, this.#nameEnd)
      if (isData && this.#attributes === 0) {
        values ??= []
        values.push(this.#text.slice(start, end))
        continue
      }
      let [nameStart, nameEnd] = [this.#nameStart, this.#nameEnd]
      if (isData) {
        const places = this.#places
        if (this.#attributes > 1 || !isName(NAME, bytes, places[0], places[1])) return OTHER_FORM
        nameStart = places[2]
        nameEnd = places[3]
      }
      const known = this.#find(this.#eventData, previous, nameStart, nameEnd)
      previous = known
      if (known.kind === AUDIT) return OTHER_FORM
      fields.addSpan(known.path, start, end, false)
    }
  }

  /** Reads another section: the elements in its only child become members of an object of that name. */
  #readOther(from: number): number {
    const bytes = this.#bytes
    const fields = this.#fields
    let at = this.#contentUpTo(from)
    if (bytes[at] !== LT || bytes[at + 1] === SLASH) return OTHER_FORM
    at = this.#openTag(at)
    if (at === OTHER_FORM || this.#isClosed) return OTHER_FORM
    const start = this.#nameStart
    const end = this.#nameEnd
    const object = this.#find(this.#win, this.#win.first, start, end)
    this.#extra = object
    let previous: Follower = object.first
    for (;;) {
      at = this.#contentUpTo(at)
      if (bytes[at] !== LT) return OTHER_FORM
      if (bytes[at + 1] === SLASH) break
      at = this.#readElement(at)
      if (at === OTHER_FORM) return OTHER_FORM
      if (!this.#isUsable()) continue
      const known = this.#find(object, previous, this.#nameStart, this.#nameEnd)
      previous = known
      fields.addSpan(known.path, this.#contentStart, this.#contentEnd, false)
    }
    at = this.#closeTag(at, start, end)
    if (at === OTHER_FORM) return OTHER_FORM
    at = this.#contentUpTo(at)
    return bytes[at] === LT && bytes[at + 1] === SLASH ? at : OTHER_FORM
  }

  /** Removes blanks at the end of the content, but not its first byte. Returns false if the member is left out. */
  #isUsable(): boolean {
    const bytes = this.#bytes
    const start = this.#contentStart
    let end = this.#contentEnd
    if (start === end || (end - start === 1 && bytes[start] === MINUS) || isName(NULL_TEXT, bytes, start, end)) return false
    while (end > start + 1 && bytes[end - 1] === SPACE) end--
    this.#contentEnd = end
    return true
  }

  /** Reads an element without child elements. */
  #readElement(from: number): number {
    const bytes = this.#bytes
    const start = this.#openTag(from)
    if (start === OTHER_FORM) return OTHER_FORM
    this.#contentStart = start
    this.#contentEnd = start
    if (this.#isClosed) return start
    const end = this.#contentUpTo(start)
    if (bytes[end] !== LT || bytes[end + 1] !== SLASH) return OTHER_FORM
    this.#contentEnd = end
    return this.#closeTag(end, this.#nameStart, this.#nameEnd)
  }

  /** Returns the offset of the next tag, or of the closing quote of the event. */
  #contentUpTo(start: number): number {
    const bytes = this.#bytes
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
  #openTag(at: number): number {
    const bytes = this.#bytes
    const end = this.#nameUpTo(at + 1)
    if (end === OTHER_FORM) return OTHER_FORM
    this.#nameStart = at + 1
    this.#nameEnd = end
    this.#attributes = 0
    const after = bytes[end]
    this.#isClosed = after === SLASH
    if (after === GT) return end + 1
    if (after === SLASH) return bytes[end + 1] === GT ? end + 2 : OTHER_FORM
    return after === SPACE ? this.#readAttributes(end + 1) : OTHER_FORM
  }

  #readAttributes(from: number): number {
    const bytes = this.#bytes
    const places = this.#places
    for (let at = from; ; ) {
      while (bytes[at] === SPACE) at++
      if (bytes[at] === GT) return at + 1
      if (bytes[at] === SLASH) {
        this.#isClosed = true
        return at + 1
      }
      if (this.#attributes === MOST_ATTRIBUTES) return OTHER_FORM
      const nameEnd = this.#nameUpTo(at)
      if (nameEnd === OTHER_FORM || bytes[nameEnd] !== EQUALS || bytes[nameEnd + 1] !== SINGLE_QUOTE) return OTHER_FORM
      const place = 4 * this.#attributes
      for (let i = 0; i < place; i += 4) if (isSame(bytes, places[i], places[i + 1], at, nameEnd)) return OTHER_FORM
      const valueEnd = this.#valueUpTo(nameEnd + 2)
      const after = bytes[valueEnd + 1]
      if (valueEnd === OTHER_FORM || (after !== GT && after !== SPACE && after !== SLASH)) return OTHER_FORM
      places[place] = at
      places[place + 1] = nameEnd
      places[place + 2] = nameEnd + 2
      places[place + 3] = valueEnd
      this.#attributes++
      at = valueEnd + 1
    }
  }

  /** Returns the end of a usual name. Variables of the dialect have another meaning. */
  #nameUpTo(start: number): number {
    const bytes = this.#bytes
    let at = start
    while ((CLASSES[bytes[at]] & IN_NAME) !== 0) at++
    const length = at - start
    if (length === 0 || length > TEXT_LIMIT) return OTHER_FORM
    return length === 3 && this.#text.slice(start, at).toLowerCase() === 'var' ? OTHER_FORM : at
  }

  #valueUpTo(start: number): number {
    const bytes = this.#bytes
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
  #closeTag(at: number, nameStart: number, nameEnd: number): number {
    const bytes = this.#bytes
    const end = at + 2 + nameEnd - nameStart
    return bytes[end] === GT && isSame(bytes, nameStart, nameEnd, at + 2, end) ? end + 1 : OTHER_FORM
  }

  /** Returns the known name, which is a guess that holds for nearly every event. @param previous the name before it */
  #find(parent: KnownName, previous: Follower, start: number, end: number): KnownName {
    const bytes = this.#bytes
    const { likely, other } = previous
    if (likely !== null && isName(likely.bytes, bytes, start, end)) return likely
    if (other !== null && isName(other.bytes, bytes, start, end)) {
      previous.other = likely
      previous.likely = other
      return other
    }
    const text = this.#text.slice(start, end)
    let known = parent.members.get(text)
    if (known === undefined) {
      known = this.#make(parent, copyOf(text))
      if (this.#namesLeft === 0) return known
      this.#namesLeft--
      parent.members.set(known.text, known)
    }
    previous.other = likely
    previous.likely = known
    return known
  }

  #make(parent: KnownName, text: string): KnownName {
    const { path } = parent
    if (parent === this.#system) return new KnownName(text, path.child(lowerFirst(text)), Object.hasOwn(KINDS, text) ? KINDS[text] : PLAIN)
    if (parent.kind === WITH_ATTRIBUTES) {
      const members = ATTRIBUTE_MEMBERS[parent.text]
      const isMember = Object.hasOwn(members, text)
      return new KnownName(text, this.#system.path.child(isMember ? members[text] : text), isMember ? PLAIN : IGNORED)
    }
    const member = lowerFirst(text)
    return new KnownName(text, path.child(member), parent === this.#eventData && AUDITED.has(member) ? AUDIT : PLAIN)
  }

  #severityOf(levelStart: number, levelEnd: number, keywordsStart: number, keywordsEnd: number): string {
    const text = this.#text
    const digit = this.#bytes[levelStart]
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

/** Whether exactly this name is between the offsets. */
function isName(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = name
  if (end - start !== length) return false
  for (let i = 0; i < length; i++) if (bytes[start + i] !== name[i]) return false
  return true
}

function isAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

function isSame(bytes: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false
  for (let i = 0; i < end - start; i++) if (bytes[start + i] !== bytes[otherStart + i]) return false
  return true
}
