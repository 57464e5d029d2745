/** Workspaces in audit entries: XML, lists and events by hash and size only, because events may hold secrets. */
import { createHash } from 'node:crypto'
import { type ContentDocument, describeLists, describeXml } from '../shared/content.js'
import type { WorkspaceDocument } from '../shared/workspace.js'
import { type AuditResource, diffOf } from '../../core/audit/service.js'

export const SHOWN_FIELDS = [
  'name',
  'description',
  'status',
  'log_format',
  'session_id',
  'include_disk_defaults',
  'include_disk_custom',
  'git_binding_id',
  'git_repo',
  'git_branch',
  'git_commit_sha',
] as const
export const CONTENT_FIELDS = ['decoders_xml', 'rules_xml', 'lists', 'event_text', 'source_files'] as const

type Content = Pick<ContentDocument, (typeof CONTENT_FIELDS)[number]>

export function workspaceResource({ _id, name }: Pick<WorkspaceDocument, '_id' | 'name'>): AuditResource {
  return { type: 'workspace', id: _id, name }
}

/** Returns the changes of a content. */
export function diffOfContent(before: Content, after: Content): ReturnType<typeof diffOf> {
  return diffOf(described(before), described(after), CONTENT_FIELDS)
}

function described({ decoders_xml, rules_xml, lists, event_text, source_files }: Content): Record<(typeof CONTENT_FIELDS)[number], string> {
  const files = createHash('sha256').update(JSON.stringify(source_files)).digest('hex').slice(0, 16)
  return {
    decoders_xml: describeXml(decoders_xml),
    rules_xml: describeXml(rules_xml),
    lists: describeLists(lists),
    event_text: describeXml(event_text),
    source_files: `${files} (${source_files.length} files)`,
  }
}
