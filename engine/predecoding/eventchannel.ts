/**
 * Windows eventchannel events as agents send them (BEHAVIOUR.md#windows-eventchannel): a JSON object with the event's XML and its message becomes
 * `{"win":{"system":{…},"eventdata":{…}}}`.
 *
 * The XML is parsed in its JSON-escaped form by the ruleset parser, as in the reference engine. So values keep their escapes, and an attribute in double quotes
 * makes the whole XML invalid.
 */
import { FlatFields } from '../json/flat-fields.js'
import { flattenJson } from '../json/flatten.js'
import type { FlattenOptions } from '../json/flatten.js'
import { JsonPath } from '../json/paths.js'
import { quote } from '../json/print-array.js'
import { foldCase } from '../source/byte-string.js'
import type { XmlElement } from '../xml/node.js'
import { parseXml } from '../xml/parse.js'
import { AUDIT_CATEGORIES, AUDIT_POLICY_CHANGES, AUDIT_SUBCATEGORIES } from './windows-audit.js'

/** Number of ids of `auditPolicyChanges` that are read. */
const POLICY_CHANGES_READ = 4
const SEVERITIES = ['', 'CRITICAL', 'ERROR', 'WARNING', 'INFORMATION', 'VERBOSE']
const AUDIT_FAILURE_BIT = 0x10_0000_0000_0000n
const AUDIT_SUCCESS_BIT = 0x20_0000_0000_0000n

/** Members of one JSON object, in order; a name may occur twice. */
type Members = [name: string, value: string][]

/** Returns the log text for decoders and rules, or null if the reference engine drops the event. @param text the agent's JSON, a byte string */
export function readEventchannel(text: string): string | null {
  const xml = memberText(text, 'event', { nulls: 'discard', arrays: 'array' })
  if (xml === undefined) return null
  const message = memberText(text, 'message', { nulls: 'discard', arrays: 'array' })
  const isNull = message === undefined && memberText(text, 'message', { nulls: 'string', arrays: 'array' }) !== undefined
  const reader = new EventReader()
  // The reference engine reads the quoted text; the quotes are outside the element and have no effect.
  const outcome = parseXml(quote(xml))
  if (outcome.ok) reader.read(outcome.document.elements[0])
  return reader.finish(message === undefined ? (isNull ? 'null' : null) : `"${message}"`)
}

/** Returns the text of a top-level member; case is ignored. Undefined if there is none. */
function memberText(text: string, name: string, options: FlattenOptions): string | undefined {
  const fields = new FlatFields()
  if (!flattenJson(text, 0, JsonPath.root({ find: () => -1, statics: new Map() }), options, fields)) return undefined
  for (let i = 0; i < fields.count; i++) if (foldCase(fields.paths[i].full) === name) return fields.valueAt(i, text)
  return undefined
}

class EventReader {
  readonly #system: Members = []
  readonly #eventData: Members = []
  readonly #extra: Members = []
  #extraName: string | null = null
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
    if (this.#extraName !== null) sections.push(`${quote(this.#extraName)}:${objectOf(this.#extra)}`)
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

  /** Reads UserData and similar sections: the grandchildren become members of an object named after the last child that has any. */
  #readOther(section: XmlElement): void {
    for (const child of section.children) {
      for (const { name, content } of child.children) {
        const value = usable(content)
        if (value === null) continue
        this.#extra.push([lowerFirst(name), value])
        this.#extraName = lowerFirst(child.name)
      }
    }
  }

  #addSeverity(): void {
    if (this.#level === null || this.#keywords === null) return
    this.#system.push(['severityValue', severityOf(Number.parseInt(this.#level, 10), this.#keywords)])
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

function severityOf(level: number, keywords: string): string {
  if (level !== 0) return SEVERITIES[level] || 'UNKNOWN'
  const digits = /^\s*(?:0x)?([0-9a-f]{1,16})/i.exec(keywords)?.[1] ?? '0'
  const bits = BigInt(`0x${digits}`)
  if ((bits & AUDIT_FAILURE_BIT) !== 0n) return 'AUDIT_FAILURE'
  return (bits & AUDIT_SUCCESS_BIT) !== 0n ? 'AUDIT_SUCCESS' : 'UNKNOWN'
}

/** Returns `%%8273` without the percent signs, as a number. */
function idOf(text: string): number {
  return Number(text.replaceAll('%%', '').trim())
}

/** Returns a value without trailing white space; the first byte is always kept. Null: omitted. */
function usable(content: string): string | null {
  if (content === '' || content === '-' || content === '(NULL)') return null
  return content[0] + content.slice(1).replace(/[ \t\n\v\f\r]+$/, '')
}

function lowerFirst(name: string): string {
  return foldCase(name.slice(0, 1)) + name.slice(1)
}

function objectOf(members: Members): string {
  return `{${members.map(([name, value]) => `${quote(name)}:${quote(value)}`).join(',')}}`
}
