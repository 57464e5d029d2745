/** Definitions shared by all tasks. A task is a plain function of its context and its message, so tests call it without a thread. */
import type { DiagnosticRecord } from '#engine'
import type { AnalysisRequest, BodyKind } from '../../requests/analysis-request.js'
import type { LiveSessions } from '../../sessions/live-sessions.js'
import type { Performance } from '../../shared/answers.js'
import type { AnswerPlace, SharedBuffers } from '../../shared/buffers.js'
import { now, roundMs } from '../../shared/clock.js'
import type { Progress } from '../../shared/progress.js'
import type { TaskHead } from '../../shared/protocol.js'
import type { CachedRuleset, FoundRuleset, RulesetCache } from '../ruleset-cache.js'

export interface TaskContext {
  readonly cache: RulesetCache
  readonly sessions: LiveSessions
  /** Shared memory for answers; null: answers are sent in messages. */
  readonly buffers: SharedBuffers | null
  /** Where the running unit is recorded; null: it is not recorded. */
  readonly progress: Progress | null
  readonly startedAt: number
  /** The ruleset that the task names. */
  readonly found: FoundRuleset
  /** Measures the slices of a task that has many parts (lines, cases); tests pass their own. */
  readonly clock: () => number
}

export interface TaskResult {
  readonly value: unknown
  readonly snapshot: Uint8Array | null
  /** The answer. If both are null, the task has none. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  readonly place: AnswerPlace | null
}

/** A task: how its request is read from a body, and how it runs. */
export interface TaskDefinition<T extends TaskHead> {
  /** Content of the body; absent: its request is never a body. */
  readonly body?: BodyKind
  /** Adds a request that was read from the body. */
  readonly withRequest?: (task: T, request: AnalysisRequest) => T
  run(context: TaskContext, task: T): TaskResult | typeof SESSION_MISSING
}

/** Duration of one slice of a task that can be answered in parts: long compared with the cost of a task (about 0.1 ms) and of its message (1 ms). */
export const SLICE_MS = 20
/** The same while another organization waits for the thread. */
export const SHORT_SLICE_MS = 4

/** Begins a slice. @returns tells whether it is over @param began by the clock of the context, as is the time that the result takes */
export function beginSlice({ progress }: Pick<TaskContext, 'progress'>, began: number): (time: number) => boolean {
  return (time) => time - began >= SLICE_MS || (time - began >= SHORT_SLICE_MS && progress?.isAsked === true)
}

/** Returned by a task that lacks the session state. */
export const SESSION_MISSING = Symbol('session missing')

export const entryOf = (context: Pick<TaskContext, 'found'>): CachedRuleset => context.found.entry

export function plain(value: unknown): TaskResult {
  return { value, snapshot: null, bytes: null, place: null }
}

/** Returns the times so far. */
export function performanceOf(context: Pick<TaskContext, 'found' | 'startedAt'>, task: Pick<TaskHead, 'prepareMs'>): Performance {
  const { sourceMs, compileMs, cacheHit } = context.found
  return {
    source_build_ms: roundMs(task.prepareMs + sourceMs),
    compile_ms: roundMs(compileMs),
    total_ms: roundMs(task.prepareMs + now() - context.startedAt),
    cache_hit: cacheHit,
  }
}

/** Returns the diagnostics in the request's own files. */
export function ownDiagnostics(context: TaskContext, locale: TaskHead['locale']): readonly DiagnosticRecord[] {
  return entryOf(context)
    .report(locale, false)
    .diagnostics.filter(({ source_scope }) => source_scope === 'adhoc')
}

/** Returns UTF-8 in separate memory, which can be moved to another thread. */
export function ownBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
