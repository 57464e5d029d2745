/** Tells patterns for what a header took from those for something else (BEHAVIOUR.md#predecoding). */
import type { Event } from '../event/event.js'
import type { Expression } from '../expressions/expression.js'
import { foldCase } from '../source/byte-string.js'

/** Whether a pattern that does not match the log matches the line as received, or the line from its host or its program name on. */
export function matchesWithHeader(expression: Expression, event: Event): boolean {
  const { log, fullLog } = event
  return log !== fullLog && (matches(expression, fullLog) || startsOfHeader(event).some((start) => matches(expression, fullLog.slice(start))))
}

/** Where the header has the host and the program name. */
function startsOfHeader({ log, fullLog, hostname, programName, agentId }: Event): readonly number[] {
  if (!fullLog.endsWith(log)) return []
  const header = fullLog.slice(0, fullLog.length - log.length)
  const program = programName === undefined ? -1 : header.lastIndexOf(programName)
  // The host of an agent's event is not from the header.
  const host = hostname === undefined || agentId !== '000' ? -1 : header.indexOf(hostname)
  return [host, program].filter((start) => start > 0)
}

/** The program name with what the header has behind it, such as `sshd[42]: `; null: the event has none. */
export function programTag({ log, fullLog, programName }: Event): string | null {
  if (programName === undefined || !fullLog.endsWith(log)) return null
  const header = fullLog.slice(0, fullLog.length - log.length)
  const start = header.lastIndexOf(programName)
  return start < 0 ? null : header.slice(start)
}

function matches(expression: Expression, text: string): boolean {
  return expression.test(text, foldCase(text), 0)
}
