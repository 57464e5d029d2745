/** Measures a ruleset whose cases were run, for the quality gate: its own diagnostics, rules and decoders, and which of them the cases cover. */
import { type CaseReport, decoderCatalog, type DiagnosticRecord, type FileScope, measureCoverage, ruleCatalog } from '#engine'
import type { OwnDiagnostics, RulesetMeasurement } from '../../shared/answers.js'
import type { TaskHead } from '../../shared/protocol.js'
import { entryOf, ownDiagnostics, plain, type TaskContext, type TaskDefinition } from './context.js'

const SEVERITIES = ['error', 'warning', 'info', 'success'] as const satisfies readonly DiagnosticRecord['severity'][]
/** Scope of the request's own files. */
const OWN_SCOPE: FileScope = 'adhoc'
const OWN: ReadonlySet<FileScope> = new Set([OWN_SCOPE])

export interface MeasureTask extends TaskHead {
  readonly kind: 'measure'
  /** Maximum number of diagnostics that are sent to the main thread, the worst first. */
  readonly diagnosticsLimit: number
  /** Reports of the cases that were run. */
  readonly reports: readonly Pick<CaseReport, 'covered'>[]
}

export const measure: TaskDefinition<MeasureTask> = {
  run(context, task) {
    const { ruleset } = entryOf(context)
    return plain({
      diagnostics: describeOwn(context, task),
      rules: ruleCatalog(ruleset, OWN),
      decoders: decoderCatalog(ruleset, OWN),
      coverage: measureCoverage(ruleset, task.reports, [OWN_SCOPE]),
    } satisfies RulesetMeasurement)
  },
}

function describeOwn(context: TaskContext, { locale, diagnosticsLimit }: MeasureTask): OwnDiagnostics {
  const { loads, summary } = entryOf(context).report(locale, false)
  const own = ownDiagnostics(context, locale)
  const bySeverity = { error: 0, warning: 0, info: 0, success: 0 }
  const byCode = new Map<string, number>()
  for (const { severity, code, more } of own) {
    bySeverity[severity] += 1 + more
    byCode.set(code, (byCode.get(code) ?? 0) + 1 + more)
  }
  return {
    compiled_hash: summary.compiled_hash,
    loads,
    by_severity: bySeverity,
    by_code: Object.fromEntries([...byCode].sort(([a], [b]) => (a < b ? -1 : 1))),
    worst: SEVERITIES.flatMap((severity) => own.filter((diagnostic) => diagnostic.severity === severity)).slice(0, diagnosticsLimit),
  }
}
