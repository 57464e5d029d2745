/** Reads when the events of lines happened, which is all that their order needs. */
import { readEventchannel } from '../predecoding/eventchannel.js'
import { predecode } from '../predecoding/predecode.js'
import { type RecordFields, readRecord, type ReplayEvent } from './read-record.js'

/** Seconds since the epoch. `timeless`: the event has no time of its own. `none`: the line is blank or no event, or Wazuh drops it. */
export type EventTime = number | 'timeless' | 'none'

/** As in a batch. */
const BLANK = /^[ \t\r]*$/

/** @param line a byte string */
export function timeOf(line: string, fields: RecordFields): EventTime {
  const record = BLANK.test(line) ? 'no_event' : readRecord(line, fields)
  if (typeof record === 'string' || isDropped(record)) return 'none'
  return record.seconds ?? 'timeless'
}

/** The time of the first line with a time, in seconds since the epoch; null: no line has one. @param beginning lines as a byte string; the last one may be cut */
export function firstTimeIn(beginning: string, fields: RecordFields): number | null {
  for (const line of beginning.split('\n')) {
    const record = line.trim() === '' ? null : readRecord(line, fields)
    if (record !== null && typeof record !== 'string' && record.seconds !== null) return record.seconds
  }
  return null
}

/** Whether Wazuh drops an event with any ruleset. */
function isDropped({ format, text, origin }: ReplayEvent): boolean {
  return format === 'eventchannel' && readEventchannel(predecode(text, origin, 0).log) === null
}
