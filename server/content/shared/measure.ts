/**
 * Measures content: diagnostics, numbers of rules and decoders, results of the project's cases, and the quality score. Content is that of a project, workspace
 * or version, or the files of a repository. A measurement depends on the content, the files on disk and the cases. It is cached until one of them changes, so only the first reader of an overview waits for a run. Measuring
 * consumes no units of the plan.
 */
import { LRUCache } from 'lru-cache'
import type { AnalysisPool, DiagnosticRecord, Locale, RulesetMeasurement, UncoveredItem } from '#workers'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import { type RuleCoverage, ruleCoverage } from '../../core/report-page/rule-coverage.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type ContentDocument, type FileSet, fileSetHash, type RulesetContent, rulesetOf } from './content.js'
import { loadProject, loadSnapshot } from './load.js'
import type { ProjectDocument } from './project.js'
import { type QualityScore, qualityScore } from './quality-score.js'
import { type ProjectCaseResult, resultOf, stopped as stoppedCase } from './case-result.js'
import { loadCases, toTestCase } from './test-case.js'

/** How long content is not compiled again after a deadline stopped it or its cases. Each attempt occupies a thread until the deadline, which ends the thread. */
const STOPPED_MS = 60_000
const STOPPED_LIMIT = 1000
/** How long a measurement is kept whose cases depend on the clock: a `<time>` has the precision of a minute. */
const CLOCK_MS = 60_000
/** Bytes of all cached measurements: about a hundred of usual size, or a few of the largest. */
const KEPT_BYTES = 48 * 1024 * 1024
/** Bytes of a measurement, result, check or rule location, without its texts. */
const ENTRY_BYTES = 200
/** Bytes of a diagnostic, which consists of short texts; evidence is cut when it is created. */
const DIAGNOSTIC_BYTES = 1500
/** Diagnostics that a measurement keeps. The counts cover all; nobody reads a longer report. */
const DIAGNOSTICS_LIMIT = 1000

/** Timeout of handlers that measure. 10,000 cases take some seconds on a busy machine. */
export const MEASURE_TIMEOUT_MS = 120_000

/** Numbers of rules, decoders and lists in own content. */
export interface SemanticCounts {
  readonly total_rules: number
  readonly total_decoders: number
  readonly total_lists: number
  readonly root_decoders: number
  /** Decoders without children. */
  readonly terminal_decoders: number
  readonly correlation_rules: number
  readonly attack_tagged_rules: number
  readonly silent_rules: number
  readonly attack_techniques: number
}

export interface Measurement {
  /** Hash of all files, including those on disk; empty: they could not be compiled in time. */
  readonly compiledHash: string
  readonly loads: boolean
  /** Diagnostics in the own files, the worst first; at most `DIAGNOSTICS_LIMIT`. */
  readonly diagnostics: readonly DiagnosticRecord[]
  readonly bySeverity: Readonly<Record<DiagnosticRecord['severity'], number>>
  readonly byCode: Readonly<Record<string, number>>
  readonly semantic: SemanticCounts
  readonly results: readonly ProjectCaseResult[]
  readonly passedCases: number
  readonly failedCases: number
  /** Number of cases that can have another result at another time. */
  readonly clockDependentCases: number
  /** Number of own rules, including those that Wazuh drops; `semantic` counts loaded rules only. */
  readonly writtenRules: number
  /** Own rules that no case matches, including those that Wazuh drops. */
  readonly untestedRules: readonly UncoveredItem[]
  /** Which own rules the cases test, by file, level and technique. */
  readonly ruleCoverage: RuleCoverage
  readonly quality: QualityScore
}

/** A project, its content and the measurement of this content. */
export interface MeasuredProject {
  readonly project: ProjectDocument
  readonly content: ContentDocument
  readonly measured: Measurement
}

/** The caller of a measurement. */
export interface MeasureCaller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

type Stop = NonNullable<ReturnType<typeof stopOf>>

export class ProjectMeasure {
  readonly #pool: AnalysisPool
  readonly #stops = new LRUCache<string, Stop>({ max: STOPPED_LIMIT, ttl: STOPPED_MS })
  readonly #kept = new LRUCache<string, Measurement>({ maxSize: KEPT_BYTES, sizeCalculation: bytesOf })

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** Returns the measurement of a content with the cases of a project, from the cache if possible. @throws ApiError overloaded, internal_error */
  measure(content: RulesetContent, project: Pick<ProjectDocument, '_id' | 'cases_revision'>, caller: MeasureCaller): Promise<Measurement> {
    return this.measureFiles(rulesetOf(content), project, caller)
  }

  /** As `measure`, of any own files. @throws ApiError overloaded, internal_error */
  async measureFiles(ruleset: FileSet, project: Pick<ProjectDocument, '_id' | 'cases_revision'>, { scope, locale, signal }: MeasureCaller): Promise<Measurement> {
    const options = { locale, signal, organization: scope.organizationId }
    const { contentId } = this.#pool
    const stopKey = [scope.organizationId, fileSetHash(ruleset), contentId, locale].join('\n')
    const key = [stopKey, project._id, project.cases_revision].join('\n')
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const before = this.#stops.get(stopKey)
    if (before !== undefined) return stopped(before.diagnostic, (await loadCases(scope, project._id)).map(stoppedCase))
    const cases = await loadCases(scope, project._id)
    const outcome = await this.#pool.measure({ ruleset, cases: cases.map(toTestCase), diagnosticsLimit: DIAGNOSTICS_LIMIT }, options)
    const stop = stopOf(outcome)
    if (stop !== null) {
      // Content that takes too long to compile has an error. The service has not failed.
      this.#stops.set(stopKey, stop)
      return stopped(stop.diagnostic, cases.map(stoppedCase))
    }
    const answer = okOf(outcome, signal)
    const results = answer.results.map((result, index) => resultOf(cases[index], result))
    const measurement = measurementOf(answer, results, ruleset.files.filter(({ kind }) => kind === 'lists').length)
    // The content on disk was reloaded meanwhile. The measurement mixes both contents, and the old one may return, so it is not cached.
    if (this.#pool.contentId !== contentId) return measurement
    // A busy machine can stop a case. If the result stayed in the cache, the content could not be published any more.
    const ttl = answer.results.some((result) => result.outcome !== 'ok') ? STOPPED_MS : measurement.clockDependentCases > 0 ? CLOCK_MS : null
    this.#kept.set(key, measurement, ttl === null ? {} : { ttl })
    return measurement
  }

  /** Measures the current content of a project. @throws ApiError resource_missing, edit_conflict, overloaded, internal_error */
  async measureCurrent(projectId: string, caller: MeasureCaller): Promise<MeasuredProject> {
    const { scope } = caller
    const { owner: project, content } = await loadSnapshot(scope, () => loadProject(scope, projectId))
    const { include_disk_defaults, include_disk_custom } = project
    return { project, content, measured: await this.measure({ ...content, include_disk_defaults, include_disk_custom }, project, caller) }
  }
}

/** Returns the approximate size. Names, expected and actual values come from callers and can have any length. */
function bytesOf({ results, diagnostics, untestedRules, ruleCoverage: { files, levels, techniques } }: Measurement): number {
  let bytes = ENTRY_BYTES * (1 + levels.length) + diagnostics.length * DIAGNOSTIC_BYTES
  const add = (...texts: readonly (string | null)[]): void => {
    bytes += ENTRY_BYTES
    for (const text of texts) bytes += 2 * (text?.length ?? 0)
  }
  for (const { name, decoder, checks } of results) {
    add(name, decoder)
    for (const { label, expected, actual } of checks) add(label, expected, actual)
  }
  for (const { name, filename } of untestedRules) add(name, filename)
  for (const { filename } of files) add(filename)
  for (const { id, rules, tested } of techniques) add(id, ...rules, ...tested)
  return bytes
}

function measurementOf(
  { diagnostics: { compiled_hash, loads, worst, by_severity: bySeverity, by_code }, rules, decoders, coverage }: RulesetMeasurement,
  results: readonly ProjectCaseResult[],
  lists: number,
): Measurement {
  const untestedRules = coverage.rules.untested
  const writtenRules = rules.length + untestedRules.filter(({ dropped }) => dropped === true).length
  const covered = ruleCoverage(rules, untestedRules)
  const semantic: SemanticCounts = {
    total_rules: rules.length,
    total_decoders: decoders.length,
    total_lists: lists,
    root_decoders: decoders.filter(({ parent }) => parent === null).length,
    terminal_decoders: decoders.filter(({ child_count }) => child_count === 0).length,
    correlation_rules: rules.filter(({ uses_frequency, uses_correlation }) => uses_frequency || uses_correlation).length,
    attack_tagged_rules: rules.filter(({ attack_ids }) => attack_ids.length > 0).length,
    silent_rules: rules.filter(({ level }) => level === 0).length,
    attack_techniques: covered.techniques.length,
  }
  const failedCases = results.filter(({ passed }) => !passed).length
  return {
    compiledHash: compiled_hash,
    loads,
    diagnostics: worst,
    bySeverity,
    byCode: by_code,
    semantic,
    results,
    passedCases: results.length - failedCases,
    failedCases,
    clockDependentCases: results.filter(({ depends_on_clock }) => depends_on_clock).length,
    writtenRules,
    untestedRules,
    ruleCoverage: covered,
    quality: qualityScore({
      errors: bySeverity.error,
      warnings: bySeverity.warning,
      infos: bySeverity.info,
      rules: writtenRules,
      untestedRules: untestedRules.length,
      cases: results.length,
      failedCases,
    }),
  }
}

/** Returns the measurement of content that could not be compiled: one error, and all cases fail. */
function stopped(diagnostic: DiagnosticRecord, results: readonly ProjectCaseResult[]): Measurement {
  const semantic = {
    total_rules: 0,
    total_decoders: 0,
    total_lists: 0,
    root_decoders: 0,
    terminal_decoders: 0,
    correlation_rules: 0,
    attack_tagged_rules: 0,
    silent_rules: 0,
    attack_techniques: 0,
  }
  return {
    compiledHash: '',
    loads: false,
    diagnostics: [diagnostic],
    bySeverity: { error: 0, warning: 0, info: 0, success: 0, [diagnostic.severity]: 1 },
    byCode: { [diagnostic.code]: 1 },
    semantic,
    results,
    passedCases: 0,
    failedCases: results.length,
    clockDependentCases: 0,
    writtenRules: 0,
    untestedRules: [],
    ruleCoverage: { files: [], levels: [], techniques: [] },
    quality: qualityScore({ errors: 1, warnings: 0, infos: 0, rules: 0, untestedRules: 0, cases: results.length, failedCases: results.length }),
  }
}
