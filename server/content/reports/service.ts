/** The report on a project: a measurement of its content with explanations. Consumes no units of the plan. */
import type { CaseCheck } from '#workers'
import { qualityTexts } from '../../core/i18n/translate.js'
import { recentVersions } from '../shared/load.js'
import type { MeasureCaller, Measurement, ProjectMeasure } from '../shared/measure.js'
import type { OverLimit } from '../../core/tenancy/over-limit.js'
import { presentProject } from '../projects/service.js'
import { presentVersion } from '../versions/service.js'
import { VERSIONS } from '../shared/version.js'
import { presentAudit, type RuleAuditService } from '../rule-audit/service.js'
import { activeFiles, NOTHING_LOST, presentPolicy, type QualityGateService } from '../quality-gate/service.js'
import { CHECK_CHARACTERS, CHECKS_LISTED, LISTED, type ProjectReportResponse } from './schema.js'

const RECENT_VERSIONS = 10
/** The first half of a surrogate pair whose second half was cut off. */
const HALF_CHARACTER = /[\ud800-\udbff]$/

export interface ReportsParts {
  readonly measure: ProjectMeasure
  readonly gate: QualityGateService
  readonly audits: RuleAuditService
  readonly overLimit: Pick<OverLimit, 'readOnly'>
  readonly clock: () => number
}

export class ReportsService {
  readonly #parts: ReportsParts

  constructor(parts: ReportsParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing, edit_conflict, overloaded, internal_error */
  async report(projectId: string, caller: MeasureCaller): Promise<ProjectReportResponse> {
    const { measure, gate, audits, overLimit, clock } = this.#parts
    const { scope, locale } = caller
    const { project, content, measured } = await measure.measureCurrent(projectId, caller)
    const files = activeFiles(project, content)
    const [{ result }, audit, versions, published, isReadOnly] = await Promise.all([
      gate.evaluate({ scope, project, contentHash: project.content_hash, files, measured, lost: NOTHING_LOST }),
      // Content that could not be compiled in time would occupy another thread until its deadline.
      measured.compiledHash === '' ? null : audits.auditFiles(files, caller),
      recentVersions(scope, projectId, RECENT_VERSIONS),
      scope.collection(VERSIONS).findOne({ project_id: projectId, status: 'published' }),
      overLimit.readOnly(scope, 'projects'),
    ])
    const { decoders_xml: _decoders, rules_xml: _rules, lists: _lists, ...shown } = presentProject(project, content, isReadOnly(project))
    const { score, is_capped, terms } = measured.quality
    return {
      project: shown,
      generated_at: new Date(clock()).toISOString(),
      published_version: published === null ? null : presentVersion(published),
      quality: { score, is_capped, terms: terms.map((term) => ({ term: term.term, points: term.points, most: term.most, count: term.count, ...qualityTexts(term, locale) })) },
      quality_gate_policy: presentPolicy(project),
      quality_gate_result: result,
      ...presentMeasurement(measured),
      audit: audit === null ? null : presentAudit(audit),
      versions: versions.map(presentVersion),
      semantic_counts: { ...measured.semantic },
    }
  }
}

function presentMeasurement(measured: Measurement): Pick<ProjectReportResponse, 'validation' | 'regression' | 'coverage' | 'attack'> {
  const { loads, diagnostics, bySeverity, byCode, results, passedCases, failedCases, writtenRules, untestedRules, ruleCoverage } = measured
  const failing = results.filter(({ passed }) => !passed).slice(0, LISTED)
  const untested = untestedRules.slice(0, LISTED)
  return {
    validation: {
      loads,
      total: Object.values(bySeverity).reduce((sum, count) => sum + count, 0),
      diagnostics_by_severity: { ...bySeverity },
      diagnostics_by_code: { ...byCode },
      findings: diagnostics.slice(0, LISTED) as ProjectReportResponse['validation']['findings'],
    },
    regression: {
      total: results.length,
      passed: passedCases,
      failed: failedCases,
      failing: failing.map(({ case_id, name, checks }) => ({ case_id, name, checks: failedChecks(checks) })),
    },
    coverage: {
      rules: {
        total: writtenRules,
        covered: writtenRules - untestedRules.length,
        untested: untested.map(({ name, filename, line }) => ({ rule_id: name, filename, line })),
      },
      files: ruleCoverage.files.slice(0, LISTED).map((file) => ({ ...file })),
      file_count: ruleCoverage.files.length,
      levels: ruleCoverage.levels.map((level) => ({ ...level })),
    },
    attack: { techniques: ruleCoverage.techniques.map(({ id, rules, tested }) => ({ id, rules: [...rules], tested: [...tested], covered: tested.length })) },
  }
}

function failedChecks(checks: readonly CaseCheck[]): CaseCheck[] {
  return checks
    .filter(({ passed }) => !passed)
    .slice(0, CHECKS_LISTED)
    .map(({ label, expected, actual, passed }) => ({ label, expected: cut(expected), actual: cut(actual), passed }))
}

function cut(text: string): string {
  return text.length <= CHECK_CHARACTERS ? text : `${text.slice(0, CHECK_CHARACTERS).replace(HALF_CHARACTER, '')}…`
}
