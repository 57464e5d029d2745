/** What tasks share. A task is a plain function of its context and its message: tests call it without a thread. */
import type { DiagnosticRecord } from '#engine'
import type { Performance } from '../answers.js'
import { now, roundMs } from '../clock.js'
import type { LiveSessions } from '../live-sessions.js'
import type { Progress } from '../progress.js'
import type { TaskHead } from '../protocol.js'
import type { BodyKind, ReadRequest } from '../requests/analysis-request.js'
import type { CachedRuleset, FoundRuleset, RulesetCache } from '../ruleset-cache.js'
import type { AnswerPlace, SharedBuffers } from '../shared-buffers.js'

export interface TaskContext {
  readonly cache: RulesetCache
  readonly sessions: LiveSessions
  /** Where answers are written that the main thread reads in place; null: nowhere. */
  readonly buffers: SharedBuffers | null
  /** Where to write what is running; null: nobody reads it. */
  readonly progress: Progress | null
  readonly startedAt: number
  /** The ruleset that the task names. */
  readonly found: FoundRuleset
  /** Slices a task that has many parts (lines, cases); tests pass their own. */
  readonly clock: () => number
}

export interface TaskResult {
  readonly value: unknown
  readonly snapshot: Uint8Array | null
  /** The answer; both null: the task has none. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  readonly place: AnswerPlace | null
}

/** A task: how its request is read from a body, and how it is run. */
export interface TaskDefinition<T extends TaskHead> {
  /** What the body of its request holds; absent: its request never comes as a body. */
  readonly body?: BodyKind
  /** Takes a request over that was read from the task's body. */
  readonly withRequest?: (task: T, request: ReadRequest) => T
  run(context: TaskContext, task: T): TaskResult | typeof SESSION_MISSING
}

/** Time of one slice of a task that can be answered in parts: long against the cost of a task (about 0.1 ms), short for another organization that waits. */
export const SLICE_MS = 20

/** Returned by a task that lacks the session state. */
export const SESSION_MISSING = Symbol('session missing')

export const entryOf = (context: TaskContext): CachedRuleset => context.found.entry

export function plain(value: unknown): TaskResult {
  return { value, snapshot: null, bytes: null, place: null }
}

/** An answer in shared memory, or in memory of its own where there is no room. Nothing that can fail may follow: a place that nobody is told of stays taken. */
export function answerOf({ buffers }: Pick<TaskContext, 'buffers'>, texts: readonly string[], value: unknown, snapshot: Uint8Array | null = null): TaskResult {
  const place = buffers?.write(texts) ?? null
  return { value, snapshot, place, bytes: place === null ? ownBytes(texts.join('')) : null }
}

/** Times up to now. */
export function performanceOf(context: Pick<TaskContext, 'found' | 'startedAt'>, task: Pick<TaskHead, 'prepareMs'>): Performance {
  const { sourceMs, compileMs, cacheHit } = context.found
  return {
    source_build_ms: roundMs(task.prepareMs + sourceMs),
    compile_ms: roundMs(compileMs),
    total_ms: roundMs(task.prepareMs + now() - context.startedAt),
    cache_hit: cacheHit,
  }
}

/** Findings in the request's own files. */
export function ownFindings(context: TaskContext, locale: TaskHead['locale']): readonly DiagnosticRecord[] {
  return entryOf(context)
    .findings(locale, false)
    .diagnostics.filter(({ source_scope }) => source_scope === 'adhoc')
}

/** UTF-8 in memory of its own, so that it can be moved to another thread. */
export function ownBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
