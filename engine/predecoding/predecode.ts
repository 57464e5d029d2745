/** The first stage: removes header, host and program name from the message (BEHAVIOUR.md#predecoding). It is the same for every event. */
import { Event } from '../event/event.js'
import { ASL_TAIL, NO_HEADER, SYSLOG_TAIL } from '../kernel/headers.js'
import { receive } from '../kernel/kernel.js'
import { cutReceived, receivedAddressOf } from '../kernel/last-bytes.js'
import {
  FOLLOWS_BYTE,
  HOST_END,
  HOST_START,
  LOG_END,
  LOG_START,
  NAME_BYTES,
  NAME_SLOTS,
  PROGRAM_END,
  PROGRAM_NUMBER,
  PROGRAM_START,
  RECEIVED_LENGTH,
  TIME_END,
  TIME_START,
} from '../kernel/layout.js'
import { BYTES, WORDS } from '../kernel/memory.js'
import { copyOf } from '../source/byte-string.js'
import type { Origin } from './location.js'
import { readAsl } from './macos-asl.js'

for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789()-./@_') BYTES[NAME_BYTES + char.charCodeAt(0)] = 1

/** The names of programs by the numbers that the kernel gave them. */
const PROGRAMS: string[] = new Array<string>(NAME_SLOTS).fill('')

/**
 * @param text the event, a byte string
 * @param received seconds since the epoch
 */
export function predecode(text: string, origin: Origin, received: number): Event {
  const tail = receive(receivedAddressOf(text), text.length)
  const words = WORDS
  const length = words[RECEIVED_LENGTH >> 2]
  let fullLog = text
  if (length < text.length) {
    fullLog = text.slice(0, length)
    cutReceived(fullLog)
  }
  const event = new Event(fullLog, received)
  event.location = origin.location
  event.agentId = origin.agentId
  if (tail === ASL_TAIL) {
    const asl = readAsl(fullLog, words[LOG_START >> 2])
    event.hostname = asl.hostname
    event.programName = asl.programName
    event.setLog(asl.log)
    event.logFollowsByte = true
  } else if (tail !== NO_HEADER) {
    event.setTime(words[TIME_START >> 2], words[TIME_END >> 2])
    if (tail === SYSLOG_TAIL) {
      event.setHost(words[HOST_START >> 2], words[HOST_END >> 2])
      if (words[PROGRAM_START >> 2] >= 0) event.programName = programOf(fullLog, words)
      event.cutLog(words[LOG_START >> 2], words[LOG_END >> 2])
    } else event.cutLog(words[LOG_START >> 2])
    event.logFollowsByte = words[FOLLOWS_BYTE >> 2] !== 0
  }
  if (origin.agentName !== undefined) event.hostname = origin.agentName
  return event
}

function programOf(fullLog: string, words: Int32Array): string {
  const number = words[PROGRAM_NUMBER >> 2]
  if (number >= 0 && number < NAME_SLOTS) return PROGRAMS[number]
  const name = fullLog.slice(words[PROGRAM_START >> 2], words[PROGRAM_END >> 2])
  if (number < 0) return name
  const kept = copyOf(name)
  PROGRAMS[number - NAME_SLOTS] = kept
  return kept
}
