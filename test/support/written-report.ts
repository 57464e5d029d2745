/** A report as the service writes it. */
import { type JsonPart, JsonWriter, runUnwritten, type UnwrittenRun, writeReport } from '#engine'

/** Small, so that it grows in most tests. */
const CAPACITY = 256

export interface WrittenReport {
  readonly run: UnwrittenRun
  /** The report without its diagnostics. */
  readonly json: string
}

/** @param eventJson the event as JSON, which lines of a batch bring along; else null */
export function writtenReport(eventJson: string | null, ...call: Parameters<typeof runUnwritten>): WrittenReport {
  const run = runUnwritten(...call)
  return { run, json: jsonOf(run, run.ok, eventJson) }
}

/** Writes the report with another `ok`. */
export function jsonOf(run: UnwrittenRun, ok: boolean, eventJson: string | null): string {
  const writer = new JsonWriter(CAPACITY)
  writeReport(writer, run, { ok, insights: run.insights }, eventJson === null ? null : partOf(eventJson))
  return `${Buffer.from(writer.written).toString()}}`
}

/** The JSON between other bytes. */
function partOf(json: string): JsonPart {
  const bytes = Buffer.from(`{${json}}`)
  return { bytes, start: 1, end: bytes.length - 1 }
}
