/**
 * Windows eventchannel events as agents send them (BEHAVIOUR.md#windows-eventchannel): a JSON object with the event's XML and its message becomes
 * `{"win":{"system":{…},"eventdata":{…}}}`.
 *
 * The XML is parsed in its JSON-escaped form by the ruleset parser, as in the reference engine. So values keep their escapes, and an attribute in double quotes
 * makes the whole XML invalid.
 */
import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, QUOTE } from '../json/grammar.js'
import { ArrayPrinter, quote } from '../json/print-array.js'
import { INVALID, JsonReader } from '../json/reader.js'
import { readInt32 } from '../conditions/number.js'
import { foldCase } from '../source/byte-string.js'
import type { XmlElement } from '../xml/node.js'
import { parseXml } from '../xml/parse.js'
import { AUDIT_CATEGORIES, AUDIT_POLICY_CHANGES, AUDIT_SUBCATEGORIES } from './windows-audit.js'

/** Number of ids of `auditPolicyChanges` that are read. */
const POLICY_CHANGES_READ = 4
const SEVERITIES = ['', 'CRITICAL', 'ERROR', 'WARNING', 'INFORMATION', 'VERBOSE']
const AUDIT_FAILURE_BIT = 0x10_0000_0000_0000n
const AUDIT_SUCCESS_BIT = 0x20_0000_0000_0000n
const ALL_BITS = 2n ** 64n - 1n

const BOM = '\xef\xbb\xbf'
/** Control bytes without a short escape: in a message they stay escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes
const LONG_ESCAPED = /[\x00-\x07\x0b\x0e-\x1f]/g
/** A short escape in printed JSON. */
const SHORT_ESCAPE = /\\(["\\bfnrt])/g
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Members of one JSON object, in order; a name may occur twice. */
type Members = [name: string, value: string][]

/** Returns the log text for decoders and rules, or null if the reference engine drops the event. @param text the agent's JSON, a byte string */
export function readEventchannel(text: string): string | null {
  const members = readMembers(text)
  if (members === null || members.event === null) return null
  const reader = new EventReader()
  // The reference engine reads the printed text; what is outside of the first element has no effect.
  const outcome = parseXml(members.event)
  if (outcome.ok) reader.read(outcome.document.elements[0])
  return reader.finish(members.message)
}

/** The first members of these names, in any case; null: absent. */
interface AgentMembers {
  /** As JSON, without white space. */
  event: string | null
  /** As JSON, without white space and with the short escapes resolved. */
  message: string | null
}

/** Reads the members of the agent's object, which may have any types. Null: the text does not begin with an object. */
function readMembers(text: string): AgentMembers | null {
  const reader = new JsonReader(text)
  const { bytes } = reader
  const found: AgentMembers = { event: null, message: null }
  let at = reader.skipSpace(text.startsWith(BOM) ? BOM.length : 0)
  if (bytes[at] !== OPEN_BRACE) return null
  at = reader.skipSpace(at + 1)
  if (bytes[at] === CLOSE_BRACE) return found
  for (;;) {
    if (bytes[at] !== QUOTE) return null
    at = reader.string(at)
    if (at === INVALID) return null
    const name = foldCase(reader.value())
    at = reader.skipSpace(at)
    if (bytes[at] !== COLON) return null
    at = reader.skipSpace(at + 1)
    if (bytes[at] === QUOTE) {
      at = reader.string(at)
      if (at === INVALID) return null
      if (name === 'event') found.event ??= quote(reader.value())
      else if (name === 'message') found.message ??= `"${reader.value().replace(LONG_ESCAPED, longEscape)}"`
    } else {
      const printer = new ArrayPrinter(reader, true)
      at = printer.readValue(at, 1, 1)
      if (at === INVALID) return null
      if (name === 'event') found.event ??= printer.output
      else if (name === 'message') found.message ??= printer.output.replace(SHORT_ESCAPE, (_, letter: string) => SHORT_ESCAPES[letter])
    }
    at = reader.skipSpace(at)
    if (bytes[at] === CLOSE_BRACE) return found
    if (bytes[at] !== COMMA) return null
    at = reader.skipSpace(at + 1)
  }
}

/** Returns the escape of a byte without a short one. */
function longEscape(byte: string): string {
  return quote(byte).slice(1, -1)
}

class EventReader {
  readonly #system: Members = []
  readonly #eventData: Members = []
  readonly #extra: Members = []
  #extraName = ''
  readonly #data: string[] = []
  #level: string | null = null
  #keywords: string | null = null
  #categoryId: string | null = null
  #subcategoryId: string | null = null
  #policyChanges: string | null = null

  read(event: XmlElement | undefined): void {
    for (const section of event?.children ?? []) {
      if (section.name === 'System') for (const child of section.children) this.#readSystem(child)
      else if (section.name === 'EventData') for (const child of section.children) this.#readData(child)
      else this.#readOther(section)
    }
  }

  finish(message: string | null): string {
    this.#addSeverity()
    this.#addAudit()
    if (message !== null) this.#system.push(['message', message])
    if (this.#data.length > 0) this.#eventData.push(['data', this.#data.join(', ')])
    const sections = [`"system":${objectOf(this.#system)}`]
    if (this.#eventData.length > 0) sections.push(`"eventdata":${objectOf(this.#eventData)}`)
    if (this.#extra.length > 0) sections.push(`${quote(this.#extraName)}:${objectOf(this.#extra)}`)
    return `{"win":{${sections.join(',')}}}`
  }

  #readSystem({ name, attributes, content }: XmlElement): void {
    const add = (member: string, value: string): number => this.#system.push([member, value])
    if (name === 'Provider' && attributes.length > 0) {
      for (const attribute of attributes) {
        if (attribute.name === 'Name') add('providerName', attribute.value)
        else if (attribute.name === 'Guid') add('providerGuid', attribute.value)
        else if (attribute.name === 'EventSourceName') add('eventSourceName', attribute.value)
      }
    } else if (name === 'TimeCreated' && attributes.length > 0) {
      if (attributes[0].name === 'SystemTime') add('systemTime', attributes[0].value)
    } else if (name === 'Execution' && attributes.length > 0) {
      for (const attribute of attributes) {
        if (attribute.name === 'ProcessID') add('processID', attribute.value)
        else if (attribute.name === 'ThreadID') add('threadID', attribute.value)
      }
    } else if (name === 'Channel') add('channel', content)
    else if (name === 'Level') {
      this.#level = content
      add('level', content)
    } else if (name === 'Keywords') {
      this.#keywords = content
      add('keywords', content)
    } else if (name !== 'Security' && name !== 'Correlation' && content !== '') add(lowerFirst(name), content)
  }

  #readData({ name, attributes, content }: XmlElement): void {
    const value = usable(content)
    if (value === null) return
    if (name !== 'Data') this.#eventData.push([lowerFirst(name), value])
    else if (attributes.length === 0) this.#data.push(value)
    for (const attribute of name === 'Data' ? attributes : []) {
      const member = lowerFirst(attribute.value)
      if (attribute.name !== 'Name') {
        this.#eventData.push([member, value])
        continue
      }
      this.#addNamed(member, value)
      return
    }
  }

  #addNamed(member: string, value: string): void {
    if (member === 'categoryId') this.#categoryId = value
    else if (member === 'subcategoryId') this.#subcategoryId = value
    else if (member === 'auditPolicyChanges') this.#policyChanges = value
    this.#eventData.push([member === 'auditPolicyChanges' ? 'auditPolicyChangesId' : member, value])
  }

  /** Reads UserData and similar sections: the grandchildren become members of an object named after the last child, even if that has none. */
  #readOther(section: XmlElement): void {
    for (const child of section.children) {
      this.#extraName = lowerFirst(child.name)
      for (const { name, content } of child.children) {
        const value = usable(content)
        if (value !== null) this.#extra.push([lowerFirst(name), value])
      }
    }
  }

  #addSeverity(): void {
    if (this.#level === null || this.#keywords === null) return
    this.#system.push(['severityValue', severityOf(this.#level, this.#keywords)])
  }

  #addAudit(): void {
    if (this.#categoryId !== null && this.#subcategoryId !== null) {
      const category = AUDIT_CATEGORIES.get(idOf(this.#categoryId))
      const subcategory = AUDIT_SUBCATEGORIES.get(idOf(this.#subcategoryId))
      if (category !== undefined) this.#eventData.push(['category', category])
      if (subcategory !== undefined) this.#eventData.push(['subcategory', subcategory])
    }
    if (this.#policyChanges === null) return
    const changes = this.#policyChanges.split(',').slice(0, POLICY_CHANGES_READ)
    const known = changes.map((change) => AUDIT_POLICY_CHANGES.get(idOf(change))).filter((words) => words !== undefined)
    if (known.length > 0) this.#eventData.push(['auditPolicyChanges', known.join(', ')])
  }
}

/** @param levelText @param keywords contents of these elements; the keywords matter for level 0 only */
export function severityOf(levelText: string, keywords: string): string {
  const level = numberOf(levelText)
  if (level !== 0) return SEVERITIES[level] || 'UNKNOWN'
  const bits = bitsOf(keywords)
  if ((bits & AUDIT_FAILURE_BIT) !== 0n) return 'AUDIT_FAILURE'
  return (bits & AUDIT_SUCCESS_BIT) !== 0n ? 'AUDIT_SUCCESS' : 'UNKNOWN'
}

/** Reads a decimal number from the head of a text, as C's `strtol` does, cut to 32 bits. Nothing to read is 0. */
function numberOf(text: string): number {
  const [, sign, digits] = /^[ \t-\r]*([-+]?)([0-9]+)/.exec(text) ?? ['', '', '']
  return readInt32(digits, sign === '-')
}

/** Reads a hexadecimal number from the head of a text, as C's `strtoull` does: too large a number has all bits set, and -1 as well. */
function bitsOf(text: string): bigint {
  const [, sign, digits] = /^[ \t-\r]*([-+]?)(?:0x(?=[0-9a-f]))?([0-9a-f]+)/i.exec(text) ?? ['', '', '0']
  const value = BigInt(`0x${digits}`)
  if (value > ALL_BITS) return ALL_BITS
  return sign === '-' ? BigInt.asUintN(64, -value) : value
}

/** Returns `%%8273` without the percent signs, as a number. */
function idOf(text: string): number {
  return numberOf(text.replaceAll('%%', ''))
}

/** Returns a value without trailing white space; the first byte is always kept. Null: omitted. */
function usable(content: string): string | null {
  if (content === '' || content === '-' || content === '(NULL)') return null
  return content[0] + content.slice(1).replace(/[ \t\n\v\f\r]+$/, '')
}

/** Names of members begin with a small letter. */
export function lowerFirst(name: string): string {
  return foldCase(name.slice(0, 1)) + name.slice(1)
}

function objectOf(members: Members): string {
  return `{${members.map(([name, value]) => `${quote(name)}:${quote(value)}`).join(',')}}`
}
