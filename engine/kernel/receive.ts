/** Finds the parts of a received text, and numbers the names of programs, so that the usual ones need no new string (BEHAVIOUR.md#predecoding). */
import { product, setWord, windowAt, wordAt } from './access.js'
import { findHeader, SYSLOG_TAIL } from './headers.js'
import { NAME_LIMIT, NAME_SLOTS, NAMES, PROGRAM_END, PROGRAM_NUMBER, PROGRAM_START, RECEIVED_LENGTH } from './layout.js'
import { readSyslogTag } from './syslog-tag.js'
import { equalBytes, findByte } from './texts.js'

/** Bytes of the place of one name. */
const NAME_ROOM = 32
const MULTIPLIER = 0x9e3779b1 | 0

/** Reads a text with a NUL behind it, which ends at its first NUL. Returns what follows its header, of `headers.ts`; what else it finds is at `RECEIVED_LENGTH` and behind. */
export function receive(text: number, size: number): number {
  const length = findByte(text, size, 0, 0)
  setWord(RECEIVED_LENGTH, length)
  const tail = findHeader(text, length)
  if (tail === SYSLOG_TAIL) {
    readSyslogTag(text, length)
    const program = wordAt(PROGRAM_START)
    if (program >= 0) setWord(PROGRAM_NUMBER, numberOf(text + program, wordAt(PROGRAM_END) - program))
  }
  return tail
}

/** Returns the number of a name, with `NAME_SLOTS` added if another name had it or none; -1: the name is too long. */
function numberOf(name: number, size: number): number {
  if (size > NAME_LIMIT) return -1
  let hash = size
  for (let at = 0; at < size; at += 4) hash = product(hash ^ wordOf(name, size, at), MULTIPLIER)
  const slot = hash >>> 24
  const place = NAMES + NAME_ROOM * slot
  // A place that was never used has the length 0.
  if (wordAt(place) === size + 1 && equalBytes(place + 4, name, size)) return slot
  setWord(place, size + 1)
  for (let at = 0; at < size; at += 4) setWord(place + 4 + at, windowAt(name + at))
  return slot + NAME_SLOTS
}

/** Four bytes of a name, zeros behind it. */
function wordOf(name: number, size: number, at: number): number {
  const missing = at + 4 - size
  const word = windowAt(name + at)
  return missing <= 0 ? word : word & ((1 << (32 - 8 * missing)) - 1)
}
