/** Why a rule did not answer for an event. Asking changes nothing: the session is put back as it was. */
import { deserialize, serialize } from 'node:v8'
import { momentAt } from '../clock.js'
import type { Session } from '../engine-bridge.js'
import { explainRule } from '../engine-bridge.js'
import type { ExplainAnswer, ExplainTask } from '../protocol.js'
import { entryOf, plain, SESSION_MISSING, type TaskContext, type TaskResult } from './context.js'
import { takeSession } from './logtest.js'

export function explain(context: TaskContext, task: ExplainTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const { runner, ruleset } = entryOf(context)
  const copy = session === null ? null : (deserialize(serialize(session)) as Session)
  if (session !== null && task.session !== null) context.sessions.put(task.session, session, [])
  if (!ruleset.loads) return plain({ loads: false, explanation: null } satisfies ExplainAnswer)
  const explanation = explainRule(runner, ruleset, task.ruleId, task.input, momentAt(task.seconds), copy, task.locale)
  return plain({ loads: true, explanation } satisfies ExplainAnswer)
}
