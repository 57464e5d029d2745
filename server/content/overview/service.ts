/** The overview of a project. Measures the content if no cached measurement exists; consumes no units of the plan. */
import type { Principal } from '../../core/auth/principal.js'
import { recentVersions } from '../shared/load.js'
import type { MeasureCaller, ProjectMeasure } from '../shared/measure.js'
import { mayInProject } from '../shared/project-roles.js'
import type { OverLimit } from '../../core/tenancy/over-limit.js'
import { presentProject } from '../projects/service.js'
import { presentVersion } from '../versions/service.js'
import { presentAuditEvent, recentAudit } from '../../core/audit/service.js'
import { activeFiles, NOTHING_LOST, presentPolicy, type QualityGateService } from '../quality-gate/service.js'
import type { ProjectOverviewResponse } from './schema.js'

const RECENT_VERSIONS = 5
const RECENT_AUDIT = 10

/** The caller, and the signal that stops the measurement. */
export interface OverviewCaller extends MeasureCaller {
  readonly principal: Principal
}

export class OverviewService {
  readonly #measure: ProjectMeasure
  readonly #gate: QualityGateService
  readonly #overLimit: Pick<OverLimit, 'readOnly'>

  constructor(measure: ProjectMeasure, gate: QualityGateService, overLimit: Pick<OverLimit, 'readOnly'>) {
    this.#measure = measure
    this.#gate = gate
    this.#overLimit = overLimit
  }

  /** @throws ApiError resource_missing, edit_conflict, overloaded, internal_error */
  async overview(projectId: string, caller: OverviewCaller): Promise<ProjectOverviewResponse> {
    const { scope, principal } = caller
    const { project, content, measured } = await this.#measure.measureCurrent(projectId, caller)
    const [{ result }, versions, mayAudit, isReadOnly] = await Promise.all([
      this.#gate.evaluate({ scope, project, contentHash: project.content_hash, files: activeFiles(project, content), measured, lost: NOTHING_LOST }),
      recentVersions(scope, projectId, RECENT_VERSIONS),
      mayInProject(scope, principal, projectId, 'audit:view'),
      this.#overLimit.readOnly(scope, 'projects'),
    ])
    const audit = mayAudit ? await recentAudit(scope, projectId, RECENT_AUDIT) : []
    return {
      project: presentProject(project, content, isReadOnly(project)),
      quality_score: measured.quality.score,
      quality_gate_policy: presentPolicy(project),
      quality_gate_result: result,
      semantic_counts: { ...measured.semantic },
      recent_versions: versions.map(presentVersion),
      recent_audit: audit.map(presentAuditEvent),
      diagnostics_by_severity: { ...measured.bySeverity },
      diagnostics_by_code: { ...measured.byCode },
    }
  }
}
