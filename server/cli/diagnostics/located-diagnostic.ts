/** The result of a validation, for any output format. */
import type { CompiledRuleset, Diagnostic, DiagnosticRecord, Locale, Severity, ValidationReport } from '#engine'
import { effectOf } from '#engine'
import type { Palette } from '../terminal/palette.js'

/** The engine's diagnostic, its record, and the path of its file. */
export interface LocatedDiagnostic {
  readonly diagnostic: Diagnostic
  readonly record: DiagnosticRecord
  readonly path: string
}

export interface ValidationRun {
  readonly ruleset: CompiledRuleset
  readonly report: ValidationReport
  readonly diagnostics: readonly LocatedDiagnostic[]
  /** Number of intended diagnostics of the base ruleset, which are not reported. */
  readonly intendedDiagnostics: number
  /** Checked paths, with or without diagnostics. */
  readonly files: readonly string[]
  readonly locale: Locale
  readonly paint: Palette
  readonly readMs: number
  readonly compileMs: number
  /** Where the pages about the codes are published; null: nowhere. */
  readonly helpUrl: string | null
}

/** A root diagnostic with its consequences. */
export interface DiagnosticGroup<T> {
  readonly root: T
  readonly consequences: readonly T[]
}

/** Groups diagnostics by cause. A diagnostic whose cause is not in the list is a root. */
export function groupByCause<T extends Pick<LocatedDiagnostic, 'diagnostic'>>(diagnostics: readonly T[]): DiagnosticGroup<T>[] {
  const groups = new Map(diagnostics.map((root) => [root.diagnostic, { root, consequences: [] as T[] }]))
  for (const one of diagnostics) {
    const { cause } = one.diagnostic
    const group = cause === null ? undefined : groups.get(cause)
    if (group === undefined) continue
    group.consequences.push(one)
    groups.delete(one.diagnostic)
  }
  return [...groups.values()]
}

/** Ranks of severities after that of the errors with which Wazuh does not start or run. */
const RANKS: Readonly<Record<Severity, number>> = { error: 1, warning: 2, info: 3, success: 4 }

/**
 * Returns the diagnostics in the order of their weight: errors with which Wazuh does not start or run, other errors (dropped rules), warnings, remarks. Those of
 * one weight stay in order. A cause has at least the weight of its consequences, with which it is shown.
 */
export function byWeight<T extends Pick<LocatedDiagnostic, 'diagnostic'>>(diagnostics: readonly T[]): T[] {
  const ranks = new Map(diagnostics.map(({ diagnostic }) => [diagnostic, rankOf(diagnostic)]))
  for (const { diagnostic } of diagnostics) {
    const { cause } = diagnostic
    const rank = cause === null ? undefined : ranks.get(cause)
    if (cause !== null && rank !== undefined) ranks.set(cause, Math.min(rank, rankOf(diagnostic)))
  }
  const rank = ({ diagnostic }: T): number => ranks.get(diagnostic) as number
  return [...diagnostics].sort((a, b) => rank(a) - rank(b))
}

function rankOf(diagnostic: Diagnostic): number {
  const effect = effectOf(diagnostic)
  return diagnostic.severity === 'error' && (effect === 'refuse' || effect === 'crash') ? 0 : RANKS[diagnostic.severity]
}

/** `path:line:column`, or the path alone. */
export function placeOf({ path, record: { line, column } }: LocatedDiagnostic): string {
  return line === null ? path : `${path}:${line}:${column}`
}

/** Formats a run; the result is the whole output, with its final line break. */
export type DiagnosticsFormat = (run: ValidationRun) => string
