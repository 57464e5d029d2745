/** The policy of a project's quality gate as the API returns it. */
import type { ProjectDocument } from '../shared/project.js'
import type { QualityGatePolicyRecord } from './schema.js'

export function presentPolicy({ _id, quality_gate, updated_at }: ProjectDocument): QualityGatePolicyRecord {
  return { project_id: _id, ...quality_gate, updated_at: updated_at.toISOString() }
}
