/** The ways in which a task can fail, as values, and their texts for callers. */
import type { DiagnosticRecord, Locale } from '#engine'
import { presentRunDiagnostic } from '#engine-data'
import type { FlatError } from './protocol.js'

/** What a task was running when it was stopped. */
export interface WorkAt {
  /** Index of the event in a batch, or of the case in a run; else null. */
  readonly index: number | null
  readonly ruleId: string | null
  readonly decoder: string | null
}

/** The deadline was exceeded, and the thread was ended. */
export interface TimedOut {
  readonly outcome: 'timeout'
  readonly seconds: number
  readonly at: WorkAt
  readonly diagnostic: DiagnosticRecord
}

export interface Failed {
  readonly outcome: 'failed'
  /** `fault`: a defect of this program; `memory`: the thread exceeded its limit; `thread`: the thread ended for an unknown reason. */
  readonly reason: 'fault' | 'memory' | 'thread'
  /** Identifies the details in the log. */
  readonly debugId: string
  readonly diagnostic: DiagnosticRecord
  readonly index: number | null
}

/** A failure without its localized texts. */
export type FlatFailure = Omit<Failed, 'diagnostic'>

export type Stopped =
  | TimedOut
  | Failed
  /** The queue is full and nothing was done. The caller may try again later. */
  | { readonly outcome: 'busy' }
  /** The caller's signal was aborted. */
  | { readonly outcome: 'aborted' }
  /** No ruleset of the organization has that hash, or it was evicted. The caller must send the files. */
  | { readonly outcome: 'ruleset_missing'; readonly compiledHash: string }

export type TaskOutcome<T> = { readonly outcome: 'ok'; readonly value: T } | Stopped

/** A fault for the log, without event text. */
export interface Fault {
  readonly debugId: string
  /** Kind of the task. */
  readonly task: string
  readonly reason: Failed['reason'] | 'timeout'
  readonly error: FlatError | null
}

/** Maximum number of stack frames that are kept. */
const FRAME_LIMIT = 12

/** An Error as plain data. */
export function flattenError(thrown: unknown): FlatError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, code: null, frames: [] }
  const frames = (thrown.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, FRAME_LIMIT)
    .map((line) => line.trim())
  const { code } = thrown as { code?: unknown }
  return { name: thrown.name, code: typeof code === 'string' ? code : null, frames }
}

/** Returns the outcome of a run that was ended at its deadline, with its diagnostic. */
export function timedOut(timeoutMs: number, at: WorkAt, locale: Locale): TimedOut {
  const seconds = Math.round(timeoutMs / 100) / 10
  const evidence = at.ruleId !== null ? `rule ${at.ruleId}` : at.decoder !== null ? `decoder ${at.decoder}` : null
  return { outcome: 'timeout', seconds, at, diagnostic: presentRunDiagnostic('engine_timeout', { seconds }, evidence, locale) }
}

/** Returns the outcome of a run that failed because of a defect or for lack of memory, with its diagnostic. */
export function failed(failure: FlatFailure, memoryMb: number, locale: Locale): Failed {
  const { reason, debugId } = failure
  const diagnostic =
    reason === 'memory'
      ? presentRunDiagnostic('engine_memory_limit', { limit: memoryMb }, null, locale)
      : presentRunDiagnostic('engine_internal_error', { reference: debugId }, null, locale)
  return { ...failure, diagnostic }
}
