/**
 * The module of a pooled thread. Invariants:
 *  1. nothing is thrown out of it: every error of a task becomes a reply
 *  2. the default rulesets are compiled before the first task is accepted
 *  3. a thread keeps only data that the main thread can send again, because it may be ended at any instruction
 */
import { parentPort, workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { LiveSessions } from '../sessions/live-sessions.js'
import { SharedBuffers } from '../shared/buffers.js'
import { Progress } from '../shared/progress.js'
import type { BaseChecks, DiskContent, Replies, ThreadMemory } from '../shared/protocol.js'
import { RulesetCache } from './ruleset-cache.js'
import { movedMemory, runBatch as runTasks, type ThreadState } from './run-task.js'
import type { Task, Tasks } from './tasks/index.js'

/** The data with which a thread is started. */
export interface ThreadData {
  /** Address of this module, or of one that a test uses instead. */
  readonly url: string
  /** Time before which the thread does not start, in milliseconds since 1970. */
  notBefore: number
  disk: DiskContent
  /** Null: no thread has checked the default content yet. */
  baseChecks: BaseChecks | null
  readonly cacheBytes: number
}

const data = workerData as Readonly<ThreadData>
const progress = new Progress()
const buffers = new SharedBuffers()
const state: ThreadState = { cache: new RulesetCache(data.cacheBytes), sessions: new LiveSessions(), buffers }
try {
  state.cache.warm(data.disk)
  if (data.baseChecks !== null) state.cache.adoptChecks(data.disk.id, data.baseChecks)
} catch {
  // The first task compiles it again, and its reply reports the error.
}

/** The task that Piscina runs. */
export function runBatch({ tasks }: { readonly tasks: Tasks }): Replies {
  const replies = runTasks(state, typeof tasks === 'string' ? (JSON.parse(tasks) as Task[]) : tasks, progress)
  if (replies.every((reply) => reply.outcome === 'ok' && reply.place !== null && reply.snapshot === null)) return JSON.stringify(replies)
  const moved = replies.flatMap(movedMemory)
  return moved.length === 0 ? replies : (move({ [transferableSymbol]: moved, [valueSymbol]: replies }) as unknown as Replies)
}

parentPort?.postMessage({ progress: progress.buffer, answers: buffers.buffer } satisfies ThreadMemory)
