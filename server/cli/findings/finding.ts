/** The result of a validation, for any output format. */
import type { CompiledRuleset, Diagnostic, DiagnosticRecord, Locale, ValidationReport } from '#engine'
import type { Palette } from '../terminal/palette.js'

/** The engine's diagnostic, its record, and the path of its file. */
export interface Finding {
  readonly diagnostic: Diagnostic
  readonly record: DiagnosticRecord
  readonly path: string
}

export interface ValidationRun {
  readonly ruleset: CompiledRuleset
  readonly report: ValidationReport
  readonly findings: readonly Finding[]
  /** Number of intended diagnostics of the base ruleset, which are not reported. */
  readonly meantFindings: number
  /** Checked paths, with or without diagnostics. */
  readonly files: readonly string[]
  readonly locale: Locale
  readonly paint: Palette
  readonly readMs: number
  readonly compileMs: number
}

/** A root diagnostic with its consequences. */
export interface FindingGroup<T> {
  readonly finding: T
  readonly consequences: readonly T[]
}

/** Groups diagnostics by cause. A diagnostic whose cause is not in the list is a root. */
export function groupByCause<T extends Pick<Finding, 'diagnostic'>>(findings: readonly T[]): FindingGroup<T>[] {
  const groups = new Map(findings.map((finding) => [finding.diagnostic, { finding, consequences: [] as T[] }]))
  for (const finding of findings) {
    const { cause } = finding.diagnostic
    const group = cause === null ? undefined : groups.get(cause)
    if (group === undefined) continue
    group.consequences.push(finding)
    groups.delete(finding.diagnostic)
  }
  return [...groups.values()]
}

/** `path:line:column`, or the path alone. */
export function placeOf({ path, record: { line, column } }: Finding): string {
  return line === null ? path : `${path}:${line}:${column}`
}

/** Formats a run; the result is the whole output, with its final line break. */
export type FindingsFormat = (run: ValidationRun) => string
