/** A workspace as the API returns it. */
import type { ContentDocument } from '../shared/content.js'
import { presentLists } from '../shared/fields.js'
import type { WorkspaceDocument } from '../shared/workspace.js'
import type { WorkspaceRecord } from './schema.js'

export function presentWorkspace(workspace: WorkspaceDocument, content: ContentDocument): WorkspaceRecord {
  return {
    id: workspace._id,
    project_id: workspace.project_id,
    name: workspace.name,
    description: workspace.description,
    status: workspace.status,
    decoders_xml: content.decoders_xml,
    rules_xml: content.rules_xml,
    lists: presentLists(content.lists),
    event_text: content.event_text,
    log_format: workspace.log_format,
    session_id: workspace.session_id,
    include_disk_defaults: workspace.include_disk_defaults,
    include_disk_custom: workspace.include_disk_custom,
    source_files: content.source_files.map((file) => ({ ...file, rule_ids: [...file.rule_ids], decoder_names: [...file.decoder_names] })),
    git_binding_id: workspace.git_binding_id,
    git_repo: workspace.git_repo,
    git_branch: workspace.git_branch,
    git_commit_sha: workspace.git_commit_sha,
    created_at: workspace.created_at.toISOString(),
    updated_at: workspace.updated_at.toISOString(),
  }
}
