/** A version as the API returns it. */
import type { VersionDocument } from '../shared/version.js'
import type { ProjectVersionRecord } from './schema.js'

export function presentVersion(version: VersionDocument): ProjectVersionRecord {
  return {
    id: version._id,
    project_id: version.project_id,
    source_workspace_id: version.source_workspace_id,
    source_review_id: version.source_review_id,
    git_binding_id: version.git_binding_id ?? null,
    git_commit_sha: version.git_commit_sha ?? null,
    name: version.name,
    notes: version.notes,
    status: version.status,
    quality_score: version.quality_score,
    regression_passed: version.regression_passed,
    total_rules: version.total_rules,
    total_decoders: version.total_decoders,
    content_hash: version.content_hash,
    created_at: version.created_at.toISOString(),
    updated_at: version.updated_at.toISOString(),
    published_at: version.published_at?.toISOString() ?? null,
  }
}
