/** All findings of a ruleset as a ValidationReport. */
import type { Locale } from '../diagnostics/text.js'
import type { ValidationReport } from '../logtest/contract.js'
import { presentDiagnostic } from '../logtest/present-diagnostic.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'

export interface FindingsOptions {
  readonly locale: Locale
  /** Also show findings of reference content (scope `default`); they are counted either way, and never make `ok` false. */
  readonly includeBaseline: boolean
  /** Did any file come from disk? The engine cannot know. */
  readonly loadedFromDisk?: boolean
}

/**
 * Rule 1 of the analysis endpoints (interface.md): no error in the client's own content, whether Wazuh would refuse everything for it or drop one rule.
 * Errors of the reference content never count.
 */
export function isContentOk(ruleset: CompiledRuleset): boolean {
  // Without own content there is nothing to judge, and the checks of the reference need not be made for it.
  if (ruleset.files.every(({ scope }) => scope === 'default')) return true
  return ruleset.diagnostics.every(({ scope, severity }) => scope === 'default' || severity !== 'error')
}

export function describeFindings(ruleset: CompiledRuleset, { locale, includeBaseline, loadedFromDisk }: FindingsOptions): ValidationReport {
  const { diagnostics, counts } = ruleset
  const own = diagnostics.filter(({ scope }) => scope !== 'default')
  const shown = includeBaseline ? diagnostics : own
  return {
    ok: isContentOk(ruleset),
    loads: ruleset.loads,
    summary: {
      total_rule_files: counts.ruleFiles,
      total_decoder_files: counts.decoderFiles,
      total_rules: counts.rules,
      total_decoders: counts.decoders,
      total_lists: counts.lists,
      compiled_hash: ruleset.hash,
      loaded_from_disk: loadedFromDisk ?? false,
    },
    diagnostics: shown.map((diagnostic) => presentDiagnostic(diagnostic, locale)),
    baseline_issue_count: diagnostics.length - own.length,
  }
}
