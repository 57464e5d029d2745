import type { FileKind, FileScope } from '../source/source-file.js'
import type { Span } from '../source/span.js'
import { type DiagnosticCode, type EngineEffect, entryOf, type Severity } from './codes.js'
import type { ParamValue } from './entry.js'

/** A related place of a diagnostic, such as the first definition of an id. */
export interface RelatedPlace {
  readonly filename: string
  readonly span: Span
}

/** The event that a diagnostic about a pattern tells of. Texts are byte strings. */
export interface AttackNote {
  /** `blind`: PCRE2 gives up, and Wazuh takes that for no match. `stall`: the thread is held. */
  readonly kind: 'blind' | 'stall'
  /** Degree by which the steps from one position grow with the copies; null: each copy multiplies them. */
  readonly degree: number | null
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
  readonly copies: number
  /** Bytes of the whole text. */
  readonly bytes: number
  /** Steps and milliseconds of the longest text below the limit. */
  readonly steps: number
  readonly ms: number
  /** The pattern that it is made for. */
  readonly pattern: string
  /** Whether what the pattern captures, and where it ends, is used. */
  readonly groupsCount: boolean
}

/** One diagnostic. It is data only: `text.ts` creates the text from `code` and `params` in the caller's language. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly filename: string
  readonly kind: FileKind
  readonly scope: FileScope
  /** Null if the diagnostic is about the whole file or the whole set. */
  readonly span: Span | null
  /** The source text of the diagnostic; the collector cuts it at EVIDENCE_LIMIT. */
  readonly evidence: string | null
  /** Values for the placeholders of the texts; the collector cuts them at PARAM_LIMIT. */
  readonly params: Readonly<Record<string, ParamValue>>
  /** A known name that is similar to the written one, or null. */
  readonly suggestion: string | null
  readonly related: readonly RelatedPlace[]
  /** The diagnostic that caused this one (the root cause, not a link of the chain). */
  readonly cause: Diagnostic | null
  /** Wazuh does not read this place, because an earlier fault makes it drop the rule first. */
  readonly unread: boolean
  /** Further diagnostics of this kind in the file, which are only counted (`collector.ts`). */
  readonly more: number
  /** Only `regex_backtracking` has it. */
  readonly attack?: AttackNote
}

/** Number of diagnostics, with those that are only counted. */
export function countOf(diagnostics: readonly Pick<Diagnostic, 'more'>[]): number {
  return diagnostics.reduce((sum, { more }) => sum + 1 + more, 0)
}

/** Returns what Wazuh does about a diagnostic; `none` if it does not reach the place because of another fault. */
export function effectOf({ code, severity, cause, unread }: Diagnostic): EngineEffect {
  const { effect } = entryOf(code)
  if (unread) return 'none'
  // `refuse` is always an error: an empty rules file is only a warning, because Wazuh starts with it.
  if (effect === 'refuse' && severity !== 'error') return 'none'
  return cause !== null && effectOf(cause) === 'refuse' ? 'none' : effect
}
