/** A project as the API returns it. */
import type { PublishedContent } from '../shared/content.js'
import { presentLists } from '../shared/fields.js'
import type { ProjectDocument } from '../shared/project.js'
import type { ProjectRecord } from './schema.js'

/** @param isReadOnly whether it is over the limit of the organization's plan */
export function presentProject(project: ProjectDocument, { decoders_xml, rules_xml, lists }: PublishedContent, isReadOnly: boolean): ProjectRecord {
  return {
    id: project._id,
    slug: project.slug,
    name: project.name,
    description: project.description,
    decoders_xml,
    rules_xml,
    lists: presentLists(lists),
    default_log_format: project.default_log_format,
    include_disk_defaults: project.include_disk_defaults,
    include_disk_custom: project.include_disk_custom,
    active_baseline_id: project.active_baseline_id,
    active_baseline_name: project.active_baseline_name,
    case_count: project.case_count,
    workspace_count: project.workspace_count,
    is_read_only: isReadOnly || project.is_archived === true,
    archived_at: project.archived_at?.toISOString() ?? null,
    created_at: project.created_at.toISOString(),
    updated_at: project.updated_at.toISOString(),
  }
}
