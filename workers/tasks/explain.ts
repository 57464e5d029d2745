/** Why a rule did not answer for an event. Asking changes nothing: the session is put back as it was. */
import { explainRule } from '#engine'
import { momentAt } from '../clock.js'
import type { ExplainTask } from '../protocol.js'
import { entryOf, plain, SESSION_MISSING, type TaskContext, type TaskResult } from './context.js'
import { takeSession } from './logtest.js'

export function explain(context: TaskContext, task: ExplainTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const { runner, ruleset } = entryOf(context)
  const explanation = explainRule(runner, ruleset, task.ruleId, task.input, momentAt(task.seconds), session, task.locale)
  if (session !== null && task.session !== null) context.sessions.put(task.session, session, [])
  return plain(explanation)
}
