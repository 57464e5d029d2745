/** The result of a gate as Markdown, for pull and merge requests. It has ids of rules and names of fields, and no text of content. The text is English, because a repository has no language setting. */
import type { QualityGateResult } from './schema.js'

/** Returns a list of what is not met; null: the gate passes. */
export function gateMarkdown({ state, failed_rules }: QualityGateResult): string | null {
  if (failed_rules.length === 0) return null
  const lines = failed_rules.map(({ rule, expected, actual, state: unknown, rules = [], rule_count = rules.length }) => {
    const found = unknown === 'pending' ? 'not measured yet' : unknown === 'not_proven' ? `not proven${actual === null ? '' : ` (found: ${actual})`}` : String(actual)
    const named = rules.length === 0 ? '' : `: rules ${rules.join(', ')}${rule_count > rules.length ? ` and ${rule_count - rules.length} more` : ''}`
    return `- \`${rule}\` requires ${expected}, is ${found}${named}`
  })
  return [`**Quality gate**: ${state === 'not_proven' ? 'not proven' : state}`, '', ...lines].join('\n')
}
