/** A model of the timestamp forms that pre-decoding knows (BEHAVIOUR.md#header-forms), as a table. `engine/kernel/headers.ts` is compared with it. */

/** What follows the timestamp: a host and a program, the entries of macOS' asl, or nothing. */
export type HeaderTail = 'syslog' | 'asl' | 'none'

export interface HeaderMatch {
  /** Columns of the timestamp; equal if there is none. */
  readonly from: number
  readonly to: number
  /** Column where the log text starts. */
  readonly log: number
  readonly tail: HeaderTail
  /** Whether the byte before the log text is kept (BEHAVIOUR.md#text-after-a-match). Only meaningful if tail is 'none'. */
  readonly followsByte: boolean
}

interface HeaderForm {
  readonly name: string
  readonly minimumLength: number
  /** Columns and their required bytes. */
  readonly bytes: readonly (readonly [column: number, byte: number])[]
  readonly digits?: readonly number[]
  readonly also?: (text: string) => boolean
  readonly match: HeaderMatch
}

const SPACE = 0x20
const COLON = 0x3a
const DASH = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d
const PLUS = 0x2b

function at(byte: number, ...columns: number[]): [number, number][] {
  return columns.map((column) => [column, byte])
}

function syslog(to: number): HeaderMatch {
  return { from: 0, to, log: to + 1, tail: 'syslog', followsByte: false }
}

function plain(from: number, to: number, log: number, followsByte: boolean): HeaderMatch {
  return { from, to, log, tail: 'none', followsByte }
}

const ISO_BYTES = [...at(DASH, 4, 7), ...at(0x54, 10), ...at(COLON, 13, 16)]

const FORMS: readonly HeaderForm[] = [
  { name: 'classic', minimumLength: 17, bytes: [...at(SPACE, 3, 6, 15), ...at(COLON, 9, 12)], match: syslog(15) },
  { name: 'proftpd', minimumLength: 24, bytes: [...at(DASH, 4, 7), ...at(SPACE, 10), ...at(COLON, 13, 16), ...at(COMMA, 19)], match: syslog(23) },
  { name: 'iso', minimumLength: 33, bytes: [...ISO_BYTES, ...at(COLON, 22), ...at(SPACE, 25)], match: syslog(25) },
  { name: 'iso ms', minimumLength: 33, bytes: [...ISO_BYTES, ...at(DOT, 19), ...at(COLON, 26)], match: syslog(29) },
  { name: 'iso us', minimumLength: 33, bytes: [...ISO_BYTES, ...at(DOT, 19), ...at(COLON, 29)], match: syslog(32) },
  { name: 'iso fraction', minimumLength: 33, bytes: [...ISO_BYTES, ...at(DOT, 19)], match: syslog(31) },
  { name: 'year first', minimumLength: 21, bytes: [...at(SPACE, 4, 8, 11, 20), ...at(COLON, 14, 17)], digits: [0], match: syslog(20) },
  {
    name: 'macOS unified log',
    minimumLength: 33,
    bytes: [...at(DASH, 4, 7), ...at(SPACE, 10, 31), ...at(COLON, 13, 16), ...at(DOT, 19)],
    digits: [0],
    also: (text) => text.charCodeAt(26) === DASH || text.charCodeAt(26) === PLUS,
    match: syslog(31),
  },
  { name: 'xferlog', minimumLength: 28, bytes: [...at(SPACE, 3, 7, 10, 19, 24, 26), ...at(COLON, 13, 16)], match: plain(0, 24, 25, false) },
  { name: 'snort', minimumLength: 24, bytes: [...at(SLASH, 2), ...at(DASH, 5), ...at(COLON, 8, 11), ...at(DOT, 14), ...at(SPACE, 21)], match: plain(0, 21, 23, true) },
  {
    name: 'suricata',
    minimumLength: 28,
    bytes: [...at(SLASH, 2, 5), ...at(DASH, 10), ...at(COLON, 13, 16), ...at(DOT, 19), ...at(SPACE, 26)],
    match: plain(0, 26, 28, true),
  },
  {
    name: 'apache',
    minimumLength: 27,
    bytes: [...at(OPEN, 0), ...at(SPACE, 4, 8, 11, 20), ...at(COLON, 14, 17), ...at(CLOSE, 25)],
    match: plain(1, 25, 27, true),
  },
  {
    name: 'macOS asl',
    minimumLength: 26,
    bytes: [...at(OPEN, 0), ...at(0x54, 1), ...at(SPACE, 5, 16), ...at(DOT, 10, 13), ...at(COLON, 19)],
    match: { from: 0, to: 0, log: 25, tail: 'asl', followsByte: true },
  },
]

const SQUID_LENGTH = 32

/** Returns the header at the start of `text`, or null. @param length length of the original text, which umlaut repair keeps (BEHAVIOUR.md#umlaut-repair) */
export function findHeader(text: string, length: number): HeaderMatch | null {
  return FORMS.find((form) => fits(form, text, length))?.match ?? squid(text, length)
}

function fits({ minimumLength, bytes, digits = [], also }: HeaderForm, text: string, length: number): boolean {
  if (length < minimumLength || bytes.some(([column, byte]) => text.charCodeAt(column) !== byte)) return false
  return digits.every((column) => isDigit(text.charCodeAt(column))) && (also === undefined || also(text))
}

/** `1583741730.412  10203 …`: the only form whose log column depends on the text. */
function squid(text: string, length: number): HeaderMatch | null {
  if (length < SQUID_LENGTH || text.charCodeAt(0) !== 0x31 || text.charCodeAt(10) !== DOT || text.charCodeAt(14) !== SPACE) return null
  for (const column of [1, 2, 3, 13]) if (!isDigit(text.charCodeAt(column))) return null
  if (text.charCodeAt(21) !== SPACE && text.charCodeAt(22) !== SPACE) return null
  let log = 14
  while (text.charCodeAt(log) === SPACE) log++
  return plain(0, log - 1, log, false)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
