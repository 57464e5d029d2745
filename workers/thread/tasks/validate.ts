/** Returns the diagnostics of a ruleset. */
import type { ValidationDigest } from '../../shared/answers.js'
import type { ReadableTaskHead } from '../../shared/protocol.js'
import { answers } from './answer-buffer.js'
import { entryOf, performanceOf, type TaskDefinition } from './context.js'

export interface ValidateTask extends ReadableTaskHead {
  readonly kind: 'validate'
  readonly includeBaseline: boolean
}

export const validate: TaskDefinition<ValidateTask> = {
  body: 'validate',
  run(context, task) {
    const entry = entryOf(context)
    const { ok, loads, summary, baseline_issue_count, diagnosticCount, diagnosticsJson, summaryJson } = entry.report(task.locale, task.includeBaseline, true)
    const { compiled_hash: compiledHash, total_rules: totalRules, total_decoders: totalDecoders } = summary
    const digest: ValidationDigest = { unreadable: entry.unreadable(task.locale), ok, compiledHash, diagnosticCount, totalRules, totalDecoders }
    const head = JSON.stringify({ ok, loads, baseline_issue_count, performance: performanceOf(context, task) })
    answers.clear()
    answers.text(`${head.slice(0, -1)},"summary":${summaryJson},"diagnostics":[${diagnosticsJson}]}`)
    return { value: digest, snapshot: null, ...answers.take(context.buffers) }
  },
}
