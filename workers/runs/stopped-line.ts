/** Answers to lines of a batch that were stopped, or that were not run after too many stops. */
import { insightOf, NO_OUTCOME } from '#engine-data'
import type { BatchLine } from '../shared/answers.js'
import type { Failed, TimedOut } from '../shared/failure.js'

/** Returns the answer with its line feed. */
export function stoppedLine({ diagnostic }: TimedOut | Failed): Buffer {
  return lineOf({ ok: false, predecoded: null, ...NO_OUTCOME, insights: [insightOf(diagnostic)] })
}

/** The first line of a batch whose ruleset could not be compiled. The diagnostic is about the ruleset, so it is in `diagnostics`. */
export function stoppedFirstLine({ diagnostic }: TimedOut | Failed): Buffer {
  return lineOf({ ok: false, predecoded: null, ...NO_OUTCOME, insights: [insightOf(diagnostic)], diagnostics: [diagnostic] })
}

function lineOf(line: BatchLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`)
}
