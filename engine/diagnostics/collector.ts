import { inLoadOrder } from '../source/load-order.js'
import type { FileKind, FileScope } from '../source/source-file.js'
import type { Span } from '../source/span.js'
import { type DiagnosticCode, type DiagnosticParams, entryOf, type Severity } from './codes.js'
import type { AttackNote, Diagnostic, RelatedPlace } from './diagnostic.js'
import { type ParamValue, SEVERITY_ORDER } from './entry.js'
import { suggest } from './suggest.js'

/** Bytes of source text in a diagnostic: enough for an element with its attributes, and little enough for 100,000 diagnostics. */
export const EVIDENCE_LIMIT = 512

/** Characters of a placeholder's value: a value may be a 20 KB pattern, and a message must stay one readable sentence. */
export const PARAM_LIMIT = 160

/** Related places of a diagnostic. Thousands of rules may use a group name, and more places do not help. */
export const RELATED_LIMIT = 8

/**
 * Limit of name comparisons for suggestions. Thousands of unknown names against thousands of known ones would take minutes. The limit allows 400 missing
 * parents in a stock ruleset.
 */
export const COMPARED_NAMES_LIMIT = 2_000_000

/** Diagnostics of one kind about one rule, decoder or list: a reader sees the kind, and the stock ruleset has 129 of its most frequent kind in all files together. */
export const OWNER_LIMIT = 100

/**
 * Diagnostics of one kind in a ruleset, beside the first one in each file. Seven bytes of content can cause a diagnostic, which takes a hundred times as many:
 * a million of them took six seconds and most of a gigabyte.
 */
export const KIND_LIMIT = 1000

/** The place of a diagnostic. */
export interface Place {
  readonly file: { readonly filename: string; readonly kind: FileKind; readonly scope: FileScope }
  /** Null if the diagnostic is about the whole file. */
  readonly span: Span | null
  /** A function is called only for a diagnostic that is kept. */
  readonly evidence?: string | null | (() => string)
  /** The element of the rule, decoder or group that the diagnostic is about. Default: the file. */
  readonly owner?: object
}

/** Optional parts of a diagnostic. */
export interface Extra {
  /** A function is called only for a diagnostic that is kept. */
  readonly suggestion?: string | null | (() => string | null)
  readonly related?: readonly RelatedPlace[]
  readonly cause?: Diagnostic | null
  readonly unread?: boolean
  readonly attack?: AttackNote
  /** Replaces the severity or effect of the code, if the same condition is harmless in one file and refused in another. */
  readonly severity?: Severity
}

/** A diagnostic whose `more` is still counted. */
type Counted = Diagnostic & { more: number }

/** Diagnostics of one kind in one file. */
interface KindInFile {
  last: Counted
  /** What the last one is about, and how many of those that are kept are about it in a row. */
  owner: object
  ofOwner: number
}

/** Diagnostics of one code that do not differ in severity, in what Wazuh does about them, and in whether they follow from another one. */
interface KindCounts {
  kept: number
  readonly files: Map<Place['file'], KindInFile>
}

/**
 * Collects the diagnostics of a ruleset. Invariants:
 *  1. every diagnostic is counted: one that is not kept increases `more` of the last kept one of its kind in its file, so that numbers by file, code and
 *     severity are exact
 *  2. the first one of its kind in each file is kept, so that a caller who filters by file learns of every kind
 */
export class Collector {
  readonly #found: Diagnostic[] = []
  /** The file of each diagnostic. Two files of one set may have the same name. */
  readonly #files: Place['file'][] = []
  readonly #kinds = new Map<DiagnosticCode, (KindCounts | undefined)[]>()
  #comparedNames = 0
  readonly #order: readonly Place['file'][]

  /** @param order the files in load order; it also orders diagnostics of two files with the same name */
  constructor(order: readonly Place['file'][] = []) {
    this.#order = order
  }

  /** Returns the diagnostic, also if it is only counted: others may follow from it. */
  add<C extends DiagnosticCode>(code: C, place: Place, params: DiagnosticParams<C>, extra: Extra = {}): Diagnostic {
    const severity = extra.severity ?? entryOf(code).severity
    const { filename, kind, scope } = place.file
    const cause = rootOf(extra.cause ?? null)
    const unread = extra.unread ?? false
    const counts = this.#countsOf(code, severity, unread, cause !== null)
    const { owner = place.file } = place
    const inFile = counts.files.get(place.file)
    const ofOwner = inFile?.owner === owner ? inFile.ofOwner : 0
    const isKept = inFile === undefined || hasRoom(counts, ofOwner)
    const diagnostic: Counted = {
      code,
      severity,
      filename,
      kind,
      scope,
      span: place.span,
      evidence: evidenceOf(place, isKept),
      params: shortened(params),
      suggestion: typeof extra.suggestion !== 'function' ? (extra.suggestion ?? null) : isKept ? extra.suggestion() : null,
      related: extra.related === undefined ? [] : extra.related.slice(0, RELATED_LIMIT),
      cause,
      unread,
      more: 0,
      ...(extra.attack === undefined ? {} : { attack: extra.attack }),
    }
    if (!isKept) inFile.last.more++
    else {
      counts.kept++
      counts.files.set(place.file, { last: diagnostic, owner, ofOwner: ofOwner + 1 })
      this.#found.push(diagnostic)
      this.#files.push(place.file)
    }
    return diagnostic
  }

  /** Returns the suggestion, or null after too many comparisons. @param known called only when needed, because there may be 100,000 names */
  suggest(name: string, known: () => readonly string[]): string | null {
    if (this.#comparedNames >= COMPARED_NAMES_LIMIT) return null
    const names = known()
    this.#comparedNames += names.length
    return suggest(name, names)
  }

  /** Counts a diagnostic about a file that has enough of its kind, without the cost of `add`. @returns whether it was counted */
  count(code: DiagnosticCode, file: Place['file']): boolean {
    const counts = this.#countsOf(code, entryOf(code).severity, false, false)
    const inFile = counts.files.get(file)
    if (inFile === undefined || hasRoom(counts, inFile.owner === file ? inFile.ofOwner : 0)) return false
    inFile.last.more++
    return true
  }

  #countsOf(code: DiagnosticCode, severity: Severity, unread: boolean, hasCause: boolean): KindCounts {
    const kinds = this.#kinds.get(code) ?? []
    const at = SEVERITY_ORDER[severity] * 4 + (unread ? 2 : 0) + (hasCause ? 1 : 0)
    const known = kinds[at]
    if (known !== undefined) return known
    const counts: KindCounts = { kept: 0, files: new Map() }
    kinds[at] = counts
    this.#kinds.set(code, kinds)
    return counts
  }

  /** Returns all kept diagnostics by load order of their files, then line, column, severity. A diagnostic without a place is the first of its file. */
  list(): Diagnostic[] {
    const ranks = new Map(inLoadOrder([...new Set([...this.#order, ...this.#files])]).map((file, rank) => [file, rank]))
    const ranked = this.#found.map((diagnostic, index) => ({ diagnostic, rank: ranks.get(this.#files[index]) as number }))
    ranked.sort(
      (a, b) =>
        a.rank - b.rank ||
        (a.diagnostic.span?.line ?? 0) - (b.diagnostic.span?.line ?? 0) ||
        (a.diagnostic.span?.column ?? 0) - (b.diagnostic.span?.column ?? 0) ||
        SEVERITY_ORDER[a.diagnostic.severity] - SEVERITY_ORDER[b.diagnostic.severity],
    )
    return ranked.map(({ diagnostic }) => diagnostic)
  }
}

function hasRoom({ kept }: KindCounts, ofOwner: number): boolean {
  return ofOwner < OWNER_LIMIT && kept < KIND_LIMIT
}

function evidenceOf({ evidence }: Place, isKept: boolean): string | null {
  if (evidence == null || !isKept) return null
  return cutToBytes(typeof evidence === 'string' ? evidence : evidence(), EVIDENCE_LIMIT)
}

/** Returns the root cause of a chain of consequences. */
function rootOf(cause: Diagnostic | null): Diagnostic | null {
  let root = cause
  while (root !== null && root.cause !== null) root = root.cause
  return root
}

/** Returns the parameters with long names and phrases cut. Usually none is long, and the object itself is returned. */
function shortened(params: Readonly<Record<string, ParamValue>>): Readonly<Record<string, ParamValue>> {
  let copy: Record<string, ParamValue> | null = null
  for (const name in params) {
    const value = params[name]
    if (typeof value !== 'string' || value.length <= PARAM_LIMIT) continue
    copy ??= { ...params }
    copy[name] = `${value.slice(0, wholeCharacters(value, PARAM_LIMIT))}…`
  }
  return copy ?? params
}

/** Returns the longest prefix that has at most that many bytes in UTF-8 and splits no character. */
function cutToBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text
  let bytes = 0
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (bytes > limit) return text.slice(0, at)
    at += point < 0x10000 ? 1 : 2
  }
  return text
}

/** Returns `length`, or one less if that would split a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1)
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length
}
