/** Projects, workspaces and versions as the interface shows them (CONTRACT.md#project-records): schema and presenter, side by side; and fields that requests of several resources have. */
import Type, { type Static } from 'typebox'
import { FILE_KINDS, LOG_FORMATS, type LogFormat } from '#workers'
import { EXAMPLE_ID, fields } from '../auth/records.js'
import { nullable } from '../nullable.js'
import { WHOLE_CHARACTERS } from '../patterns.js'
import { type ContentDocument, LISTS_BYTES, LISTS_LIMIT, type PublishedContent, XML_CHARACTERS } from './content.js'
import { EVENT_BYTES, LOCATION_CHARACTERS, SESSION_ID_CHARACTERS } from './event-limits.js'
import type { SemanticCounts } from './measure.js'
import type { ProjectDocument } from './project.js'
import { DECODER_NAME_CHARACTERS, NAMES_LIMIT, RULE_ID_CHARACTERS } from './source-files.js'
import { VERSION_STATUSES, type VersionStatus } from './transitions.js'
import type { VersionDocument } from './version.js'
import { WORKSPACE_STATUSES } from './transitions.js'
import type { WorkspaceDocument } from './workspace.js'

export const DESCRIPTION_CHARACTERS = 2000
const DECODERS_EXAMPLE = '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n'
const RULES_EXAMPLE = '<group name="vpn,">\n  <rule id="100100" level="3">\n    <decoded_as>vpn</decoded_as>\n    <description>VPN: event</description>\n  </rule>\n</group>\n'

const LIST_NAME_CHARACTERS = 255
const LIST = { name: 'etc/lists/watched-addresses', content: '203.0.113.7:scanner\n198.51.100.:partner network\n' }

export const ContentListRecord = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: LIST_NAME_CHARACTERS,
      pattern: WHOLE_CHARACTERS,
      examples: [LIST.name],
      description: 'Path by which rules name it, without `.cdb`. The list replaces a list of that name on disk.',
    }),
    content: Type.String({ maxLength: LISTS_BYTES, pattern: WHOLE_CHARACTERS, examples: [LIST.content], description: 'Its text: lines of `key:value`, or of `key:`.' }),
  },
  { $id: 'ContentList', description: 'A CDB list.' },
)

/** For request schemas. */
export const LISTS_DESCRIPTION = 'All of its lists: they replace the lists it has. Each name once, at most 2 MB of UTF-8 together. They are stored in the order of their names.'

export const projectFields = {
  id: (description: string) => Type.String({ examples: [EXAMPLE_ID], description }),
  idOrNull: (description: string) => nullable(Type.String({ examples: [EXAMPLE_ID] }), description),
  description: (description: string) => fields.text(DESCRIPTION_CHARACTERS, description),
  xml: (description: string, options: { readonly examples?: readonly string[] } = {}) =>
    Type.String({ maxLength: XML_CHARACTERS, pattern: WHOLE_CHARACTERS, ...options, description }),
  lists: (description: string) => Type.Array(ContentListRecord, { maxItems: LISTS_LIMIT, examples: [[LIST]], description }),
  event: (description: string) => Type.String({ maxLength: EVENT_BYTES, pattern: WHOLE_CHARACTERS, description }),
  logFormat: (description: string) => Type.Enum([...LOG_FORMATS] as [LogFormat, ...LogFormat[]], { description }),
  sessionId: (description: string) => Type.String({ maxLength: SESSION_ID_CHARACTERS, pattern: WHOLE_CHARACTERS, description }),
  location: (description: string) => Type.String({ maxLength: LOCATION_CHARACTERS, pattern: WHOLE_CHARACTERS, description }),
}

export const ProjectParams = Type.Object({ project_id: fields.id('The project.') })

export const ProjectRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    slug: Type.String({ examples: ['vpn-gateways'], description: 'Short name of letters, digits and hyphens; no other project of the organization has it, and it stays.' }),
    name: Type.String({ examples: ['VPN gateways'], description: 'Name.' }),
    description: Type.String({ examples: ['Rules and decoders for the VPN gateways'], description: 'What it is for.' }),
    decoders_xml: Type.String({ examples: [DECODERS_EXAMPLE], description: 'Its decoders.' }),
    rules_xml: Type.String({ examples: [RULES_EXAMPLE], description: 'Its rules.' }),
    lists: projectFields.lists('Its lists, by name.'),
    default_log_format: projectFields.logFormat('Of cases and workspaces that name none.'),
    include_disk_defaults: Type.Boolean({ description: 'Whether it stands on the reference ruleset of the service.' }),
    include_disk_custom: Type.Boolean({ description: "Whether it stands on the instance's custom content." }),
    active_baseline_id: projectFields.idOrNull('The version that its content was published or restored from last; null: none.'),
    active_baseline_name: Type.String({ examples: ['2026.11'], description: 'Name of that version; empty: none.' }),
    case_count: Type.Integer({ minimum: 0, examples: [24], description: 'Cases.' }),
    workspace_count: Type.Integer({ minimum: 0, examples: [2], description: 'Open workspaces.' }),
    created_at: fields.timestamp('When it was made.'),
    updated_at: fields.timestamp('When its fields or its content were last changed.'),
  },
  { $id: 'ProjectRecord', description: 'A project.' },
)
export type ProjectRecord = Static<typeof ProjectRecord>

export function presentProject(project: ProjectDocument, { decoders_xml, rules_xml, lists }: PublishedContent): ProjectRecord {
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
    created_at: project.created_at.toISOString(),
    updated_at: project.updated_at.toISOString(),
  }
}

export function presentLists(lists: PublishedContent['lists']): Static<typeof ContentListRecord>[] {
  return lists.map(({ name, content }) => ({ name, content }))
}

/** A file that a workspace was imported from. */
export const SourceFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1024, pattern: WHOLE_CHARACTERS, examples: ['rules/vpn.xml'], description: 'Of the file in the repository.' }),
    kind: Type.Enum([...FILE_KINDS], { description: 'What it holds.' }),
    xml: projectFields.xml('Its text.', { examples: [RULES_EXAMPLE] }),
    sha: Type.String({ maxLength: 128, pattern: WHOLE_CHARACTERS, examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'], description: 'Of the file in the repository.' }),
    rule_ids: Type.Array(Type.String({ maxLength: RULE_ID_CHARACTERS, pattern: WHOLE_CHARACTERS }), {
      maxItems: NAMES_LIMIT,
      examples: [['100100']],
      description: 'Rules that it holds.',
    }),
    decoder_names: Type.Array(Type.String({ maxLength: DECODER_NAME_CHARACTERS, pattern: WHOLE_CHARACTERS }), {
      maxItems: NAMES_LIMIT,
      examples: [['vpn']],
      description: 'Decoders that it holds.',
    }),
  },
  { $id: 'WorkspaceSourceFile', description: 'A file that the content of a workspace came from.' },
)

export const WorkspaceRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    name: Type.String({ examples: ['New gateway model'], description: 'Name.' }),
    description: Type.String({ examples: ['Reads the log of version 9'], description: 'What is done in it.' }),
    status: Type.Enum(WORKSPACE_STATUSES, { description: 'A closed one is not listed unless asked for, and not edited.' }),
    decoders_xml: Type.String({ examples: [DECODERS_EXAMPLE], description: 'Its decoders.' }),
    rules_xml: Type.String({ examples: [RULES_EXAMPLE], description: 'Its rules.' }),
    lists: projectFields.lists('Its lists, by name.'),
    event_text: Type.String({ examples: ['Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7'], description: 'The event that is being tried.' }),
    log_format: projectFields.logFormat('Of that event.'),
    session_id: nullable(Type.String({ examples: ['triage-42'] }), 'Session of its logtests; null: none.'),
    include_disk_defaults: Type.Boolean({ description: 'Whether it stands on the reference ruleset of the service.' }),
    include_disk_custom: Type.Boolean({ description: "Whether it stands on the instance's custom content." }),
    source_files: Type.Array(SourceFile, { description: 'Files that the content came from; empty: none.' }),
    git_binding_id: projectFields.idOrNull('The Git binding that it was imported through.'),
    git_repo: nullable(Type.String({ examples: ['example/detections'] }), 'Repository that it was imported from.'),
    git_branch: nullable(Type.String({ examples: ['main'] }), 'Branch that it was imported from.'),
    git_commit_sha: nullable(Type.String({ examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'] }), 'Commit that it was imported from.'),
    created_at: fields.timestamp('When it was made.'),
    updated_at: fields.timestamp('When it was last changed.'),
  },
  { $id: 'WorkspaceRecord', description: 'A workspace: content that is being edited.' },
)
export type WorkspaceRecord = Static<typeof WorkspaceRecord>

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

export const ProjectVersionRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    source_workspace_id: projectFields.idOrNull('The workspace whose content it holds; null: it holds that of the project.'),
    source_review_id: projectFields.idOrNull('The review that it was made for.'),
    name: Type.String({ examples: ['2026.11'], description: 'Name.' }),
    notes: Type.String({ examples: ['New gateway model'], description: 'What is new in it.' }),
    status: Type.Enum(VERSION_STATUSES as [VersionStatus, ...VersionStatus[]], { description: 'Of all versions of a project at most one is published.' }),
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'As measured when it was made, or when someone last tried to publish it.' }),
    regression_passed: Type.Boolean({ description: 'Whether all cases passed then.' }),
    total_rules: Type.Integer({ minimum: 0, examples: [12], description: 'Rules of its own content.' }),
    total_decoders: Type.Integer({ minimum: 0, examples: [3], description: 'Decoders of its own content.' }),
    content_hash: Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'], description: 'SHA-256 of its content. It never changes.' }),
    created_at: fields.timestamp('When it was made.'),
    updated_at: fields.timestamp('When its status last changed.'),
    published_at: nullable(Type.String({ format: 'date-time' }), 'When it was published; null: never.'),
  },
  { $id: 'ProjectVersionRecord', description: 'A version: content that does not change any more.' },
)
export type ProjectVersionRecord = Static<typeof ProjectVersionRecord>

export function presentVersion(version: VersionDocument): ProjectVersionRecord {
  return {
    id: version._id,
    project_id: version.project_id,
    source_workspace_id: version.source_workspace_id,
    source_review_id: version.source_review_id,
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

/** Numbers by name. */
export const countsBy = (description: string) => Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description })

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const SemanticCountsRecord = Type.Object(
  {
    total_rules: count('Rules.'),
    total_decoders: count('Decoders.'),
    total_lists: count('Lists.'),
    root_decoders: count('Decoders without a parent.'),
    terminal_decoders: count('Decoders without children.'),
    correlation_rules: count('Rules that count events or compare them with earlier ones.'),
    attack_tagged_rules: count('Rules with ATT&CK techniques.'),
    silent_rules: count('Rules of level 0.'),
    attack_techniques: count('ATT&CK techniques, each once.'),
  } satisfies Record<keyof SemanticCounts, unknown>,
  { $id: 'SemanticCounts', description: "What the project's own content is made of." },
)
