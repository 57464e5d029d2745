/** The first stage: removes header, host and program name from the message (BEHAVIOUR.md#predecoding). It is the same for every event. */
import { Event } from '../event/event.js'
import { cutAtNul } from '../source/byte-string.js'
import { findHeader } from './headers.js'
import type { Origin } from './location.js'
import { readAsl } from './macos-asl.js'
import { readSyslogTag } from './syslog-tag.js'

/** `Mär` in UTF-8 is one byte longer than the header tests expect (BEHAVIOUR.md#umlaut-repair). */
const UMLAUT = '\xc3\xa4'

/**
 * @param text the event, a byte string
 * @param received seconds since the epoch
 */
export function predecode(text: string, origin: Origin, received: number): Event {
  const fullLog = cutAtNul(text)
  const event = new Event(fullLog, received)
  event.location = origin.location
  event.agentId = origin.agentId
  const tested = fullLog.charCodeAt(1) === 0xc3 && fullLog.startsWith(UMLAUT, 1) ? `Ma${fullLog.slice(3)}` : fullLog
  const header = findHeader(tested, fullLog.length)
  if (header !== null) {
    if (header.tail !== 'asl') event.timestamp = fullLog.slice(header.from, header.to)
    if (header.tail === 'syslog') {
      const tag = readSyslogTag(fullLog, header.log)
      event.hostname = tag.hostname
      event.programName = tag.programName
      event.cutLog(tag.start, tag.end)
      event.logFollowsByte = tag.followsByte
    } else if (header.tail === 'asl') {
      const asl = readAsl(fullLog, header.log)
      event.hostname = asl.hostname
      event.programName = asl.programName
      event.setLog(asl.log)
      event.logFollowsByte = true
    } else {
      event.cutLog(header.log)
      event.logFollowsByte = header.followsByte
    }
  }
  if (origin.agentName !== undefined) event.hostname = origin.agentName
  return event
}
