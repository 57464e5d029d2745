/** Every task that runs on one ruleset, by its kind. */
import type { Task, TaskKind } from '../protocol.js'
import { catalog, catalogPage } from './catalog.js'
import type { SESSION_MISSING, TaskContext, TaskResult } from './context.js'
import { explain } from './explain.js'
import { findings } from './findings.js'
import { lines } from './lines.js'
import { locate } from './locate.js'
import { logtest } from './logtest.js'
import { prepare } from './prepare.js'
import { coverage, runCases } from './run-cases.js'
import { schema } from './schema.js'
import { compare, semantics } from './semantics.js'
import { validate } from './validate.js'
import { warm } from './warm.js'

export const TASKS: { readonly [K in Exclude<TaskKind, 'body'>]: (context: TaskContext, task: Extract<Task, { kind: K }>) => TaskResult | typeof SESSION_MISSING } = {
  validate,
  logtest,
  'run-cases': runCases,
  coverage,
  findings,
  catalog,
  'catalog-page': catalogPage,
  schema,
  semantics,
  compare,
  explain,
  warm,
  prepare,
  locate,
  lines,
}
