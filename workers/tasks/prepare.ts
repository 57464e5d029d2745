/** Compiles, for those who run many events afterwards. */
import type { DiagnosticRecord } from '#engine'
import type { PrepareTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

/** Answers the findings of files that can't be read. */
export function prepare(context: TaskContext, task: PrepareTask): TaskResult {
  return plain(entryOf(context).unreadable(task.locale) satisfies readonly DiagnosticRecord[])
}
