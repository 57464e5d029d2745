/** Diagnostics as a SARIF log, for code scanning. */
import type { DiagnosticCode, Locale, Severity } from '#engine'
import { diagnosticHelp, entryOf } from '#engine'
import type { LocatedDiagnostic, DiagnosticsFormat } from './located-diagnostic.js'
import { helpPage } from './help-page.js'
import { fingerprintsOf } from './fingerprint.js'
import { type SarifLevel, type SarifResult, type SarifRule, writeSarif } from './sarif-log.js'
import { sourceRoot } from './source-root.js'

const LEVELS: Record<Severity, SarifLevel> = { error: 'error', warning: 'warning', info: 'note', success: 'note' }

export const sarif: DiagnosticsFormat = ({ diagnostics, locale, ruleset, helpUrl }) =>
  writeSarif({ locale, command: 'validate', loads: ruleset.loads, rules: sarifRules(diagnostics, locale, helpUrl), results: sarifResults(diagnostics) })

/** SARIF rules: one for each code among the diagnostics. */
export function sarifRules(diagnostics: readonly LocatedDiagnostic[], locale: Locale, helpUrl: string | null): SarifRule[] {
  return [...new Set(diagnostics.map(({ diagnostic: { code } }) => code))].map((code) => describeCode(code, locale, helpPage(helpUrl, code)))
}

export function sarifResults(diagnostics: readonly LocatedDiagnostic[]): SarifResult[] {
  const fingerprints = fingerprintsOf(diagnostics, sourceRoot())
  return diagnostics.map(({ path, record }, index) => {
    const { severity, code, message, hint, evidence, line, column, end_line, end_column, related, suggestion, engine_effect, cause, more } = record
    const places = cause === null || cause.line === null ? related : [...related, { filename: cause.filename, line: cause.line, column: cause.column ?? 1 }]
    return {
      ruleId: code,
      level: LEVELS[severity],
      message: `${message} ${hint}`,
      place: { path, line, column, endLine: end_line, endColumn: end_column, snippet: evidence },
      related: places.map((place) => ({ path: place.filename, line: place.line, column: place.column })),
      fingerprint: fingerprints[index],
      ...(more === 0 ? {} : { occurrences: 1 + more }),
      properties: { engineEffect: engine_effect, ...(suggestion === null ? {} : { suggestion }) },
    }
  })
}

function describeCode(code: DiagnosticCode, locale: Locale, page: string | null): SarifRule {
  const entry = entryOf(code)
  const { title, doc } = entry.texts[locale]
  return {
    id: code,
    title,
    description: doc,
    help: diagnosticHelp(code, locale),
    ...(page === null ? {} : { helpUri: page }),
    level: LEVELS[entry.severity],
    tags: [entry.source, `wazuh-${entry.effect}`],
    properties: { source: entry.source, engineEffect: entry.effect, engineNumbers: entry.engineNumbers },
  }
}
