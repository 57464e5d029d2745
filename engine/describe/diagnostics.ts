/** Presents all diagnostics of a ruleset as a ValidationReport. */
import { countOf, type Diagnostic } from '../diagnostics/diagnostic.js'
import type { Locale } from '../diagnostics/text.js'
import type { SourceFile } from '../source/source-file.js'
import type { ValidationReport } from '../records/records.js'
import { presentDiagnostic } from '../logtest/present-diagnostic.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'

export interface DiagnosticsOptions {
  readonly locale: Locale
  /**
   * Also list diagnostics of reference content (scope `default`). They are always counted, and never make `ok` false. Only attacks on its patterns are searched,
   * and counted, where they are listed.
   */
  readonly includeBaseline: boolean
  /** Whether any file was read from disk. The engine cannot know. */
  readonly loadedFromDisk?: boolean
  /** Returns what is presented. Default: the diagnostics of the ruleset. `diagnosticsWithProofs` has those that need a proof as well. */
  readonly diagnosticsOf?: (ruleset: CompiledRuleset) => readonly Diagnostic[]
  /** The files whose errors make `ok` false. Default: all except reference content. */
  readonly isOwn?: IsOwn
}

/** Whether a file, or the file of a diagnostic, is the client's own. */
export type IsOwn = (file: Pick<SourceFile, 'kind' | 'scope' | 'filename'>) => boolean

const isNotReference: IsOwn = ({ scope }) => scope !== 'default'
const withoutProofs = ({ diagnostics }: CompiledRuleset): readonly Diagnostic[] => diagnostics

/**
 * Content is accepted if the client's own files have no error, whether Wazuh would refuse everything or drop one rule
 * (BEHAVIOUR.md#severity-and-acceptance). Errors of the reference content never count. If Wazuh would not start at all, errors in every other file
 * count too: content on the server loads without the client's files, so they, or their absence, are the reason.
 */
export function isContentOk(ruleset: CompiledRuleset, isOwn: IsOwn = isNotReference): boolean {
  const counts = ruleset.loads ? isOwn : isNotReference
  // Without own content that loads the result is known, and the checks of the other content are not needed. What does not load may lack a file.
  if (ruleset.loads && !ruleset.files.some(counts)) return true
  return !ruleset.diagnosticsWithoutAttacks.some((diagnostic) => diagnostic.severity === 'error' && counts(diagnostic))
}

/**
 * Diagnostics of content beside the reference; if Wazuh would not start, also the errors of the reference, which are then the reason.
 * @param known the diagnostics of the ruleset, if the caller has more than those without proofs
 */
export function ownDiagnostics(ruleset: CompiledRuleset, known?: readonly Diagnostic[]): readonly Diagnostic[] {
  const isAlone = known === undefined && !ruleset.files.some(isNotReference)
  // The checks of the reference take as long as its compilation, and nothing of them is wanted. What no file is the place of is no reference content.
  if (isAlone && ruleset.loads) return ruleset.loadDiagnostics.filter(isNotReference)
  const found = known ?? (isAlone ? ruleset.diagnosticsWithoutAttacks : ruleset.diagnostics)
  return found.filter((diagnostic) => isNotReference(diagnostic) || (!ruleset.loads && diagnostic.severity === 'error'))
}

/** The counts of a ruleset, without its diagnostics. @param loadedFromDisk whether any file was read from disk, which the engine cannot know */
export function describeSummary({ counts, hash }: CompiledRuleset, loadedFromDisk: boolean): ValidationReport['summary'] {
  return {
    total_rule_files: counts.ruleFiles,
    total_decoder_files: counts.decoderFiles,
    total_rules: counts.rules,
    total_decoders: counts.decoders,
    total_lists: counts.lists,
    compiled_hash: hash,
    loaded_from_disk: loadedFromDisk,
  }
}

export function describeDiagnostics(
  ruleset: CompiledRuleset,
  { locale, includeBaseline, loadedFromDisk, diagnosticsOf = withoutProofs, isOwn }: DiagnosticsOptions,
): ValidationReport {
  // For a reference ruleset alone only the number of diagnostics is needed, and proofs are about other rules.
  const isCountedOnly = !includeBaseline && !ruleset.files.some(isNotReference)
  const diagnostics = isCountedOnly ? ruleset.diagnosticsWithoutAttacks : diagnosticsOf(ruleset)
  const notReference = diagnostics.filter(isNotReference)
  const shown = includeBaseline ? diagnostics : notReference
  return {
    ok: isContentOk(ruleset, isOwn),
    loads: ruleset.loads,
    summary: describeSummary(ruleset, loadedFromDisk ?? false),
    diagnostics: shown.map((diagnostic) => presentDiagnostic(diagnostic, locale)),
    baseline_issue_count: countOf(diagnostics) - countOf(notReference),
  }
}
