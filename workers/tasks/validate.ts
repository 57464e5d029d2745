/** Findings of a ruleset. */
import type { ValidateTask, ValidationAnswer, ValidationDigest } from '../protocol.js'
import { entryOf, performanceOf, plain, type TaskContext, type TaskResult, toJson } from './context.js'

export function validate(context: TaskContext, task: ValidateTask): TaskResult {
  const report = entryOf(context).findings(task.locale, task.includeBaseline)
  const answer: ValidationAnswer = { ...report, performance: performanceOf(context, task) }
  if (task.form === 'object') return plain(answer)
  const json = toJson(answer)
  const { compiled_hash: compiledHash, total_rules: totalRules, total_decoders: totalDecoders } = answer.summary
  const digest: ValidationDigest = { ok: answer.ok, compiledHash, diagnosticCount: answer.diagnostics.length, totalRules, totalDecoders }
  return { value: { json, digest }, snapshot: null, transfer: [json.buffer] }
}
