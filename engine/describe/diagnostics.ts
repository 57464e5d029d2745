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

export function describeFindings(ruleset: CompiledRuleset, { locale, includeBaseline, loadedFromDisk }: FindingsOptions): ValidationReport {
  const { diagnostics, counts } = ruleset
  const own = diagnostics.filter(({ scope }) => scope !== 'default')
  const shown = includeBaseline ? diagnostics : own
  return {
    ok: own.every(({ severity }) => severity !== 'error'),
    loads: ruleset.loads,
    summary: {
      total_rule_files: counts.ruleFiles,
      total_decoder_files: counts.decoderFiles,
      total_rules: counts.rules,
      total_decoders: counts.decoders,
      compiled_hash: ruleset.hash,
      loaded_from_disk: loadedFromDisk ?? false,
    },
    diagnostics: shown.map((diagnostic) => presentDiagnostic(diagnostic, locale)),
    baseline_issue_count: diagnostics.length - own.length,
  }
}
