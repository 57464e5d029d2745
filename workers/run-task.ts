/** A task's way through its thread: find what it stands on, run it, answer. */
import { threadId } from 'node:worker_threads'
import type { AnswerSheets } from './answer-sheets.js'
import { now } from './clock.js'
import { withNotice } from './content-notice.js'
import { flattenError } from './failure.js'
import type { LiveSessions } from './live-sessions.js'
import type { Progress } from './progress.js'
import { PROTOCOL_VERSION, type Reply, type ReplyStats, type Task } from './protocol.js'
import type { RulesetCache } from './ruleset-cache.js'
import { body, filesOf } from './tasks/body.js'
import { SESSION_MISSING, type TaskContext, type TaskResult } from './tasks/context.js'
import { TASKS } from './tasks/index.js'

/** What a thread keeps from task to task. */
export interface ThreadState {
  readonly cache: RulesetCache
  readonly sessions: LiveSessions
  /** Where answers are written that are lent; null: nowhere. */
  sheets: AnswerSheets | null
}

export interface TaskReply {
  readonly reply: Reply
  readonly transfer: readonly ArrayBuffer[]
}

/**
 * Time of a turn of several tasks: their answers go out together, so the first waits for the last. Long against what a turn saves (about 0.1 ms a task),
 * short for someone who waits.
 */
export const SHARED_TURN_MS = 2

/** The tasks of a turn one after the other, until its time is over. Never throws. */
export function runTurn(state: ThreadState, tasks: readonly Task[], progress: Progress | null): TaskReply[] {
  const replies: TaskReply[] = []
  const turnEnds = tasks.length > 1 ? now() + SHARED_TURN_MS : 0
  do replies.push(runTask(state, tasks[replies.length], progress, replies.length))
  while (replies.length < tasks.length && now() < turnEnds)
  return replies
}

/** Never throws. @param index of the task in its turn */
export function runTask(state: ThreadState, task: Task, progress: Progress | null = null, index = 0): TaskReply {
  let cacheHit = false
  let compiledHash: string | null = null
  const stats = (): ReplyStats => ({ threadId, cacheHit, compiledHash, cachedBytes: state.cache.bytes, cachedRulesets: state.cache.size, evicted: state.cache.takeEvicted() })
  const missing = (what: 'disk' | 'ruleset' | 'session'): TaskReply => ({ reply: { outcome: 'missing', what, stats: stats() }, transfer: [] })
  const answered = ({ value, snapshot, transfer, place }: TaskResult): TaskReply => ({
    reply: { outcome: 'ok', value, snapshot, place, stats: stats() },
    transfer: snapshot === null ? transfer : [...transfer, snapshot.buffer as ArrayBuffer],
  })
  try {
    if (task.version !== PROTOCOL_VERSION) throw new TypeError('protocol version')
    const { cache, sessions, sheets } = state
    const startedAt = now()
    progress?.begin(index)
    if (task.kind === 'body') {
      if (task.ruleset.disk !== null) cache.addDisk(task.ruleset.disk)
      const done = body({ cache, sessions, sheets, progress, startedAt }, task)
      if (done === 'disk') return missing('disk')
      cacheHit = done.cacheHit
      compiledHash = done.compiledHash
      return answered(done.result)
    }
    const found = cache.find(task.ruleset, filesOf)
    if (typeof found === 'string') return missing(found)
    cacheHit = found.cacheHit
    compiledHash = found.entry.ruleset.hash
    const { notice } = task.ruleset
    const context: TaskContext = {
      cache,
      sessions,
      sheets,
      progress,
      startedAt,
      found: notice === undefined ? found : { ...found, entry: withNotice(found.entry, notice) },
    }
    const result = (TASKS[task.kind] as (context: TaskContext, task: Task) => TaskResult | typeof SESSION_MISSING)(context, task)
    return result === SESSION_MISSING ? missing('session') : answered(result)
  } catch (error) {
    const { unit = -1 } = progress?.read() ?? {}
    return { reply: { outcome: 'failed', error: flattenError(error), unit: unit < 0 ? null : unit, stats: stats() }, transfer: [] }
  }
}
