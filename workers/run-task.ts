/** A task's way through its thread: find what it stands on, run it, answer. */
import { threadId } from 'node:worker_threads'
import { now } from './clock.js'
import { flattenError } from './failure.js'
import type { LiveSessions } from './live-sessions.js'
import { Progress } from './progress.js'
import { PROTOCOL_VERSION, type Reply, type ReplyStats, type Task } from './protocol.js'
import type { RulesetCache } from './ruleset-cache.js'
import { SESSION_MISSING, type TaskContext, type TaskResult } from './tasks/context.js'
import { TASKS } from './tasks/index.js'

/** What a thread keeps from task to task. */
export interface ThreadState {
  readonly cache: RulesetCache
  readonly sessions: LiveSessions
}

export interface TaskReply {
  readonly reply: Reply
  readonly transfer: readonly ArrayBuffer[]
}

/** Never throws. */
export function runTask(state: ThreadState, task: Task): TaskReply {
  let cacheHit = false
  let compiledHash: string | null = null
  const stats = (): ReplyStats => ({ threadId, cacheHit, compiledHash, cachedBytes: state.cache.bytes, cachedRulesets: state.cache.size })
  try {
    if (task.version !== PROTOCOL_VERSION) throw new TypeError('protocol version')
    const startedAt = now()
    const progress = task.progress === null ? null : new Progress(task.progress)
    progress?.begin()
    const found = state.cache.find(task.ruleset)
    if (typeof found === 'string') return { reply: { outcome: 'missing', what: found, stats: stats() }, transfer: [] }
    cacheHit = found.cacheHit
    compiledHash = found.entry.ruleset.hash
    const run = TASKS[task.kind] as (context: TaskContext, task: Task) => TaskResult | typeof SESSION_MISSING
    const result = run({ ...state, progress, startedAt, found }, task)
    if (result === SESSION_MISSING) return { reply: { outcome: 'missing', what: 'session', stats: stats() }, transfer: [] }
    const { value, snapshot, transfer } = result
    return { reply: { outcome: 'ok', value, snapshot, stats: stats() }, transfer: snapshot === null ? transfer : [...transfer, snapshot.buffer as ArrayBuffer] }
  } catch (error) {
    return { reply: { outcome: 'failed', error: flattenError(error), stats: stats() }, transfer: [] }
  }
}
