/** The quality gate of a project: its policy, and the evaluation of content. */
import type { Actor } from '../../core/auth/request-context.js'
import { type IfMatch, requireCurrent } from '../../core/etag.js'
import { approvalOf } from '../shared/approval.js'
import { evaluateGate } from '../shared/gate.js'
import type { QualityGatePolicy } from '../shared/gate-policy.js'
import { loadChangeable } from '../shared/load.js'
import type { Measurement } from '../shared/measure.js'
import { type ProjectDocument, PROJECTS } from '../shared/project.js'
import type { ReviewDocument } from '../shared/review.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { projectResource } from '../projects/service.js'
import { withCauses } from './causes.js'
import { QualityGatePolicyRecord, QualityGateResult, type QualityGateUpdateRequest } from './schema.js'

export { lostWithoutCase } from './lost-alerts.js'
export { presentPolicy } from './present.js'
export { QualityGatePolicyRecord, QualityGateResult }

/** Attempts of a change that conflicts with concurrent changes of the project. */
const ATTEMPTS = 10

export interface GateEvaluation {
  readonly result: QualityGateResult
  /** The review that approves the content; null: none, or a later one refuses it. */
  readonly approval: ReviewDocument | null
}

export class QualityGateService {
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async update(scope: Scope, projectId: string, request: QualityGateUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ProjectDocument> {
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      requireCurrent(project.revision, ifMatch)
      const policy: QualityGatePolicy = { ...project.quality_gate, ...request }
      const diff = diffOf(project.quality_gate, policy, Object.keys(policy) as (keyof QualityGatePolicy)[])
      if (Object.keys(diff).length === 0) return project
      const now = new Date(this.#clock())
      const [updated] = await scope.commit([
        scope.collection(PROJECTS).updating({ _id: projectId, revision: project.revision }, { set: { quality_gate: policy, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'quality_gate.updated', resource: projectResource(project), projectId, diff }, now),
      ])
      return updated as ProjectDocument
    })
  }

  /**
   * Evaluates measured content with the project's policy.
   * @param contentHash hash of the content, to which approvals are bound; null: of none that can be approved
   * @param lostAlerts rules that lose an alert without a case that says so (`lostWithoutCase`); empty for the content that is active
   */
  async evaluate(scope: Scope, project: ProjectDocument, contentHash: string | null, measured: Measurement, lostAlerts: readonly string[] = []): Promise<GateEvaluation> {
    const approval = contentHash === null ? null : await approvalOf(scope, project._id, contentHash)
    const { error: errors, warning: warnings, info: infos } = measured.bySeverity
    const { passed, failed_rules } = evaluateGate(project.quality_gate, {
      qualityScore: measured.quality.score,
      errors,
      warnings,
      infos,
      cases: measured.results.length,
      failedCases: measured.failedCases,
      isApproved: approval !== null,
      lostAlerts: lostAlerts.length,
    })
    const result = {
      passed,
      failed_rules: failed_rules.map((rule) => withCauses(rule, measured, lostAlerts)),
      quality_score: measured.quality.score,
      diagnostics_by_severity: { ...measured.bySeverity },
      case_count: measured.results.length,
      failed_cases: measured.failedCases,
      clock_dependent_cases: measured.clockDependentCases,
    }
    return { result, approval }
  }
}
