/** The timestamp forms that pre-decoding knows (BEHAVIOUR.md#header-forms). Single bytes at fixed columns are tested; the first form that fits is used. */
import { byteAt, setByte, setWord } from './access.js'
import { CLOSE_BRACKET, COLON, COMMA, DASH, DOT, isDigit, OPEN_BRACKET, PLUS_SIGN, SPACE } from './ascii.js'
import { FOLLOWS_BYTE, LOG_START, TIME_END, TIME_START } from './layout.js'

/** What follows the timestamp: nothing that is read, a host and a program, the entries of macOS' asl. */
export const NO_HEADER = 0
export const PLAIN_TAIL = 1
export const SYSLOG_TAIL = 2
export const ASL_TAIL = 3

const SLASH = 0x2f
const LETTER_T = 0x54
const LETTER_M = 0x4d
const LETTER_A = 0x61
const DIGIT_ONE = 0x31
/** `ä` in UTF-8, which is one byte longer than the forms expect. */
const UMLAUT_LEAD = 0xc3
const UMLAUT_END = 0xa4
/** Column from which asl entries are read. */
const ASL_LOG = 25
const SQUID_LENGTH = 32

/** Finds the header of a text with a NUL behind it. `Mär` counts as `Mar`, with the columns of that (BEHAVIOUR.md#umlaut-repair). Returns what follows it. */
export function findHeader(text: number, length: number): number {
  if (length < 3 || byteAt(text + 1) !== UMLAUT_LEAD || byteAt(text + 2) !== UMLAUT_END) return findForm(text, length)
  setByte(text + 1, LETTER_M)
  setByte(text + 2, LETTER_A)
  const tail = findForm(text + 1, length)
  setByte(text + 1, UMLAUT_LEAD)
  setByte(text + 2, UMLAUT_END)
  return tail
}

function findForm(text: number, length: number): number {
  const end = syslogEnd(text, length)
  if (end > 0) return found(SYSLOG_TAIL, 0, end, end + 1, 0)
  if (length >= 28 && isXferlog(text)) return found(PLAIN_TAIL, 0, 24, 25, 0)
  if (byteAt(text + 2) === SLASH) {
    if (length >= 24 && isSnort(text)) return found(PLAIN_TAIL, 0, 21, 23, 1)
    if (length >= 28 && isSuricata(text)) return found(PLAIN_TAIL, 0, 26, 28, 1)
  }
  if (byteAt(text) === OPEN_BRACKET) {
    if (length >= 27 && isApache(text)) return found(PLAIN_TAIL, 1, 25, 27, 1)
    if (length >= 26 && isAsl(text)) return found(ASL_TAIL, 0, 0, ASL_LOG, 1)
  }
  if (length < SQUID_LENGTH || !isSquid(text)) return NO_HEADER
  // The only form whose log column depends on the text.
  let log = 14
  while (byteAt(text + log) === SPACE) log++
  return found(PLAIN_TAIL, 0, log - 1, log, 0)
}

function found(tail: number, from: number, to: number, log: number, followsByte: number): number {
  setWord(TIME_START, from)
  setWord(TIME_END, to)
  setWord(LOG_START, log)
  setWord(FOLLOWS_BYTE, followsByte)
  return tail
}

/** Returns where the timestamp of a form with host and program ends; 0: the text has none. */
function syslogEnd(text: number, length: number): number {
  if (length >= 17 && isClassic(text)) return 15
  const fourth = byteAt(text + 4)
  if (fourth === SPACE) return length >= 21 && isYearFirst(text) ? 20 : 0
  if (fourth !== DASH || length < 24 || byteAt(text + 7) !== DASH || byteAt(text + 13) !== COLON || byteAt(text + 16) !== COLON) return 0
  const separator = byteAt(text + 10)
  const after = byteAt(text + 19)
  // proftpd
  if (separator === SPACE && after === COMMA) return 23
  if (length < 33) return 0
  if (separator === LETTER_T) return isoEnd(text, after)
  return separator === SPACE && after === DOT && isUnifiedLog(text) ? 31 : 0
}

/** `Nov 17 08:15:30 `. */
function isClassic(text: number): boolean {
  return byteAt(text + 3) === SPACE && byteAt(text + 6) === SPACE && byteAt(text + 15) === SPACE && byteAt(text + 9) === COLON && byteAt(text + 12) === COLON
}

/** `2020 Nov 17 08:15:30 `. */
function isYearFirst(text: number): boolean {
  return (
    byteAt(text + 8) === SPACE && byteAt(text + 11) === SPACE && byteAt(text + 20) === SPACE && byteAt(text + 14) === COLON && byteAt(text + 17) === COLON && isDigit(byteAt(text))
  )
}

/** `2020-03-09T08:15:30+01:00 `, or with a fraction of a second, which is milliseconds, microseconds or another one. */
function isoEnd(text: number, after: number): number {
  if (byteAt(text + 22) === COLON && byteAt(text + 25) === SPACE) return 25
  if (after !== DOT) return 0
  return byteAt(text + 26) === COLON ? 29 : byteAt(text + 29) === COLON ? 32 : 31
}

/** `2020-03-09 08:15:30.412345+0100 ` of macOS. */
function isUnifiedLog(text: number): boolean {
  const sign = byteAt(text + 26)
  return byteAt(text + 31) === SPACE && isDigit(byteAt(text)) && (sign === DASH || sign === PLUS_SIGN)
}

/** `Mon Mar 09 08:15:30 2020 1 `. */
function isXferlog(text: number): boolean {
  return (
    byteAt(text + 3) === SPACE &&
    byteAt(text + 7) === SPACE &&
    byteAt(text + 10) === SPACE &&
    byteAt(text + 19) === SPACE &&
    byteAt(text + 24) === SPACE &&
    byteAt(text + 26) === SPACE &&
    byteAt(text + 13) === COLON &&
    byteAt(text + 16) === COLON
  )
}

/** `03/09-08:15:30.412345  `. */
function isSnort(text: number): boolean {
  return byteAt(text + 5) === DASH && byteAt(text + 8) === COLON && byteAt(text + 11) === COLON && byteAt(text + 14) === DOT && byteAt(text + 21) === SPACE
}

/** `03/09/2020-08:15:30.412345  `. */
function isSuricata(text: number): boolean {
  return (
    byteAt(text + 5) === SLASH &&
    byteAt(text + 10) === DASH &&
    byteAt(text + 13) === COLON &&
    byteAt(text + 16) === COLON &&
    byteAt(text + 19) === DOT &&
    byteAt(text + 26) === SPACE
  )
}

/** `[Mon Mar 09 08:15:30 2020] `. */
function isApache(text: number): boolean {
  return (
    byteAt(text + 4) === SPACE &&
    byteAt(text + 8) === SPACE &&
    byteAt(text + 11) === SPACE &&
    byteAt(text + 20) === SPACE &&
    byteAt(text + 14) === COLON &&
    byteAt(text + 17) === COLON &&
    byteAt(text + 25) === CLOSE_BRACKET
  )
}

/** `[Time 2020.03.09 08:15:30 UTC] `. */
function isAsl(text: number): boolean {
  return (
    byteAt(text + 1) === LETTER_T &&
    byteAt(text + 5) === SPACE &&
    byteAt(text + 16) === SPACE &&
    byteAt(text + 10) === DOT &&
    byteAt(text + 13) === DOT &&
    byteAt(text + 19) === COLON
  )
}

/** `1583741730.412  10203 `. */
function isSquid(text: number): boolean {
  return (
    byteAt(text) === DIGIT_ONE &&
    byteAt(text + 10) === DOT &&
    byteAt(text + 14) === SPACE &&
    isDigit(byteAt(text + 1)) &&
    isDigit(byteAt(text + 2)) &&
    isDigit(byteAt(text + 3)) &&
    isDigit(byteAt(text + 13)) &&
    (byteAt(text + 21) === SPACE || byteAt(text + 22) === SPACE)
  )
}
