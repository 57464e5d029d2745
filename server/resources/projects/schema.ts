/** Requests about projects, and the record of one. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { DECODERS_EXAMPLE, LISTS_DESCRIPTION, ProjectParams, projectFields, RULES_EXAMPLE } from '../../projects/fields.js'

export { ProjectParams }

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

export const ProjectListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'name'],
  filters: { search: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['vpn'], description: 'Only projects with this in their name, in any case.' })) },
})
export type ProjectListQuery = Static<typeof ProjectListQuery>

const changeable = {
  description: Type.Optional(projectFields.description('What it is for.')),
  decoders_xml: Type.Optional(projectFields.xml('Its decoders. Content with findings, also content that is not well-formed, is stored: a validation tells them.')),
  rules_xml: Type.Optional(projectFields.xml('Its rules; as the decoders.')),
  lists: Type.Optional(projectFields.lists(LISTS_DESCRIPTION)),
  default_log_format: Type.Optional(projectFields.logFormat('Of cases and workspaces that name none; default `auto`.')),
  include_disk_defaults: Type.Optional(Type.Boolean({ description: 'Stand on the reference ruleset of the service; default true.' })),
  include_disk_custom: Type.Optional(Type.Boolean({ description: "Stand on the instance's custom content; default true." })),
  active_baseline_id: Type.Optional(
    nullable(fields.id('A version.'), 'A version of this project; null: none. The id of any other version is answered 404, so a new project can only have null.'),
  ),
}

export const ProjectCreateRequest = Type.Object(
  {
    name: fields.name('Name.'),
    template_id: Type.Optional(
      fields.id('A template of the catalog whose rules and decoders the project begins with; not beside `decoders_xml` or `rules_xml`.', 'ssh-root-login-outside-admin-network'),
    ),
    ...changeable,
  },
  { $id: 'ProjectCreateRequest', description: 'A project that is to be made; the name is enough.' },
)
export type ProjectCreateRequest = Static<typeof ProjectCreateRequest>

export const ProjectUpdateRequest = Type.Object(
  { name: Type.Optional(fields.name('Name.')), ...changeable },
  { $id: 'ProjectUpdateRequest', description: 'What changes; the rest stays.' },
)
export type ProjectUpdateRequest = Static<typeof ProjectUpdateRequest>
