/** Findings of a ruleset. */
import { crossing, entryOf, performanceOf, plain, type TaskContext, type TaskResult } from './context.js'
import type { JsonAnswer, ValidateTask, ValidationAnswer, ValidationDigest } from '../protocol.js'

export function validate(context: TaskContext, task: ValidateTask): TaskResult {
  if (task.form === 'json') {
    const made = validationJson(context, task)
    const { json, transfer } = crossing(made.json)
    return { ...plain({ json, digest: made.digest } satisfies JsonAnswer<ValidationDigest>), transfer }
  }
  const { ok, loads, summary, diagnostics, baseline_issue_count } = entryOf(context).findings(task.locale, task.includeBaseline)
  return plain({ ok, loads, summary, diagnostics, baseline_issue_count, performance: performanceOf(context, task) } satisfies ValidationAnswer)
}

/** The whole answer, as it goes out, in pieces. */
export function validationJson(context: TaskContext, task: Pick<ValidateTask, 'locale' | 'includeBaseline' | 'prepareMs'>): { json: readonly string[]; digest: ValidationDigest } {
  const entry = entryOf(context)
  const { ok, loads, summary, baseline_issue_count, diagnosticCount, diagnosticsJson, summaryJson } = entry.findings(task.locale, task.includeBaseline)
  const head = JSON.stringify({ ok, loads, baseline_issue_count, performance: performanceOf(context, task) })
  const { compiled_hash: compiledHash, total_rules: totalRules, total_decoders: totalDecoders } = summary
  return {
    json: [`${head.slice(0, -1)},"summary":${summaryJson},"diagnostics":[${diagnosticsJson}]}`],
    digest: { unreadable: entry.unreadable(task.locale), ok, compiledHash, diagnosticCount, totalRules, totalDecoders },
  }
}
