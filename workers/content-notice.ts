/** Tells in the findings of a ruleset that the custom content it was asked for is not that of the folder. */
import { presentRunDiagnostic } from '#engine'
import type { ContentNotice } from './protocol.js'
import type { CachedRuleset } from './ruleset-cache.js'

const CODES = { stale: 'custom_content_stale', left_out: 'custom_content_left_out' } as const

/** The same ruleset with one finding more, before its others. What is cached stays as it is: the folder may be mended by the next request. */
export function withNotice(entry: CachedRuleset, notice: ContentNotice | undefined): CachedRuleset {
  if (notice === undefined) return entry
  const { state, since } = notice
  return {
    ...entry,
    findings: (locale, includeBaseline) => {
      const findings = entry.findings(locale, includeBaseline)
      const told = presentRunDiagnostic(CODES[state], { since }, null, locale)
      const { ok, loads, summary, baseline_issue_count, diagnosticCount, diagnosticsJson, summaryJson } = findings
      return {
        ok,
        loads,
        summary,
        baseline_issue_count,
        get diagnostics() {
          return [told, ...findings.diagnostics]
        },
        diagnosticCount: diagnosticCount + 1,
        diagnosticsJson: `${JSON.stringify(told)}${diagnosticsJson === '' ? '' : `,${diagnosticsJson}`}`,
        summaryJson,
      }
    },
  }
}
