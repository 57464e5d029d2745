/** Which form an event has. Only `eventchannel` changes how it is run: the reference treats all other forms alike (BEHAVIOUR.md#log-format). */
import { isWindowsXml } from '../predecoding/windows-xml.js'
import type { LogFormat, LogtestInput } from '../records/records.js'

export type DetectedFormat = Exclude<LogFormat, 'auto'>

/** Of an agent's JSON that holds a Windows event. Most JSON has no such member anywhere, and is not looked through. */
const EVENT_MEMBER = /"event"\s*:\s*"/i

export function detectFormat({ event, log_format: format }: Pick<LogtestInput, 'event' | 'log_format'>): DetectedFormat {
  if (format !== 'auto') return format
  if (isWindowsXml(event)) return 'eventchannel'
  const trimmed = event.trimStart()
  const members = trimmed.startsWith('{') ? parsed(trimmed) : null
  if (members === null) return 'syslog'
  return EVENT_MEMBER.test(trimmed) && isAgentForm(members) ? 'eventchannel' : 'json'
}

/** Null: it is no JSON. */
function parsed(text: string): object | null {
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}

/** Whether its own `Event`, in any case, is a Windows event: others also call a member so, and write of `<Event…`. */
function isAgentForm(members: object): boolean {
  const member = Object.entries(members).find(([name]) => name.toLowerCase() === 'event')
  return typeof member?.[1] === 'string' && isWindowsXml(member[1])
}
