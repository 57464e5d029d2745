/** One event. */
import { momentAt, now, roundMs } from '../clock.js'
import type { LogtestInput, Session } from '#engine'
import { runLogtest } from '#engine'
import type { BatchTask, LogtestAnswer, LogtestDigest, LogtestTask, SessionReference, Task } from '../protocol.js'
import { entryOf, performanceOf, plain, SESSION_MISSING, type TaskContext, type TaskResult, toJson } from './context.js'

export function logtest(context: TaskContext, task: LogtestTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const answer = answerEvent(context, task, task.input, session)
  const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, [task.input])
  if (task.form === 'object') return { ...plain(answer), snapshot }
  const json = toJson(answer)
  return { value: { json, digest: digestOf(answer) }, snapshot, transfer: [json.buffer] }
}

/** The state that the task goes on from; null when it has no session. */
export function takeSession(context: TaskContext, task: Task, reference: SessionReference | null): Session | null | typeof SESSION_MISSING {
  const { runner, ruleset } = entryOf(context)
  if (reference === null || !ruleset.loads) return null
  const replay = (input: LogtestInput, seconds: number, state: Session): void => {
    runLogtest(runner, input, momentAt(seconds), state, { trace: false, locale: task.locale, now })
  }
  return context.sessions.take(reference, replay) ?? SESSION_MISSING
}

/** Runs an event and makes its whole answer. Where Wazuh would not start nothing runs, and `ok` is false. */
export function answerEvent(context: TaskContext, task: LogtestTask | BatchTask, input: LogtestInput, session: Session | null): LogtestAnswer {
  const entry = entryOf(context)
  const { summary, diagnostics } = entry.findings(task.locale, task.includeBaseline)
  const { times, ...report } = runLogtest(entry.runner, input, momentAt(task.seconds), session, { trace: task.trace, locale: task.locale, now })
  const stages = { predecode_ms: roundMs(times.predecode_ms), decode_ms: roundMs(times.decode_ms), rule_ms: roundMs(times.rule_ms) }
  return { ...report, summary, diagnostics: [...report.diagnostics, ...diagnostics], performance: { ...performanceOf(context, task), ...stages } }
}

function digestOf(answer: LogtestAnswer): LogtestDigest {
  return { ok: answer.ok, compiledHash: answer.summary.compiled_hash, matchedRuleId: answer.rule?.id ?? null, matchedRules: answer.matched_rules.map(({ id }) => id) }
}
