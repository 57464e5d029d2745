/** The table of tasks, by kind. A new task is one file beside this one and one line here. */
import { audit, witnesses } from './audit.js'
import { behaviour } from './behaviour.js'
import { cases } from './cases.js'
import { catalog } from './catalog.js'
import { check } from './check.js'
import { compare } from './compare.js'
import type { TaskDefinition } from './context.js'
import { generate } from './generate.js'
import { lines } from './lines.js'
import { locate } from './locate.js'
import { logtest } from './logtest.js'
import { measure } from './measure.js'
import { merge } from './merge.js'
import { mutate } from './mutate.js'
import { prepare } from './prepare.js'
import type { ReadTask } from './read.js'
import { schema } from './schema.js'
import { semantics } from './semantics.js'
import { upgrade } from './upgrade.js'
import { validate } from './validate.js'
import { wazuh5 } from './wazuh5.js'

export const TASKS = {
  validate,
  logtest,
  prepare,
  lines,
  cases,
  generate,
  measure,
  catalog,
  semantics,
  compare,
  behaviour,
  audit,
  witnesses,
  wazuh5,
  upgrade,
  merge,
  mutate,
  schema,
  check,
  locate,
} as const

/** Tasks that use a ruleset. */
type RulesetTaskKind = keyof typeof TASKS
/** The message of a task. */
export type TaskOf<Kind extends RulesetTaskKind> = (typeof TASKS)[Kind] extends TaskDefinition<infer T> ? T : never
export type RulesetTask = { [Kind in RulesetTaskKind]: TaskOf<Kind> }[RulesetTaskKind]
export type Task = RulesetTask | ReadTask
/** The tasks of a batch: one, or several small ones that are answered together. Plain data is JSON, which costs a third of structured clone. */
export type Tasks = readonly Task[] | string
