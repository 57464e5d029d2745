/** Findings as SARIF 2.1.0, for code scanning. Columns count characters, not UTF-16 units. */
import type { DiagnosticCode, Locale, Severity } from '#engine'
import { ENGINE_VERSION, entryOf } from '#engine'
import { PROGRAM } from '../help.js'
import type { Finding, FindingsFormat } from './finding.js'
import { toAddress } from './finding.js'

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = { error: 'error', warning: 'warning', info: 'note', success: 'note' }

export const sarif: FindingsFormat = ({ findings, locale, ruleset }) => {
  const codes = [...new Set(findings.map(({ diagnostic: { code } }) => code))].sort()
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: PROGRAM, semanticVersion: `${ENGINE_VERSION}.0.0`, rules: codes.map((code) => describeCode(code, locale)) } },
        columnKind: 'unicodeCodePoints',
        invocations: [{ executionSuccessful: true, properties: { loads: ruleset.loads } }],
        results: findings.map((finding) => describeResult(finding, codes.indexOf(finding.diagnostic.code))),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function describeCode(code: DiagnosticCode, locale: Locale) {
  const entry = entryOf(code)
  const { title, doc } = locale === 'pt-BR' ? entry.pt : entry.en
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: doc },
    defaultConfiguration: { level: LEVELS[entry.severity] },
    properties: { source: entry.source, engineEffect: entry.effect, engineNumbers: entry.engineNumbers },
  }
}

function describeResult({ path, record }: Finding, ruleIndex: number) {
  const { severity, code, message, hint, evidence, line, column, end_line, end_column, related, suggestion, engine_effect } = record
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: `${message} ${hint}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: toAddress(path) },
          ...(line === null || column === null ? {} : { region: regionOf(line, column, end_line, end_column, evidence) }),
        },
      },
    ],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((place, id) => ({
            id,
            physicalLocation: { artifactLocation: { uri: toAddress(place.filename) }, region: { startLine: place.line, startColumn: place.column } },
          })),
        }),
    properties: { engineEffect: engine_effect, ...(suggestion === null ? {} : { suggestion }) },
  }
}

function regionOf(line: number, column: number, endLine: number | null, endColumn: number | null, evidence: string | null) {
  return {
    startLine: line,
    startColumn: column,
    ...(endLine === null || endColumn === null ? {} : { endLine, endColumn }),
    ...(evidence === null ? {} : { snippet: { text: evidence } }),
  }
}
