/** Detects the format of an event. Only `eventchannel` changes how it runs; the reference engine treats all other formats alike (BEHAVIOUR.md#log-format). */
import { isJson } from '../json/is-json.js'
import type { LogFormat, LogtestInput } from '../records/records.js'
import { toByteString } from '../source/byte-string.js'

export type DetectedFormat = Exclude<LogFormat, 'auto'>

/** The member of an agent's JSON with a Windows event. Most JSON lacks it and is not parsed. */
const EVENT_MEMBER = /"event"\s*:\s*"/i

/** Whether the text looks like a Windows event in XML. Event Viewer shows `- ` before elements. */
export function isWindowsXml(text: string): boolean {
  return /^\s*(?:[-+]\s*)?(?:<\?xml[^>]*>\s*)?(?:[-+]\s*)?<(?:\w+:)?Events?[\s>]/.test(text)
}

/** Returns the format in which an event runs: the given one, or for `auto` the detected one. */
export function detectFormat({ event, log_format: format }: Pick<LogtestInput, 'event' | 'log_format'>): DetectedFormat {
  if (format !== 'auto') return format
  if (isEventchannel(event)) return 'eventchannel'
  const trimmed = event.trimStart()
  return trimmed.startsWith('{') && isJson(toByteString(trimmed)) ? 'json' : 'syslog'
}

/** Whether `detectFormat` says so of the format `auto`. All other formats run alike, so a caller that only runs events need not know which are JSON. */
export function isEventchannel(event: string): boolean {
  if (isWindowsXml(event)) return true
  const trimmed = event.trimStart()
  return trimmed.startsWith('{') && EVENT_MEMBER.test(trimmed) && isAgentForm(trimmed)
}

/** Whether the top-level `Event` of a JSON object, in any letter case, is a Windows event. Other formats also have such a member, or texts with `<Event…`. */
function isAgentForm(text: string): boolean {
  let members: object
  try {
    members = JSON.parse(text) as object
  } catch {
    return false
  }
  const member = Object.entries(members).find(([name]) => name.toLowerCase() === 'event')
  return typeof member?.[1] === 'string' && isWindowsXml(member[1])
}
