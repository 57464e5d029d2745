/** The line that answers an event of a batch that was stopped, or left out after too many stops. */
import type { Failed, TimedOut } from './failure.js'
import type { BatchLine } from './protocol.js'

/** What such an event gives beside its finding. */
const STOPPED = {
  ok: false,
  predecoded: null,
  decoder: null,
  rule: null,
  matched_rules: [],
  extracted_fields: {},
  trace: [],
  insights: [],
  alert: false,
  previous_output: [],
} as const

/** With its line feed. */
export function stoppedLine({ diagnostic }: TimedOut | Failed): Buffer {
  return Buffer.from(`${JSON.stringify({ ...STOPPED, diagnostics: [diagnostic] } satisfies BatchLine)}\n`)
}
