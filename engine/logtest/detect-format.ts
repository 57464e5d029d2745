/** Which form an event has. Only `eventchannel` changes how it is run: the reference treats all other forms alike (engine-decoding.md 4.16). */
import { isWindowsXml } from '../predecoding/windows-xml.js'
import type { LogFormat, LogtestInput } from './contract.js'

export type DetectedFormat = Exclude<LogFormat, 'auto'>

/** A Windows event inside an agent's JSON. */
const EVENT_MEMBER = /"event"\s*:\s*"[^"]*<Event/i

export function detectFormat({ event, log_format: format }: Pick<LogtestInput, 'event' | 'log_format'>): DetectedFormat {
  if (format !== 'auto') return format
  if (isWindowsXml(event)) return 'eventchannel'
  const trimmed = event.trimStart()
  if (!trimmed.startsWith('{') || !isJson(trimmed)) return 'syslog'
  return EVENT_MEMBER.test(trimmed) ? 'eventchannel' : 'json'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
