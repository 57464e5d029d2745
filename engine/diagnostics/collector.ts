import { inLoadOrder } from '../source/load-order.js'
import type { FileKind, FileScope } from '../source/source-file.js'
import type { Span } from '../source/span.js'
import { type DiagnosticCode, type DiagnosticParams, entryOf, type Severity } from './codes.js'
import type { Diagnostic, RelatedPlace } from './diagnostic.js'
import { SEVERITY_ORDER } from './entry.js'
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

/** The place of a diagnostic. */
export interface Place {
  readonly file: { readonly filename: string; readonly kind: FileKind; readonly scope: FileScope }
  /** Null if the diagnostic is about the whole file. */
  readonly span: Span | null
  readonly evidence?: string | null
}

/** Optional parts of a diagnostic. */
export interface Extra {
  readonly suggestion?: string | null
  readonly related?: readonly RelatedPlace[]
  readonly cause?: Diagnostic | null
  readonly unread?: boolean
  /** Replaces the severity or effect of the code, if the same condition is harmless in one file and refused in another. */
  readonly severity?: Severity
}

/** Collects the diagnostics of a ruleset. None is dropped: a caller that wants fewer filters the list. */
export class Collector {
  readonly #found: Diagnostic[] = []
  /** The file of each diagnostic. Two files of one set may have the same name. */
  readonly #files: Place['file'][] = []
  #comparedNames = 0
  readonly #order: readonly Place['file'][]

  /** @param order the files in load order; it also orders diagnostics of two files with the same name */
  constructor(order: readonly Place['file'][] = []) {
    this.#order = order
  }

  add<C extends DiagnosticCode>(code: C, place: Place, params: DiagnosticParams<C>, extra: Extra = {}): Diagnostic {
    const severity = extra.severity ?? entryOf(code).severity
    const { filename, kind, scope } = place.file
    const diagnostic: Diagnostic = {
      code,
      severity,
      filename,
      kind,
      scope,
      span: place.span,
      evidence: place.evidence == null ? null : cutToBytes(place.evidence, EVIDENCE_LIMIT),
      params: shortened(params),
      suggestion: extra.suggestion ?? null,
      related: extra.related === undefined ? [] : extra.related.slice(0, RELATED_LIMIT),
      cause: rootOf(extra.cause ?? null),
      unread: extra.unread ?? false,
    }
    this.#found.push(diagnostic)
    this.#files.push(place.file)
    return diagnostic
  }

  /** Returns the suggestion, or null after too many comparisons. @param known called only when needed, because there may be 100,000 names */
  suggest(name: string, known: () => readonly string[]): string | null {
    if (this.#comparedNames >= COMPARED_NAMES_LIMIT) return null
    const names = known()
    this.#comparedNames += names.length
    return suggest(name, names)
  }

  /** Returns all diagnostics by load order of their files, then line, column, severity. A diagnostic without a place is the first of its file. */
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

/** Returns the root cause of a chain of consequences. */
function rootOf(cause: Diagnostic | null): Diagnostic | null {
  let root = cause
  while (root !== null && root.cause !== null) root = root.cause
  return root
}

/** Returns the parameters with long texts cut. Usually no text is long, and the object itself is returned. */
function shortened(params: Readonly<Record<string, string | number>>): Readonly<Record<string, string | number>> {
  let copy: Record<string, string | number> | null = null
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
