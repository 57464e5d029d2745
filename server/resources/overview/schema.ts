/** A project at a glance, as the interface shows it (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { countsBy, ProjectParams, SemanticCountsRecord } from '../../projects/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { ProjectVersionRecord } from '../versions/service.js'
import { AuditEventRecord } from '../audit/service.js'
import { QualityGatePolicyRecord, QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams }

export const ProjectOverviewResponse = Type.Object(
  {
    project: ProjectRecord,
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: "Of the project's content as it is; the report explains it term by term." }),
    quality_gate_policy: QualityGatePolicyRecord,
    quality_gate_result: QualityGateResult,
    semantic_counts: SemanticCountsRecord,
    recent_versions: Type.Array(ProjectVersionRecord, { description: 'The newest 5.' }),
    recent_audit: Type.Array(AuditEventRecord, { description: 'The newest 10 entries; empty for callers without the permission `audit:view`.' }),
    diagnostics_by_severity: countsBy('Findings in the content, by severity.'),
    diagnostics_by_code: countsBy('The same, by code.'),
  },
  { $id: 'ProjectOverviewResponse', description: 'A project at a glance: its content measured, and what happened to it last.' },
)
export type ProjectOverviewResponse = Static<typeof ProjectOverviewResponse>
