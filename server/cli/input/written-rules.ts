/** Finds the rule ids that files contain, whether or not the rules are loaded. */
import type { CompiledRuleset, SourceFile } from '#engine'

const RULE_TAG = /<rule\b((?:[^>"']|"[^"]*"|'[^']*')*)>?/gi
const ID_ATTRIBUTE = /\bid\s*=\s*(?:"([^"]*)"|'([^']*)')/i

/** Ids of all `<rule>` tags in the text of rule files, including those in comments: a reader sees them as well. */
function writtenRules(files: readonly SourceFile[]): Set<number> {
  const ids = new Set<number>()
  for (const { kind, content } of files) {
    if (kind !== 'rules') continue
    for (const [, attributes] of content.matchAll(RULE_TAG)) {
      const id = ID_ATTRIBUTE.exec(attributes)
      const text = id?.[1] ?? id?.[2] ?? ''
      if (/^[0-9]{1,6}$/.test(text.trim())) ids.add(Number(text))
    }
  }
  return ids
}

/** The found ids that exist in the ruleset, in any of its files, sorted. Null: the ruleset does not load. */
export function rulesPresent(ruleset: CompiledRuleset, files: readonly SourceFile[]): string[] | null {
  if (!ruleset.loads) return null
  return [...writtenRules(files)]
    .filter((id) => ruleset.rules.find(id) !== undefined)
    .sort((a, b) => a - b)
    .map(String)
}
