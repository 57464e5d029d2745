/**
 * Where the values of fields are in the text of an event. The engine's answer has the values; each is looked for from the end of the one before, because decoders
 * capture from left to right, and members of JSON behind their names.
 */
import type { LogtestReport } from '#engine'

/** Colours for fields; further fields have the last one. */
export const FIELD_COLOURS = 8

export interface FieldPlace {
  readonly name: string
  readonly from: number
  readonly to: number
  /** From 1; 0: a part of the header. */
  readonly colour: number
}

/** Fields in the order in which the page lists them: as decoders name them, then the others. */
export function fieldNames({ decoder, extracted_fields }: Pick<LogtestReport, 'decoder' | 'extracted_fields'>): string[] {
  const names = Object.keys(extracted_fields)
  const ordered = (decoder?.order ?? []).filter((name) => Object.hasOwn(extracted_fields, name))
  return [...new Set([...ordered, ...names])]
}

export function colourOf(index: number): number {
  return Math.min(index + 1, FIELD_COLOURS)
}

export function placeFields(event: string, report: LogtestReport): FieldPlace[] {
  const { timestamp, hostname, program_name } = report.predecoded
  const places: FieldPlace[] = []
  const isFree = (from: number, to: number): boolean => places.every((place) => to <= place.from || place.to <= from)
  let at = 0
  for (const [name, value] of Object.entries({ timestamp, hostname, program_name })) {
    const from = value === null || value === '' ? -1 : event.indexOf(value, at)
    if (value === null || from < 0) continue
    at = from + value.length
    places.push({ name, from, to: at, colour: 0 })
  }
  const start = at
  for (const [index, name] of fieldNames(report).entries()) {
    const value = report.extracted_fields[name]
    if (value === '') continue
    const from = findMember(event, name, value, isFree) ?? findValue(event, value, at, isFree) ?? findValue(event, value, start, isFree)
    if (from === null) continue
    at = from + value.length
    places.push({ name, from, to: at, colour: colourOf(index) })
  }
  return places.sort((a, b) => a.from - b.from)
}

/** The value of a member of JSON behind its name, which is the last part of the field's name. */
function findMember(event: string, name: string, value: string, isFree: (from: number, to: number) => boolean): number | null {
  const key = `"${name.slice(name.lastIndexOf('.') + 1)}"`
  for (let at = event.indexOf(key); at >= 0; at = event.indexOf(key, at + 1)) {
    const behind = /^\s*:\s*"?/.exec(event.slice(at + key.length, at + key.length + 20))
    const from = at + key.length + (behind?.[0].length ?? 0)
    if (behind !== null && event.startsWith(value, from) && isFree(from, from + value.length)) return from
  }
  return null
}

/** A whole word, or a part of one where no whole one is left. */
function findValue(event: string, value: string, start: number, isFree: (from: number, to: number) => boolean): number | null {
  let part: number | null = null
  for (let from = event.indexOf(value, start); from >= 0; from = event.indexOf(value, from + 1)) {
    const to = from + value.length
    if (!isFree(from, to)) continue
    if (!isWord(event[from - 1]) && !isWord(event[to])) return from
    part ??= from
  }
  return part
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character)
}
