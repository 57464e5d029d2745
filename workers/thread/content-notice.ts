/** Adds a diagnostic to a ruleset whose custom content is not that of the folder. */
import { presentRunDiagnostic } from '#engine'
import type { ContentNotice } from '../shared/protocol.js'
import type { CachedRuleset } from './ruleset-cache.js'

const CODES = { stale: 'custom_content_stale', left_out: 'custom_content_left_out' } as const

/**
 * Returns the same ruleset with one more diagnostic, before the others. The cached entry stays unchanged, because the folder may be repaired before the next
 * request.
 */
export function withNotice(entry: CachedRuleset, notice: ContentNotice | undefined): CachedRuleset {
  if (notice === undefined) return entry
  const { state, since } = notice
  return {
    ...entry,
    report: (locale, includeBaseline, withProofs) => {
      const report = entry.report(locale, includeBaseline, withProofs)
      const diagnostic = presentRunDiagnostic(CODES[state], { since }, null, locale)
      const { ok, loads, summary, baseline_issue_count, diagnosticCount, diagnosticsJson, summaryJson } = report
      return {
        ok,
        loads,
        summary,
        baseline_issue_count,
        get diagnostics() {
          return [diagnostic, ...report.diagnostics]
        },
        diagnosticCount: diagnosticCount + 1,
        diagnosticsJson: `${JSON.stringify(diagnostic)}${diagnosticsJson === '' ? '' : `,${diagnosticsJson}`}`,
        summaryJson,
      }
    },
  }
}
