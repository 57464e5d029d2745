import { inLoadOrder } from '../source/load-order.js'
import type { FileKind, FileScope } from '../source/source-file.js'
import type { Span } from '../source/span.js'
import { type DiagnosticCode, type DiagnosticParams, entryOf, type Severity } from './codes.js'
import type { Diagnostic, RelatedPlace } from './diagnostic.js'
import { SEVERITY_ORDER } from './entry.js'
import { suggest } from './suggest.js'

/** Bytes of source kept with a finding: enough for an element with its attributes, little enough for 100,000 findings. */
export const EVIDENCE_LIMIT = 512

/** Characters of a placeholder's value: a value may be a 20 KB pattern, and a message must stay one readable sentence. */
export const PARAM_LIMIT = 160

/** Places named beside a finding's own. More help nobody, and a group name may be used by thousands of rules. */
export const RELATED_LIMIT = 8

/**
 * Names that are compared for suggestions in all. Thousands of unknown names among thousands of known ones would take minutes; a stock ruleset may miss
 * 400 parents until it comes to this.
 */
export const COMPARED_NAMES_LIMIT = 2_000_000

/** Where a finding is. */
export interface Place {
  readonly file: { readonly filename: string; readonly kind: FileKind; readonly scope: FileScope }
  /** Null when the finding belongs to the file as a whole. */
  readonly span: Span | null
  readonly evidence?: string | null
}

/** What a finding may carry beside its place and values. */
export interface Extra {
  readonly suggestion?: string | null
  readonly related?: readonly RelatedPlace[]
  readonly cause?: Diagnostic | null
  readonly unread?: boolean
  /** Instead of the code's own: where the same condition is harmless in one file and refused in another. */
  readonly severity?: Severity
}

/** Gathers the findings of a ruleset. Nothing is ever left out: a caller that wants fewer filters what `list` gives. */
export class Collector {
  readonly #found: Diagnostic[] = []
  /** The file of each finding. Two files of one set may bear the same name; they are two all the same. */
  readonly #files: Place['file'][] = []
  #comparedNames = 0
  readonly #order: readonly Place['file'][]

  /** @param order files that findings may be about, as they load: of those that bear the same name, the first comes first, whichever is told of first */
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

  /** What `suggest` gives, until too many names were compared. @param known made when it is needed: there may be 100,000 */
  suggest(name: string, known: () => readonly string[]): string | null {
    if (this.#comparedNames >= COMPARED_NAMES_LIMIT) return null
    const names = known()
    this.#comparedNames += names.length
    return suggest(name, names)
  }

  /** All findings: by load order of their files, then line, column, severity; a finding without a place leads its file. */
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

/** The finding that a chain of consequences began with. */
function rootOf(cause: Diagnostic | null): Diagnostic | null {
  let root = cause
  while (root !== null && root.cause !== null) root = root.cause
  return root
}

/** The same values with long texts cut; the very object when none is long, which is the usual case. */
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

/** The longest beginning of a text that has at most so many bytes in UTF-8 and splits no character. */
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

/** `length`, or one less where that would split a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1)
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length
}
