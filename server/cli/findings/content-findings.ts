/** What is found in the folders of a call, with the paths of their files. */
import type { CompiledRuleset, Diagnostic, Locale } from '#engine'
import { describeFindings } from '#engine'
import type { RulesetSource } from '../ruleset-source.js'
import type { Finding } from './finding.js'

type FilePlace = Pick<Diagnostic, 'scope' | 'kind' | 'filename'>

/** Of the caller's own content; and where Wazuh would not start, why not, wherever that is. */
export function contentFindings(ruleset: CompiledRuleset, source: Pick<RulesetSource, 'pathOf'>, locale: Locale): Finding[] {
  const { diagnostics } = describeFindings(ruleset, { locale, includeBaseline: true, loadedFromDisk: true })
  // The two lists are of one order: the records are made of these diagnostics.
  return ruleset.diagnostics.flatMap((diagnostic, index): Finding[] => {
    if (diagnostic.scope === 'default' && (ruleset.loads || diagnostic.severity !== 'error')) return []
    const path = source.pathOf(diagnostic)
    const record = diagnostics[index]
    const related = record.related.map((place) => ({ ...place, filename: source.pathOf(placeOf(ruleset, diagnostic, place.filename)) }))
    return [{ diagnostic, record: { ...record, filename: path, related }, path }]
  })
}

/** The file of a name, the caller's own first. */
function placeOf({ files }: CompiledRuleset, { kind, scope }: Diagnostic, filename: string): FilePlace {
  const named = files.filter((file) => file.kind === kind && file.filename === filename)
  return named.find((file) => file.scope !== 'default') ?? named[0] ?? { scope, kind, filename }
}
