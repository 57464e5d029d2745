/** Requests about workspaces. The record is in `projects/records.ts`. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { LISTS_DESCRIPTION, ProjectParams, projectFields, SourceFile, WorkspaceRecord } from '../../projects/records.js'
import { WORKSPACE_STATUSES } from '../../projects/transitions.js'
import { SOURCE_FILES_LIMIT } from '../../projects/workspace.js'

export { ProjectParams, WorkspaceRecord }

export const WorkspaceParams = Type.Object({ project_id: fields.id('The project.'), workspace_id: fields.id('The workspace.') })

export const WorkspaceListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'name'],
  filters: { status: Type.Enum([...WORKSPACE_STATUSES, 'all'], { default: 'open', description: 'Only workspaces of this status; `all`: open and closed ones.' }) },
})
export type WorkspaceListQuery = Static<typeof WorkspaceListQuery>

const content = {
  description: Type.Optional(projectFields.description('What is done in it.')),
  decoders_xml: Type.Optional(projectFields.xml('Its decoders. Content with findings, also content that is not well-formed, is stored: a validation tells them.')),
  rules_xml: Type.Optional(projectFields.xml('Its rules; as the decoders.')),
  lists: Type.Optional(projectFields.lists(LISTS_DESCRIPTION)),
  event_text: Type.Optional(projectFields.event('The event that is being tried.')),
  log_format: Type.Optional(projectFields.logFormat('Of that event.')),
  session_id: Type.Optional(nullable(projectFields.sessionId('A session.'), 'Session of its logtests; null: none.')),
  include_disk_defaults: Type.Optional(Type.Boolean({ description: 'Stand on the reference ruleset of the service.' })),
  include_disk_custom: Type.Optional(Type.Boolean({ description: "Stand on the instance's custom content." })),
}

export const WorkspaceCreateRequest = Type.Object(
  { name: fields.name('Name.'), ...content },
  { $id: 'WorkspaceCreateRequest', description: "A workspace that is to be made; the name is enough. Its content, log format and base are the project's, but for what is sent." },
)
export type WorkspaceCreateRequest = Static<typeof WorkspaceCreateRequest>

const { rule_ids, decoder_names, ...file } = SourceFile.properties

const SourceFileRequest = Type.Object(
  { ...file, rule_ids: Type.Optional(rule_ids), decoder_names: Type.Optional(decoder_names) },
  { $id: 'WorkspaceSourceFileRequest', description: 'A file that the content of a workspace came from. Names that are left out are read from its text.' },
)

export const WorkspaceUpdateRequest = Type.Object(
  {
    name: Type.Optional(fields.name('Name.')),
    ...content,
    source_files: Type.Optional(
      Type.Array(SourceFileRequest, { maxItems: SOURCE_FILES_LIMIT, description: 'Files that the content came from, instead of those there were. No path twice.' }),
    ),
    status: Type.Optional(Type.Enum(WORKSPACE_STATUSES, { description: 'Close it, or open it again.' })),
  },
  { $id: 'WorkspaceUpdateRequest', description: 'What changes; the rest stays.' },
)
export type WorkspaceUpdateRequest = Static<typeof WorkspaceUpdateRequest>
