import type { FileKind, FileScope } from '../source/source-file.js'
import type { Span } from '../source/span.js'
import { type DiagnosticCode, type EngineEffect, entryOf, type Severity } from './codes.js'

/** A place that belongs to a finding beside its own: the first definition, the missing parent's rule, … */
export interface RelatedPlace {
  readonly filename: string
  readonly span: Span
}

/**
 * One coded finding. Data only: the words are made from `code` and `params` by `text.ts`, in the caller's language.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly filename: string
  readonly kind: FileKind
  readonly scope: FileScope
  /** Null when the finding belongs to the file, or the whole set, and to no place in it. */
  readonly span: Span | null
  /** The piece of source that the finding is about, as written; the collector cuts it at its EVIDENCE_LIMIT. */
  readonly evidence: string | null
  /** Values for the placeholders of the code's texts; the collector cuts long ones at its PARAM_LIMIT. */
  readonly params: Readonly<Record<string, string | number>>
  /** "Did you mean": a known name near the one written, or null. */
  readonly suggestion: string | null
  readonly related: readonly RelatedPlace[]
  /** For a consequence of another finding: that finding (the root cause, never a link of the chain). */
  readonly cause: Diagnostic | null
  /** Wazuh does not read this: an earlier fault of the same rule makes it leave the rule out before. */
  readonly unread: boolean
}

/** What Wazuh does about a finding as things stand; `none` for what it does not come to because of another fault. */
export function effectOf({ code, severity, cause, unread }: Diagnostic): EngineEffect {
  const { effect } = entryOf(code)
  if (unread) return 'none'
  // What is refused is an error: an empty file of rules is only a warning, as Wazuh starts with it.
  if (effect === 'refuse' && severity !== 'error') return 'none'
  return cause !== null && effectOf(cause) === 'refuse' ? 'none' : effect
}
