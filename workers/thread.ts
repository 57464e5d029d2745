/**
 * The module of a pooled thread. Invariants:
 *  1. nothing is thrown out of it: every error of a task becomes a reply
 *  2. the default rulesets are compiled before the first task is accepted
 *  3. a thread keeps only data that the main thread can send again, because it may be ended at any instruction
 */
import { parentPort, workerData } from 'node:worker_threads'
import { LiveSessions } from './live-sessions.js'
import { Progress } from './progress.js'
import type { BaseChecks, Batch, BatchReply, DiskContent, ThreadReady } from './protocol.js'
import { RulesetCache } from './ruleset-cache.js'
import { runBatch, type ThreadState } from './run-task.js'
import { SharedBuffers } from './shared-buffers.js'
import type { Task } from './tasks/index.js'

/** The data with which a thread is started. */
export interface ThreadData {
  readonly disk: DiskContent
  /** Null: no thread has checked the default content yet. */
  readonly baseChecks: BaseChecks | null
  readonly cacheBytes: number
  /** Memory shared with the main thread: `Progress` and `SharedBuffers`. */
  readonly progress: SharedArrayBuffer
  readonly answers: SharedArrayBuffer
}

const data = workerData as ThreadData
const progress = new Progress(data.progress)
const state: ThreadState = { cache: new RulesetCache(data.cacheBytes), sessions: new LiveSessions(), buffers: new SharedBuffers(data.answers) }
try {
  state.cache.warm(data.disk)
  if (data.baseChecks !== null) state.cache.adoptChecks(data.disk.id, data.baseChecks)
} catch {
  // The first task compiles it again, and its reply reports the error.
}

parentPort?.on('message', ({ tasks }: Batch) => {
  const results = runBatch(state, typeof tasks === 'string' ? (JSON.parse(tasks) as Task[]) : tasks, progress)
  const replies = results.map(({ reply }) => reply)
  const isPlain = replies.every((reply) => reply.outcome === 'ok' && reply.place !== null && reply.snapshot === null)
  // Large buffers are moved, not copied.
  parentPort?.postMessage(
    { replies: isPlain ? JSON.stringify(replies) : replies } satisfies BatchReply,
    results.flatMap(({ transfer }) => transfer),
  )
})
parentPort?.postMessage({ isReady: true } satisfies ThreadReady)
