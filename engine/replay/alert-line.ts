/** Writes an alert as a line of JSON: all that is known of it, or chosen fields. How often its rule has fired is not known in the first phase, and has a place in the line. */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Event } from '../event/event.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { type JsonBytes, jsonBytes, type JsonWriter } from '../json/json-writer.js'
import { writeFields } from '../logtest/fields-json.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { fromByteString, toByteString } from '../source/byte-string.js'

/** What a line is written from. Texts are byte strings. */
export interface Alert {
  /** Name of the source, as JSON. */
  readonly source: JsonBytes
  /** Line in the source, from 1. */
  readonly line: number
  readonly event: Event
  /** Null: an event without a final rule, where a caller wants events that are no alerts. */
  readonly rule: CompiledRule | null
  readonly description: string
  /** Logs that a composite counted, newest first. */
  readonly previous: readonly string[]
  /** Null: not known yet. */
  readonly firedTimes: number | null
}

/** Writes the JSON of a value. */
type Column = (writer: JsonWriter, alert: Alert) => void

const QUOTE = 0x22
const NULL = jsonBytes('null')
const LINE_END = jsonBytes('}\n')

function text(writer: JsonWriter, value: string | null | undefined): void {
  if (value === undefined || value === null) return writer.constant(NULL)
  writer.byte(QUOTE)
  writer.escaped(value)
  writer.byte(QUOTE)
}

function number(writer: JsonWriter, value: number): void {
  writer.text(String(value))
}

/** The JSON of a list of each rule is made once. */
function listOf(read: (rule: CompiledRule) => readonly string[]): Column {
  const known = new WeakMap<CompiledRule, JsonBytes>()
  return (writer, { rule }) => {
    if (rule === null) return writer.constant(NULL)
    let json = known.get(rule)
    if (json === undefined) known.set(rule, (json = jsonBytes(JSON.stringify(read(rule).map(fromByteString)))))
    writer.constant(json)
  }
}

const nameOf = (decoder: CompiledDecoder | null): string | null => decoder?.name ?? null

/** How often the rule has fired. */
const FIRED_TIMES: Column = (writer, { rule, firedTimes }) => {
  if (rule === null) writer.constant(NULL)
  else if (firedTimes !== null) number(writer, firedTimes)
}

/** What `--select` can name, beside `level` and the fields of events. */
const COLUMNS = {
  source: (writer, { source }) => writer.constant(source),
  line: (writer, { line }) => number(writer, line),
  time: (writer, { event }) => text(writer, timeText(event.received)),
  agent: (writer, { event }) => text(writer, event.agentId),
  host: (writer, { event }) => text(writer, event.hostname),
  location: (writer, { event }) => text(writer, event.location),
  program_name: (writer, { event }) => text(writer, event.programName),
  'decoder.name': (writer, { event }) => text(writer, nameOf(event.decoder)),
  'decoder.parent': (writer, { event }) => text(writer, event.decoder?.definition.parent),
  'rule.id': (writer, { rule }) => text(writer, rule === null ? null : String(rule.id)),
  'rule.level': (writer, { rule }) => (rule === null ? writer.constant(NULL) : number(writer, rule.level)),
  'rule.description': (writer, { rule, description }) => text(writer, rule === null ? null : description),
  'rule.groups': listOf(({ groups }) => groups),
  'rule.attack_ids': listOf(({ mitreIds }) => mitreIds),
  'rule.firedtimes': FIRED_TIMES,
  fields: (writer, { event }) => writeFields(writer, event),
  previous_output: (writer, { previous }) => writer.text(`[${previous.map((log) => JSON.stringify(fromByteString(log))).join(',')}]`),
  log: (writer, { event }) => text(writer, event.fullLog),
} as const satisfies Readonly<Record<string, Column>>

/** Names of the columns of a line, without the fields of events. */
export const ALERT_COLUMNS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

/** A short name, which no decoder can give to a field. */
const ALIASES: ReadonlyMap<string, Column> = new Map<string, Column>([...Object.entries(COLUMNS), ['level', COLUMNS['rule.level']]])

/** A column and the JSON before it. */
interface Piece {
  readonly before: JsonBytes
  readonly column: Column
}

/** Writes alerts with the same columns. */
export class AlertLine {
  readonly #pieces: readonly Piece[]
  readonly #end: JsonBytes
  /** Whether a line has the number of times that its rule has fired. */
  readonly countsFired: boolean

  /** @param select names of columns and fields, in their order; null: everything */
  constructor(select: readonly string[] | null) {
    this.#pieces =
      select === null
        ? nestedPieces()
        : select.map((name, index) => ({ before: jsonBytes(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`), column: ALIASES.get(name) ?? fieldColumn(name) }))
    this.#end = LINE_END
    this.countsFired = this.#pieces.some(({ column }) => column === FIRED_TIMES)
  }

  /** Writes a line with its end. @returns the length of the writer where the number of times stands, or belongs */
  write(writer: JsonWriter, alert: Alert): number {
    let place = 0
    for (const { before, column } of this.#pieces) {
      writer.constant(before)
      if (column === FIRED_TIMES) place = writer.length
      column(writer, alert)
    }
    writer.constant(this.#end)
    return place
  }
}

/** The columns in their order; those whose names have a dot are members of an object. */
function nestedPieces(): readonly Piece[] {
  let object = ''
  return ALERT_COLUMNS.map((name, index) => {
    const [head, member] = name.split('.')
    const inside = member === undefined ? '' : head
    const before = `${inside === object || object === '' ? '' : '}'}${index === 0 ? '{' : ','}${inside === object || inside === '' ? '' : `"${inside}":{`}`
    object = inside
    return { before: jsonBytes(`${before}"${member ?? head}":`), column: COLUMNS[name] }
  })
}

/** A field of the event, null where it has none of that name. A static field hides a dynamic one. */
function fieldColumn(name: string): Column {
  const bytes = toByteString(name.startsWith('fields.') ? name.slice('fields.'.length) : name)
  const place = (STATIC_FIELDS as readonly string[]).indexOf(bytes)
  return (writer, { event }) => {
    const known = place < 0 ? undefined : event.statics[place]
    const at = known === undefined ? event.names.indexOf(bytes) : -1
    text(writer, at < 0 ? known : event.valueAt(at))
  }
}

let lastSeconds = Number.NaN
let lastTime = ''

/** The time in UTC as ISO 8601. Neighbours often have the same. */
function timeText(seconds: number): string {
  if (seconds !== lastSeconds) {
    lastSeconds = seconds
    lastTime = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
  }
  return lastTime
}
