/** The lines that answer events of a batch that were stopped, or left out after too many stops. */
import { insightOf, NO_OUTCOME } from '#engine'
import type { Failed, TimedOut } from './failure.js'
import type { BatchLine } from './protocol.js'

/** With its line feed. */
export function stoppedLine({ diagnostic }: TimedOut | Failed): Buffer {
  return lineOf({ ok: false, predecoded: null, ...NO_OUTCOME, insights: [insightOf(diagnostic)] })
}

/** The first line of a batch whose ruleset could not be compiled: the finding is about the ruleset, so it stands where those of a ruleset do. */
export function stoppedFirstLine({ diagnostic }: TimedOut | Failed): Buffer {
  return lineOf({ ok: false, predecoded: null, ...NO_OUTCOME, insights: [insightOf(diagnostic)], diagnostics: [diagnostic] })
}

function lineOf(line: BatchLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`)
}
