/** Diagnostics of the files in a call, with their paths. */
import type { CompiledRuleset, Diagnostic, DiagnosticRecord, FileScope, Locale } from '#engine'
import { ownDiagnostics, presentDiagnostic } from '#engine'
import type { FilePlace, RulesetSource } from '../ruleset-source.js'
import { byWeight, type LocatedDiagnostic } from './located-diagnostic.js'

/** Diagnostics of the caller's content. If Wazuh would not start, also the errors that prevent it, in any file. */
export function contentDiagnostics(ruleset: CompiledRuleset, source: Pick<RulesetSource, 'pathOf'>, locale: Locale): LocatedDiagnostic[] {
  const located = ownDiagnostics(ruleset).map((diagnostic) => locateDiagnostic(ruleset, diagnostic, presentDiagnostic(diagnostic, locale), (place) => source.pathOf(place)))
  return byWeight(located)
}

/** A diagnostic with the paths of all files that it names. @param record created from the diagnostic */
export function locateDiagnostic(ruleset: CompiledRuleset, diagnostic: Diagnostic, record: DiagnosticRecord, pathOf: (place: FilePlace) => string): LocatedDiagnostic {
  const path = pathOf(diagnostic)
  const related = record.related.map((place) => ({ ...place, filename: pathOf(placeOf(ruleset, diagnostic, place.filename)) }))
  const cause = record.cause === null || diagnostic.cause === null ? null : { ...record.cause, filename: pathOf(diagnostic.cause) }
  return { diagnostic, record: { ...record, filename: path, related, cause }, path }
}

/** Search order: the caller's files first. */
const SCOPES = ['adhoc', 'custom', 'default'] as const satisfies readonly FileScope[]

/** Finds a file by name, the caller's files first. */
function placeOf({ files }: CompiledRuleset, { kind, scope }: Diagnostic, filename: string): FilePlace {
  const named = SCOPES.map((wanted) => files.find((file) => file.scope === wanted && file.kind === kind && file.filename === filename))
  return named.find((file) => file !== undefined) ?? { scope, kind, filename }
}
