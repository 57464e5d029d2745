/**
 * Host and program name behind a syslog timestamp (BEHAVIOUR.md#host-and-program).
 *
 *     host sshd[123]: message
 */
import { byteAt, setWord, wordAt } from './access.js'
import { CLOSE_BRACKET, COLON, isDigit, OPEN_BRACKET, SPACE } from './ascii.js'
import { FOLLOWS_BYTE, HOST_END, HOST_START, LOG_END, LOG_START, NAME_BYTES, PROGRAM_END, PROGRAM_START } from './layout.js'
import { findByte } from './texts.js'

const BAR = 0x7c
const LETTER_I = 0x49
const LETTER_D = 0x44
/** `[ID `. */
const ID_LENGTH = 4

/** Reads what follows the timestamp in a text with a NUL behind it, from `LOG_START` on. */
export function readSyslogTag(text: number, length: number): void {
  let start = wordAt(LOG_START)
  const isIndented = byteAt(text + start) === SPACE
  if (isIndented) start++
  setWord(HOST_START, -1)
  setWord(PROGRAM_START, -1)
  setWord(LOG_END, length)
  setLog(start, isIndented)
  const hostEnd = nameEnd(text, start)
  const after = byteAt(text + hostEnd)
  if (after === COLON && byteAt(text + hostEnd + 1) === SPACE) {
    // Solaris: a program without a host.
    setProgram(start, hostEnd)
    setLog(hostEnd + 2, true)
    skipSolarisId(text, length)
    return
  }
  if (after !== SPACE) return
  setWord(HOST_START, start)
  setWord(HOST_END, hostEnd)
  setLog(hostEnd + 1, false)
  if (readProgram(text, length, hostEnd + 1)) skipSolarisId(text, length)
}

/** Runs step 5. Returns whether step 6 follows. */
function readProgram(text: number, length: number, rest: number): boolean {
  const end = nameEnd(text, rest)
  const after = byteAt(text + end)
  if (after === COLON) {
    setProgram(rest, end)
    const isSpaced = byteAt(text + end + 1) === SPACE
    setLog(isSpaced ? end + 2 : end + 1, isSpaced)
    return true
  }
  if (after === OPEN_BRACKET && isDigit(byteAt(text + end + 1))) {
    const close = digitsEnd(text, end + 1)
    if (byteAt(text + close) !== CLOSE_BRACKET) return false
    const next = byteAt(text + close + 1)
    if (next !== COLON && next !== SPACE) return false
    setProgram(rest, end)
    setLog(next === COLON && byteAt(text + close + 2) === SPACE ? close + 3 : close + 2, true)
    return true
  }
  const letter = byteAt(text + end + 1)
  return after === BAR && letter >= 0x61 && letter <= 0x7a && readAixTag(text, length, rest, end + 1)
}

/** `kern|daemon:warn appd[42]: …`. @param facility column after the bar */
function readAixTag(text: number, length: number, rest: number, facility: number): boolean {
  const colon = alphanumericEnd(text, facility)
  if (byteAt(text + colon) !== COLON) return false
  const blank = alphanumericEnd(text, colon + 1)
  if (byteAt(text + blank) !== SPACE) return false
  const tag = blank + 1
  const end = nameEnd(text, tag)
  const after = byteAt(text + end)
  if (after === COLON && byteAt(text + end + 1) === SPACE) {
    setProgram(tag, end)
    setLog(end + 2, true)
    return true
  }
  if (after === OPEN_BRACKET && isDigit(byteAt(text + end + 1))) {
    const close = digitsEnd(text, end + 1)
    setProgram(tag, end)
    if (byteAt(text + close) === CLOSE_BRACKET && byteAt(text + close + 1) === COLON && byteAt(text + close + 2) === SPACE) {
      setLog(close + 3, true)
      return true
    }
    // Quirk: the log is the text before the bracket.
    setLog(rest, false)
    setWord(LOG_END, end)
    return false
  }
  // Quirk: without a colon the name is the whole rest.
  setProgram(tag, length)
  setLog(end, true)
  return true
}

/** Step 6: `[ID 4711 kern.info] message`. */
function skipSolarisId(text: number, length: number): void {
  const start = wordAt(LOG_START)
  const at = text + start
  if (byteAt(at) !== OPEN_BRACKET || byteAt(at + 1) !== LETTER_I || byteAt(at + 2) !== LETTER_D || byteAt(at + 3) !== SPACE) return
  const close = findByte(text, length, start + ID_LENGTH, CLOSE_BRACKET)
  if (close < length) setLog(close + 2 < length ? close + 2 : length, true)
}

function setLog(start: number, followsByte: boolean): void {
  setWord(LOG_START, start)
  setWord(FOLLOWS_BYTE, followsByte ? 1 : 0)
}

function setProgram(start: number, end: number): void {
  setWord(PROGRAM_START, start)
  setWord(PROGRAM_END, end)
}

function nameEnd(text: number, from: number): number {
  let at = from
  while (byteAt(NAME_BYTES + byteAt(text + at)) !== 0) at++
  return at
}

function digitsEnd(text: number, from: number): number {
  let at = from
  while (isDigit(byteAt(text + at))) at++
  return at
}

function alphanumericEnd(text: number, from: number): number {
  let at = from
  while (isAlphanumeric(byteAt(text + at))) at++
  return at
}

function isAlphanumeric(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)
}
