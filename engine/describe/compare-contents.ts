/** Compares two contents: what is added, removed and changed, in lists of bounded length with their total numbers. */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import { countOf } from '../diagnostics/diagnostic.js'
import { SEVERITY_ORDER } from '../diagnostics/entry.js'
import { withMore } from '../diagnostics/text.js'
import type { DiagnosticRecord } from '../records/records.js'
import { compareLists, type ListComparison, type SemanticList } from './compare-lists.js'
import { compareSemantics, type ItemComparison } from './compare-semantics.js'
import type { RulesetSemantics, SemanticItem } from './semantics.js'

/** The meaning of a content, with its diagnostics. */
export interface ContentSemantics extends RulesetSemantics {
  readonly lists: readonly SemanticList[]
  readonly diagnostics: readonly DiagnosticRecord[]
}

/** The first entries and the total number. */
export interface Listed<T> {
  readonly count: number
  readonly items: readonly T[]
}

export interface ItemChanges {
  readonly added: Listed<SemanticItem>
  readonly removed: Listed<SemanticItem>
  readonly changed: Listed<{ readonly item: SemanticItem; readonly changes: readonly string[] }>
}

export interface ContentComparison {
  readonly rules: ItemChanges
  readonly decoders: ItemChanges
  /** All entries, as a content has few. */
  readonly lists: ListComparison
  /** Diagnostics that only the second content has, and those that only the first has, most severe first. */
  readonly introduced: Listed<DiagnosticRecord>
  readonly resolved: Listed<DiagnosticRecord>
  /** Introduced diagnostics about rules and decoders that never match because of others. */
  readonly shadowed: Listed<DiagnosticRecord>
}

/** Diagnostics about rules and decoders that never match, because earlier ones match first or exclude them. */
const SHADOWING_CODES: ReadonlySet<string> = new Set([
  'rule_overlapping_level',
  'rule_duplicate_logic',
  'rule_unreachable',
  'rule_category_unreachable',
  'rule_if_matched_sid_shadowed',
  'decoder_shadowed',
  'decoder_child_behind_catch_all',
] satisfies DiagnosticCode[])

/** Line numbers inside messages, which change with the text above them. */
const LINE_IN_MESSAGE = /(\.xml):\d+/g

/** Compares the rules, decoders, lists and diagnostics of two contents. @param limit maximum number of entries per list */
export function compareContents(before: ContentSemantics, after: ContentSemantics, limit: number): ContentComparison {
  const { rules, decoders } = compareSemantics(before, after)
  const introduced = diagnosticsBeyond(before.diagnostics, after.diagnostics)
  return {
    rules: listChanges(rules, limit),
    decoders: listChanges(decoders, limit),
    lists: compareLists(before.lists, after.lists),
    introduced: listedDiagnostics(introduced, limit),
    resolved: listedDiagnostics(diagnosticsBeyond(after.diagnostics, before.diagnostics), limit),
    shadowed: listedDiagnostics(
      introduced.filter(({ code }) => SHADOWING_CODES.has(code)),
      limit,
    ),
  }
}

/**
 * Diagnostics of the second content that the first lacks. A diagnostic that moved to another line is not new; of equal ones, those beyond the previous number
 * are, and so it is with those that are only counted. `more` of the result counts what is new.
 */
function diagnosticsBeyond(before: readonly DiagnosticRecord[], after: readonly DiagnosticRecord[]): DiagnosticRecord[] {
  const known = new Map<string, number>()
  const add = (key: string, count: number): void => void known.set(key, (known.get(key) ?? 0) + count)
  for (const diagnostic of before) {
    add(keyOf(diagnostic), 1)
    if (diagnostic.more > 0) add(kindOf(diagnostic), diagnostic.more)
  }
  /** Takes so many of those that are known. @returns how many are not */
  const take = (key: string, count: number): number => {
    const taken = Math.min(count, known.get(key) ?? 0)
    add(key, -taken)
    return count - taken
  }
  const beyond = after.flatMap((diagnostic) => {
    const isNew = take(keyOf(diagnostic), 1) > 0
    const more = diagnostic.more === 0 ? 0 : take(kindOf(diagnostic), diagnostic.more)
    // One of those that are only counted is shown by the one that counts them.
    return isNew ? [withMore(diagnostic, more)] : more > 0 ? [withMore(diagnostic, more - 1)] : []
  })
  return beyond.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity])
}

function keyOf(diagnostic: DiagnosticRecord): string {
  const { code, filename } = diagnostic
  return JSON.stringify([code, filename, withMore(diagnostic, 0).message.replace(LINE_IN_MESSAGE, '$1')])
}

function kindOf({ code, severity, filename }: DiagnosticRecord): string {
  return JSON.stringify([code, severity, filename])
}

function listChanges({ added, removed, changed }: ItemComparison, limit: number): ItemChanges {
  return {
    added: listed(added.map(bare), limit),
    removed: listed(removed.map(bare), limit),
    changed: listed(
      changed.map(({ after, changes }) => ({ item: bare(after), changes })),
      limit,
    ),
  }
}

/** Removes the fingerprints, which are no longer needed. */
function bare(item: SemanticItem): SemanticItem {
  return { ...item, options: {}, siblings: [] }
}

function listed<T>(items: readonly T[], limit: number): Listed<T> {
  return { count: items.length, items: items.slice(0, limit) }
}

function listedDiagnostics(diagnostics: readonly DiagnosticRecord[], limit: number): Listed<DiagnosticRecord> {
  return { count: countOf(diagnostics), items: diagnostics.slice(0, limit) }
}
