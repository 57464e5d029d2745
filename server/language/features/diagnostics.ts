/** Diagnostics of a document, as the protocol has them. */
import { describeDiagnostic, type Diagnostic, effectOf, type EngineEffect, type Locale } from '#engine'
import { type Diagnostic as LspDiagnostic, type DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag } from 'vscode-languageserver-types'
import type { ContentDocument } from '../content/document.js'
import type { Snapshot } from '../content/workspace.js'

/** The `source` of diagnostics, which clients show beside the code. */
export const SOURCE = 'detection-content'

/** Diagnostics of one document that are sent. Clients become slow with more, and the first ones are corrected first. */
const DIAGNOSTICS_LIMIT = 2000

const SEVERITIES = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
  success: DiagnosticSeverity.Hint,
} as const

/** What Wazuh does without the part, for which clients show it as faded. */
const FADED: ReadonlySet<string> = new Set(['rule_element_removed', 'rule_category_ignored', 'xml_variable_unused', 'list_unused', 'decoder_attribute_ignored'])

/** What a diagnostic carries for the request of its corrections. */
export interface DiagnosticData {
  readonly effect: EngineEffect
}

/** @param helpOf the address of the page about a code; null: there is none */
export function lspDiagnostics(snapshot: Snapshot, document: ContentDocument, locale: Locale, helpOf: (code: string) => string | null): LspDiagnostic[] {
  return snapshot
    .diagnosticsOf(document)
    .slice(0, DIAGNOSTICS_LIMIT)
    .map((diagnostic) => lspDiagnostic(snapshot, document, diagnostic, locale, helpOf))
}

export function lspDiagnostic(snapshot: Snapshot, document: ContentDocument, diagnostic: Diagnostic, locale: Locale, helpOf: (code: string) => string | null): LspDiagnostic {
  const { code, severity, span } = diagnostic
  const { message, hint } = describeDiagnostic(diagnostic, locale)
  const { positions } = document
  const related = relatedPlaces(snapshot, diagnostic, locale)
  const help = helpOf(code)
  const data: DiagnosticData = { effect: effectOf(diagnostic) }
  return {
    range: span === null ? positions.range(0, 0) : positions.rangeOfBytes(span),
    severity: SEVERITIES[severity],
    code,
    source: SOURCE,
    message: hint === '' ? message : `${message}\n${hint}`,
    data,
    ...(help === null ? {} : { codeDescription: { href: help } }),
    ...(related.length === 0 ? {} : { relatedInformation: related }),
    ...(FADED.has(code) ? { tags: [DiagnosticTag.Unnecessary] } : {}),
  }
}

/** Search order of a file by its name: the author's own first. */
const SCOPES = ['adhoc', 'custom', 'default'] as const

function relatedPlaces(snapshot: Snapshot, { kind, related, cause }: Diagnostic, locale: Locale): DiagnosticRelatedInformation[] {
  const found: DiagnosticRelatedInformation[] = []
  for (const { filename, span } of related) {
    const document = SCOPES.map((scope) => snapshot.documentOf({ scope, kind, filename })).find((one) => one !== undefined)
    if (document === undefined) continue
    const range = document.positions.rangeOfBytes(span)
    const line = document.text.slice(
      document.positions.offsetAt({ line: range.start.line, character: 0 }),
      document.positions.offsetAt({ line: range.start.line, character: LINE_SHOWN }),
    )
    found.push({ location: { uri: document.uri, range }, message: line.trim() === '' ? filename : line.trim() })
  }
  const document = cause === null ? undefined : snapshot.documentOf(cause)
  if (cause !== null && document !== undefined) {
    const range = cause.span === null ? document.positions.range(0, 0) : document.positions.rangeOfBytes(cause.span)
    found.push({ location: { uri: document.uri, range }, message: describeDiagnostic(cause, locale).message })
  }
  return found
}

/** Units of a related line that are shown. */
const LINE_SHOWN = 120
