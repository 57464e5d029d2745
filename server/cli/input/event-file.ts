/** The events of a benchmark: lines of text, or JSON lines with an "event" member and optionally its "log_format", its "location" and the "kind" of the line. */
import { LOG_FORMATS, type LogtestInput } from '#engine'
import type { Readable } from 'node:stream'
import { UsageError } from '../usage-error.js'
import { readLines } from './lines.js'

/** Maximum number of events, which are kept in memory and run repeatedly. */
const EVENTS_LIMIT = 200_000
const CHARACTERS_LIMIT = 256 * 1024 * 1024

export interface BenchEvent {
  readonly input: LogtestInput
  /** Null: the line has no kind. */
  readonly kind: string | null
}

/** @throws UsageError when the input has no events */
export async function readEventFile(files: readonly string[], stdin: Readable): Promise<BenchEvent[]> {
  const events: BenchEvent[] = []
  let characters = 0
  for await (const { lines } of readLines(files, stdin)) {
    for (const line of lines) {
      if (line === null || line.trim() === '') continue
      events.push(readEvent(line))
      characters += line.length
      if (events.length >= EVENTS_LIMIT || characters >= CHARACTERS_LIMIT) return events
    }
  }
  if (events.length === 0) throw new UsageError('events_none', {})
  return events
}

/** A JSON line without an "event" member is an event itself: JSON logs are lines too. */
function readEvent(line: string): BenchEvent {
  if (line.startsWith('{') && line.includes('"event"')) {
    try {
      const { event, kind, location, log_format } = JSON.parse(line) as Record<string, unknown>
      if (typeof event === 'string') {
        const format = LOG_FORMATS.find((known) => known === log_format) ?? 'auto'
        return { input: { event, log_format: format, ...(typeof location === 'string' ? { location } : {}) }, kind: typeof kind === 'string' ? kind : null }
      }
    } catch {
      // Not JSON: a text event.
    }
  }
  return { input: { event: line, log_format: 'auto' }, kind: null }
}
