/** What a validation found, ready to be written in any form. */
import type { CompiledRuleset, Diagnostic, DiagnosticRecord, Locale, ValidationReport } from '#engine'
import type { Palette } from '../terminal/palette.js'

/** One finding: as the engine keeps it, as callers see it, and where its file is. */
export interface Finding {
  readonly diagnostic: Diagnostic
  readonly record: DiagnosticRecord
  readonly path: string
}

export interface ValidationRun {
  readonly ruleset: CompiledRuleset
  readonly report: ValidationReport
  readonly findings: readonly Finding[]
  /** Findings in the base that are meant, and are not to be mentioned. */
  readonly meantFindings: number
  /** Paths that were checked, with findings or without. */
  readonly files: readonly string[]
  readonly locale: Locale
  readonly paint: Palette
  readonly readMs: number
  readonly compileMs: number
}

/** A finding that stands for itself, with those that follow from it. */
export interface FindingGroup<T> {
  readonly finding: T
  readonly consequences: readonly T[]
}

/** What follows from a finding that is not among them stands for itself. */
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

/** Writes a run; the whole output, with its last line break. */
export type FindingsFormat = (run: ValidationRun) => string
