/** Every task by its kind. */
import type { Task, TaskKind } from '../protocol.js'
import { batch } from './batch.js'
import { catalog } from './catalog.js'
import { plain, type SESSION_MISSING, type TaskContext, type TaskResult } from './context.js'
import { explain } from './explain.js'
import { locate } from './locate.js'
import { logtest } from './logtest.js'
import { coverage, runCases } from './run-cases.js'
import { schema } from './schema.js'
import { validate } from './validate.js'

export const TASKS: { readonly [K in TaskKind]: (context: TaskContext, task: Extract<Task, { kind: K }>) => TaskResult | typeof SESSION_MISSING } = {
  validate,
  logtest,
  batch,
  'run-cases': runCases,
  coverage,
  catalog,
  schema,
  explain,
  warm: () => plain(null),
  locate,
}
