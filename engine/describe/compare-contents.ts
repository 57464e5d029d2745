/** Compares two contents: what is added, removed and changed, in lists of bounded length with their total numbers. */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import { SEVERITY_ORDER } from '../diagnostics/entry.js'
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

/** @param limit maximum number of entries per list */
export function compareContents(before: ContentSemantics, after: ContentSemantics, limit: number): ContentComparison {
  const { rules, decoders } = compareSemantics(before, after)
  const introduced = diagnosticsBeyond(before.diagnostics, after.diagnostics)
  return {
    rules: listChanges(rules, limit),
    decoders: listChanges(decoders, limit),
    lists: compareLists(before.lists, after.lists),
    introduced: listed(introduced, limit),
    resolved: listed(diagnosticsBeyond(after.diagnostics, before.diagnostics), limit),
    shadowed: listed(
      introduced.filter(({ code }) => SHADOWING_CODES.has(code)),
      limit,
    ),
  }
}

/** Diagnostics of the second content that the first lacks. A diagnostic that moved to another line is not new; of equal ones, those beyond the previous number are. */
function diagnosticsBeyond(before: readonly DiagnosticRecord[], after: readonly DiagnosticRecord[]): DiagnosticRecord[] {
  const known = new Map<string, number>()
  for (const diagnostic of before) {
    const key = keyOf(diagnostic)
    known.set(key, (known.get(key) ?? 0) + 1)
  }
  const beyond = after.filter((diagnostic) => {
    const key = keyOf(diagnostic)
    const left = known.get(key) ?? 0
    known.set(key, left - 1)
    return left <= 0
  })
  return beyond.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity])
}

function keyOf({ code, filename, message }: DiagnosticRecord): string {
  return JSON.stringify([code, filename, message.replace(LINE_IN_MESSAGE, '$1')])
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
