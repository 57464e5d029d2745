/** The event cut into parts, each with the fields that were taken out of it. */
import type { LogtestReport } from '#engine'
import { jsonSpans, type Span } from './json-spans.js'
import { wayOf } from './way-model.js'

export interface CapturedField {
  /** From 1, by the place in the text. */
  readonly number: number
  readonly name: string
  readonly value: string
  readonly source: 'header' | 'decoder'
  /** The decoder that captured it; null: the header, or a decoder that reads the whole log. */
  readonly decoder: string | null
  /** Null: the value is not a part of the text. */
  readonly span: Span | null
}

/** A part of the event. */
export interface Segment {
  readonly text: string
  /** The fields that cover it, the shortest first. */
  readonly fields: readonly CapturedField[]
  /** The fields that end with this segment. */
  readonly ending: readonly CapturedField[]
}

export interface Captures {
  readonly fields: readonly CapturedField[]
  readonly segments: readonly Segment[]
  /** Where the log begins, after the header. */
  readonly logStart: number
}

/** Colours of `pictures.css`; with the five kinds of underline they repeat after forty fields. */
const COLOURS = 8
const UNDERLINES = 5

/** Colour and underline of a field. Neither alone tells fields apart: the number does. */
export function classOfField({ number, source }: Pick<CapturedField, 'number' | 'source'>): string {
  return source === 'header' ? 'pic-of-header' : `pic-colour-${number % COLOURS} pic-underline-${number % UNDERLINES}`
}

/** A shorter value that occurs once may be there by accident. */
const MIN_SEARCHED = 3

type Draft = Omit<CapturedField, 'number'>

export function capturesOf(answer: LogtestReport): Captures {
  const { predecoded, extracted_fields: extracted } = answer
  const { raw_message: text } = predecoded
  const way = wayOf(answer)
  const logStart = findLog(text, way.header.log)
  const drafts: Draft[] = headerFields(answer, logStart)
  // A trace has each capture, of which a later one of the same field replaced the value.
  const captured = new Map<string, Draft>()
  for (const { name: decoder, captures } of way.decoders.extractions) {
    for (const { name, value, at } of captures) {
      if (extracted[name] !== value) continue
      const from = logStart + at
      const span = text.startsWith(value, from) && value !== '' ? { from, to: from + value.length } : null
      captured.set(name, { name, value, source: 'decoder', decoder, span })
    }
  }
  const json = Object.keys(extracted).some((name) => !captured.has(name)) ? jsonSpans(text.slice(logStart), logStart) : null
  for (const [name, value] of Object.entries(extracted)) {
    drafts.push(captured.get(name) ?? { name, value, source: 'decoder', decoder: null, span: json?.get(name) ?? onlyPlaceOf(value, text, logStart) })
  }
  const placed = drafts.sort((a, b) => placeOf(a) - placeOf(b))
  const fields = placed.map((draft, index): CapturedField => ({ number: index + 1, ...draft }))
  return { fields, segments: segmentsOf(text, fields), logStart }
}

/** The log is the end of the event; a trace may have only its beginning. */
function findLog(text: string, log: string): number {
  if (log === '') return text.length
  if (text.endsWith(log)) return text.length - log.length
  const at = text.indexOf(log.endsWith('…') ? log.slice(0, -1) : log)
  return Math.max(0, at)
}

function headerFields({ predecoded }: LogtestReport, logStart: number): Draft[] {
  const { timestamp, hostname, program_name: program, raw_message: text } = predecoded
  const header = text.slice(0, logStart)
  const fields: Draft[] = []
  let from = 0
  for (const [name, value] of [
    ['timestamp', timestamp],
    ['hostname', hostname],
    ['program_name', program],
  ] as const) {
    if (value === null) continue
    const at = value === '' ? -1 : header.indexOf(value, from)
    if (at >= 0) from = at + value.length
    fields.push({ name, value, source: 'header', decoder: null, span: at < 0 ? null : { from: at, to: at + value.length } })
  }
  return fields
}

function onlyPlaceOf(value: string, text: string, from: number): Span | null {
  if (value.length < MIN_SEARCHED) return null
  const at = text.indexOf(value, from)
  return at < 0 || text.indexOf(value, at + 1) >= 0 ? null : { from: at, to: at + value.length }
}

function placeOf({ span }: Draft): number {
  return span === null ? Number.MAX_SAFE_INTEGER : span.from
}

function segmentsOf(text: string, fields: readonly CapturedField[]): readonly Segment[] {
  const placed = fields.filter((field): field is CapturedField & { span: Span } => field.span !== null)
  const borders = [...new Set([0, text.length, ...placed.flatMap(({ span }) => [span.from, span.to])])].sort((a, b) => a - b)
  const segments: Segment[] = []
  for (let i = 0; i + 1 < borders.length; i++) {
    const [from, to] = [borders[i], borders[i + 1]]
    const covering = placed.filter(({ span }) => span.from <= from && span.to >= to).sort((a, b) => a.span.to - a.span.from - (b.span.to - b.span.from))
    segments.push({ text: text.slice(from, to), fields: covering, ending: covering.filter(({ span }) => span.to === to) })
  }
  return segments
}
