/** Windows events in the form of an agent: JSON with the XML of the event and its message (BEHAVIOUR.md#windows-eventchannel). */
import type { Node } from '../expressions/pcre2/ast.js'
import { setOf } from '../expressions/pcre2/byte-set.js'
import { type Subject, SUBJECT_LOG } from '../rules/condition.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { type Goal, LOG } from './goal.js'
import type { TextTests } from './text-tests.js'

const NAMESPACE = 'http://schemas.microsoft.com/win/2004/08/events/event'
/** Level and keywords, from which the engine makes the severity. */
const SEVERITIES: readonly (readonly [severity: string, level: string, keywords: string])[] = [
  ['INFORMATION', '4', '0x8000000000000000'],
  ['AUDIT_SUCCESS', '0', '0x8020000000000000'],
  ['AUDIT_FAILURE', '0', '0x8010000000000000'],
  ['ERROR', '2', '0x8000000000000000'],
  ['WARNING', '3', '0x8000000000000000'],
  ['CRITICAL', '1', '0x8000000000000000'],
  ['VERBOSE', '5', '0x8000000000000000'],
]

/** Null: a field is none of a Windows event, or no value is known for it. */
export function eventchannelEvent(goal: Goal, fieldValue: (subject: Subject, tests: TextTests) => string | undefined): string | null {
  const system = new Map<string, string>([
    ['providername', 'Example-Provider'],
    ['eventid', '4711'],
    ['systemtime', '2026-11-23T10:11:12.0000000Z'],
    ['channel', 'Example/Operational'],
    ['computer', 'win1.example.com'],
  ])
  const names = new Map<string, string>()
  const data: [name: string, value: string][] = []
  const others: [section: string, name: string, value: string][] = []
  let severity = SEVERITIES[0]
  let message = 'An event of Windows.'
  for (const [subject, tests] of goal.named) {
    const [first, section, ...rest] = fromByteString(tests.name).split('.')
    if (first.toLowerCase() !== 'win' || section === undefined || rest.length === 0) {
      if (tests.isRequired) return null
      continue
    }
    const member = rest.join('.')
    // What only must not be said is wrong here if it is what is said unasked.
    const usual = member.toLowerCase() === 'severityvalue' ? severity[0] : (system.get(member.toLowerCase()) ?? '')
    if (section === 'system' && usual !== '' && member.toLowerCase() !== 'message' && tests.passes(usual)) {
      names.set(member.toLowerCase(), member)
      continue
    }
    if (!tests.isRequired && section !== 'system') continue
    if (section === 'system' && member.toLowerCase() === 'severityvalue') {
      const known = SEVERITIES.find(([name]) => tests.passes(name))
      if (known === undefined) return null
      severity = known
      continue
    }
    const value = fieldValue(subject, tests)
    if (value === undefined) return null
    const text = fromByteString(value)
    if (section === 'system') {
      if (member.toLowerCase() === 'message') message = text
      else {
        system.set(member.toLowerCase(), text)
        names.set(member.toLowerCase(), member)
      }
    } else if (section === 'eventdata') data.push([member, text])
    else others.push([section, member, text])
  }
  const log = goal.of(LOG)
  if (log?.isRequired === true) {
    const text = fieldValue(SUBJECT_LOG, log)
    if (text === undefined) return null
    message = fromByteString(text)
  }
  const attribute = (name: string, key: string): string => (system.has(key) ? ` ${name}='${system.get(key)}'` : '')
  const known = new Set(['providername', 'providerguid', 'eventsourcename', 'systemtime', 'processid', 'threadid', 'level', 'keywords'])
  const elements = [...system]
    .filter(([key]) => !known.has(key))
    .map(([key, value]) => `<${upperFirst(names.get(key) ?? NAMES.get(key) ?? key)}>${value}</${upperFirst(names.get(key) ?? NAMES.get(key) ?? key)}>`)
  const execution = system.has('processid') || system.has('threadid') ? `<Execution${attribute('ProcessID', 'processid')}${attribute('ThreadID', 'threadid')}/>` : ''
  const xml = [
    `<Event xmlns='${NAMESPACE}'><System>`,
    `<Provider${attribute('Name', 'providername')}${attribute('Guid', 'providerguid')}${attribute('EventSourceName', 'eventsourcename')}/>`,
    `<TimeCreated SystemTime='${system.get('systemtime')}'/>`,
    `<Level>${system.get('level') ?? severity[1]}</Level><Keywords>${system.get('keywords') ?? severity[2]}</Keywords>`,
    execution,
    ...elements,
    '</System>',
    data.length === 0
      ? ''
      : `<EventData>${data.map(([name, value]) => (name.toLowerCase() === 'data' ? `<Data>${value}</Data>` : `<Data Name='${upperFirst(name)}'>${value}</Data>`)).join('')}</EventData>`,
    others.length === 0
      ? ''
      : `<UserData><${upperFirst(others[0][0])} xmlns='x'>${others.map(([, name, value]) => `<${upperFirst(name)}>${value}</${upperFirst(name)}>`).join('')}</${upperFirst(others[0][0])}></UserData>`,
    '</Event>',
  ].join('')
  // Values are written as they are read: in the form that JSON escapes have (`WRITTEN`).
  return toByteString(`{"Message":"${message}","Event":"${xml}"}`)
}

/** Bytes that stand for themselves in JSON and XML. */
const PLAIN_BYTES = setOf((byte) => byte >= 0x20 && !'"\\<>&\''.includes(String.fromCharCode(byte)))
const BACKSLASH: Node = { kind: 'set', set: setOf((byte) => byte === 0x5c) }
/** Escaped as in JSON, so that a path has two backslashes. */
const ESCAPED: Node = { kind: 'sequence', items: [BACKSLASH, BACKSLASH] }
const INNER: Node = { kind: 'alternation', branches: [{ kind: 'set', set: PLAIN_BYTES }, ESCAPED] }
const OUTER: Node = { kind: 'alternation', branches: [{ kind: 'set', set: setOf((byte) => byte !== 0x20 && PLAIN_BYTES[byte] === 1) }, ESCAPED] }
/** A value that the XML of an event can have: the engine reads it with the escapes of JSON, and without blanks at its ends. */
export const WRITTEN: Node = {
  kind: 'sequence',
  items: [
    OUTER,
    {
      kind: 'repeat',
      body: { kind: 'sequence', items: [{ kind: 'repeat', body: INNER, min: 0, max: Number.POSITIVE_INFINITY, mode: 'greedy' }, OUTER] },
      min: 0,
      max: 1,
      mode: 'greedy',
    },
  ],
}

/** How Windows writes the names of elements. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['eventid', 'EventID'],
  ['channel', 'Channel'],
  ['computer', 'Computer'],
])

function upperFirst(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
