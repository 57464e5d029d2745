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
  /** Paths that were checked, with findings or without. */
  readonly files: readonly string[]
  readonly locale: Locale
  readonly paint: Palette
  readonly readMs: number
  readonly compileMs: number
}

/** Writes a run; the whole output, with its last line break. */
export type FindingsFormat = (run: ValidationRun) => string
