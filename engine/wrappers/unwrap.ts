/**
 * Recognizes events that are not logs but records of Wazuh or of a tool about a log: lines of archives and alerts, quoted lines, and others that people paste.
 * Recognition is exact, because ordinary logs must not be taken for wrappers, and linear: the first characters exclude most texts, and expressions run only on
 * texts of a fixed or limited length. Texts are Unicode.
 */
import { DEFAULT_LOCATION } from '../predecoding/location.js'
import { findHeader } from '../predecoding/headers.js'
import type { LogtestInput } from '../records/records.js'
import { toByteString } from '../source/byte-string.js'
import { isMembers, type Members, rebuildWindowsEvent } from './windows-alert.js'

export type WrapperKind =
  | 'archives_log'
  | 'archives_json'
  | 'alerts_json'
  | 'alerts_log'
  | 'decoded_windows'
  | 'full_log'
  | 'logtest_output'
  | 'json_lines'
  | 'quotes'
  | 'escaped_json'

/** Why the inside cannot be run. `frame`: a line of a record whose log is another line. `module`: an event of a module of Wazuh, without a log. `fields`: only the fields are known. */
export type Obstacle = 'frame' | 'module' | 'fields'

export interface Wrapper {
  readonly kind: WrapperKind
  /** The text before the log in a line of archives.log; else empty. */
  readonly prefix: string
  /** The log, with the location and the agent that the wrapper names. Null: there is none that can be run. */
  readonly inside: LogtestInput | null
  /** Null if there is an inside. */
  readonly obstacle: Obstacle | null
  /** Whether the wrapper has only the decoded fields of the log. The inside is then made from them, if possible. */
  readonly isDecoded: boolean
  /** False: the line may also be an ordinary event. */
  readonly isSure: boolean
  /** The wrapper inside of this one. */
  readonly inner: Wrapper | null
}

/** Events are at most 64 KB, and JSON around them is hardly four times as long. Longer texts are not examined. */
const LENGTH_LIMIT = 256 * 1024
/** A quoted line with an alert of an indexer has three levels. */
const DEPTH_LIMIT = 4
/** Longest head of a line of archives.log: a location over HTTP has as many characters at most. */
const HEAD_LIMIT = 512
const JSON_SPACE = /\s/

/** Returns null for an ordinary event. */
export function unwrap(event: string): Wrapper | null {
  return event.length > LENGTH_LIMIT ? null : unwrapLevel(event, 1)
}

/** The inside of the innermost wrapper, with the location of the innermost one that names it; null: it cannot be run. */
export function insideOf({ inside, inner }: Wrapper): LogtestInput | null {
  if (inner === null || inside === null) return inside
  const deeper = insideOf(inner)
  return deeper === null || deeper.location !== undefined || inside.location === undefined ? deeper : { ...deeper, location: inside.location }
}

function unwrapLevel(event: string, level: number): Wrapper | null {
  let start = 0
  while (start < event.length && JSON_SPACE.test(event[start])) start++
  const found = recognize(start === 0 ? event : event.slice(start))
  if (found === null || found.isDecoded || found.inside === null || level === DEPTH_LIMIT) return found
  return { ...found, inner: unwrapLevel(found.inside.event, level + 1) }
}

function recognize(text: string): Wrapper | null {
  return byFirstCharacter(text) ?? (text.includes('{\\"') ? escapedJson(text.trimEnd()) : null)
}

function byFirstCharacter(text: string): Wrapper | null {
  const first = text.charCodeAt(0)
  if (first >= 0x30 && first <= 0x39) return archivesLine(text)
  switch (text[0]) {
    case '{':
      return jsonRecord(text.trimEnd())
    case '*':
      return alertsLogEntry(text) ?? logtestOutput(text)
    case 'R':
      return RULE_LINE.test(text.slice(0, HEAD_LIMIT)) ? frame('alerts_log') : null
    case 'f':
      return fullLogMember(text) ?? logtestOutput(text)
    case '"':
    case "'":
      return fullLogMember(text) ?? quoted(text.trimEnd())
    default:
      return null
  }
}

interface Found {
  readonly event: string
  readonly location?: string | undefined
  readonly log_format?: LogtestInput['log_format']
}

function wrapper(kind: WrapperKind, found: Found, more: Partial<Pick<Wrapper, 'prefix' | 'isDecoded' | 'isSure'>> = {}): Wrapper {
  return { kind, prefix: '', inside: insideFor(found), obstacle: null, isDecoded: false, isSure: true, inner: null, ...more }
}

function insideFor({ event, location, log_format = 'auto' }: Found): LogtestInput {
  return { event, log_format, ...(location === undefined || location === '' || location === DEFAULT_LOCATION ? {} : { location }) }
}

function withoutInside(kind: WrapperKind, obstacle: Obstacle): Wrapper {
  return { kind, prefix: '', inside: null, obstacle, isDecoded: obstacle === 'fields', isSure: true, inner: null }
}

/** A record with a decoded Windows event, which is rebuilt at the first question: that takes as long as the run of an event, and a hint does not need it. */
function windowsRecord(kind: WrapperKind, win: Members, { location, prefix = '' }: { readonly location?: string | undefined; readonly prefix?: string }): Wrapper {
  let rebuilt: LogtestInput | null | undefined
  const inside = (): LogtestInput | null => {
    if (rebuilt === undefined) {
      const event = rebuildWindowsEvent(win)
      rebuilt = event === null ? null : insideFor({ event, location, log_format: 'eventchannel' })
    }
    return rebuilt
  }
  return {
    kind,
    prefix,
    isDecoded: true,
    isSure: true,
    inner: null,
    get inside() {
      return inside()
    },
    get obstacle() {
      return inside() === null ? 'fields' : null
    },
  }
}

function frame(kind: WrapperKind): Wrapper {
  return withoutInside(kind, 'frame')
}

// --- archives.log

const DATE_LENGTH = '2026 Jan 05 10:11:12 '.length
const DATE = /^\d{4} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d $/
/** Locations that are no paths: of modules, and of channels of Windows. */
const NAMED_LOCATIONS = new Set([
  ...['EventChannel', 'WinEvtLog', 'journald', 'macos', 'syscheck', 'syscheck-registry', 'rootcheck', 'sca', 'syscollector', 'ciscat', 'open-scap', 'virustotal'],
  ...['vulnerability-detector', 'aws-s3', 'Wazuh-AWS', 'Azure', 'azure-logs', 'gcp-pubsub', 'Wazuh-GCloud', 'github', 'office365', 'docker', 'Wazuh-Docker', 'ms-graph'],
  ...['wazuh-monitord', 'wazuh-remoted', 'wazuh-agentd', 'ossec', 'ossec-monitord', 'ossec-remoted'],
])
/** Locations whose events a module of Wazuh decodes with a database of the manager. */
const MODULES = new Set(['syscheck', 'syscheck-registry', 'rootcheck', 'sca', 'syscollector', 'ciscat'])
/** What logcollector writes before the output of a command, whose location may have blanks. */
const COMMAND_OUTPUT = " ossec: output: '"

/**
 *     2026 Jan 05 10:11:12 gate1->/var/log/secure Jan  5 10:11:12 gate1 sshd[311]: …
 *     2026 Jan 05 10:11:12 (web1) 192.0.2.21->/var/log/auth.log Jan  5 …
 */
function archivesLine(text: string): Wrapper | null {
  if (!DATE.test(text.slice(0, DATE_LENGTH))) return null
  const origin = readOrigin(text.slice(DATE_LENGTH, DATE_LENGTH + HEAD_LIMIT))
  if (origin === null) return null
  const { location, length } = origin
  const event = text.slice(DATE_LENGTH + length)
  if (event.trim() === '') return frame('alerts_log')
  if (MODULES.has(origin.source)) return withoutInside('archives_log', 'module')
  const prefix = text.slice(0, DATE_LENGTH + length)
  if (origin.source === 'EventChannel' && event.startsWith('{')) {
    const win = windowsOf(parseJson(event))
    if (win !== null) return windowsRecord('archives_log', win, { location, prefix })
  }
  return wrapper('archives_log', { event, location }, { prefix })
}

interface Origin {
  /** In the form that names the agent, if there is one. */
  readonly location: string
  /** The location without the agent. */
  readonly source: string
  /** Characters up to the log. */
  readonly length: number
}

/** Reads `host->location ` or `(agent) address->location `. Null: it is none. */
function readOrigin(text: string): Origin | null {
  const agent = /^(?:\[(\d{1,10})\] )?\(([^()]{1,128})\) ([^ ]{1,64}?)->/.exec(text)
  const local = agent === null ? /^[^ ()[\]>]{1,255}?->/.exec(text) : null
  const start = (agent ?? local)?.[0].length
  if (start === undefined) return null
  const end = start + locationLength(text.slice(start))
  const source = text.slice(start, end)
  if (source === '') return null
  const length = Math.min(text.length, end + 1)
  if (agent !== null) {
    const [, id, name, address] = agent
    // The number of the agent is not written. Its name tells it from others.
    return { location: agentLocation(id ?? name, name, address, source), source, length }
  }
  // `IDLE->RUNNING` in another log is no origin.
  return isLocation(source) || text.startsWith(COMMAND_OUTPUT, end) ? { location: source, source, length } : null
}

function agentLocation(id: string, name: string, address: string, source: string): string {
  return `[${id}] (${name}) ${address}->${source}`
}

function isLocation(text: string): boolean {
  return /^(?:\/|\\\\|[A-Za-z]:\\)/.test(text) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) || NAMED_LOCATIONS.has(text)
}

/** A location ends at a blank, except that commands and paths of Windows may have some. */
function locationLength(text: string): number {
  const output = text.indexOf(COMMAND_OUTPUT)
  if (output > 0) return output
  const blank = text.indexOf(' ')
  if (blank < 0) return text.length
  if (!/^[A-Za-z]:\\/.test(text)) return blank
  for (let at = blank; at >= 0; at = text.indexOf(' ', at + 1)) if (/\.[A-Za-z0-9]{1,8}$/.test(text.slice(Math.max(0, at - 10), at))) return at
  return blank
}

// --- alerts.log

const ALERT_LINE = /^\*\* Alert \d{1,12}\.\d{1,12}:/
const RULE_LINE = /^Rule: \d{1,10} \(level \d{1,2}\) -> '/
const HEAD_LINE = /^(?:Src IP|Src Port|Dst IP|Dst Port|User|Src Location|Dst Location): /

/**
 *     ** Alert 1767607872.123: - syslog,sshd,
 *     2026 Jan 05 10:11:12 gate1->/var/log/secure
 *     Rule: 5715 (level 3) -> 'sshd: authentication success.'
 *     Src IP: 203.0.113.7
 *     User: carol
 *     Jan  5 10:11:12 gate1 sshd[311]: Accepted password …
 */
function alertsLogEntry(text: string): Wrapper | null {
  if (!ALERT_LINE.test(text.slice(0, HEAD_LIMIT))) return null
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const dated = lines[1] ?? ''
  const origin = DATE.test(dated.slice(0, DATE_LENGTH)) ? readOrigin(`${dated.slice(DATE_LENGTH, DATE_LENGTH + HEAD_LIMIT)}`) : null
  let at = 2
  while (at < lines.length && (RULE_LINE.test(lines[at].slice(0, HEAD_LIMIT)) || HEAD_LINE.test(lines[at].slice(0, HEAD_LIMIT)))) at++
  const event = lines[at] ?? ''
  if (event.trim() === '') return frame('alerts_log')
  if (origin !== null && MODULES.has(origin.source)) return withoutInside('alerts_log', 'module')
  if (origin?.source === 'EventChannel' && event.startsWith('{')) {
    const win = windowsOf(parseJson(event))
    if (win !== null) return windowsRecord('alerts_log', win, { location: origin.location })
  }
  return wrapper('alerts_log', { event, location: origin?.location })
}

// --- JSON

/** Members of which records of Wazuh have some. Other JSON is not parsed. */
const RECORD_MEMBERS = ['"full_log"', '"win"', '"manager"', '"_source"', '"event"']

function jsonRecord(text: string): Wrapper | null {
  if (!text.endsWith('}') || !RECORD_MEMBERS.some((member) => text.includes(member))) return null
  const parsed = parseJson(text)
  if (parsed === null) return null
  return jsonLine(isMembers(parsed.input) ? parsed.input : parsed) ?? decodedWindows(parsed) ?? recordOf(isMembers(parsed._source) ? parsed._source : parsed)
}

function parseJson(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text)
    return isMembers(value) ? value : null
  } catch {
    return null
  }
}

/** A line for `logtest --jsonl`, or a request to the API. Many logs have a member `event`, so it has to be a log, or one of the other members is needed, and no further one. */
function jsonLine({ event, location, log_format, session_id, ...others }: Members): Wrapper | null {
  if (typeof event !== 'string' || event === '' || Object.keys(others).length > 0) return null
  if (log_format === undefined && session_id === undefined && !looksLikeLog(event)) return null
  return wrapper('json_lines', { event, location: typeof location === 'string' ? location : undefined })
}

/** `{"win":{"system":{…},"eventdata":{…}}}`: what archives.json has as `full_log` of a Windows event. */
function decodedWindows(members: Members): Wrapper | null {
  return Object.keys(members).length === 1 && isMembers(members.win) && isMembers(members.win.system) ? windowsRecord('decoded_windows', members.win, {}) : null
}

/** Members beside `full_log` that make a record of it. No other program has a member of that name. */
const MARKS_NEEDED = 2

/** A line of archives.json or alerts.json. */
function recordOf(record: Members): Wrapper | null {
  const { agent, manager, decoder, predecoder, rule, location, timestamp, full_log, data } = record
  const isAlert = isMembers(rule) && rule.level !== undefined && rule.id !== undefined
  const marks = [
    isMembers(agent) && (typeof agent.id === 'string' || typeof agent.name === 'string'),
    isMembers(manager) && typeof manager.name === 'string',
    isMembers(decoder),
    isMembers(predecoder),
    isAlert,
    typeof location === 'string',
    typeof timestamp === 'string' || typeof record['@timestamp'] === 'string',
  ]
  const [hasAgent, hasManager] = marks
  const isRecord = typeof full_log === 'string' ? marks.filter(Boolean).length >= MARKS_NEEDED : hasAgent && hasManager && typeof location === 'string' && isMembers(decoder)
  if (!isRecord) return typeof full_log === 'string' && full_log !== '' && Object.keys(record).length === 1 ? wrapper('full_log', { event: full_log }) : null
  const kind: WrapperKind = isAlert ? 'alerts_json' : 'archives_json'
  const source = typeof location === 'string' ? location : ''
  const place = placeOf(agent, source)
  const decodedBy = isMembers(decoder) ? String(decoder.name) : ''
  if (MODULES.has(source) || decodedBy.startsWith('syscheck')) return withoutInside(kind, 'module')
  const win = windowsOf(typeof full_log === 'string' && full_log.startsWith('{"win"') ? parseJson(full_log) : isMembers(data) ? data : null)
  if (win !== null) return windowsRecord(kind, win, { location: place })
  if (typeof full_log === 'string' && full_log !== '') return wrapper(kind, { event: full_log, location: place })
  // The members of a JSON log are its fields.
  const event = decodedBy === 'json' && isMembers(data) ? written(data) : null
  return event === null ? withoutInside(kind, 'fields') : wrapper(kind, { event, location: place }, { isDecoded: true })
}

/** Null: it has too many levels. */
function written(members: Members): string | null {
  try {
    return JSON.stringify(members)
  } catch {
    return null
  }
}

/** Null: no decoded Windows event. */
function windowsOf(decoded: Members | null): Members | null {
  return decoded !== null && isMembers(decoded.win) ? decoded.win : null
}

/** The location in the form that names the agent. The manager itself has the number 000. */
function placeOf(agent: unknown, source: string): string {
  if (source === '' || !isMembers(agent)) return source
  const { id, name, ip } = agent
  const number = typeof id === 'string' ? id : typeof name === 'string' ? name : '000'
  if (number === '000' || /[\][]/.test(number) || source.startsWith('[')) return source
  if (source.startsWith('(')) return `[${number}] ${source}`
  return agentLocation(number, typeof name === 'string' ? name.replace(/[()]/g, '') : '', typeof ip === 'string' && ip !== '' ? ip : 'any', source)
}

/** `{\"a\":1}`, as it stands inside a text of JSON; or a log that ends with it, which a source may also write so. */
function escapedJson(text: string): Wrapper | null {
  const event = textOf(`"${text}"`)
  return event !== null && parseJson(event.slice(event.indexOf('{'))) !== null ? wrapper('escaped_json', { event }, { isSure: event.startsWith('{') }) : null
}

function textOf(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

// --- texts

const FULL_LOG = /^["']?full_log["']?[ \t]{0,8}[:=\t]\s{0,8}/
const FULL_EVENT = /^full event: '/
const PHASE = /^\*\*Phase [123]: /

/** `"full_log": "…",` out of an alert. */
function fullLogMember(text: string): Wrapper | null {
  const head = FULL_LOG.exec(text.slice(0, HEAD_LIMIT))?.[0]
  if (head === undefined) return null
  const value = text.slice(head.length).trimEnd()
  const event = value.startsWith('"') ? textOf(value.endsWith(',') ? value.slice(0, -1) : value) : value
  return event === null || event === '' ? null : wrapper('full_log', { event })
}

function logtestOutput(text: string): Wrapper | null {
  const head = FULL_EVENT.exec(text.slice(0, HEAD_LIMIT))?.[0]
  const line = text.trimEnd()
  if (head !== undefined && line.endsWith("'") && line.length > head.length) return wrapper('logtest_output', { event: line.slice(head.length, -1) })
  return PHASE.test(text.slice(0, HEAD_LIMIT)) ? frame('logtest_output') : null
}

/** A line that is one quoted text, also as an element of a list or a cell of CSV. */
function quoted(text: string): Wrapper | null {
  const line = text.endsWith(',') ? text.slice(0, -1) : text
  const mark = line[0]
  if (line.length < 3 || !line.endsWith(mark)) return null
  const between = line.slice(1, -1)
  const event = between.includes(mark) ? (mark === '"' ? (textOf(line) ?? cellOf(between)) : null) : mark === '"' ? (textOf(line) ?? between) : between
  if (event === null || !(event.includes(' ') || event.startsWith('{'))) return null
  return wrapper('quotes', { event }, { isSure: looksLikeLog(event) || recognize(event) !== null })
}

/** Whether a text has the header of a log, or is JSON. */
function looksLikeLog(text: string): boolean {
  return findHeader(toByteString(text.slice(0, HEAD_LIMIT)), text.length) !== null || (text.startsWith('{') && parseJson(text) !== null)
}

/** A cell of CSV, whose quotes are doubled. Null: some are not. */
function cellOf(between: string): string | null {
  const event = between.replaceAll('""', '\u0000')
  return event.includes('"') || between.includes('\u0000') ? null : event.replaceAll('\u0000', '"')
}
