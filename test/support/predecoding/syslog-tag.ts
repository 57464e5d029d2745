/**
 * A model of `engine/kernel/syslog-tag.ts`: host and program name behind a syslog timestamp (BEHAVIOUR.md#host-and-program).
 *
 *     host sshd[123]: message        T = whole text, R = after "host ", P = "sshd"
 *     ^    ^        ^
 */

/** `log` starts at `start` of the given text and ends at `end`. */
export interface TagOutcome {
  hostname: string | undefined
  programName: string | undefined
  start: number
  end: number
  followsByte: boolean
}

const NAME_BYTE = new Uint8Array(256)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789()-./@_') NAME_BYTE[char.charCodeAt(0)] = 1

const SPACE = 0x20
const COLON = 0x3a
const OPEN = 0x5b
const CLOSE = 0x5d
const BAR = 0x7c

/** @param text the event; @param from column after the timestamp */
export function readSyslogTag(text: string, from: number): TagOutcome {
  const outcome: TagOutcome = { hostname: undefined, programName: undefined, start: from, end: text.length, followsByte: false }
  let start = from
  if (text.charCodeAt(start) === SPACE) {
    start++
    outcome.followsByte = true
  }
  outcome.start = start
  const hostEnd = nameEnd(text, start)
  const after = text.charCodeAt(hostEnd)
  if (after === COLON && text.charCodeAt(hostEnd + 1) === SPACE) {
    // Solaris: a program without a host.
    outcome.programName = text.slice(start, hostEnd)
    outcome.start = hostEnd + 2
    outcome.followsByte = true
    skipSolarisId(text, outcome)
    return outcome
  }
  if (after !== SPACE) return outcome
  outcome.hostname = text.slice(start, hostEnd)
  const rest = hostEnd + 1
  outcome.start = rest
  outcome.followsByte = false
  if (readProgram(text, rest, outcome)) skipSolarisId(text, outcome)
  return outcome
}

/** Runs step 5. Returns true if step 6 follows. */
function readProgram(text: string, rest: number, outcome: TagOutcome): boolean {
  const end = nameEnd(text, rest)
  const after = text.charCodeAt(end)
  if (after === COLON) {
    outcome.programName = text.slice(rest, end)
    outcome.start = end + 1
    if (text.charCodeAt(end + 1) === SPACE) {
      outcome.start++
      outcome.followsByte = true
    }
    return true
  }
  if (after === OPEN && isDigit(text.charCodeAt(end + 1))) {
    const close = digitsEnd(text, end + 1)
    if (text.charCodeAt(close) !== CLOSE) return false
    const next = text.charCodeAt(close + 1)
    if (next === COLON) outcome.start = text.charCodeAt(close + 2) === SPACE ? close + 3 : close + 2
    else if (next === SPACE) outcome.start = close + 2
    else return false
    outcome.programName = text.slice(rest, end)
    outcome.followsByte = true
    return true
  }
  const letter = text.charCodeAt(end + 1)
  if (after === BAR && letter >= 0x61 && letter <= 0x7a) return readAixTag(text, rest, end + 1, outcome)
  return false
}

/** `kern|daemon:warn appd[42]: …`. @param facility column after the bar */
function readAixTag(text: string, rest: number, facility: number, outcome: TagOutcome): boolean {
  const colon = alphanumericEnd(text, facility)
  if (text.charCodeAt(colon) !== COLON) return false
  const blank = alphanumericEnd(text, colon + 1)
  if (text.charCodeAt(blank) !== SPACE) return false
  const tag = blank + 1
  const end = nameEnd(text, tag)
  outcome.followsByte = true
  if (text.charCodeAt(end) === COLON && text.charCodeAt(end + 1) === SPACE) {
    outcome.programName = text.slice(tag, end)
    outcome.start = end + 2
    return true
  }
  if (text.charCodeAt(end) === OPEN && isDigit(text.charCodeAt(end + 1))) {
    const close = digitsEnd(text, end + 1)
    outcome.programName = text.slice(tag, end)
    if (text.startsWith(']: ', close)) {
      outcome.start = close + 3
      return true
    }
    // Quirk: the log is the text before the bracket.
    outcome.start = rest
    outcome.end = end
    outcome.followsByte = false
    return false
  }
  // Quirk: without a colon the name is the whole rest.
  outcome.programName = text.slice(tag)
  outcome.start = end
  return true
}

/** Step 6: `[ID 4711 kern.info] message`. */
function skipSolarisId(text: string, outcome: TagOutcome): void {
  if (!text.startsWith('[ID ', outcome.start)) return
  const close = text.indexOf(']', outcome.start + 4)
  if (close < 0 || close >= outcome.end) return
  outcome.start = Math.min(close + 2, outcome.end)
  outcome.followsByte = true
}

function nameEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && NAME_BYTE[text.charCodeAt(at)] === 1) at++
  return at
}

function digitsEnd(text: string, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

function alphanumericEnd(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const byte = text.charCodeAt(at)
    const letter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
    if (!letter && !isDigit(byte)) break
  }
  return at
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
