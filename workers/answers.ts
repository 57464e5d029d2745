/** Answers of the analysis, as callers get them or read them from bytes. */
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
import type { CaseOutcome } from './case-run.js'
import type { AnswerBytes } from './pending-task.js'

/** An answer as it goes over the wire, UTF-8 JSON, and what the main thread has to know of it without parsing it. */
export interface Answer<Digest> extends AnswerBytes {
  readonly digest: Digest
}

export interface ValidationDigest {
  /** Findings in files of the request that the reader can't read; empty: it can read all of them. */
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

/** Times of a request, milliseconds. Waiting in the queue is not in them. */
export interface Performance {
  /** Reading, hashing and putting together the files. */
  readonly source_build_ms: number
  readonly compile_ms: number
  readonly total_ms: number
  /** The compiled ruleset was there already. */
  readonly cache_hit: boolean
}

export type LogtestPerformance = Performance & StageTimes

export interface ValidationAnswer extends ValidationReport {
  readonly performance: Performance
}

/** Findings in a request's own files. */
export interface OwnFindings {
  readonly compiled_hash: string
  readonly loads: boolean
  /** Of all of them. */
  readonly by_severity: Readonly<Record<DiagnosticRecord['severity'], number>>
  /** Of all of them, by code in alphabetical order. */
  readonly by_code: Readonly<Record<string, number>>
  /** The worst first, and those of one severity in the order of the files. */
  readonly worst: readonly DiagnosticRecord[]
}

/** The answer to a logtest. Its diagnostics are those of the run, then those of the ruleset. */
export interface LogtestAnswer extends LogtestReport {
  readonly summary: ValidationSummary
  readonly performance: LogtestPerformance
}

/**
 * A line of a batch: an answer whose `insights` also say what was found about its event. `summary` and `diagnostics` are on the first that ran alone. An event
 * that was stopped has no more than `ok: false`, `insights` and empty values; where the ruleset could not be compiled, `diagnostics` of the first line say so.
 */
export interface BatchLine extends Omit<LogtestAnswer, 'summary' | 'diagnostics' | 'performance' | 'predecoded'> {
  readonly summary?: ValidationSummary
  readonly diagnostics?: LogtestAnswer['diagnostics']
  readonly performance?: LogtestPerformance
  readonly predecoded: LogtestReport['predecoded'] | null
}

/** A case's report, and how long it took: `total_ms` of all its events, the stages of the last. */
export interface CaseAnswer extends Omit<CaseReport, 'times'> {
  readonly performance: LogtestPerformance
}

/** What there is to say of the ruleset of a run; findings of the reference content are left out. */
export interface CaseFindings {
  readonly summary: ValidationSummary
  readonly diagnostics: readonly DiagnosticRecord[]
}

export interface CatalogPageAnswer<Item = RuleCatalogItem | DecoderCatalogItem> {
  /** Findings in files of the request that can't be read; empty: all can. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly page: CatalogPage<Item>
}

/** What a quality gate has to know of a ruleset. */
export interface RulesetMeasurement {
  readonly findings: OwnFindings
  /** Of the request's own files. */
  readonly rules: readonly RuleCatalogItem[]
  readonly decoders: readonly DecoderCatalogItem[]
  /** Which of the own rules and decoders the cases go through. */
  readonly coverage: CoverageReport
}

export interface MeasureAnswer extends RulesetMeasurement {
  /** In the order of the cases. */
  readonly results: readonly CaseOutcome[]
}

/** Why Wazuh would not start with content on disk. No text of the content is in it: it is written to the log. */
export interface LoadError {
  readonly scope: FileScope
  /** `rules/local_rules.xml` */
  readonly file: string
  readonly line: number | null
  readonly code: DiagnosticCode
}

/** Whether Wazuh would start with the content on disk. */
export interface ContentCheck {
  readonly loads: boolean
  /** The first ones, in load order. */
  readonly errors: readonly LoadError[]
  readonly errorCount: number
}
