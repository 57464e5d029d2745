/** What can become of a task, as values, and what callers are told about it. */
import type { DiagnosticRecord, Locale } from '#engine'
import { presentRunDiagnostic } from '#engine'
import type { FlatError } from './protocol.js'
import type { TaskKind } from './tasks/index.js'

export type { FlatError }

/** What a task was at when it was stopped. */
export interface WorkAt {
  /** Of a batch: index of the event; of cases: index of the case; else null. */
  readonly index: number | null
  readonly ruleId: string | null
  readonly decoder: string | null
}

/** Ended at its deadline, together with its thread. */
export interface TimedOut {
  readonly outcome: 'timeout'
  readonly seconds: number
  readonly at: WorkAt
  readonly diagnostic: DiagnosticRecord
}

export interface Failed {
  readonly outcome: 'failed'
  /** `fault`: a defect of ours; `memory`: the thread's limit; `thread`: the thread ended without a word. */
  readonly reason: 'fault' | 'memory' | 'thread'
  /** Under which the log holds the details. */
  readonly debugId: string
  readonly diagnostic: DiagnosticRecord
  readonly index: number | null
}

/** A failure before it is put into words. */
export type FlatFailure = Omit<Failed, 'diagnostic'>

export type Stopped =
  | TimedOut
  | Failed
  /** The queue is full: try again later. Nothing was done. */
  | { readonly outcome: 'busy' }
  /** The caller's signal. */
  | { readonly outcome: 'aborted' }
  /** No ruleset of that hash (any more), or it isn't the caller's: send the files. */
  | { readonly outcome: 'ruleset_missing'; readonly compiledHash: string }

export type TaskOutcome<T> = { readonly outcome: 'ok'; readonly value: T } | Stopped

/** For the log. Holds no event text. */
export interface Fault {
  readonly debugId: string
  readonly task: TaskKind
  readonly reason: Failed['reason'] | 'timeout'
  readonly error: FlatError | null
}

/** Frames kept of a stack. */
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

/** A run that was ended at its deadline, with the finding that tells of it. */
export function timedOut(timeoutMs: number, at: WorkAt, locale: Locale): TimedOut {
  const seconds = Math.round(timeoutMs / 100) / 10
  const evidence = at.ruleId !== null ? `rule ${at.ruleId}` : at.decoder !== null ? `decoder ${at.decoder}` : null
  return { outcome: 'timeout', seconds, at, diagnostic: presentRunDiagnostic('engine_timeout', { seconds }, evidence, locale) }
}

/** A run that ended by a fault of ours or for lack of memory, with the finding that tells of it. */
export function failed(failure: FlatFailure, memoryMb: number, locale: Locale): Failed {
  const { reason, debugId } = failure
  const diagnostic =
    reason === 'memory'
      ? presentRunDiagnostic('engine_memory_limit', { limit: memoryMb }, null, locale)
      : presentRunDiagnostic('engine_internal_error', { reference: debugId }, null, locale)
  return { ...failure, diagnostic }
}
