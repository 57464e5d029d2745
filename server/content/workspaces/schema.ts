/** Requests about workspaces, and the record of one. */
import Type, { type Static } from 'typebox'
import { FILE_KINDS } from '#workers'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { WHOLE_CHARACTERS } from '../../core/patterns.js'
import { DECODERS_EXAMPLE, LISTS_DESCRIPTION, ProjectParams, projectFields, RULES_EXAMPLE } from '../shared/fields.js'
import { DECODER_NAME_CHARACTERS, NAMES_LIMIT, RULE_ID_CHARACTERS } from '../shared/source-files.js'
import { WORKSPACE_STATUSES } from '../shared/transitions.js'
import { SOURCE_FILES_LIMIT } from '../shared/workspace.js'

export { ProjectParams }

/** A file that a workspace was imported from. */
export const SourceFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1024, pattern: WHOLE_CHARACTERS, examples: ['rules/vpn.xml'], description: 'Path of the file in the repository.' }),
    kind: Type.Enum([...FILE_KINDS], { description: 'Kind of the file.' }),
    xml: projectFields.xml('Its text.', { examples: [RULES_EXAMPLE] }),
    sha: Type.String({ maxLength: 128, pattern: WHOLE_CHARACTERS, examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'], description: 'Hash of the file in the repository.' }),
    rule_ids: Type.Array(Type.String({ maxLength: RULE_ID_CHARACTERS, pattern: WHOLE_CHARACTERS }), {
      maxItems: NAMES_LIMIT,
      examples: [['100100']],
      description: 'Ids of the rules in the file.',
    }),
    decoder_names: Type.Array(Type.String({ maxLength: DECODER_NAME_CHARACTERS, pattern: WHOLE_CHARACTERS }), {
      maxItems: NAMES_LIMIT,
      examples: [['vpn']],
      description: 'Names of the decoders in the file.',
    }),
  },
  { $id: 'WorkspaceSourceFile', description: 'A file from which the content of a workspace was imported.' },
)

export const WorkspaceRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    name: Type.String({ examples: ['New gateway model'], description: 'Name of the workspace.' }),
    description: Type.String({ examples: ['Reads the log of version 9'], description: 'Purpose of the workspace.' }),
    status: Type.Enum(WORKSPACE_STATUSES, { description: 'Status. Closed workspaces cannot be edited, and are listed only on request.' }),
    decoders_xml: Type.String({ examples: [DECODERS_EXAMPLE], description: 'Decoders, as XML.' }),
    rules_xml: Type.String({ examples: [RULES_EXAMPLE], description: 'Rules, as XML.' }),
    lists: projectFields.lists('CDB lists, in order of their names.'),
    event_text: Type.String({ examples: ['Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7'], description: 'Event for logtests.' }),
    log_format: projectFields.logFormat('Log format of the event.'),
    session_id: nullable(Type.String({ examples: ['triage-42'] }), 'Session id of its logtests; null: none.'),
    include_disk_defaults: Type.Boolean({ description: 'Whether the reference ruleset of the service is loaded before the content.' }),
    include_disk_custom: Type.Boolean({ description: "Whether the instance's custom content is loaded before the content." }),
    source_files: Type.Array(SourceFile, { description: 'Files from which the content was imported; empty: none.' }),
    git_binding_id: projectFields.idOrNull('The Git binding that it was imported through.'),
    git_repo: nullable(Type.String({ examples: ['example/detections'] }), 'Repository that it was imported from.'),
    git_branch: nullable(Type.String({ examples: ['main'] }), 'Branch that it was imported from.'),
    git_commit_sha: nullable(Type.String({ examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'] }), 'Commit that it was imported from.'),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When it was last updated.'),
  },
  { $id: 'WorkspaceRecord', description: 'A workspace: content that is being edited.' },
)
export type WorkspaceRecord = Static<typeof WorkspaceRecord>

export const WorkspaceParams = Type.Object({ project_id: fields.id('The project.'), workspace_id: fields.id('The workspace.') })

export const WorkspaceListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'name'],
  filters: { status: Type.Enum([...WORKSPACE_STATUSES, 'all'], { default: 'open', description: 'Only workspaces with this status; `all`: open and closed ones.' }) },
})
export type WorkspaceListQuery = Static<typeof WorkspaceListQuery>

const content = {
  description: Type.Optional(projectFields.description('Purpose of the workspace.')),
  decoders_xml: Type.Optional(
    projectFields.xml('Decoders, as XML. Content with errors is stored too, even if it is not well-formed; a validation reports them. At most 2 MB of UTF-8.'),
  ),
  rules_xml: Type.Optional(projectFields.xml('Rules, as XML. Content with errors is stored too, like decoders. At most 2 MB of UTF-8.')),
  lists: Type.Optional(projectFields.lists(LISTS_DESCRIPTION)),
  event_text: Type.Optional(projectFields.event('Event for logtests.')),
  log_format: Type.Optional(projectFields.logFormat('Log format of the event.')),
  session_id: Type.Optional(nullable(projectFields.sessionId('A session.'), 'Session id of its logtests; null: none.')),
  include_disk_defaults: Type.Optional(Type.Boolean({ description: 'Whether to load the reference ruleset of the service before the content.' })),
  include_disk_custom: Type.Optional(Type.Boolean({ description: "Whether to load the instance's custom content before the content." })),
}

export const WorkspaceCreateRequest = Type.Object(
  { name: fields.name('Name.'), ...content },
  { $id: 'WorkspaceCreateRequest', description: "A workspace to create. Only the name is required; the default of the other fields is the project's value." },
)
export type WorkspaceCreateRequest = Static<typeof WorkspaceCreateRequest>

const { rule_ids, decoder_names, ...file } = SourceFile.properties

const SourceFileRequest = Type.Object(
  { ...file, rule_ids: Type.Optional(rule_ids), decoder_names: Type.Optional(decoder_names) },
  { $id: 'WorkspaceSourceFileRequest', description: 'A file from which the content of a workspace was imported. Absent ids and names are read from its text.' },
)

export const WorkspaceUpdateRequest = Type.Object(
  {
    name: Type.Optional(fields.name('Name.')),
    ...content,
    source_files: Type.Optional(
      Type.Array(SourceFileRequest, {
        maxItems: SOURCE_FILES_LIMIT,
        description: 'Files from which the content was imported, which replace the previous ones. Paths must be unique.',
      }),
    ),
    status: Type.Optional(Type.Enum(WORKSPACE_STATUSES, { description: 'Closes or reopens the workspace.' })),
  },
  { $id: 'WorkspaceUpdateRequest', description: 'The fields to update.' },
)
export type WorkspaceUpdateRequest = Static<typeof WorkspaceUpdateRequest>
