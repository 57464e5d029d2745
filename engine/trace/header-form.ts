/** The name of the recognised header form. The search is repeated here, so that events without a trace do not pay for it. */
import type { HeaderMatch } from '../predecoding/headers.js'
import { findHeader } from '../predecoding/headers.js'

const HEADER_FORMS = [
  'none',
  'syslog',
  'proftpd',
  'iso',
  'iso-milliseconds',
  'iso-microseconds',
  'iso-fraction',
  'year-first',
  'macos-unified-log',
  'xferlog',
  'snort',
  'suricata',
  'apache',
  'macos-asl',
  'squid',
] as const
export type HeaderForm = (typeof HEADER_FORMS)[number]

/** Forms with a syslog tail, by the column where their timestamp ends. */
const SYSLOG_FORMS: Readonly<Record<number, HeaderForm>> = { 15: 'syslog', 20: 'year-first', 23: 'proftpd', 25: 'iso', 29: 'iso-milliseconds', 32: 'iso-microseconds' }
/** The same for forms without host and program. */
const PLAIN_FORMS: Readonly<Record<number, HeaderForm>> = { 21: 'snort', 24: 'xferlog', 25: 'apache', 26: 'suricata' }
/** Both forms of this width end here; a `T` between date and time distinguishes them. */
const WIDE_END = 31

/** @param fullLog the event as received, a byte string */
export function headerFormOf(fullLog: string): HeaderForm {
  const header = findHeader(fullLog)
  return header === null ? 'none' : formOf(header, fullLog)
}

function formOf({ to, tail, log }: HeaderMatch, text: string): HeaderForm {
  if (tail === 'asl') return 'macos-asl'
  if (tail === 'syslog') return to === WIDE_END ? (text[10] === 'T' ? 'iso-fraction' : 'macos-unified-log') : SYSLOG_FORMS[to]
  return text[0] === '1' && log !== PLAIN_LOG[to] ? 'squid' : PLAIN_FORMS[to]
}

/** Where the log of a plain form starts; squid's depends on the text. */
const PLAIN_LOG: Readonly<Record<number, number>> = { 21: 23, 24: 25, 25: 27, 26: 28 }
