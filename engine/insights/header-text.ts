/** Tells patterns for what a header took from those for something else (BEHAVIOUR.md#predecoding). */
import type { Event } from '../event/event.js'
import type { Expression } from '../expressions/expression.js'
import { foldCase } from '../source/byte-string.js'

/** The line of an event as received, and from its host and its program name on. Many patterns are tested on them, so they are cut at the first one. */
export class HeaderTexts {
  readonly #event: Event
  #texts: readonly (readonly [text: string, lower: string])[] | null = null

  constructor(event: Event) {
    this.#event = event
  }

  /** Whether a pattern that does not match the log matches one of these texts. */
  match(expression: Expression): boolean {
    const { log, fullLog } = this.#event
    if (log === fullLog) return false
    this.#texts ??= [0, ...startsOfHeader(this.#event)].map((start) => {
      const text = fullLog.slice(start)
      return [text, foldCase(text)]
    })
    return this.#texts.some(([text, lower]) => expression.test(text, lower, 0))
  }
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
