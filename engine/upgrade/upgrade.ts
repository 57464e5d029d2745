/**
 * What breaks in own content when the ruleset below it changes. Invariants:
 *  1. an event that a finding shows was run on both rulesets, in a fresh session, and its answers are those of these runs
 *  2. edits are offered only if the content that they make has no more errors than before, and never overlap
 *  3. a finding of severity `info` alone is no difference: what it names has changed, and no other answer was found
 */
import { countOf } from '../diagnostics/diagnostic.js'
import { applyReplacements, type Replacement } from '../diagnostics/fixes.js'
import type { Locale } from '../diagnostics/text.js'
import { presentDiagnostic } from '../logtest/present-diagnostic.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { FileScope, SourceFile } from '../source/source-file.js'
import { compareGiven, compareOwn, type GivenEvents, type OwnBehaviour } from './behaviour.js'
import { findFields } from './fields.js'
import { makeFinding, type UpgradeFinding } from './findings.js'
import { mergeOverwrite } from './merge-overwrite.js'
import { findReferences } from './references.js'
import { type UpgradeSide, UpgradeSides } from './sides.js'

/** Merges that are tried together, and one after the other where they do not hold together; others are left to the caller. */
const MERGES_TOGETHER = 2_000
const MERGES_LIMIT = 200
/** Options of the alert alone: what upstream changed in them is worth a note. */
const LABELS: ReadonlySet<string> = new Set(['description', 'mitre', 'info', 'cve', 'options'])

export interface UpgradeRequest {
  /** The own content loads on it. */
  readonly old: UpgradeSide
  readonly now: UpgradeSide
  /** The scope of the own files, which no other file has. Default: `custom`. */
  readonly ownScope?: FileScope
  /** Compiles other own content on the new ruleset. */
  readonly compile: (own: readonly SourceFile[]) => CompiledRuleset
  /** Each entry is one session. */
  readonly events: readonly GivenEvents[]
  readonly locale: Locale
  /** Whether there is time for another search. */
  readonly mayGoOn: () => boolean
}

export interface UpgradeReport {
  readonly findings: readonly UpgradeFinding[]
  /** Null: Wazuh would not start with the own content on the new ruleset, so that nothing was run. */
  readonly own: OwnBehaviour | null
  /** The own files that the edits change. */
  readonly merged: readonly MergedFile[]
}

export interface MergedFile {
  readonly file: SourceFile
  readonly content: string
}

/** Compares own content on two rulesets. @returns what breaks or changes, and the merges that can be applied */
export function checkUpgrade({ old, now, ownScope = 'custom', compile, events, locale, mayGoOn }: UpgradeRequest): UpgradeReport {
  const sides = new UpgradeSides(old, now, locale, ownScope)
  const structural = [...findReferences(sides), ...findFields(sides), ...findOverwrites(sides)]
  const { findings, merged } = acceptedMerges(structural, sides, { compile, mayGoOn })
  const diagnostics = newDiagnostics(sides, findings)
  if (!now.own.loads) return { findings: inOrder([...findings, ...diagnostics]), own: null, merged }
  const { findings: behaviour, own } = compareOwn(sides, events, mayGoOn)
  const isOf =
    (one: UpgradeFinding) =>
    ({ item }: UpgradeFinding): boolean =>
      item !== null && JSON.stringify(item) === JSON.stringify(one.item)
  // An event says more than a warning.
  findings.push(...diagnostics.filter((one) => one.severity === 'error' || !behaviour.some(isOf(one))))
  for (const finding of behaviour) {
    // The event shows what the other finding says.
    const at = findings.findIndex((one) => one.severity !== 'info' && one.witness === null && isOf(finding)(one))
    if (at < 0) findings.push(finding)
    else findings[at] = { ...findings[at], witness: finding.witness, old: finding.old, new: finding.new }
  }
  return { findings: [...inOrder(findings), ...compareGiven(sides, events)], own, merged }
}

function inOrder(findings: readonly UpgradeFinding[]): UpgradeFinding[] {
  return [...findings].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
}

function findOverwrites(sides: UpgradeSides): UpgradeFinding[] {
  return sides.rules.flatMap((rule): UpgradeFinding[] => {
    const [before, upstream] = [sides.old.base.rules.find(rule.id), sides.now.base.rules.find(rule.id)]
    if (!rule.definition.overwrite || before === undefined || upstream === undefined) return []
    const merge = mergeOverwrite(before.definition, rule.definition, upstream.definition)
    if (merge === null) return []
    const { options, edits, xml } = merge
    const conflicts = options.filter(({ taken }) => taken === 'own')
    const named = (conflicts.length > 0 ? conflicts : options).map(({ option }) => option.replace('@', ''))
    const isNote = options.every(({ option }) => LABELS.has(option))
    const parts = { options, proposal: xml, edits: conflicts.length > 0 ? [] : edits, ...(isNote ? { severity: 'info' as const } : {}) }
    return [sides.atRule(conflicts.length > 0 ? 'overwrite_conflict' : 'overwrite_behind', rule, rule.definition.element, { options: named.join(', ') }, parts)]
  })
}

/** Leaves edits only where they hold together: the content with all of them has no more errors. All are tried at once first, and one after the other only if that fails. */
function acceptedMerges(
  findings: readonly UpgradeFinding[],
  sides: UpgradeSides,
  { compile, mayGoOn }: Pick<UpgradeRequest, 'compile' | 'mayGoOn'>,
): { readonly findings: UpgradeFinding[]; readonly merged: readonly MergedFile[] } {
  const ruleset = sides.now.own
  const own = ruleset.files.filter((source) => sides.isOwn({ source }))
  const contents = (changed: ReadonlyMap<string, readonly Replacement[]>): SourceFile[] =>
    own.map(({ file, bytes }) => {
      const replacements = changed.get(keyOfFile(file.kind, file.filename))
      return replacements === undefined ? file : { ...file, content: fromByteString(applyReplacements(bytes, replacements)) }
    })
  const offered = findings.filter(({ edits }) => edits.length > 0).slice(0, MERGES_TOGETHER)
  let edits: ReadonlyMap<string, readonly Replacement[]> = new Map()
  let errors = offered.length === 0 ? 0 : errorsOf(ruleset, sides)
  const accepted = new Set<UpgradeFinding>()
  const accept = (some: readonly UpgradeFinding[]): boolean => {
    const tried = new Map([...edits].map(([file, known]) => [file, [...known]]))
    const taken = some.filter((finding) => {
      const key = keyOfFile(finding.kind, finding.file)
      const known = tried.get(key) ?? []
      if (!finding.edits.every((edit) => known.every((other) => edit.end <= other.start || other.end <= edit.start))) return false
      known.push(...finding.edits)
      tried.set(key, known)
      return true
    })
    if (taken.length === 0) return false
    const after = errorsOf(compile(contents(tried)), sides)
    if (after > errors) return false
    errors = after
    edits = tried
    for (const finding of taken) accepted.add(finding)
    return true
  }
  if (!accept(offered) && offered.length > 1) for (const one of offered.slice(0, MERGES_LIMIT)) if (mayGoOn()) accept([one])
  const kept = findings.map((finding): UpgradeFinding => (finding.edits.length === 0 || accepted.has(finding) ? finding : { ...finding, edits: [] }))
  const merged = contents(edits).flatMap((file, at) => (edits.has(keyOfFile(file.kind, file.filename)) ? [{ file: own[at].file, content: file.content }] : []))
  return { findings: kept, merged }
}

/** Rules and decoders may be in files of one name. */
function keyOfFile(kind: UpgradeFinding['kind'], filename: string): string {
  return `${kind} ${filename}`
}

function errorsOf({ diagnosticsWithoutAttacks, loads }: CompiledRuleset, { ownScope }: UpgradeSides): number {
  return countOf(diagnosticsWithoutAttacks.filter(({ severity, scope }) => severity === 'error' && scope === ownScope)) + (loads ? 0 : 1)
}

/** What Wazuh says about the own content only with the new ruleset, unless another finding of the same item explains it. */
function newDiagnostics({ old, now, locale, rules, ownScope }: UpgradeSides, findings: readonly UpgradeFinding[]): UpgradeFinding[] {
  const keyOf = ({ code, filename, span }: CompiledRuleset['diagnostics'][number]): string => `${code} ${filename} ${span?.start}`
  // An attack on a pattern is one on each ruleset.
  const known = new Set(old.own.diagnosticsWithoutAttacks.map(keyOf))
  const explained = new Set(findings.flatMap(({ severity, file, line }) => (severity === 'info' ? [] : [`${file} ${line}`])))
  const found = now.own.diagnosticsWithoutAttacks.filter((diagnostic) => {
    const { severity, scope } = diagnostic
    // Own content can keep the base from loading.
    const isAbout = scope === ownScope ? severity === 'error' || severity === 'warning' : severity === 'error' && !now.own.loads
    return isAbout && !known.has(keyOf(diagnostic))
  })
  return found.flatMap((diagnostic): UpgradeFinding[] => {
    const { filename, kind, severity, message, hint, line } = { ...presentDiagnostic(diagnostic, locale), kind: diagnostic.kind }
    if (explained.has(`${filename} ${line ?? 1}`) || severity === 'success') return []
    const isRefused = severity === 'error' && !now.own.loads && !findings.some((finding) => finding.severity === 'error')
    const start = diagnostic.span?.start ?? -1
    const rule = rules.find(({ definition: { source, element } }) => source.filename === filename && source.kind === kind && element.start <= start && start < element.end)
    const place = { kind, file: filename, line: line ?? 1, item: rule === undefined ? null : { rule_id: String(rule.id) } }
    return [makeFinding(isRefused ? 'not_loaded' : 'new_diagnostic', place, { message, hint }, locale, { severity })]
  })
}
