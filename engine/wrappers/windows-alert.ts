/**
 * Rebuilds a Windows event from its decoded form, `{"system": {…}, "eventdata": {…}}`, which archives and alerts have instead of the log. The XML that arrived
 * cannot be known, but one that is decoded to the same members can be written; it is used only if it is.
 */
import { readEventchannel } from '../predecoding/eventchannel.js'
import { fromByteString, toByteString } from '../source/byte-string.js'

export type Members = Readonly<Record<string, unknown>>

const NAMESPACE = 'http://schemas.microsoft.com/win/2004/08/events/event'
/** Members of `system` that are attributes: the element and its attributes, by member. */
const SYSTEM_ATTRIBUTES: readonly (readonly [element: string, attributes: Readonly<Record<string, string>>])[] = [
  ['Provider', { providerName: 'Name', providerGuid: 'Guid', eventSourceName: 'EventSourceName' }],
  ['TimeCreated', { systemTime: 'SystemTime' }],
  ['Execution', { processID: 'ProcessID', threadID: 'ThreadID' }],
]
/** Members that the decoder adds to those of the XML. */
const ADDED_TO_SYSTEM = new Set(['severityValue', 'message'])
const ADDED_TO_DATA = new Set(['category', 'subcategory', 'auditPolicyChanges'])

/** Returns the event in the form that an agent sends; null: no event was found that is decoded to these members. */
export function rebuildWindowsEvent(win: Members): string | null {
  const { system, eventdata, ...others } = win
  // Decoded members are texts.
  if (!isMembers(system) || !Object.values(win).every((members) => isMembers(members) && Object.values(members).every((value) => typeof value === 'string'))) return null
  const sections = Object.entries(others).map(([name, members]) => (isMembers(members) ? `<UserData>${element(upperFirst(name), elementsOf(members))}</UserData>` : ''))
  const xml = `<Event xmlns='${NAMESPACE}'>${element('System', systemXml(system))}${isMembers(eventdata) ? element('EventData', dataXml(eventdata)) : ''}${sections.join('')}</Event>`
  const { message } = system
  const text = JSON.stringify(message === undefined ? { Event: xml } : { Message: message === 'null' ? null : unquoted(String(message)), Event: xml })
  const decoded = readEventchannel(toByteString(text))
  if (decoded === null) return null
  return isSame((JSON.parse(fromByteString(decoded)) as { win: Members }).win, win) ? text : null
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function systemXml(system: Members): string {
  const attributes = new Set(SYSTEM_ATTRIBUTES.flatMap(([, names]) => Object.keys(names)))
  const written = SYSTEM_ATTRIBUTES.map(([name, names]) => {
    const pairs = Object.entries(names).flatMap(([member, attribute]) => (system[member] === undefined ? [] : [` ${attribute}='${plain(system[member])}'`]))
    return pairs.length === 0 ? '' : `<${name}${pairs.join('')}/>`
  })
  const plainMembers = Object.entries(system).filter(([member]) => !attributes.has(member) && !ADDED_TO_SYSTEM.has(member))
  return `${written.join('')}${elementsOf(Object.fromEntries(plainMembers))}`
}

function dataXml(eventdata: Members): string {
  return Object.entries(eventdata)
    .filter(([member]) => !ADDED_TO_DATA.has(member))
    .map(([member, value]) =>
      member === 'data' ? `<Data>${plain(value)}</Data>` : `<Data Name='${upperFirst(member === 'auditPolicyChangesId' ? 'auditPolicyChanges' : member)}'>${plain(value)}</Data>`,
    )
    .join('')
}

function elementsOf(members: Members): string {
  return Object.entries(members)
    .map(([member, value]) => element(upperFirst(member), plain(value)))
    .join('')
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`
}

/** The value without the JSON escapes that decoded values keep. */
function plain(value: unknown): string {
  return unquoted(`"${String(value)}"`)
}

function unquoted(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return json.slice(1, -1)
  }
}

function upperFirst(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** Whether both have the same members, in any order. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isMembers(one) || !isMembers(other)) return String(one) === String(other)
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
}
