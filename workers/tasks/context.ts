/** What tasks share. A task is a plain function of its context and its message: tests call it without a thread. */
import type { AnswerPlace, AnswerSheets } from '../answer-sheets.js'
import type { CachedRuleset, FoundRuleset, RulesetCache } from '../ruleset-cache.js'
import type { LiveSessions } from '../live-sessions.js'
import type { Progress } from '../progress.js'
import type { Performance, Task } from '../protocol.js'
import { now, roundMs } from '../clock.js'

export interface TaskContext {
  readonly cache: RulesetCache
  readonly sessions: LiveSessions
  /** Where answers are written that are lent; null: nowhere. */
  readonly sheets: AnswerSheets | null
  /** Where to say what is at work; null when nobody looks. */
  readonly progress: Progress | null
  /** When the task began. */
  readonly startedAt: number
  /** The ruleset that the task names. */
  readonly found: FoundRuleset
}

/** What a task function gives; bytes in `transfer` are handed over instead of copied. */
export interface TaskResult {
  readonly value: unknown
  readonly snapshot: Uint8Array | null
  readonly transfer: readonly ArrayBuffer[]
  /** Where an answer stands that is lent; null: it is in the value. */
  readonly place: AnswerPlace | null
}

/** Turn of a task that can be told in parts: long against the cost of a task (about 0.1 ms), short for another organization, which waits for its end. */
export const TURN_MS = 20

/** What a task function says when it lacks the session state. */
export const SESSION_MISSING = Symbol('session missing')

export const entryOf = (context: TaskContext): CachedRuleset => context.found.entry

export function plain(value: unknown): TaskResult {
  return { value, snapshot: null, transfer: [], place: null }
}

/** Times up to now. */
export function performanceOf(context: Pick<TaskContext, 'found' | 'startedAt'>, task: Pick<Task, 'prepareMs'>): Performance {
  const { sourceMs, compileMs, cacheHit } = context.found
  return {
    source_build_ms: roundMs(task.prepareMs + sourceMs),
    compile_ms: roundMs(compileMs),
    total_ms: roundMs(task.prepareMs + now() - context.startedAt),
    cache_hit: cacheHit,
  }
}

/** Characters up to which an answer crosses as a text: whoever sends it has to encode it, which takes longer than handing over only from some megabytes on. */
const TEXT_CHARACTERS = 64 * 1024

/** JSON as it crosses best, and what of it is handed over. @param pieces of one text */
export function crossing(pieces: readonly string[]): { readonly json: string | Uint8Array; readonly transfer: readonly ArrayBuffer[] } {
  const json = pieces.join('')
  if (json.length <= TEXT_CHARACTERS) return { json, transfer: [] }
  const bytes = ownBytes(json)
  return { json: bytes, transfer: [bytes.buffer] }
}

/** UTF-8 in memory of its own, so that it can be handed over. */
export function ownBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
