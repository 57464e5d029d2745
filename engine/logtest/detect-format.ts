/** Detects the format of an event. Only `eventchannel` changes how it runs; the reference engine treats all other formats alike (BEHAVIOUR.md#log-format). */
import { isJson } from '../json/is-json.js'
import type { LogFormat, LogtestInput } from '../records/records.js'
import { toByteString } from '../source/byte-string.js'

export type DetectedFormat = Exclude<LogFormat, 'auto'>
/** All other formats run as `syslog` does. */
export type RunFormat = Extract<DetectedFormat, 'eventchannel' | 'syslog'>
type NamedFormat = Pick<LogtestInput, 'event' | 'log_format'>

/** The member of an agent's JSON with a Windows event. Most JSON lacks it and is not parsed. */
const EVENT_MEMBER = /"event"\s*:\s*"/i

/** Whether the text looks like a Windows event in XML. Event Viewer shows `- ` before elements. */
export function isWindowsXml(text: string): boolean {
  return /^\s*(?:[-+]\s*)?(?:<\?xml[^>]*>\s*)?(?:[-+]\s*)?<(?:\w+:)?Events?[\s>]/.test(text)
}

/** The format of an event, as reports name it. @param run how it runs, if that is known */
export function detectFormat(input: NamedFormat, run = runFormat(input)): DetectedFormat {
  const { event, log_format: format } = input
  if (format !== 'auto') return format
  if (run === 'eventchannel') return run
  const trimmed = event.trimStart()
  return trimmed.startsWith('{') && isJson(toByteString(trimmed)) ? 'json' : 'syslog'
}

/** How an event runs. Whether another one is JSON need not be known. */
export function runFormat({ event, log_format: format }: NamedFormat): RunFormat {
  if (format !== 'auto') return format === 'eventchannel' ? format : 'syslog'
  if (isWindowsXml(event)) return 'eventchannel'
  const trimmed = event.trimStart()
  return trimmed.startsWith('{') && EVENT_MEMBER.test(trimmed) && isAgentForm(trimmed) ? 'eventchannel' : 'syslog'
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
