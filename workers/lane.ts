/** A thread of the pool as this side sees it: how it is reached, what it is known to have, what it is at. */
import type { AnswerSheets } from './answer-sheets.js'
import type { Job } from './job.js'
import type { Progress } from './progress.js'
import type { ReplyStats, Task } from './protocol.js'
import type { ThreadLink } from './thread-link.js'

/** A thread, and what is known of it. */
export interface Lane {
  readonly link: ThreadLink
  readonly diskIds: Set<string>
  /** Of rulesets that it has compiled. */
  readonly keys: Set<string>
  /** Where it says what it is at. */
  readonly progress: Progress
  /** Where it writes answers that are lent. */
  readonly answers: AnswerSheets
  /** It has been told where. */
  isTold: boolean
  /** As it last said. */
  stats: ReplyStats | null
  /** Null: it is free, or not there yet. */
  turn: RunningTurn | null
}

/** A turn that a thread has. */
export interface RunningTurn {
  /** In the order of the tasks; null: it was taken back. */
  readonly jobs: (Job | null)[]
  readonly handedOver: number
  ended: 'timeout' | 'start' | 'abort' | null
}

/** The thread has started. */
export function isThere({ link }: Lane): boolean {
  return link.threadId !== null
}

/** Ends the thread of a turn. What becomes of its tasks is read once it is gone. */
export function endTurn(link: ThreadLink, turn: RunningTurn, why: NonNullable<RunningTurn['ended']>): void {
  turn.ended = why
  link.end()
}

/** The task with what this thread is not known to have. */
export function addressed({ task, options, sendAll }: Job, { link, keys, diskIds }: Lane): Task {
  const { source, disk, session } = options.supplies
  const isKnown = 'body' in source || source.files.length > 0 ? keys.has(task.ruleset.key) : false
  task.ruleset.source = !sendAll && isKnown ? null : source
  // A thread of which nothing is known has the content that it was started with.
  task.ruleset.disk = sendAll || (diskIds.size > 0 && !diskIds.has(disk.id)) ? disk : null
  if ('session' in task && task.session !== null && session !== null) task.session.state = !sendAll && session.threadId === link.threadId ? null : session.state()
  return task
}
