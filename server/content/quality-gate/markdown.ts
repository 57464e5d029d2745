/** The result of a gate as Markdown, for pull and merge requests. Texts of content are inside code spans (`codeSpan`). The text is English, because a repository has no language setting. */
import { codeSpan } from '../impact/service.js'
import type { QualityGateResult } from './schema.js'

/** Survivors that a comment lists. */
const SURVIVORS_LISTED = 10

/** Returns a list of what is not met, and the mutation score with what survives; null: the gate passes, and has no score. */
export function gateMarkdown({ state, failed_rules, mutation }: QualityGateResult): string | null {
  if (failed_rules.length === 0 && mutation === null) return null
  const lines = failed_rules.map(({ rule, expected, actual, state: unknown, rules = [], rule_count = rules.length }) => {
    const found = unknown === 'pending' ? 'not measured yet' : unknown === 'not_proven' ? `not proven${actual === null ? '' : ` (found: ${actual})`}` : String(actual)
    const named = rules.length === 0 ? '' : `: rules ${rules.join(', ')}${rule_count > rules.length ? ` and ${rule_count - rules.length} more` : ''}`
    return `- \`${rule}\` requires ${expected}, is ${found}${named}`
  })
  return [`**Quality gate**: ${state === 'not_proven' ? 'not proven' : state}`, '', ...lines, ...(mutation === null ? [] : mutationLines(mutation))].join('\n').trimEnd()
}

function mutationLines({ score, killed_count: killed, survived_count, unknown_count, equivalent_count, survivors }: NonNullable<QualityGateResult['mutation']>): string[] {
  if (score === null) return ['- mutation score: not measured, because cases fail']
  return [
    `- mutation score ${score}: ${killed} killed, ${survived_count} survived, ${unknown_count} unknown, ${equivalent_count} equivalent`,
    ...survivors
      .slice(0, SURVIVORS_LISTED)
      .map(
        ({ rule_id, decoder, operator, before, after }) =>
          `  - survived: ${rule_id === null ? `decoder ${codeSpan(decoder ?? '')}` : `rule ${codeSpan(rule_id)}`} \`${operator}\`: ${codeSpan(before)} → ${codeSpan(after)}`,
      ),
    ...(survived_count > SURVIVORS_LISTED ? [`  - and ${survived_count - SURVIVORS_LISTED} more`] : []),
  ]
}
