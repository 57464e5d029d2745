/** Answers of the analysis, as callers receive them or parse them from bytes. */
import type {
  CaseReport,
  CatalogPage,
  CoverageReport,
  DecoderCatalogItem,
  DiagnosticCode,
  DiagnosticRecord,
  FileScope,
  LogtestReport,
  RuleCatalogItem,
  StageTimes,
  ValidationReport,
  ValidationSummary,
} from '#engine'

/** An answer as it is sent, UTF-8 JSON. Its memory may be shared with the thread that wrote it, which reuses the memory after `release`. */
export interface WrittenAnswer<Digest = unknown> {
  readonly bytes: Uint8Array
  /** Call it once, when the bytes are no longer read. */
  release(): void
  /** The facts about it that the main thread needs without parsing it. */
  readonly digest: Digest
}

export interface ValidationDigest {
  /** Diagnostics in files of the request that cannot be parsed; empty: all can be parsed. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly ok: boolean
  readonly compiledHash: string
  readonly diagnosticCount: number
  readonly totalRules: number
  readonly totalDecoders: number
}

export interface LogtestDigest {
  /** As in `ValidationDigest`. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly ok: boolean
  readonly compiledHash: string
  readonly matchedRuleId: string | null
  readonly matchedRules: readonly string[]
}

/** Times of a request in milliseconds, without the time in the queue. */
export interface Performance {
  /** Reading, hashing and combining the files. */
  readonly source_build_ms: number
  readonly compile_ms: number
  readonly total_ms: number
  /** The compiled ruleset was cached. */
  readonly cache_hit: boolean
}

export type LogtestPerformance = Performance & StageTimes

export interface ValidationAnswer extends ValidationReport {
  readonly performance: Performance
}

/** Diagnostics in the request's own files. */
export interface OwnDiagnostics {
  readonly compiled_hash: string
  readonly loads: boolean
  /** Counts of all diagnostics by severity. */
  readonly by_severity: Readonly<Record<DiagnosticRecord['severity'], number>>
  /** Counts of all diagnostics by code, in alphabetical order. */
  readonly by_code: Readonly<Record<string, number>>
  /** The worst first; diagnostics of one severity in the order of the files. */
  readonly worst: readonly DiagnosticRecord[]
}

/** The answer to a logtest. Its diagnostics are those of the run, then those of the ruleset. */
export interface LogtestAnswer extends LogtestReport {
  readonly summary: ValidationSummary
  readonly performance: LogtestPerformance
}

/**
 * A line of a batch: an answer whose `insights` also contain the diagnostics about its event. The first line that ran alone has `summary` and `diagnostics`. An
 * event that was stopped has only `ok: false`, `insights` and empty values; if the ruleset could not be compiled, `diagnostics` of the first line has the
 * reason.
 */
export interface BatchLine extends Omit<LogtestAnswer, 'summary' | 'diagnostics' | 'performance' | 'predecoded'> {
  readonly summary?: ValidationSummary
  readonly diagnostics?: LogtestAnswer['diagnostics']
  readonly performance?: LogtestPerformance
  readonly predecoded: LogtestReport['predecoded'] | null
}

/** The report of a case and its times: `total_ms` covers all its events, the stages cover the last one. */
export interface CaseAnswer extends Omit<CaseReport, 'times'> {
  readonly performance: LogtestPerformance
}

/** The diagnostics about the ruleset of a run, without those of the reference content. */
export interface CaseDiagnostics {
  readonly summary: ValidationSummary
  readonly diagnostics: readonly DiagnosticRecord[]
}

export interface CatalogPageAnswer<Item = RuleCatalogItem | DecoderCatalogItem> {
  /** Diagnostics in files of the request that cannot be parsed; empty: all can be parsed. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly page: CatalogPage<Item>
}

/** A ruleset as the quality gate measures it. */
export interface RulesetMeasurement {
  readonly diagnostics: OwnDiagnostics
  /** The rules of the request's own files. */
  readonly rules: readonly RuleCatalogItem[]
  readonly decoders: readonly DecoderCatalogItem[]
  /** The own rules and decoders that the cases cover. */
  readonly coverage: CoverageReport
}

/** A reason why Wazuh would not start with content on disk. It is written to the log, so it contains no text of the content. */
export interface LoadError {
  readonly scope: FileScope
  /** For example `rules/local_rules.xml`. */
  readonly file: string
  readonly line: number | null
  readonly code: DiagnosticCode
}

/** Whether Wazuh would start with the content on disk. */
export interface ContentCheck {
  readonly loads: boolean
  /** The first errors, in load order. */
  readonly errors: readonly LoadError[]
  readonly errorCount: number
}
