/** The overview of a project as the API returns it (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { countsBy, ProjectParams, SemanticCountsRecord } from '../shared/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { ProjectVersionRecord } from '../versions/service.js'
import { AuditEventRecord } from '../../core/audit/service.js'
import { QualityGatePolicyRecord, QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams }

export const ProjectOverviewResponse = Type.Object(
  {
    project: ProjectRecord,
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: "Quality score of the project's current content; the report explains each term." }),
    quality_gate_policy: QualityGatePolicyRecord,
    quality_gate_result: QualityGateResult,
    semantic_counts: SemanticCountsRecord,
    recent_versions: Type.Array(ProjectVersionRecord, { description: 'The newest 5 versions.' }),
    recent_audit: Type.Array(AuditEventRecord, { description: 'The newest 10 entries of the audit trail. Empty for callers without the permission `audit:view`.' }),
    diagnostics_by_severity: countsBy('Number of diagnostics in the content, by severity.'),
    diagnostics_by_code: countsBy('Number of diagnostics in the content, by code.'),
  },
  { $id: 'ProjectOverviewResponse', description: 'Overview of a project: a measurement of its content, and the latest changes.' },
)
export type ProjectOverviewResponse = Static<typeof ProjectOverviewResponse>
