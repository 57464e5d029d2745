/** The rules and decoders that a set of cases uses. */
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileScope } from '../source/source-file.js'
import { fromByteString } from '../source/byte-string.js'
import type { CaseReport, CoverageReport, UncoveredItem } from '../records/records.js'

/** The client's own content, for which tests are written. */
const OWN_SCOPES: readonly FileScope[] = ['custom', 'adhoc']

/**
 * Counts rules that matched (final ones and their ancestors) and decoders that ran. A rule that Wazuh drops counts as not covered, because its author expects
 * it to exist.
 * @param scopes scopes of the files that count
 */
export function measureCoverage(ruleset: CompiledRuleset, reports: readonly Pick<CaseReport, 'covered'>[], scopes: readonly FileScope[] = OWN_SCOPES): CoverageReport {
  const rules = new Set(reports.flatMap(({ covered }) => covered.rules))
  const decoders = new Set(reports.flatMap(({ covered }) => covered.decoders))
  const loaded = ruleset.rules.inOrder().map(({ id }) => ruleset.rules.find(id))
  const placed = loaded.filter((rule) => rule !== undefined).map(({ id, definition }) => ({ item: itemOf(String(id), definition), scope: definition.source.scope }))
  const lost = ruleset.lost.map(({ id, source, line }) => ({ item: { name: String(id), filename: source.filename, line, dropped: true } as const, scope: source.scope }))
  return {
    rules: summarize([...placed, ...lost], scopes, ({ name, dropped }) => dropped !== true && rules.has(name)),
    decoders: summarize(
      ruleset.decoders.definitions.map((definition) => ({ item: itemOf(fromByteString(definition.name), definition), scope: definition.source.scope })),
      scopes,
      ({ filename, line }) => decoders.has(`${filename}:${line}`),
    ),
  }
}

function itemOf(name: string, { source, span }: { readonly source: { readonly filename: string }; readonly span: { readonly line: number } }): UncoveredItem {
  return { name, filename: source.filename, line: span.line }
}

function summarize(all: readonly { item: UncoveredItem; scope: FileScope }[], scopes: readonly FileScope[], covers: (item: UncoveredItem) => boolean): CoverageReport['rules'] {
  const counted = all.filter(({ scope }) => scopes.includes(scope)).map(({ item }) => item)
  const untested = counted.filter((item) => !covers(item))
  return { total: counted.length, covered: counted.length - untested.length, untested }
}
