/** What can be written in rules and decoders. */
import { describeSchema } from '#engine'
import type { SchemaTask } from '../protocol.js'
import { plain, type TaskContext, type TaskResult } from './context.js'

export function schema(_context: TaskContext, task: SchemaTask): TaskResult {
  return plain(describeSchema(task.locale))
}
