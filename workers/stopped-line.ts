/** The line that answers an event of a batch that was stopped, or left out after too many stops. */
import { NO_OUTCOME } from '#engine'
import type { Failed, TimedOut } from './failure.js'
import type { BatchLine } from './protocol.js'

/** With its line feed. */
export function stoppedLine({ diagnostic }: TimedOut | Failed): Buffer {
  return Buffer.from(`${JSON.stringify({ ok: false, predecoded: null, ...NO_OUTCOME, diagnostics: [diagnostic] } satisfies BatchLine)}\n`)
}
