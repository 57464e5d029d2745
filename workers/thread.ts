/**
 * The module of a worker thread. Invariants:
 *  1. nothing is thrown out of `run`: whatever happens in a task becomes a reply
 *  2. the default rulesets are compiled before the first task is taken
 *  3. a thread keeps only what the main thread can give it again; it may be ended at any instruction
 */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { LiveSessions } from './live-sessions.js'
import type { DiskContent, Reply, Task } from './protocol.js'
import { RulesetCache } from './ruleset-cache.js'
import { runTask, type ThreadState } from './run-task.js'

/** What a thread is started with. */
export interface ThreadData {
  /** The module that gives `run`. */
  readonly moduleUrl: string
  readonly disk: DiskContent
  readonly cacheBytes: number
}

const { disk, cacheBytes } = workerData as ThreadData
const state: ThreadState = { cache: new RulesetCache(cacheBytes), sessions: new LiveSessions() }
try {
  state.cache.warm(disk)
} catch {
  // The first task compiles it again, and its reply says what is wrong.
}

/** @returns a `Reply`; its large buffers are handed over */
export function run(task: Task): Reply {
  const { reply, transfer } = runTask(state, task)
  if (transfer.length === 0) return reply
  return move({ [transferableSymbol]: transfer, [valueSymbol]: reply }) as unknown as Reply
}
