/** The events of `bisect` and `shrink`: one session, from arguments, a file or standard input. */
import { existsSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { type BehaviourEvent, LOG_FORMATS, type LogFormat } from '#engine'
import { UsageError } from '../usage-error.js'
import { readLines, STDIN_NAME } from './lines.js'

/** Events of one sequence. */
const EVENTS_LIMIT = 1_000

/** @throws UsageError when there is no event, or too many */
export async function readSequence(operands: readonly string[], stdin: Readable): Promise<BehaviourEvent[]> {
  const isFile = (operand: string): boolean => operand === STDIN_NAME || (operand.length < 4_096 && existsSync(operand) && statSync(operand).isFile())
  const events: BehaviourEvent[] = []
  const add = (line: string): void => {
    events.push(...eventsOfLine(line))
    if (events.length > EVENTS_LIMIT) throw new UsageError('events_too_many', { limit: EVENTS_LIMIT })
  }
  for (const operand of operands.length === 0 ? [STDIN_NAME] : operands) {
    if (!isFile(operand)) add(operand)
    else for await (const { lines } of readLines([operand], stdin)) for (const line of lines) if (line !== null && line.trim() !== '') add(line)
  }
  if (events.length === 0) throw new UsageError('events_none', {})
  return events
}

/** A line is an event, or in JSON what `diff` and `generate` write: an event, or an object with `events`. */
export function eventsOfLine(line: string): BehaviourEvent[] {
  if (!/^\s*\{.*"events?"\s*:/s.test(line)) return [{ event: line, log_format: 'auto' }]
  try {
    const value = JSON.parse(line) as Record<string, unknown>
    const list = Array.isArray(value.events) ? value.events : [value]
    const events = list.map(readEvent)
    if (events.every((event) => event !== null)) return events
  } catch {
    // An event that looks like JSON.
  }
  return [{ event: line, log_format: 'auto' }]
}

const MEMBERS: ReadonlySet<string> = new Set(['event', 'log_format', 'location', 'advance'])

function readEvent(value: unknown): BehaviourEvent | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).some((name) => !MEMBERS.has(name))) return null
  const { event, log_format = 'auto', location, advance } = value as Record<string, unknown>
  if (typeof event !== 'string' || !(LOG_FORMATS as readonly unknown[]).includes(log_format)) return null
  if ((location !== undefined && typeof location !== 'string') || (advance !== undefined && !(typeof advance === 'number' && Number.isSafeInteger(advance) && advance >= 0)))
    return null
  return { event, log_format: log_format as LogFormat, ...(location === undefined ? {} : { location }), ...(advance === undefined ? {} : { advance }) }
}
