/** A report as the service writes it. */
import { JsonWriter, runUnwritten, type UnwrittenRun, writeReport } from '#engine'

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
  writeReport(writer, run, { ok, insights: run.insights }, eventJson)
  return `${Buffer.from(writer.written).toString()}}`
}
